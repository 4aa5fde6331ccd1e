#!/usr/bin/env bats
# What the program writes: JSON, CSV, HTML, progress, exit codes, criteria. stdout carries the result and nothing else.

load common

setup() {
	cli_start
	plan s.plan <<-PLAN
		[s]
		rw=randrw
		bs=4k
		size=16m
		iodepth=8
		runtime=2s
		interval=500ms
	PLAN
}

teardown() { cli_stop; }

# Fails on a key that stands twice in one object, and on numbers that are not finite.
strict_json() {
	python3 - "$1" <<-'PY'
		import json, sys
		def unique(pairs):
		    keys = [key for key, _ in pairs]
		    assert len(keys) == len(set(keys)), keys
		    return dict(pairs)
		def never(text):
		    raise ValueError(text)
		json.load(open(sys.argv[1], encoding="utf-8"), object_pairs_hook=unique, parse_constant=never)
	PY
}

@test "show --json: one valid document, unique keys, finite numbers, the names of the interface" {
	run_plan s.plan sim:tlc-consumer
	expect 0
	ssd show --json r.assay
	expect 0
	[ -z "$err" ]
	strict_json .out
	jq -e '.ssdassay and .schema == 1 and .status == "complete" and (.run | .id and .started and .plan == "s" and .scale == 1)
		and (.drives[0] | has("model") and has("serial") and has("capacity_bytes") and has("longest_stall_ns") and has("truth"))
		and (.steps[-1] | .name == "s" and .kind == "load" and has("group") and has("round") and has("point") and has("repeat")
			and has("values") and has("steady") and (.loads[0] | has("engine") and (.queue_depth | has("asked") and has("reached"))
			and (.read | has("ios") and has("bytes") and has("errors") and has("iops") and has("bytes_per_second")
				and has("service_ns") and .response_ns == null and .lateness_ns == null and has("slow_ios"))
			and has("write") and has("trim") and has("flush") and has("fsync")))
		and (.findings | type) == "array" and (.checks | length) > 5' .out > .parsed
}

@test "show --json is valid for runs that failed, were interrupted, or are still going on" {
	plan long.plan <<-PLAN
		[l]
		rw=randwrite
		size=8m
		runtime=60s
	PLAN
	"$SSDASSAY" run long.plan t.dat -o r.assay --progress none > .o 2>&1 3>&- &
	PID=$!
	until_true 10 sh -c "[ \"\$(sqlite3 -readonly r.assay 'select count(*) from series' 2>/dev/null || echo 0)\" -ge 1 ]"
	ssd show --json r.assay
	expect 0
	strict_json .out
	[ "$(result .status)" = running ]
	kill -INT $PID
	wait $PID || true
	ssd show --json r.assay
	strict_json .out
	[ "$(result .status)" = interrupted ]
}

@test "A11 text, JSON, CSV and export tell the same figures" {
	run_plan s.plan sim:tlc-consumer
	"$SSDASSAY" show --json r.assay > shown.json
	"$SSDASSAY" export r.assay --format json > exported.json
	cmp shown.json exported.json
	"$SSDASSAY" export r.assay --format json -o made
	cmp shown.json made/run.json
	"$SSDASSAY" show r.assay > shown.txt
	grep -Eq "^s .* read .* $(jq -r '.steps[-1].loads[0].read.iops | round' shown.json) " shown.txt
	"$SSDASSAY" export r.assay --format csv -o csv
	[ "$(ls csv | tr '\n' ' ')" = "outliers.csv results.csv series.csv telemetry.csv windows.csv " ]
	# the series in CSV adds up to the totals in JSON
	near "$(awk -F, 'NR > 1 && $3 == "read" { n += $6 } END { print n }' csv/series.csv)" \
		"$(jq '[.steps[].loads[].read.ios] | add' shown.json)" 0.000001
}

@test "the run prints the same as show, on stdout, and nothing else there" {
	ssd run s.plan sim:tlc-consumer -o r.assay --progress plain
	expect 0
	cp .out ran
	ssd show r.assay
	cmp ran .out
	expect_out "s " "read" "write"
}

