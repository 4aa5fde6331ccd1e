#!/usr/bin/env bats
# Verdicts on two drives: the repeats are the sample.

load common

setup() {
	cli_start
	plan c.plan <<'END'
[a]
rw=randread
vary.bs=4k 16k
iodepth=8
runtime=500ms
repeat=5
END
}

teardown() { cli_stop; }

# as_another RUN COPY: the same figures, measured again.
as_another() {
	cp "$1" "$2"
	sqlite3 "$2" "update run set id = id || '-again'"
}

# measure FILE TARGET [OPTION...]
measure() {
	local file=$1
	shift
	ssd run c.plan "$@" -o "$file" --progress none
	expect 0
}

DRIVE=sim:tlc-consumer,shrink=256

# verdicts STEP_FILTER: of the last JSON
verdict() {
	jq -r ".comparisons[] | select($1) | .verdict" <<< "$out" | sort -u | tr '\n' ' '
}

@test "a slower drive is slower in every figure, the faster one is faster" {
	measure one.assay $DRIVE
	measure two.assay $DRIVE,read_us=70
	ssd compare one.assay two.assay --json
	expect 0
	[ "$(jq -r '.sides | length' <<< "$out")" = 2 ]
	[ "$(verdict '.figure != "p99.9"')" = "slower " ]
	[ "$(jq -r '.comparisons[0] | .ratio > .low and .ratio < .high and .confidence >= 0.95' <<< "$out")" = true ]
	near "$(jq -r '.comparisons[0].ratio' <<< "$out")" "$(jq -r '.comparisons[0] | .value / .reference' <<< "$out")" 0.01
	ssd compare two.assay one.assay --json
	[ "$(verdict '.figure != "p99.9"')" = "faster " ]
	ssd compare one.assay two.assay
	expect 0
	expect_out "reference: $DRIVE" "bs=16k" "slower"
	# of one figure there is one interval: p99, which has one above, is not told once more by resampling
	sed '/^Latency against/,$d' .out | grep ' p99  ' > lines
	[ "$(grep -c '(.* to .*)' lines)" = "$(wc -l < lines)" ]
	sed -n '/^Latency against/,$p' .out | grep -c ' above  ' | grep -qx "$(wc -l < lines)"
}

@test "runs of one drive are before and after, and the same" {
	measure one.assay $DRIVE
	measure two.assay $DRIVE
	ssd compare one.assay two.assay --json
	[ "$(jq -r '[.sides[].name] | join(" ")' <<< "$out")" = "one.assay two.assay" ]
	[ "$(verdict '.figure == "iops" or .figure == "mean"')" = "same " ]
}

@test "runs of the same drive are one side when there is another drive" {
	measure one.assay $DRIVE --set a.repeat=2
	measure again.assay $DRIVE --set a.repeat=2
	measure two.assay $DRIVE,read_us=70
	ssd compare one.assay again.assay two.assay --json
	[ "$(jq -r '.sides[0].runs | join(" ")' <<< "$out")" = "one.assay again.assay" ]
	[ "$(jq -r '.comparisons[0].reference_runs' <<< "$out")" = 4 ]
	[ "$(verdict '.figure == "iops"')" = "slower " ]
}

@test "too few runs can't tell, and say what the ranges suggest" {
	measure one.assay $DRIVE --set a.repeat=2
	measure two.assay $DRIVE,read_us=70 --set a.repeat=3
	ssd compare one.assay two.assay
	expect 0
	expect_out "can't tell (2 runs; indicative: slower)"
	ssd compare one.assay two.assay --json
	[ "$(verdict true)" = "cannot_tell " ]
	measure same.assay $DRIVE --set a.repeat=2
	ssd compare one.assay same.assay
	expect_out "can't tell (too few runs: 2 of 4)"
}

