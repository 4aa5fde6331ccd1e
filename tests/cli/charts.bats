#!/usr/bin/env bats
# The page: each chart of the list in docs/METHOD.md is there on a simulated run, whole, and can be explored in a browser.

load common

setup_file() {
	export CHARTS=$BATS_FILE_TMPDIR
	cd "$CHARTS" || return 1
	cat > all.plan <<'PLAN'
[global]
bs=4k

[clean]
kind=purge

[write]
rw=randwrite
iodepth=4
runtime=1500s

[depth]
rw=randread
vary.iodepth=1..64*2
runtime=1s
repeat=2

[size]
rw=read
vary.bs=4k..256k*2
runtime=1s

[matrix]
rw=randrw
vary.rwmixread=100 50 0
vary.bs=4k 64k
runtime=2s

[rounds]
kind=group
until=snia
max=6
track=round[bs=4k] iops

[round]
in=rounds
rw=randwrite
vary.bs=4k 16k
runtime=5s

[max]
rw=randread
iodepth=32
runtime=2s

[rate]
rw=randread
vary.arrival=constant:20%@max constant:50%@max constant:80%@max
runtime=2s
PLAN
	cat > fill.plan <<'PLAN'
[clean]
kind=purge

[fill]
rw=write
bs=128k
iodepth=32
until=written:0.4x
interval=50ms

[recovery]
kind=group
vary.wait=1s 10s 60s

[rest]
in=recovery
kind=idle
runtime=@wait

[burst]
in=recovery
rw=write
bs=128k
iodepth=32
offset=continue
until=drop:30%
max=written:1x
PLAN
	"$SSDASSAY" run fill.plan sim:tlc-consumer,shrink=64 -o fill.assay --progress none > /dev/null
	"$SSDASSAY" report fill.assay -o fill.html
	for drive in tlc-consumer sata-tlc; do
		"$SSDASSAY" run all.plan "sim:$drive,shrink=512" -o $drive.assay --progress none > /dev/null 2> $drive.err
	done
	"$SSDASSAY" report tlc-consumer.assay -o one.html
	"$SSDASSAY" report tlc-consumer.assay sata-tlc.assay -o two.html
}

setup() { cd "$CHARTS"; }

# has FILE TEXT...
has() {
	local file=$1 text
	shift
	for text in "$@"; do
		grep -qF -- "$text" "$file" || {
			echo "not in $file: $text"
			return 1
		}
	done
}

@test "1, 2: I/Os against time with window, gate and drive writes; their distribution beside it" {
	has one.html 'IOPS against time · write' 'steady window' 'drive writes' 'SNIA rounds' 'from near · write' \
		'class="c strip"' 'Half of the intervals lie between'
}

@test "3, 4: single I/Os and all of them, against time" {
	has one.html 'Latency of single I/Os against time · write' 'slow write' 'Latency distribution against time · write' 'slowest p99.9'
}

@test "5, 7, 8: sweeps of depth with its knee, of size with throughput first, tables of two keys" {
	has one.html 'depth · I/Os per second' '95 % of that is reached at iodepth' 'size · throughput' 'size · I/Os per second (log)' \
		'<table class="heat"' 'matrix · read and write'
}

@test "6: response time against load" {
	has one.html 'rate · read · response time against load'
}

@test "9, 10, 11: percentiles with waiting time, the slower share, slow I/Os" {
	has one.html 'Latency percentiles · write' 'class="l f s0"' 'waiting p99' 'Share of slower I/Os · write' 'Slow I/Os'
}

@test "12, 13: the fill with its stages, what pauses give back" {
	has fill.html 'Throughput against data written · fill' 'likely' 'begins between' 'of the capacity'
	has fill.html 'What a pause gives back'
}

@test "14, 15: temperature, write amplification" {
	has one.html 'Temperature of the drive' 'Write amplification' 'went to flash, over'
}

@test "16: rounds and the window of the last five" {
	has one.html 'round · write · convergence' 'steady-state window' 'slope +/- 5 %' "meet SNIA"
}

