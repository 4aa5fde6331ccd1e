#!/usr/bin/env bats
# The built-in plans from start to end: on a simulated drive, a loop device and a file.

load common

setup() { cli_start; }
teardown() { cli_stop; }

# Sums, statuses and intervals of a finished run are whole.
whole() {
	[ "$(result .status)" = complete ]
	[ "$(query "select count(*) from step where status != 'complete'")" = 0 ]
	sums_agree
	[ "$(query "select sum(errors) from total")" = 0 ]
	result '.findings[].text' | { ! grep -E '[0-9]e[-+]?[0-9]|nan|inf\b'; }	# sentences for people
}

# runs PLAN STEPS SCALE TARGET...
runs() {
	local name=$1 steps=$2 scale=$3
	shift 3
	run_plan "$name" "$@" --scale "$scale"
	expect 0
	expect_out "scaled by $scale, not scored"
	whole
	[ "$(query "select count(*) from step where name != 'prepare'")" = "$steps" ]
	[ "$(result .run.plan_report)" = "$name" ]
	ssd check "$name" "$1" --scale "$scale" --destroy "${ID:-none}"
	expect_out "$steps measurements"
	ssd report r.assay -o page.html
	expect 0
}

@test "quick on a simulated drive" {
	runs quick 61 0.05 sim:tlc-consumer
	[ "$(query "select count(distinct values_json) from step where name = 'seq-1m-q8t1'")" = 3 ]
	[ "$(query "select count(distinct repeat) from step where name = 'seq-1m-q8t1'")" = 5 ]
	warning="burst figures: seconds of load on a small range; they say nothing about the steady state"
	ssd show r.assay
	expect_out "$warning"
	grep -q 'Burst figures:' page.html
}

@test "card --scale 0.01 on a simulated drive" {
	runs card 54 0.01 sim:tlc-consumer,shrink=64
	[ "$(query "select count(distinct values_json) from step where name = 'read'")" = 20 ]
}

@test "mixed on a simulated drive" {
	runs mixed 10 0.01 sim:tlc-consumer
	# more in the queue is never a slower drive here
	[ "$(query "select s.point from step s join total t on t.step = s.id where s.name = 'depth' and t.op = 0 group by s.id order by sum(t.ios) limit 1")" = 0 ]
	near "$(query "select 1.0 * sum(ios * (op = 0)) / sum(ios) from total t join step s on s.id = t.step where s.name = 'depth' and op < 2")" 0.8 0.02
}

@test "steady on a simulated drive" {
	runs steady 10 0.001 sim:tlc-consumer,shrink=64
	[ "$(query "select group_concat(name, ' ') from (select name from step order by id limit 6)")" = "clean from-empty clean-again fill read write" ]
}

@test "quick on a loop device" {
	loop_disk 256M
	runs quick 61 0.01 "$LOOP" --destroy "$ID"
	ssd run quick "$LOOP" -o none.assay
	expect 3
	expect_err "--destroy $ID"
}

@test "card on a loop device" {
	loop_disk 256M
	runs card 54 0.0005 "$LOOP" --destroy "$ID"
}

@test "mixed and steady on a loop device" {
	loop_disk 256M
	runs mixed 10 0.002 "$LOOP" --destroy "$ID"
	runs steady 10 0.0001 "$LOOP" --destroy "$ID"
	[ "$(query "select group_concat(note) from step where kind = 'purge'")" = trim,trim ]
}

@test "quick on a file, which is filled, kept and marked" {
	runs quick 61 0.005 quick.dat
	refute grep -q '<dt>block size</dt>' page.html	# a file has none
	[ "$(getfattr -n user.ssdassay --only-values quick.dat | wc -c)" -gt 0 ]
	[ "$(query "select sum(bytes) > 0 from total t join step s on s.id = t.step where s.name = 'fill'")" = 1 ]
}

@test "steady on a file: a purge punches holes, and what is read after it was written before" {
	plan small.plan < <("$SSDASSAY" plans steady | sed 's/^bs=4k/bs=4k\nsize=16m/')
	run_plan small.plan t.dat --scale 0.0002
	expect 0
	whole
	[ "$(query "select group_concat(note) from step where kind = 'purge'")" = "punch hole,punch hole" ]
}