@test "--progress json: every line on stderr is an object, also warnings, ends and failures, and stdout is only the result" {
	plan p.plan <<-PLAN
		[one]
		rw=randread
		size=4m
		runtime=2500ms
		[two]
		kind=idle
		runtime=1s
	PLAN
	"$SSDASSAY" run p.plan t.dat -o r.assay --progress json > .o 2> .e
	jq -es 'all(type == "object") and (map(select(has("run_file"))) == [{run_file: "r.assay"}])' .e > .parsed
	jq -es 'all(has("step") or has("warning") or has("run_file"))' .e > .parsed
	jq -c 'select(has("step"))' .e > lines
	[ "$(wc -l < lines)" -ge 4 ]
	jq -es 'all(type == "object" and has("step") and has("phase") and has("iops") and has("share") and has("left_ns")
		and has("p50_ns") and has("p99_ns") and has("max_ns") and has("bytes_per_second") and .errors == 0)' lines > .parsed
	jq -es 'map(.step) | unique == ["one", "prepare", "two"] or unique == ["one", "two"]' lines > .parsed
	jq -es '[.[] | select(.step == "one" and .phase == "measure").share | select(. != null)] | . == sort and .[-1] <= 1' lines > .parsed
	refute grep -q '^{' .o
	# what is refused, and what cannot be, are objects too
	echo theirs > theirs.dat
	ssd run p.plan theirs.dat --set one.rw=write -o s.assay --progress json
	expect 3
	jq -es 'length == 1 and (.[0].error | contains("--overwrite"))' .err > .parsed
	ssd run p.plan u.dat --set one.ioengine=io_uring_cmd -o s.assay --progress json
	expect 2
	jq -es 'length == 1 and (.[0].error | contains("ioengine"))' .err > .parsed
	ssd run --resume r.assay --progress json
	expect 0
	jq -es 'length == 1 and (.[0].note | contains("nothing is left"))' .err > .parsed
}

@test "--progress none says nothing but where the run file is" {
	ssd run s.plan sim:tlc-consumer -o r.assay --progress none
	expect 0
	[ "$(wc -l < .err)" = 1 ]
	expect_err "Run file: r.assay"
}

@test "the command that makes a page can be pasted, whatever the run file is called" {
	local name
	for name in "my run.assay" "it's \$HOME.assay" "plain-1.assay"; do
		ssd run s.plan sim:tlc-consumer -o "$name" --progress none
		expect 0
		expect_err "Run file: $name   (page: ssdassay report "
		printf '"$SSDASSAY" %s\n' "$(sed -n 's/.*(page: ssdassay \(.*\))$/\1/p' .err)" > paste.sh
		rm -f page.html
		env SSDASSAY="$SSDASSAY" sh -e paste.sh
		[ -s page.html ]
	done
	[[ $err == *"ssdassay report plain-1.assay -o"* ]]
	ssd run s.plan sim:tlc-consumer -o ./-d.assay --progress none
	expect 0
}

@test "criteria that are met are told as those that are not" {
	printf '[a]\nrw=randread\nsize=4m\nruntime=1s\nexpect=iops>1\nexpect=p50<1h\nexpect=iops<1\n' > e.plan
	ssd run e.plan sim:theory,shrink=64 --allow-unwritten -o e.assay --progress none
	expect 1
	for words in "criterion met expect a: iops>1: Step 'a': measured" "criterion met expect a: p50<1h" "check failed expect a: iops<1"; do
		expect_out "$words"
	done
	[[ $out != *"criterion met littles_law"* ]]
	ssd show e.assay
	expect_out "criterion met expect a: iops>1"
}

@test "a run file is not standard output, and has a name" {
	ssd run s.plan sim:tlc-consumer -o - --progress none
	expect 2
	expect_err "-o -: a run file cannot go to standard output"
	[ ! -e ./- ]
	ssd run s.plan sim:tlc-consumer -o '' --progress none
	expect 2
	expect_err "-o: the name of the run file is empty"
}

@test "--progress plain and auto write lines when stderr is no terminal: no control characters" {
	local style
	for style in plain auto; do
		rm -f r.assay
		ssd run s.plan t.dat -o r.assay --progress $style
		expect 0
		[[ $err != *$'\e'* && $err != *$'\r'* ]]
	done
}

@test "on a terminal there is a live line, and it is gone at the end" {
	command -v script > /dev/null || skip "no script(1)"
	script -qec "'$SSDASSAY' run s.plan t.dat -o r.assay > o.txt" typed < /dev/null > /dev/null
	grep -q $'\r\e\[K' typed
	grep -q "IOPS" typed
	[ -s o.txt ]
	refute grep -q $'\e' o.txt
}

@test "criteria: 0 when all are met, 1 when one is not, and each is a check with its numbers" {
	run_plan s.plan sim:tlc-consumer --set "s.expect=read.iops>1"
	expect 0
	[ "$(result '[.checks[] | select(.name | startswith("expect s")) | .result] | join(" ")')" = passed ]
	run_plan s.plan sim:tlc-consumer --set "s.expect=read.mean<1us"
	expect 1
	[ "$(result '[.checks[] | select(.name | startswith("expect s")) | .result] | join(" ")')" = failed ]
	[ "$(result .status)" = complete ]
	expect_out "expect s"
}