@test "8, 16: as SNIA's tests have them: a line per mix over block sizes, rounds of all points, a window for each value of a group's key" {
	cat > pts.plan <<'PLAN'
[global]
report=pts-iops

[clean]
kind=purge

[fill]
kind=fill
until=written:1x

[rounds]
kind=group
until=snia
max=5
track=matrix[rwmixread=0 bs=4k] iops

[matrix]
in=rounds
rw=randrw
vary.rwmixread=100 50 0
vary.bs=1m 64k 4k
runtime=1s

[size]
kind=group
vary.bs=1m 128k

[more]
in=size
kind=group
until=snia
max=5
track=seq[rwmixread=0] bytes_per_second

[seq]
in=more
rw=rw
vary.rwmixread=100 0
runtime=1s
PLAN
	"$SSDASSAY" run pts.plan sim:sata-tlc,shrink=512 -o pts.assay --progress none > /dev/null
	"$SSDASSAY" report pts.assay -o pts.html
	python3 - <<'PY'
import re
page = open("pts.html").read()
figures = {re.search(r"<h4>(.*?)</h4>", figure).group(1): figure
           for figure in re.findall(r"<figure.*?</figure>", page, re.S)}
curves = figures["matrix · read and write"]
assert ">4 KiB<" in curves and ">1 MiB<" in curves, "block sizes are along the axis"
for mix in (100, 50, 0):
    assert f"rwmixread={mix}<" in curves, mix
ticks = re.findall(r'class="ty"[^>]*>([0-9.]+ ?[kM]?)<', curves)
assert "1 k" in ticks and "10 k" in ticks and "0" not in ticks, ("both axes are logarithmic", ticks)
for size in ("4k", "64k", "1m"):
    rounds = figures[f"matrix bs={size} · read and write · convergence"]
    assert "I/Os per second" in rounds, "not bytes, since small blocks are among them"
    for mix in (100, 50, 0):
        assert f"rwmixread={mix}<" in rounds, (size, mix)
    assert rounds.count('<th scope="row">') == 3, (size, rounds)
    assert "points are drawn" not in rounds, size
windows = [title for title in figures if title.startswith("seq[rwmixread=0] bytes_per_second")]
assert len(windows) == 2 and "bs=1m" in windows[0] and "bs=128k" in windows[1], windows
PY
}