@test "the drives of one run are sides of their own, and join their other runs" {
	local slow=$DRIVE,read_us=70
	ssd run c.plan $DRIVE $slow --together -o pair.assay --progress none
	expect 0
	measure one.assay $DRIVE
	ssd compare pair.assay one.assay --json
	expect 0
	[ "$(jq -r '.sides[] | .name + ": " + (.runs | join(" "))' <<< "$out")" = "$DRIVE: pair.assay one.assay
$slow: pair.assay" ]
	[ "$(jq -r '.comparisons[0] | "\(.reference_runs) \(.runs)"' <<< "$out")" = "10 5" ]
	[ "$(verdict '.figure == "iops"')" = "slower " ]
}

@test "steps of one name in different plans are no measurements of one thing, and it is said" {
	cp c.plan other.plan
	measure one.assay $DRIVE
	ssd run other.plan $DRIVE,read_us=70 -o two.assay --progress none
	expect 0
	ssd compare one.assay two.assay
	expect 0
	expect_out "different plans" "one.assay: c, two.assay: other" "no point in common"
	ssd compare one.assay two.assay --json
	[ "$(jq -c '[.differences[].kind]' <<< "$out")" = '["plan"]' ]
	[ "$(jq '.comparisons | length' <<< "$out")" = 0 ]
	ssd report one.assay two.assay -o page.html
	expect 0
	grep -q "different plans, and steps are compared within one plan only (one: c, two: other)" page.html
	grep -q "nothing to put side by side" page.html
}

@test "runs that are scaled differently, or whose plans of one name differ, are compared with a word" {
	measure one.assay $DRIVE
	measure two.assay $DRIVE,read_us=70 --scale 0.5
	ssd compare one.assay two.assay
	expect 0
	expect_out "not scaled alike" "one.assay: 1, two.assay: 0.5" "slower"
	echo '# another text' >> c.plan
	measure three.assay $DRIVE,read_us=70
	ssd compare one.assay three.assay --json
	[ "$(jq -c '[.differences[].kind]' <<< "$out")" = '["plan_text"]' ]
	as_another one.assay same.assay
	ssd compare one.assay same.assay --json
	[ "$(jq -c '.differences' <<< "$out")" = '[]' ]
}

@test "one measurement under several names, or copied, is not counted several times" {
	measure one.assay $DRIVE
	cp one.assay copy.assay
	ssd compare one.assay copy.assay
	expect 2
	expect_err "ssdassay: one.assay and copy.assay are the same measurement: name it once"
	ssd report one.assay ./one.assay -o page.html
	expect 2
	expect_err "ssdassay: one.assay and ./one.assay are the same measurement: name it once"
	[ ! -e page.html ]
}

@test "twenty runs of one drive are a history: the run from which on it was slower is told" {
	printf '[a]\nrw=randread\nbs=4k\nsize=16m\niodepth=8\nruntime=50ms\n' > c.plan
	for i in $(seq 10 29); do
		ssd run c.plan sim:theory,read_us=$((i < 22 ? 50 : 60)).$((i * 7 % 10)),shrink=16 -o $i.assay --progress none
		expect 0
		# one drive, by its name, that was another from some day on
		sqlite3 $i.assay "update drive set name = 'sim:mine'; update run set started_wall_ns = $i"
	done
	ssd compare 2?.assay 1?.assay --json
	expect 0
	[ "$(jq -c '[.changes[] | select(.figure == "iops").run]' <<< "$out")" = '["22.assay"]' ]
	[ "$(jq '[.changes[] | select(.figure == "iops") | .before > .after] | all' <<< "$out")" = true ]
	ssd compare ??.assay
	expect_out "Changes in the order in which the runs were started" "22.assay"
	ssd compare 1?.assay --json
	[ "$(jq -c .changes <<< "$out")" = '[]' ]
}

@test "nothing in common is said; one run is a mistake" {
	measure one.assay $DRIVE
	ssd run c.plan $DRIVE,read_us=70 --set a.iodepth=4 -o two.assay --progress none
	ssd compare one.assay two.assay
	expect 0
	expect_out "no point in common"
	ssd compare one.assay
	expect 2
	ssd compare one.assay none.assay
	expect 2
}

# told STEP OP PERCENTILE: by show --json, the natural clock
told() {
	result ".steps[] | select(.name == \"$1\").loads[0].$2 | (.response_ns // .service_ns).percentiles[] | select(.p == $3).value"
}

# compared STEP OP FIGURE: the reference's, by compare --json
compared() {
	jq -r ".comparisons[] | select(.step == \"$1\" and .direction == \"$2\" and .figure == \"$3\").reference" <<< "$out"
}

@test "show, the CSV, the page and compare tell the same rates and percentiles, also of a steady window" {
	plan all.plan <<-'END'
	[settle]
	rw=randwrite
	bs=4k
	until=steady
	max=written:200x
	expect=write.p99<1h
	[mix]
	rw=randrw
	bs=4k
	iodepth=8
	runtime=300s
	[open]
	rw=randread
	bs=4k
	arrival=poisson:40
	runtime=300s
	END
	run_plan all.plan sim:hdd,capacity_gb=0.06
	expect 0
	[ "$(result '[.steps[] | select(.name == "settle").steady_window] | all')" = true ]
	[ "$(result '[.steps[] | select(.name == "mix").steady_window] | any')" = false ]
	ssd export r.assay --format csv -o csv
	expect 0
	ssd report r.assay -o page.html
	expect 0
	as_another r.assay same.assay
	ssd compare r.assay same.assay --json
	expect 0
	for line in "settle write" "mix read" "mix write" "open read"; do
		set -- $line
		[ "$(told $1 $2 99)" != null ]
		[ "$(told $1 $2 99)" = "$(compared $1 $2 p99)" ]
		if [ "$(told $1 $2 99.9)" != null ]; then
			[ "$(told $1 $2 99.9)" = "$(compared $1 $2 p99.9)" ]
		fi
		near "$(result ".steps[] | select(.name == \"$1\").loads[0].$2.iops")" "$(compared $1 $2 iops)" 1e-9
		near "$(result ".steps[] | select(.name == \"$1\").loads[0].$2 | (.response_ns // .service_ns).mean")" \
			"$(compared $1 $2 mean)" 1e-9
		kind=service
		[ $1 = open ] && kind=response
		[ "$(python3 -c 'import csv, sys
for row in csv.DictReader(open("csv/results.csv")):
    if row["step"] == sys.argv[1] and row["direction"] == sys.argv[2]: print(row[sys.argv[3] + "_p99"])' $1 $2 $kind)" = \
			"$(told $1 $2 99)" ]
	done
	ssd show r.assay
	narrow=$'\xe2\x80\xaf'
	p99=$(sed -n 's/^settle  *write  *[0-9.]*  *[0-9.]*  *[0-9.]* [^ ]*s  *[0-9.]* [^ ]*s  *\([0-9.]* [^ ]*s\).*/\1/p' <<< "$out")
	[ -n "$p99" ]
	grep -q ">${p99/ /$narrow}<" page.html
	[ "$(result '.checks[] | select(.name | startswith("expect settle")).text')" = \
		"Step 'settle': measured $p99, wanted below 1 h 00 min." ]
	# what the window leaves out is apart
	[ "$(result '[.findings[] | select(.kind == "steady_state")][0].data | .window_service_ns.write.p99 == '"$(told settle write 99)")" = true ]
	[ "$(result '[.findings[] | select(.kind == "steady_state")][0].data.transient_service_ns.write.n > 0')" = true ]
	[ "$(result '.steps[0].loads[0].write | .ios > .service_ns.n')" = true ]
}
