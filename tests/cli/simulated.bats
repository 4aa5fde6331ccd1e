#!/usr/bin/env bats
# What was injected into a simulated drive is what the program finds; its profile may be a file.

load common

setup() { cli_start; }
teardown() { cli_stop; }

truth() {
	query 'select truth_json from drive' | jq -r "$1"
}

fill_and_read() {
	plan p.plan <<-PLAN
		[a]
		kind=fill
		[b]
		rw=randread
		bs=4k
		iodepth=${1:-32}
		runtime=10s
	PLAN
}

@test "injected errors and stalls are counted to the I/O" {
	fill_and_read
	run_plan p.plan sim:tlc-consumer,shrink=256,error_rate=0.001,stall=2s/500ms/3s
	expect 0
	[ "$(truth .injected_errors)" -gt 500 ]
	[ "$(query 'select sum(errors) from total')" = "$(truth .injected_errors)" ]
	[ "$(query 'select sum(ge_500ms) from total')" = "$(truth .injected_stalled)" ]
	expect_out "stood still for 500 ms"
}

@test "a drive that hangs ends the step with 4 and a valid run, whatever is left of its time" {
	for depth in 1 4; do
		fill_and_read $depth
		run_plan p.plan sim:tlc-consumer,shrink=256,hang_at_s=6
		expect 4
		expect_err "never came back" "read of 4096 bytes"
		[ "$(result .status)" = failed ]
		[ "$(query 'pragma integrity_check')" = ok ]
		[ "$(query "select count(*) from event where kind = 'unfinished'")" = 1 ]
		sums_agree
	done
}

@test "a drive that is only slow is waited for at the end of a step" {
	printf '[w]\nrw=write\nbs=16m\niodepth=128\nruntime=1s\n' > slow.plan
	run_plan slow.plan sim:hdd
	expect 0
	[ "$(query "select count(*) from event where kind = 'unfinished'")" = 0 ]
	[ "$(query "select duration_ns > 7000000000 from step")" = 1 ]
}

@test "a profile is printed, changed and used as a file; its truth stands in the report" {
	fill_and_read
	ssd sim tlc-consumer
	expect 0
	expect_out "# Flash" "capacity_gb=500.1"
	printf '%s\n' "$out" | sed 's/^shrink=16 /shrink=256/; s/^model=.*/model=My own drive/' > my.profile
	run_plan p.plan sim:./my.profile
	expect 0
	expect_out "My own drive" "1.95 GB"
	ssd report r.assay -o page.html
	expect 0
	grep -qi "known truth of the simulated drive" page.html
	grep -q "write amplification" page.html
}