@test "16: a window has its values, what is allowed and measured, and its line, each as recomputed from the rounds" {
	cat > window.plan <<'PLAN'
[global]
report=pts-latency

[clean]
kind=purge

[settle]
rw=randwrite
bs=4k
iodepth=4
until=snia:10s/20s
max=time:10m

[rounds]
kind=group
until=snia
max=8
track=matrix[rwmixread=0 bs=4k] mean

[matrix]
in=rounds
rw=randrw
vary.rwmixread=65 0
vary.bs=4k 16k
runtime=2s

[free]
rw=randwrite
bs=4k
rate_iops=100
runtime=2m
PLAN
	"$SSDASSAY" run window.plan sim:sata-tlc,shrink=512 -o window.assay --progress none > /dev/null
	"$SSDASSAY" report window.assay -o window.html
	"$SSDASSAY" show --json window.assay > window.json
	"$SSDASSAY" export window.assay --format csv -o window > /dev/null
	python3 - <<'PY'
import csv, json, re
page, run = open("window.html").read(), json.load(open("window.json"))
figures = {re.search(r"<h4>(.*?)</h4>", figure).group(1): figure
           for figure in re.findall(r"<figure.*?</figure>", page, re.S)}

def window(figure, y, last, unit, scale):
    y = [value / scale for value in y]
    average = sum(y) / 5
    k = sum((i - 2) * value for i, value in enumerate(y)) / 10
    b = average - k * (last - 2)	# at the number of the round, not at the place in the window
    line = re.search(r"y = (\u2212?[0-9.]+)\S*?( \u00b5s|\u202f\u00b5s)? \u00b7 R \+ (\u2212?[0-9.]+)", figure.split("round: ")[1])
    near(float(line.group(1).replace("\u2212", "-")), k)
    near(float(line.group(3).replace("\u2212", "-")), b)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", figure)
    numbers = [float(re.match(r"[0-9.]+", cell).group(0)) for cell in cells if re.match(r"[0-9]", cell)]
    rounds = numbers[:10]
    assert rounds[0::2] == list(range(last - 4, last + 1)), rounds
    for value, want in zip(rounds[1::2], y):
        near(value, want)
    near(numbers[10], average)
    near(numbers[11], 0.2 * average)
    near(numbers[12], max(y) - min(y))
    near(numbers[13], 0.1 * average)
    near(numbers[14], 4 * abs(k))

def near(value, want):
    assert abs(value - want) <= 2e-5 * abs(want) + 1e-9, (value, want)

rounds = [step["loads"][0]["write"]["service_ns"]["mean"] for step in run["steps"]
          if step["name"] == "matrix" and step["values"]["rwmixread"] == 0 and step["values"]["bs"] == 4096]
title = "matrix[rwmixread=0 bs=4k] mean \u00b7 steady-state window"
window(figures[title], rounds[-5:], len(rounds), "\u00b5s", 1000)
row = re.search(r"<tr><td>matrix\[rwmixread=0 bs=4k\] mean</td>(.*?)</tr>", page).group(1)
assert re.search(r"(ms|\u00b5s)</td>", row), ("the average of a latency has a unit", row)
settle = next(step for step in run["steps"] if step["name"] == "settle")
snia = settle["steady"]["snia"]
assert snia["complete"], snia
window(figures["iops \u00b7 settle \u00b7 steady-state window"], snia["values"], snia["last_round"], "", 1)
rows = {row["tracked"]: row for row in csv.DictReader(open("window/windows.csv"))}
assert sorted(rows) == ["iops", "matrix[rwmixread=0 bs=4k] mean"], rows
row = rows["matrix[rwmixread=0 bs=4k] mean"]
assert int(row["last_round"]) == len(rounds) and all(abs(float(row[f"y{i + 1}"]) / rounds[i - 5] - 1) < 1e-8 for i in range(5)), (row, rounds)
near(float(row["b"]) + float(row["k"]) * (len(rounds) - 2), sum(rounds[-5:]) / 5)
assert float(rows["iops"]["slope_allowed"]) == snia["slope_allowed"] and rows["iops"]["step"] == "settle"
assert not any("free" in title for title in figures if "window" in title), "that step waited for nothing"
assert "mean latency (log)" in figures["matrix \u00b7 read and write"], "that test is about latency"
tail = page[page.index("<caption>matrix \u00b7 read and write \u00b7 p99.999"):]
assert re.search(r'title="needs [0-9\u202f. kM]+ more I/Os">n/a', tail[:tail.index("</table>")]), "too few I/Os for that, and how many more it takes"
longest = [figure for title, figure in figures.items() if "convergence of the longest latency" in title]
assert longest and not any("SNIA" in re.search(r"<figcaption>(.*?)</figcaption>", figure).group(1) for figure in longest)
PY
}

@test "8, 16: figures of rounds are means of each point's own last five, also where one value of a group took more rounds than another" {
	cat > uneven.plan <<'PLAN'
[global]
report=pts-throughput

[size]
kind=group
vary.bs=64k 4k

[fresh]
in=size
kind=purge

[rounds]
in=size
kind=group
until=snia
max=25
track=seq[rwmixread=0] bytes_per_second

[seq]
in=rounds
rw=randrw
iodepth=8
vary.rwmixread=100 0
runtime=2s
PLAN
	"$SSDASSAY" run uneven.plan sim:sata-tlc,shrink=512 --allow-unwritten -o uneven.assay --progress none > /dev/null
	"$SSDASSAY" report uneven.assay -o uneven.html
	"$SSDASSAY" show --json uneven.assay > uneven.json
	python3 - <<'PY'
import json, re
page, run = open("uneven.html").read(), json.load(open("uneven.json"))
rounds = {}
figures = {re.search(r"<h4>(.*?)</h4>", figure).group(1): figure for figure in re.findall(r"<figure.*?</figure>", page, re.S)}
for direction, mix in (("read", 100), ("write", 0)):
    assert "MB/s" in figures[f"seq \u00b7 {direction}"], "that test is about throughput"
    table = page[page.index(f"<caption>seq \u00b7 {direction} \u00b7 MB/s"):]
    table = table[:table.index("</table>")]
    sizes = re.findall(r'<th scope="col">([0-9]+k)</th>', table)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", table)
    assert len(cells) == len(sizes) == 2, (sizes, cells)
    for size, cell in zip(sizes, cells):
        values = [step["loads"][0][direction]["bytes_per_second"] / 1e6 for step in run["steps"] if step["name"] == "seq" and
                  step["values"]["rwmixread"] == mix and step["values"]["bs"] == 1024 * int(size[:-1])]
        rounds[size] = len(values)
        want = sum(values[-5:]) / 5
        told = float(re.sub("[^0-9.]", "", cell))
        assert abs(told - want) <= max(0.51, 0.0051 * want if want < 1000 else 0), (direction, size, told, want, values)
assert sorted(rounds) == ["4k", "64k"] and rounds["4k"] != rounds["64k"], ("the test is about different numbers of rounds", rounds)
PY
}

