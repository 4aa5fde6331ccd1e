/* What the Explore buttons of the report do: zoom, hover, toggle. Nothing here runs until one is pressed, and
 * the page is whole without it. The library (uPlot) and the data lie in the page as deflated base64. */
"use strict";
(() => {
	if (typeof DecompressionStream === "undefined" || typeof document.querySelector !== "function")
		return;
	const root = document.documentElement, tables = new Map();
	const words = JSON.parse(document.getElementById("explore-words").textContent);
	const steps_s = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400];
	let library;

	/* -- what is in the page -- */

	function from_base64(text) {
		if (Uint8Array.fromBase64)
			return Uint8Array.fromBase64(text);
		const binary = atob(text), bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++)
			bytes[i] = binary.charCodeAt(i);
		return bytes;
	}

	async function inflate(id) {
		const packed = from_base64(document.getElementById(id).textContent);
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));

		return new Uint8Array(await new Response(stream).arrayBuffer());
	}

	/* `planes` bytes of each number lie one plane behind the other; they are zig-zag differences. */
	function numbers(bytes, at, rows, planes) {
		const values = new Float64Array(rows), range = 2 ** (8 * planes);
		let value = 0;

		for (let i = 0; i < rows; i++) {
			let zigzag = 0;
			for (let plane = planes - 1; plane >= 0; plane--)
				zigzag = zigzag * 256 + bytes[at + plane * rows + i];
			value += zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
			value = ((value % range) + range) % range;
			values[i] = value;
		}
		return values;
	}

	/* A column is quantised: 0 is "no value"; logarithmic ones have 1 for zero. */
	function real(column) {
		if (column.step !== undefined)
			return (q) => (q === 0 ? null : column.low + (q - 1) * column.step);
		return (q) => (q === 0 ? null : q === 1 ? 0 : Math.exp((q - 8000) / 1000));
	}

	async function table_of(id) {
		if (tables.has(id))
			return tables.get(id);
		const element = document.getElementById(id), head = JSON.parse(element.dataset.head);
		const bytes = await inflate(id), rows = head.rows;
		const table = { t: Array.from(numbers(bytes, 0, rows, 4), (ms) => ms / 1000), columns: [] };

		head.columns.forEach((column, i) => {
			const coded = numbers(bytes, rows * (4 + 2 * i), rows, 2);
			table.columns.push({ ...column, y: Array.from(coded, real(column)) });
		});
		tables.set(id, table);
		return table;
	}

	/* -- the tables of one chart: one after the other in time, or (runs) above each other -- */

	function key_of(column) {
		return column.kind + "\n" + column.label;
	}

	function in_sequence(parts) {
		const whole = { t: [], columns: [] }, places = new Map();

		for (const part of parts)
			for (const column of part.columns)
				if (!places.has(key_of(column))) {
					places.set(key_of(column), whole.columns.length);
					whole.columns.push({ ...column, y: [] });
				}
		for (const part of parts) {
			const before = whole.t.length;

			for (const t of part.t)
				whole.t.push(t);
			for (const column of part.columns) {
				const y = whole.columns[places.get(key_of(column))].y;
				while (y.length < before)
					y.push(null);
				for (const value of column.y)
					y.push(value);
			}
		}
		for (const column of whole.columns)
			while (column.y.length < whole.t.length)
				column.y.push(null);
		return whole;
	}

	/* Runs are drawn from their own beginning, a column each. */
	function side_by_side(parts, names, kind) {
		const pieces = parts.map((part) => {
			const start = part.t.length ? part.t[0] : 0;
			const column = part.columns.find((c) => c.kind === kind && c.label === part.columns[0].label);
			return [part.t.map((t) => t - start), column ? column.y : part.t.map(() => null)];
		});
		const joined = library.join(pieces);

		return { t: joined[0], columns: joined.slice(1).map((y, i) =>
			({ kind, label: names[i], series: i, unit: parts[i].columns[0].unit, y })) };
	}

	/* -- numbers in words -- */

	function number_text(value) {
		return Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en").replaceAll(",", "\u202f")
			: String(+value.toPrecision(3));
	}

	function text_of(kind, value) {
		if (value === null || value === undefined)
			return "\u2013";
		if (kind === "iops")
			return number_text(value);
		if (kind === "rate")
			return number_text(value / 1e6) + "\u202fMB/s";
		if (kind === "value")
			return number_text(value);
		const units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];
		const [unit, size] = units.find(([, least]) => value >= least) || units[3];
		return +(value / size).toPrecision(3) + "\u202f" + unit;
	}

	function time_text(seconds, step) {
		const sign = seconds < 0 ? "-" : "", whole = Math.abs(seconds);
		const h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60, s = whole % 60;
		const parts = [];

		if (h)
			parts.push(h + "\u202fh");
		if (m)
			parts.push(m + "\u202fmin");
		if (s || !parts.length)
			parts.push(+s.toFixed(step < 1 ? 2 : 0) + "\u202fs");
		return sign + parts.join(" ");
	}

	/* -- drawing -- */

	function color(series) {
		return getComputedStyle(root).getPropertyValue("--c" + (series % 8)).trim();
	}

	function axis(extra) {
		const style = getComputedStyle(root);

		return { stroke: style.getPropertyValue("--muted"), font: "12px system-ui",
			grid: { stroke: style.getPropertyValue("--grid"), width: 1 },
			ticks: { stroke: style.getPropertyValue("--line"), width: 1 }, ...extra };
	}

	function positive(y) {
		return y.map((value) => (value > 0 ? value : null));
	}

	function plot(panel, table, columns, log, height, group) {
		const kind = columns[0].kind, place = document.createElement("div");
		const options = {
			width: Math.max(panel.clientWidth, 280), height,
			scales: { x: { time: false }, y: log ? { distr: 3 } : { range: (u, low, high) =>
				[kind === "value" ? low - 1 : 0, high > 0 ? high * 1.05 : 1] } },
			cursor: { sync: { key: group }, drag: { x: true, y: false } },
			axes: [
				axis({ incrs: steps_s, values: (u, at, i, space, step) => at.map((s) => time_text(s, step)) }),
				axis({ size: 76, values: (u, at) => at.map((v) => (v === null ? "" : text_of(kind, v))) }),
			],
			series: [{ label: words.time, value: (u, s) => (s === null ? "\u2013" : time_text(s, 1)) }],
		};
		for (const column of columns)
			options.series.push({ label: column.label, stroke: color(column.series), width: 1.3, spanGaps: false,
				points: { show: false }, value: (u, v) => text_of(column.kind, v) });
		panel.append(place);
		return new library(options, [table.t, ...columns.map((c) => (log ? positive(c.y) : c.y))], place);
	}

	function save(name, blob) {
		const link = document.createElement("a");

		link.href = URL.createObjectURL(blob);
		link.download = name;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 1000);
	}

	function csv(table) {
		const lines = [["t_s", ...table.columns.map((c) => '"' + (c.kind + " " + c.label).replaceAll('"', '""') + '"')]];

		table.t.forEach((t, i) => lines.push([t, ...table.columns.map((c) =>
			(c.y[i] === null || c.y[i] === undefined ? "" : +c.y[i].toPrecision(4)))]));
		return lines.map((line) => line.join(",")).join("\r\n") + "\r\n";
	}

	function control(bar, label, action) {
		const button = document.createElement("button");

		button.type = "button";
		button.textContent = label;
		button.addEventListener("click", action);
		bar.append(button);
		return button;
	}

	/* Arrow keys move the cursor; what it stands on is read out. */
	function keys(panel, plots, table) {
		const said = document.createElement("p");
		let index = -1;

		said.className = "said";
		said.setAttribute("aria-live", "polite");
		panel.append(said);
		panel.tabIndex = 0;
		panel.addEventListener("keydown", (event) => {
			const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -60, PageDown: 60 }[event.key];

			if (!step || !table.t.length)
				return;
			event.preventDefault();
			index = Math.min(Math.max(index + step, 0), table.t.length - 1);
			for (const u of plots)
				u.setCursor({ left: u.valToPos(table.t[index], "x"), top: 0 });
			said.textContent = "t = " + time_text(table.t[index], 1) + ", " + table.columns.filter((c) => c.shown)
				.map((c) => c.label + " " + text_of(c.kind, c.y[index])).join(", ");
		});
	}

	/* Both plots show the same time. */
	function zoom_together(plots) {
		let busy = false;

		for (const u of plots)
			(u.hooks.setScale ||= []).push((changed, name) => {
				if (busy || name !== "x")
					return;
				busy = true;
				for (const other of plots)
					if (other !== changed)
						other.setScale("x", { min: changed.scales.x.min, max: changed.scales.x.max });
				busy = false;
			});
	}

	function draw(figure, panel, table, kind, log) {
		const shown = table.columns.filter((c) => c.kind === kind), rest = table.columns.filter((c) => c.kind === "ns");
		const group = figure.id, plots = [];

		panel.querySelectorAll(".uplot, .said").forEach((old) => old.remove());
		for (const column of table.columns)
			column.shown = column.kind === kind;
		plots.push(plot(panel, table, shown, log, 300, group));
		if (rest.length)
			plots.push(plot(panel, table, rest, true, 240, group));
		zoom_together(plots);
		keys(panel, plots, table);
		panel.dataset.rows = table.t.length;
		panel.dataset.highest = Math.max(...shown.map((c) => c.y.reduce((most, v) => Math.max(most, v || 0), 0)));
		return plots;
	}

	function panel_of(figure, button, table) {
		const panel = document.createElement("div"), bar = document.createElement("p");
		let log = false, plots = [];
		const again = () => {
			plots.forEach((u) => u.destroy());
			plots = draw(figure, panel, table, button.dataset.show, log);
		};

		panel.className = "explorer";
		panel.setAttribute("role", "group");
		panel.setAttribute("aria-label", figure.querySelector("h4").textContent);
		bar.className = "bar";
		panel.append(bar);
		button.after(panel);
		const scale = control(bar, words.log, () => {
			log = !log;
			scale.textContent = log ? words.linear : words.log;
			again();
		});
		control(bar, words.whole, () => plots.forEach((u) =>
			u.setScale("x", { min: table.t[0], max: table.t[table.t.length - 1] })));
		control(bar, "CSV", () => save("series.csv", new Blob([csv(table)], { type: "text/csv" })));
		control(bar, "PNG", () => plots[0].ctx.canvas.toBlob((blob) => save("chart.png", blob)));
		const hint = document.createElement("span");
		hint.textContent = words.hint;
		bar.append(hint);
		again();
		return panel;
	}

	async function load_library() {
		if (library)
			return;
		const decoder = new TextDecoder(), style = document.createElement("style");
		const script = document.createElement("script");

		style.textContent = decoder.decode(await inflate("uplot-css"));
		script.textContent = decoder.decode(await inflate("uplot-js")) + ";window.uPlot=uPlot;";
		document.head.append(style, script);
		library = window.uPlot;
	}

	async function press(button) {
		const figure = button.closest("figure"), open = figure.querySelector(".explorer");

		if (open) {
			open.remove();
			figure.classList.remove("exploring");
			button.setAttribute("aria-expanded", "false");
			return;
		}
		await load_library();
		const parts = await Promise.all(button.dataset.blobs.split(" ").map(table_of));
		const names = button.dataset.names ? JSON.parse(button.dataset.names) : null;
		const table = names ? side_by_side(parts, names, button.dataset.show) : in_sequence(parts);

		figure.classList.add("exploring");
		button.setAttribute("aria-expanded", "true");
		panel_of(figure, button, table);
	}

	root.classList.add("can-explore");
	document.addEventListener("click", (event) => {
		const button = event.target.closest && event.target.closest("button.explore");

		if (button)
			press(button);
	});
	if (location.hash === "#explore") {
		const first = document.querySelector("button.explore");

		if (first)
			press(first);
	}
})();
