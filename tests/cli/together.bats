#!/usr/bin/env bats
# run --together: several targets side by side in time, each with results of its own.

load common

setup() {
	cli_start
	plan two.plan <<-PLAN
		[global]
		bs=4k
		[fill]
		kind=fill
		until=written:1r
		[read]
		rw=randread
		vary.iodepth=1 8
		runtime=1s
		interval=100ms
		[rest]
		kind=idle
		runtime=100ms
		[write]
		rw=randwrite
		iodepth=4
		until=written:2x
		max=time:2s
		interval=100ms
	PLAN
}

teardown() { cli_stop; }

# Everything that was measured on target N (or in a run of its own), without numbers of steps and without the target's own name.
measured() {
	query "select replace(step.path, 'target$2/', ''), step.duration_ns, step.status, series.load, idx, op, series.start_ns, series.duration_ns,
		ios, bytes, n, sum_ns, min_ns, max_ns, hex(histogram)
		from step left join series on series.step = step.id where step.path $3 like 'target%' and (step.path not like 'target%' or
		step.path like 'target$2/%') order by 1, 4, 5, 6" "$1"
}

# The step is measured on both targets.
both_run() {
	until_shows "select count(distinct step.id) >= 2 from series join step on step.id = series.step where step.name = '$1'"
}

@test "two simulated drives give what each gives alone, interval by interval" {
	run_plan two.plan sim:theory,shrink=64 sim:m8peg,shrink=256 --together
	expect 0
	measured r.assay 0 "" > .both0
	measured r.assay 1 "" > .both1
	ssd run two.plan sim:theory,shrink=64 -o one.assay --progress none
	expect 0
	measured one.assay 0 not > .one0
	ssd run two.plan sim:m8peg,shrink=256 -o two.assay --progress none
	expect 0
	measured two.assay 1 not > .one1
	[ "$(wc -l < .one0)" -gt 20 ]
	[ "$(wc -l < .one1)" -gt 20 ]
	cmp .both0 .one0
	cmp .both1 .one1
	# side by side: both begin at the beginning
	[ "$(query "select count(*) from step where name = 'fill' and started_ns = 0")" = 2 ]
}

@test "the same seed gives the same run" {
	run_plan two.plan sim:theory,shrink=64 sim:m8peg,shrink=256 --together
	mv r.assay first.assay
	run_plan two.plan sim:theory,shrink=64 sim:m8peg,shrink=256 --together
	for table in step load series total_latency telemetry; do
		cmp <(sqlite3 first.assay "select * from $table") <(sqlite3 r.assay "select * from $table")
	done
}

@test "two files: the same steps at the same time, and every result names its target" {
	run_plan two.plan a b --together --set size=8m
	expect 0
	[ "$(result '[.steps[] | select(.name == "read")] | length')" = 4 ]
	[ "$(result '[.steps[] | select(.name == "read") | .loads[0].target] | sort | join(" ")')" = "0 0 1 1" ]
	# each read on one target overlaps the same one on the other
	[ "$(query "select count(*) from step x join step y on x.name = 'read' and replace(x.path, 'target0', 'target1') = y.path
		and x.path <> y.path and x.started_ns < y.started_ns + y.duration_ns and y.started_ns < x.started_ns + x.duration_ns")" = 2 ]
	sums_agree
	[ "$(query "select count(*) from event where kind = 'together'")" = 1 ]
	ssd show r.assay
	expect_out "/a " "/b "
	[[ $out != *"(x2,"* ]]		# two drives are no repeats of one
	expect_out "Step 'read' side by side: 2 targets together did"
	# in one directory, so on one drive, where that is known
	[ "$(result '.checks[] | select(.name == "targets_apart") | .result')" != not_applicable ]
}

@test "one that fails does not stop the other" {
	background run two.plan a b --together -o r.assay --progress none --set size=8m --set read.runtime=600s --set read.vary.iodepth=4
	both_run read
	victim=$(for child in $(measuring "$PID"); do
		readlink "/proc/$child/fd/"* | grep -qx "$RIG/b" && echo "$child" || :
	done)
	kill -KILL "$victim"
	until_shows "select count(*) from step where status = 'failed'"
	# the other one goes on: an interval that began after that
	until_shows "select count(*) > 0 from series join step on step.id = series.step, step failed where failed.status = 'failed' and
		step.id <> failed.id and step.name = 'read' and
		step.started_ns + series.start_ns > failed.started_ns + failed.duration_ns + 1000000000"
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	[ "$(result '[.steps[] | select(.status == "failed")] | length')" = 1 ]
	[ "$(result '.steps[] | select(.status == "failed") | .loads[0].target')" = 1 ]
	[ "$(result '[.steps[] | select(.name == "read" and .status == "interrupted")] | length')" = 1 ]
}

@test "the exit code is that of the one that failed, which is named" {
	background run two.plan a b --together -o r.assay --progress none --set size=8m --set read.runtime=600s --set read.vary.iodepth=4
	both_run read
	# shellcheck disable=SC2046 # one word each
	kill -KILL $(cat "/proc/$PID/task/"*/children)
	ended
	[ "$status" -eq 4 ]
	expect_err "step 'read': the measuring process was ended by signal 9"
}

@test "SIGINT ends both, and a resumed run goes on side by side" {
	background run two.plan a b --together -o r.assay --progress none --set size=8m --set read.vary.iodepth="1 8" --set rest.runtime=600s
	until_shows "select count(*) = 2 from step where name = 'rest'"
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	[ "$(query "select count(*) from step where name = 'rest' and status = 'interrupted'")" = 2 ]
	background run --resume r.assay --progress none
	until_shows "select count(*) = 2 from step where name = 'rest' and status = 'running'"
	[ "$(query "select count(*) from event where kind = 'resume'")" = 1 ]
	[ "$(query "select count(*) from step where name = 'read' and status = 'complete'")" = 4 ]
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
}

@test "progress tells of each target" {
	ssd run two.plan a b --together --set size=8m -o r.assay --progress json
	expect 0
	[ "$(grep '^{' .err | jq -s '[.[] | select(has("step")).target] | unique | join(" ")' -r)" = "0 1" ]
}

@test "it needs several targets" {
	ssd run two.plan sim:theory --together -o r.assay
	expect 2
	expect_err "--together is for several targets"
	[ ! -e r.assay ]
}

@test "spare sets several drives to the same addressed share" {
	run_plan spare sim:theory,shrink=64 sim:m8peg,shrink=256 --together --scale 0.01 --set share.vary.range="0%..80%" --set write.vary.iodepth=32
	expect 0
	for target in 0 1; do
		query "select printf('%.3f', 1.0 * range_bytes / (select capacity_bytes from drive where target = $target))
			from load join step on step.id = load.step where load.target = $target and step.name = 'write'"
	done > shares
	[ "$(wc -l < shares)" -eq 2 ]
	[ "$(uniq shares | wc -l)" -eq 1 ]
}