@test "several criteria: errors, percentiles, iops, each direction" {
	plan c.plan <<-PLAN
		[c]
		rw=randread
		bs=4k
		size=16m
		iodepth=8
		runtime=3s
		expect=errors<1
		expect=read.p99<1s
		expect=iops>100
		expect=read.max<10s
	PLAN
	run_plan c.plan sim:tlc-consumer
	expect 0
	[ "$(result '[.checks[] | select(.name | startswith("expect c")) | .result] | join(" ")')" = "passed passed passed passed" ]
}

@test "a percentile of too few I/Os cannot be told, and its criterion is not met" {
	printf '[a]\nrw=randread\nbs=4k\nsize=1m\nnumber_ios=50\nexpect=p99.99<1s\nexpect=p50<1s\nexpect=max<1s\n' > few.plan
	ssd run few.plan sim:theory,shrink=256 --allow-unwritten -o r.assay --progress none
	expect 1
	expect_out "Cannot be told: step 'a' has 50 I/Os, and p99.99 takes 36.9 k."
	[ "$(result '[.checks[] | select(.name | startswith("expect")).result] | join(",")')" = failed,passed,passed ]
	ssd report r.assay -o page.html --lang zh-Hans
	grep -q "无法判断" page.html
}

@test "a criterion that was not measured is not met; a section that runs with another has its own" {
	plan e.plan <<-PLAN
		[global]
		rw=randwrite
		bs=4k
		runtime=200ms
		[m]
		kind=mkfs
		fs=ext4
		[r]
		on=m
		expect=iops>1
		[a]
		size=1m
		expect=write.iops>1
		[b]
		with=a
		size=1m
		expect=write.iops<1
	PLAN
	truncate -s 8m t.dat
	run_plan e.plan t.dat --overwrite
	expect 1
	expect_out "expect r: iops>1: Not measured: step 'r' was not carried out"
	[ "$(result '[.checks[] | select(.name | startswith("expect")) | .result] | join(" ")')" = "failed passed failed" ]
	ssd run --resume r.assay
	expect 1
}

@test "report: one self-contained page, without network or scripts from elsewhere" {
	run_plan s.plan sim:tlc-consumer
	ssd report r.assay -o page.html
	expect 0
	[ -z "$out" ]
	grep -qi "<html" page.html
	refute grep -Eqi '(src|href)="?(https?:)?//' page.html
	refute grep -Eqi '@import|url\((https?:)?//' page.html
	ssd report r.assay -o -
	expect 0
	cmp .out page.html
	ssd report r.assay -o none/page.html
	expect 4
	[ ! -e page.html.part ]
}

@test "report of several runs; a page is replaced whole or not at all" {
	run_plan s.plan sim:tlc-consumer
	mv r.assay a.assay
	run_plan s.plan sim:sata-tlc
	ssd report a.assay r.assay -o page.html
	expect 0
	grep -q tlc-consumer page.html
	grep -q sata-tlc page.html
	local before
	before=$(sha256sum < page.html)
	ssd report a.assay nothere -o page.html
	expect 2
	[ "$(sha256sum < page.html)" = "$before" ]
}

@test "a page goes through links, and into what is no file: that stays what it is" {
	run_plan s.plan sim:tlc-consumer
	ssd report r.assay -o page.html
	echo old > real.html
	ln -s real.html link.html
	ln -s new.html dangling.html
	local name
	for name in link dangling; do
		ssd report r.assay -o $name.html
		expect 0
		[ -L $name.html ]
	done
	cmp real.html page.html
	cmp new.html page.html
	mkfifo fifo
	cat fifo > read.html &
	ssd report r.assay -o fifo
	wait $!
	expect 0
	[ -p fifo ]
	cmp read.html page.html
	ssd report r.assay -o .
	expect 4
	expect_err "ssdassay: . cannot be written: Is a directory"
	mknod full c 1 7 2> /dev/null && : 2> /dev/null > full || skip "no devices can be made here"
	ssd report r.assay -o full
	expect 4
	expect_err "ssdassay: full cannot be written: No space left on device"
	[ -c full ]
}

@test "no result is written over a run file" {
	run_plan s.plan sim:tlc-consumer
	mkdir copies
	cp r.assay copies/run.json
	cp r.assay copies/results.csv
	cp r.assay kept.assay
	ln -s r.assay link.html
	local words
	for words in "report -o r.assay" "report -o link.html" "export --format json -o copies" "export --format csv -o copies"; do
		ssd $words kept.assay
		expect 2
		expect_err "is a run file and is not written over"
	done
	ssd report kept.assay -o r.assay-wal
	expect 2
	expect_err "r.assay-wal belongs to the run file r.assay"
	cmp r.assay kept.assay
	cmp copies/run.json kept.assay
	cmp copies/results.csv kept.assay
}

