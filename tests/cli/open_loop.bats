#!/usr/bin/env bats
# Open loops: I/Os are offered by the schedule whatever the drive does, and counted from when they should have started.

load common

setup() {
	cli_start
}

teardown() {
	[ -z "${FAULT:-}" ] || echo reset > "$FAULT/ctl" || true
	cli_stop
}

open_plan() {	# open_plan ARRIVAL RUNTIME [LINE...]
	local arrival=$1 runtime=$2
	shift 2
	{
		printf '[o]\nrw=randread\nbs=4k\nruntime=%s\ntime_based=1\narrival=%s\n' "$runtime" "$arrival"
		printf '%s\n' "$@"
	} > o.plan
}

within() {	# within VALUE EXPECTED SHARE
	awk -v value="$1" -v expected="$2" -v share="$3" 'BEGIN {
		printf "%s, expected %s within %s\n", value, expected, share
		exit !(value >= expected * (1 - share) && value <= expected * (1 + share)) }'
}

# A stall of S seconds at R I/Os per second on a drive that is busy for the share U of its time: the responses above T are
# R x (S - T) / (1 - U), since those that come while the backlog drains wait too.
expected_late() {	# expected_late RATE STALL THRESHOLD UTILISATION
	awk -v r="$1" -v s="$2" -v t="$3" -v u="$4" 'BEGIN { printf "%.1f", r * (s - t) / (1 - u) }'
}

# The link takes 4096 bytes / 100 MB/s = 41 us for each I/O: utilisations of 4, 41 and 82 percent.
@test "a stall delays as many I/Os as the closed form says, on simulated drives" {
	for rate in 1000 10000 20000; do
		open_plan "constant:$rate" 20 iodepth=256 size=1g
		rm -f r.assay
		ssd run o.plan sim:theory,stall_at_s=8,stall_s=1,link_read_mbps=100 --allow-unwritten -o r.assay
		expect 0
		late=$(query "select sum(ge_10ms) from total")
		use=$(awk -v r=$rate 'BEGIN { print r * 4096 / 100e6 }')
		within "$late" "$(expected_late $rate 1 0.010 "$use")" 0.03
		# the drive was asked no less for it
		within "$(query "select sum(ios) from total")" $((rate * 20)) 0.003
	done
}

@test "a schedule has its rate from 1,000 to 1,000,000 I/Os per second" {
	for rate in 1000 10000 100000 1000000; do
		open_plan "poisson:$rate" $((rate >= 100000 ? 1 : rate == 10000 ? 20 : 100)) iodepth=4096 size=1g
		rm -f r.assay
		ssd run o.plan sim:theory,channels=32,dies=8,link_read_mbps=20000 --allow-unwritten -o r.assay
		expect 0
		seconds=$(query "select max(duration_ns) / 1e9 from step")
		ios=$(query "select sum(ios) from total")
		# Poisson counts vary by their root: three of these are allowed beside 0.3 %
		share=$(awk -v n="$ios" 'BEGIN { print 0.003 + 3 / sqrt(n) }')
		within "$ios" "$(awk -v r=$rate -v s="$seconds" 'BEGIN { print r * s }')" "$share"
	done
}

@test "the gate says when more was offered than the drive can do" {
	open_plan constant:50000 20 iodepth=32 size=1g
	ssd run o.plan sim:theory,link_read_mbps=100 --allow-unwritten -o r.assay
	[ "$(query "select result from self_check where name = 'open_loop_kept'")" = "$(query "select result from self_check where name = 'reads_find_data'")" ]
	ssd show r.assay
	expect_out "check failed open_loop_kept" "unstable"
}

@test "a stall delays as many I/Os as the closed form says, with psync, libaio and io_uring" {
	rig_need_loop
	rig_need_fault
	FAULT=$(rig_fault)
	rig_later "echo reset > '$FAULT/ctl'"
	LOOP=$(losetup --find --show --direct-io=on "$FAULT/disk")
	rig_later "losetup -d $LOOP"
	for engine in psync libaio io_uring; do
		open_plan constant:1000 20 "ioengine=$engine" $([ $engine = psync ] || echo iodepth=64)
		rm -f r.assay
		(sleep 8; echo hang 1 > "$FAULT/ctl") 3>&- &
		ssd run o.plan "$LOOP" --allow-unwritten -o r.assay --progress none
		expect 0
		late=$(query "select sum(ge_10ms) from total")
		# workers that had no processor for more than 1 % of the time: the host delayed I/Os, not the drive
		waited=$(query "select coalesce(sum(json_extract(data_json, '$.wait_ns')), 0) from event where kind = 'hiccup'")
		[ "$waited" -lt 200000000 ] || skip "the host is too busy: the worker waited $((waited / 1000000)) ms for a processor"
		busy=$(query "select p50_ns * 1000 / 1e9 from total_latency where kind = 0 and n > 0")
		within "$late" "$(expected_late 1000 1 0.010 "$busy")" 0.10
	done
}