@test "a page of a SNIA test begins with its conditions and the values that were used" {
	cat > setup.plan <<'PLAN'
[global]
report=pts-dv
rw=randwrite
bs=4k

[class enterprise]
write_cache=off
range=0%..100%

[class client]
write_cache=on
range=75%/64	; segments

[clean]
kind=purge

[fill]
kind=fill
until=written:2x

[settle]
iodepth=8
until=snia:2s/4s
max=written:1x

[rounds]
kind=group
until=snia
max=5
track=base iops

[base]
in=rounds
numjobs=4	# the most
iodepth=8
runtime=2s
PLAN
	"$SSDASSAY" run setup.plan sim:sata-tlc,shrink=512 -o enterprise.assay --progress none > /dev/null
	"$SSDASSAY" run setup.plan sim:sata-tlc,shrink=512 --set class=client --set base.runtime=3s -o client.assay --progress none > /dev/null
	for name in enterprise client; do
		"$SSDASSAY" report $name.assay -o $name.html
		"$SSDASSAY" show --json $name.assay > $name.json
	done
	python3 - <<'PY'
import html, json, re
def facts(name):
    page = open(name + ".html").read()
    part = page[page.index("Test conditions</h2>"):page.index("Results at a glance</h2>")]
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", part)
    return {html.unescape(key): html.unescape(value) for key, value in found}, html.unescape(re.sub("<[^>]*>", "", part))

told, words = facts("enterprise")
run = json.load(open("enterprise.json"))
drive, host = run["drives"][0], run["host"]
assert drive["model"] in told["drive"] and told["serial"] == drive["serial"] and told["firmware"] == drive["firmware"]
assert told["interface"] == drive["interface"]
assert host["cpu"] in told["processor"] and told["operating system"] == host["os"] and told["kernel"] == host["kernel"]
assert run["ssdassay"] in told["program"] and told["memory"] and run["run"]["started"] in told["date"]
assert told["purge"] == "trim" and told["write cache"] == "off, on before the run" and told["data pattern"] == "random"
assert told["active range"] == "0%..100% of the capacity" and told["class"] == "enterprise"
fill = next(step for step in run["steps"] if step["kind"] == "fill")
assert "sequential write 128k" in told["preconditioning 1 (independent of the load)"] and "2 times the range" in told["preconditioning 1 (independent of the load)"]
assert "random write 4k" in told["preconditioning 2 (by the load)"]
assert told["threads / queue depth of each"] == "1\u20134 / 8"
last = max(step["round"] for step in run["steps"] if step["name"] == "base") + 1
assert re.search(rf"base iops: {last - 4} to {last}, (met|NOT REACHED)", told["steady-state rounds"]), told
for value in ("until=snia:2s/4s", "max=written:1x", "write_cache=off", "track=base iops"):
    assert value in words, value
assert "write_cache=on" not in words and "segments" not in words and "the most" not in words, "comments and other classes are left out"

told, words = facts("client")
assert told["active range"] == "75% of the capacity, in 64 segments" and told["write cache"] == "on, as before the run"
assert "class=client" in words and "base.runtime=3s" in words and "write_cache=off" not in words
assert "Test conditions" not in open("one.html").read()
PY
}