@test "A21 every result names the version that made it, the engine, and the options" {
	run_plan s.plan sim:tlc-consumer --set s.bs=8k
	[ "$(result .ssdassay)" = "$("$SSDASSAY" --version | cut -d' ' -f2)" ]
	[ "$(result '.steps[-1].loads[0].engine')" = sim ]
	[ "$(result '.run.command_line | join(" ")')" = "ssdassay run s.plan sim:tlc-consumer --set s.bs=8k -o r.assay --progress none" ]
	[ "$(result .run.plan_text)" = "$(cat s.plan)" ]
}

@test "D20 loads of a handful of I/Os: no division by zero, null and not nan" {
	plan t.plan <<-PLAN
		[t]
		rw=read
		bs=4k
		size=4k
		[i]
		kind=idle
		runtime=0
		[n]
		kind=note
		text=nothing happens here
	PLAN
	run_plan t.plan sim:tlc-consumer
	expect 0
	"$SSDASSAY" show --json r.assay > doc.json
	strict_json doc.json
	[ "$(result '[.steps[].status] | unique | join(" ")')" = complete ]
	[ "$(result '.steps[] | select(.name == "t").loads[0].read.ios')" = 1 ]
	ssd show r.assay
	[[ ${out,,} != *nan* && ${out,,} != *inf* ]]
	ssd report r.assay -o page.html
	expect 0
}

@test "D02 several targets are an array, each with its own facts, measured one after the other" {
	run_plan s.plan one.dat two.dat
	expect 0
	[ "$(result '[.drives[].target | sub(".*/"; "")] | join(" ")')" = "one.dat two.dat" ]
	[ "$(result '[.steps[] | select(.name == "s").loads[0].target] | join(" ")')" = "0 1" ]
	"$SSDASSAY" show --json r.assay > doc.json
	strict_json doc.json
}

@test "simulated and real drives in one run are refused" {
	run_plan s.plan one.dat sim:tlc-consumer
	expect 2
	expect_err "simulated and real"
	[ ! -e one.dat ]
}

@test "--allow-unwritten marks the result" {
	run_plan s.plan sim:tlc-consumer --allow-unwritten
	expect 0
	[ "$(result .run.allow_unwritten)" = true ]
	[ "$(result '.checks[] | select(.name == "reads_find_data").result')" = failed ]
	expect_out "never-written"
	[ "$(query "select count(*) from step where name = 'prepare'")" = 0 ]
}

@test "a run file beside the file under test is a warning and a failed self-check" {
	run_plan s.plan t.dat
	expect 0
	expect_err "same file system"
	[ "$(result '.checks[] | select(.name == "run_file_elsewhere").result')" = failed ]
	rig_need_loop
	mkdir other
	mount -t tmpfs none other
	rig_later "umount '$RIG/other'"
	ssd run s.plan t.dat -o other/r.assay --progress none
	expect 0
	[[ $err != *"same file system"* ]]
	[ "$(result '.checks[] | select(.name == "run_file_elsewhere").result' other/r.assay)" = passed ]
}

@test "E14 an answer that is faster than any drive is told" {
	rig_need_loop
	mkdir fast
	mount -t tmpfs -o size=64m none fast
	rig_later "umount '$RIG/fast'"
	plan f.plan <<-PLAN
		[f]
		rw=randread
		bs=512
		size=1m
		ioengine=psync
		runtime=500ms
	PLAN
	run_plan f.plan fast/t.dat
	expect 0
	expect_err "memory"
	[ "$(result '.checks[] | select(.name == "latency_plausible").result')" = failed ]
}

@test "/dev/null measures the program itself and says so" {
	plan n.plan <<-PLAN
		[n]
		rw=write
		bs=4k
		size=64m
		runtime=300ms
	PLAN
	run_plan n.plan /dev/null
	expect 0
	expect_err "no drive behind it"
	[ "$(result '.steps[0].loads[0].write | .ios > 1000 and .errors == 0 and .bytes == .ios * 4096')" = true ]
	run_plan n.plan /dev/null --set n.rw=rw
	expect 2
	expect_err "reads /dev/null, which gives no bytes"
	run_plan n.plan /dev/zero --set n.rw=read
	expect 0
	[ "$(result '.steps[0].loads[0].read | .ios > 1000 and .errors == 0 and .bytes == .ios * 4096')" = true ]
}

@test "the null engine moves nothing and counts everything" {
	plan n.plan <<-PLAN
		[n]
		rw=randrw
		bs=4k
		size=64m
		ioengine=null
		iodepth=32
		io_size=400m
	PLAN
	run_plan n.plan t.dat --allow-unwritten
	expect 0
	[ "$(query "select sum(bytes) from total")" = 419430400 ]
	sums_agree
}