@test "demand variation: what was picked is what its rounds say, is told and marked, and has a histogram" {
	cat > picks.plan <<'PLAN'
[global]
report=pts-dv
rw=randwrite
bs=4k

[rounds]
kind=group
until=snia
max=6
track=base iops

[base]
in=rounds
numjobs=4
iodepth=16
runtime=500ms

[sweep]
in=rounds
vary.numjobs/iodepth=4/16 4/4 4/1 2/4 2/1 1/4 1/1
runtime=500ms
pick.max=sweep max iops where mean<200us
pick.mid=sweep mid iops
pick.min=sweep[numjobs=1 iodepth=1]

[latency-max]
numjobs=@max.numjobs
iodepth=@max.iodepth
runtime=1s

[latency-mid]
numjobs=@mid.numjobs
iodepth=@mid.iodepth
runtime=1s

[latency-min]
numjobs=@min.numjobs
iodepth=@min.iodepth
runtime=1s
PLAN
	"$SSDASSAY" run picks.plan sim:840pro,shrink=64 -o picks.assay --progress none > /dev/null
	"$SSDASSAY" report picks.assay -o picks.html
	"$SSDASSAY" show --json picks.assay > picks.json
	python3 - <<'PY'
import html, json, re
page, run = html.unescape(open("picks.html").read()), json.load(open("picks.json"))
rounds = {}
for step in run["steps"]:
    if step["name"] == "sweep":
        write = step["loads"][0]["write"]
        rounds.setdefault((step["values"]["numjobs"], step["values"]["iodepth"]), []).append((write["iops"], write["service_ns"]["mean"]))
mean = {point: tuple(sum(value[i] for value in values[-5:]) / len(values[-5:]) for i in (0, 1)) for point, values in rounds.items()}
middle = (max(m[0] for m in mean.values()) + min(m[0] for m in mean.values())) / 2
want = {"max": max((point for point in mean if mean[point][1] < 200e3), key=lambda point: mean[point][0]),
        "mid": min(mean, key=lambda point: abs(mean[point][0] - middle)), "min": (1, 1)}
assert want["max"] != max(mean, key=lambda point: mean[point][0]), "the condition decides"
told = {f["data"]["name"]: f for f in run["findings"] if f["kind"] == "picked_point"}
assert sorted(told) == ["max", "mid", "min"], told
figures = {re.search(r"<h4>(.*?)</h4>", figure).group(1): figure for figure in re.findall(r"<figure.*?</figure>", page, re.S)}
for name, point in want.items():
    data = told[name]["data"]
    assert (data["values"]["numjobs"], data["values"]["iodepth"]) == point, (name, data, mean)
    assert abs(data["iops"] / mean[point][0] - 1) < 1e-6 and abs(data["mean_ns"] / mean[point][1] - 1) < 1e-6
    used = next(step for step in run["steps"] if step["name"] == "latency-" + name)["values"]
    assert (used["numjobs"], used["iodepth"]) == point, (name, used)
    for title in ("sweep \u00b7 write", "sweep \u00b7 demand intensity"):
        assert f">{name}</text>" in figures[title], (name, title)
    assert f"The point '{name}' is" in figures["sweep \u00b7 demand intensity"], name
    assert any(title.startswith("Latency histogram \u00b7 latency-" + name) for title in figures), name
PY
}

@test "steps laid over each other are each told by their own length" {
	cat > waits.plan <<'PLAN'
[global]
report=pts-hir
rw=randwrite
bs=4k
iodepth=8

[clean]
kind=purge

[waits]
kind=group
vary.wait=1s 4s

[duty]
in=waits
duty=1s/@wait*40
PLAN
	"$SSDASSAY" run waits.plan sim:sata-tlc,shrink=512 -o waits.assay --progress none > /dev/null
	"$SSDASSAY" report waits.assay -o waits.html
	"$SSDASSAY" export waits.assay --format csv -o waits > /dev/null
	python3 - <<'PY'
import csv, re
page = open("waits.html").read()
figure = next(f for f in re.findall(r"<figure.*?</figure>", page, re.S) if "<h4>IOPS against time \u00b7 duty</h4>" in f)
assert "n/a" not in re.search(r"<figcaption>(.*?)</figcaption>", figure).group(1)
rows = {cells[0]: [float(re.sub("[^0-9.]", "", cell)) for cell in cells[1:]]
        for cells in (re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", figure, re.S))
        if len(cells) == 4}
assert sorted(rows) == ["wait=1s", "wait=4s"], rows
series = [row for row in csv.DictReader(open("waits/series.csv")) if row["direction"] == "write"]
for point, wait in ((0, 1), (1, 4)):
    mine = [row for row in series if row["step"] == "duty" and row["point"] == str(point)]
    length = max(int(row["t_ns"]) + int(row["duration_ns"]) for row in mine)
    def mean(low, high):
        part = [row for row in mine if low <= int(row["t_ns"]) + int(row["duration_ns"]) / 2 < high]
        return sum(int(row["ios"]) for row in part) / sum(int(row["duration_ns"]) - int(row["rest_ns"]) for row in part) * 1e9
    told = rows[f"wait={wait}s"]
    assert abs(told[0] / mean(0, length / 20) - 1) < 0.02, (wait, told, mean(0, length / 20))
    assert abs(told[1] / mean(length / 2, 1e18) - 1) < 0.02, (wait, told, mean(length / 2, 1e18))
    assert abs(told[2] - told[0] / told[1]) < 0.002
PY
}

@test "cross stimulus: throughput, mean and longest latency of the whole run, each interval by its I/Os; the recovery is drawn" {
	cat > cross.plan <<'PLAN'
[global]
report=pts-xsr
iodepth=32
interval=100ms

[clean]
kind=purge

[before]
rw=write
bs=1m
until=written:2x

[random]
rw=randwrite
bs=8k
until=written:1x

[after]
rw=write
bs=1m
until=written:4x
PLAN
	"$SSDASSAY" run cross.plan sim:tlc-datacenter,shrink=512 -o cross.assay --progress none > /dev/null
	"$SSDASSAY" report cross.assay -o cross.html
	"$SSDASSAY" export cross.assay --format csv -o cross > /dev/null
	grep -q 'Recovery</h2>' cross.html
	cp cross.assay older.assay
	sqlite3 older.assay "update finding set data_json = json_remove(data_json, '$.sample_s') where kind = 'bandwidth_recovery'"
	"$SSDASSAY" report older.assay -o older.html
	[ "$(grep -c 'Recovery</h2>' older.html)" = 0 ]	# nothing can be drawn: no empty section
	python3 - <<'PY'
import csv, re
page = open("cross.html").read()
figures = {re.search(r"<h4>(.*?)</h4>", figure).group(1): figure for figure in re.findall(r"<figure.*?</figure>", page, re.S)}
assert "Throughput against time \u00b7 whole run" in figures and "Recovery of the bandwidth \u00b7 after" in figures, list(figures)
series = [row for row in csv.DictReader(open("cross/series.csv")) if row["direction"] == "write" and int(row["ios"])]
origin = min(int(row["run_t_ns"]) for row in series)
length = max(int(row["run_t_ns"]) + int(row["duration_ns"]) for row in series) - origin
unit = {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}
for title in ("Mean latency against time", "Longest latency against time"):
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", figures[title + " \u00b7 whole run"])
    told = [float(number) * unit[name] for number, name in (re.match(r"([0-9.]+)\W*(\S+)$", cell).groups() for cell in cells[1::2])]
    assert len(told) == 20
    for row, value in enumerate(told):
        part = [r for r in series if length * row / 20 <= int(r["run_t_ns"]) + int(r["duration_ns"]) / 2 - origin < length * (row + 1) / 20]
        ios = sum(int(r["ios"]) for r in part)
        want = sum(int(r["ios"]) * float(r["mean"]) for r in part) / ios if title[0] == "M" else max(float(r["max"]) for r in part)
        assert abs(value / want - 1) < 0.02, (title, row, value, want)
PY
}

@test "no table of a page stands there twice" {
	printf '%s\n' '[global]' report=pts-dv rw=randwrite bs=4k '[sweep]' vary.numjobs/iodepth='4/4 4/1 2/4 2/1 1/4 1/1' runtime=500ms > dv.plan
	"$SSDASSAY" run dv.plan sim:sata-tlc,shrink=512 -o dv.assay --progress none > /dev/null
	"$SSDASSAY" report dv.assay -o dv.html
	has dv.html 'demand intensity' '<caption>sweep · write · mean</caption>'
	for page in dv.html one.html; do
		[ -z "$(grep -o '<caption>[^<]*</caption>' $page | sort | uniq -d)" ]
	done
}

@test "a line of means breaks over pauses" {
	printf '%s\n' '[burst]' rw=randwrite bs=4k iodepth=8 'duty=5s/20s*12' > duty.plan
	"$SSDASSAY" run duty.plan sim:sata-tlc,shrink=64 -o duty.assay --progress none > /dev/null
	"$SSDASSAY" report duty.assay -o duty.html
	python3 - <<'PY'
import re
page = open("duty.html").read()
figures = [figure for figure in re.findall(r"<figure.*?</figure>", page, re.S) if "IOPS against time" in figure]
assert figures
for figure in figures:
    pieces = [path.count("M") for path in re.findall(r' d="(M[^"]*)"', figure)]
    assert 12 in pieces, pieces	# twelve bursts
PY
}

@test "17, 18: drives sorted with a verdict, percentiles as multiples" {
	has two.html 'best first' 'A verdict takes 4 runs of each' "? can" 'latency against the reference' 'The widest difference of these runs'
	refute grep -q 'The widest certain difference' two.html	# one run of each says nothing of the drives
}

@test "19: I/Os in flight against what was asked; on a real target CPUs too" {
	has one.html 'I/Os in flight against what was asked' 'of the I/Os asked for were in flight'
	cli_start
	plan q.plan <<< $'[a]\nrw=randwrite\nbs=4k\nsize=16m\nruntime=12s\n'
	ssd run q.plan "$RIG/" -o "$RIG/q.assay" --progress none
	[ "$status" -le 1 ]
	[ "$(query "select count(*) > 0 from telemetry join telemetry_name on telemetry_name.id = telemetry.name where telemetry_name.name like 'core_%'" "$RIG/q.assay")" = 1 ]
	ssd report "$RIG/q.assay" -o q.html
	has q.html 'CPUs one by one'
	cli_stop
}

@test "demand variation on a real target: the CPUs that each point took, as its workers counted them" {
	cli_start
	printf '%s\n' '[global]' report=pts-dv rw=randwrite bs=4k size=16m '[sweep]' vary.numjobs/iodepth='2/8 2/1 1/8 1/1' runtime=1s > cpu.plan
	"$SSDASSAY" run cpu.plan "$RIG/" -o "$RIG/cpu.assay" --progress none > /dev/null || [ $? = 1 ]
	"$SSDASSAY" report "$RIG/cpu.assay" -o cpu.html
	"$SSDASSAY" show --json "$RIG/cpu.assay" > cpu.json
	python3 - <<'PY'
import json, re
page, run = open("cpu.html").read(), json.load(open("cpu.json"))
table = page[page.index("CPUs that the workers used</caption>"):]
table = table[:table.index("</table>")]
depths = re.findall(r'<th scope="col">(\d+)</th>', table)
rows = re.findall(r'<th scope="row">(\d+)</th>(.*?)</tr>', table, re.S)
assert depths == ["1", "8"] and [row[0] for row in rows] == ["1", "2"], table
for workers, cells in rows:
    for depth, told in zip(depths, re.findall(r"<td[^>]*>([^<]*)</td>", cells)):
        step = next(step for step in run["steps"] if step["name"] == "sweep" and (step["values"]["numjobs"], step["values"]["iodepth"]) == (int(workers), int(depth)))
        cpu = sum(worker["cpu_user_ns"] + worker["cpu_system_ns"] for worker in step["loads"][0]["facts"]["workers"])
        assert abs(float(told) - cpu / step["duration_ns"]) < 0.006, (workers, depth, told, cpu / step["duration_ns"])
PY
	cli_stop
}

@test "20: stalls" {
	has one.html 'Stalls against time'
}

@test "each chart has a title, axes with titles, a finding and a table" {
	for page in one.html two.html; do
		python3 - $page <<'PY'
import re, sys
page = open(sys.argv[1]).read()
figures = re.findall(r"<figure.*?</figure>", page, re.S)
assert len(figures) > 20, len(figures)
for figure in figures:
    title = re.search(r"<h4>(.*?)</h4>", figure).group(1)
    for need in ("<svg role=\"img\"", "<desc", 'class="ax"', 'class="ay"', "<figcaption>", "<table"):
        assert need in figure, (title, need)
    assert len(re.search(r"<figcaption>(.*?)</figcaption>", figure, re.S).group(1)) > 10, title
PY
	done
}

@test "nothing is loaded from the network" {
	refute grep -oE '(src|href|action|data)="?(https?:)?//[^"]*' one.html two.html
	grep -q "default-src 'none'" one.html
}

@test "Explore opens a chart in a browser, with all of its intervals" {
	command -v chromium > /dev/null || skip "chromium is not installed"
	grep -q 'class="explore"' one.html || skip "built without Explore (no npm, or no network while configuring)"
	for page in one.html two.html; do
		chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
			--user-data-dir="$CHARTS/profile" --virtual-time-budget=20000 --dump-dom "file://$CHARTS/$page#explore" \
			> dom.html 2> dom.err
		grep -q '<canvas' dom.html
		grep -q 'class="explorer"' dom.html
		[ "$(grep -o 'data-rows="[0-9]*"' dom.html | tr -dc 0-9)" -gt 100 ]
	done
	# the highest value that the script decoded is the one that the static chart tells of
	python3 - <<'PY'
import re, subprocess
dom = open("dom.html").read()
highest = float(re.search(r'data-highest="([0-9.]+)"', dom).group(1))
assert highest > 100, highest
PY
	# without the press nothing runs
	chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
		--user-data-dir="$CHARTS/profile" --virtual-time-budget=5000 --dump-dom "file://$CHARTS/one.html" > dom.html 2> dom.err
	refute grep -q '<canvas' dom.html
	grep -q 'can-explore' dom.html
}

@test "the page speaks Chinese, simplified and traditional" {
	"$SSDASSAY" report tlc-consumer.assay -o hans.html --lang zh-Hans
	"$SSDASSAY" report tlc-consumer.assay -o hant.html --lang zh-Hant
	has hans.html 'lang="zh-Hans"' '写放大' '交互查看'
	has hant.html 'lang="zh-Hant"' '寫入放大' '互動檢視'
}

# english_in FILE...: what is said in English on pages in another language: three words in a row, outside of the plan's text, of the facts of the
# host and the drives (names and what the system says), and of what is marked as English. Names of drives are no words. Also tells how many
# sentences the page has.
english_in() {
	python3 - "$@" <<'PY'
import re, sys
from html.parser import HTMLParser

NAMES = re.compile(r"Simulated [A-Za-z ]+|sim:[a-z0-9,=-]+")
WORDS = re.compile(r"[A-Za-z][A-Za-z'-]+(?:[ ,;:.]+[A-Za-z][A-Za-z'-]*){2,}")

class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.found, self.sentences = [], [], 0

    def aside(self):
        return any(tag in ("script", "style", "pre", "dt", "dd") or english for tag, english in self.open)

    def look(self, text):
        self.sentences += text.rstrip().endswith("\u3002")
        self.found += WORDS.findall(NAMES.sub("", text))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("title", "aria-label"):
            if attributes.get(name) and not self.aside():
                self.look(attributes[name])
        if tag not in ("meta", "link", "br", "img", "input"):
            self.open.append((tag, attributes.get("lang") == "en"))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, text):
        if not self.aside():
            self.look(text)

for name in sys.argv[1:]:
    page = Page()
    page.feed(open(name, encoding="utf-8").read())
    for words in page.found:
        print(f"{name}: {words}")
    if page.sentences < 30:
        print(f"{name}: only {page.sentences} sentences")
PY
}

@test "a Chinese page has no English sentence" {
	local run language
	for run in fill tlc-consumer sata-tlc; do
		for language in zh-Hans zh-Hant; do
			"$SSDASSAY" report $run.assay -o $run.$language.html --lang $language
			refute grep -q 'lang="en"' $run.$language.html
		done
	done
	run english_in ./*.zh-Han?.html
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	# the same sentences as on the English page, with the same numbers
	has fill.html 'SLC cache of the empty drive'
	has fill.zh-Hans.html '空状态下的 SLC 缓存'
	has fill.zh-Hant.html '空狀態下的 SLC 快取'
	# and the search finds English where there is some
	run english_in fill.html
	[ -n "$output" ]
}
