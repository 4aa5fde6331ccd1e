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

# That the gaps are exponential, a million at each rate: tests/unit/run/test_open_loop.c
@test "a million Poisson arrivals have their rate within 0.3 % at 1,000 to 1,000,000 I/Os per second" {
	for rate in 1000 10000 100000 1000000; do
		open_plan "poisson:$rate" $((1000000 / rate)) iodepth=4096 size=1g
		rm -f r.assay
		ssd run o.plan sim:theory,channels=32,dies=8,link_read_mbps=20000 --allow-unwritten -o r.assay
		expect 0
		ios=$(query "select sum(ios) from total")
		within "$ios" 1000000 0.003
		seconds=$(query "select max(duration_ns) / 1e9 from step")
		within "$seconds" "$(awk -v r=$rate 'BEGIN { print 1e6 / r }')" 0.003
	done
}

@test "the gate says when more was offered than the drive can do" {
	open_plan constant:50000 20 iodepth=32 size=1g
	ssd run o.plan sim:theory,link_read_mbps=100 --allow-unwritten -o r.assay
	[ "$(query "select result from self_check where name = 'open_loop_kept'")" = "$(query "select result from self_check where name = 'reads_find_data'")" ]
	ssd show r.assay
	expect_out "check failed open_loop_kept" "unstable"
}

# The drive's own record of a run at RATE: reads it answered later than the schedule by more than 10 ms and by more than 100 ms,
# the longest silence, what the closed form makes of all silences above 10 ms, and the median delay of the late ones.
# The time at which the schedule began is not in the record; that of reads which nothing delayed stands for it.
drive_truth() {	# drive_truth RATE IOS
	cat "$FAULT/answers" | tail -n "$2" | awk -v rate="$1" '
		{ answered[NR] = $1 + 0; x[NR] = $1 - (NR - 1) * 1e9 / rate }
		function at(share,   i, low, high, middle, below) {
			low = x[1] - 60e9; high = x[1] + 60e9
			while (high - low > 1000) {
				middle = (low + high) / 2; below = 0
				for (i = 1; i <= NR; i++) below += x[i] <= middle
				if (below < share * NR) low = middle; else high = middle
			}
			return high
		}
		END {
			base = at(0.05)
			for (i = 2; i <= NR; i++) {
				gap = answered[i] - answered[i - 1]
				if (gap > longest) { longest = gap; first = i }
				if (gap > 10e6) silent += gap - 10e6
			}
			for (i = first; i <= NR && x[i] - base > 10e6; i++) ;
			use = rate * (answered[i - 1] - answered[first]) / (i - 1 - first) / 1e9
			for (i = 1; i <= NR; i++) {
				late10 += x[i] - base > 10e6
				late100 += x[i] - base > 100e6
			}
			printf "%d %d %.6f %.6f %.1f\n", late10, late100, longest / 1e9, use, rate * silent / 1e9 / (1 - use)
		}'
}

median_of_late_ns() {
	query "select response_ns from outlier where response_ns >= 10e6 order by response_ns limit 1
		offset (select count(*) / 2 from outlier where response_ns >= 10e6)"
}

# Workers that stood without a processor for more than 1 % of the time, by the program's own account: the host delayed I/Os, too.
host_was_busy() {
	waited=$(query "select coalesce(sum(json_extract(data_json, '$.wait_ns')), 0) from event where kind = 'hiccup'")
	echo "the worker waited $((waited / 1000000)) ms for a processor"
	[ "$waited" -gt 200000000 ]
}

stall_once() {
	local pid
	rm -f r.assay*
	echo reset > "$FAULT/ctl"
	$FIRST "$SSDASSAY" run o.plan "$LOOP" --allow-unwritten -o r.assay --progress none > .out 2> .err < /dev/null 3>&- &
	pid=$!
	until_true 20 sh -c "[ \"\$(wc -l < '$FAULT/answers')\" -gt 4000 ]"
	echo hang 1 > "$FAULT/ctl"
	wait $pid
	ios=$(query "select sum(ios) from total")
	read -r truth10 truth100 stall use closed < <(drive_truth 1000 "$ios")
	echo "drive: $truth10 reads late by 10 ms, $truth100 by 100 ms, silent for $stall s, in use for $use; closed form: $closed"
}

# Whatever else the host did: what the drive answered late was recorded late. The record says what is late as long as half of
# the reads are not.
late_is_late() {
	[ $((truth10 * 2)) -lt "$ios" ] || return 2
	within "$(query "select sum(ge_100ms) from total")" "$truth100" "$1"
}

stall_on_fault_drive() {	# ENGINE [LINE...]
	local try late judged=0 code
	fault_loop
	FIRST=$(nice -n -10 true 2> /dev/null && echo nice -n -10)
	open_plan constant:1000 20 ioengine="$1" "${@:2}"
	for try in 1 2 3; do
		stall_once
		if host_was_busy; then
			code=0
			late_is_late 0.25 || code=$?
			[ $code != 1 ]
			judged=$((judged + (code == 0)))
			continue
		fi
		within "$ios" 20000 0.02	# those that were due when the time was up are left out
		late_is_late 0.10
		late=$(query "select sum(ge_10ms) from total")
		within "$late" "$truth10" 0.10
		within "$late" "$closed" 0.10
		within "$late" "$(expected_late 1000 "$stall" 0.010 "$use")" 0.10
		within "$(median_of_late_ns)" "$(awk -v s="$stall" 'BEGIN { print s / 2 * 1e9 }')" 0.10
		return
	done
	[ $judged -gt 0 ] || skip "the host is too busy: most reads were late, three times, and the worker waited $((waited / 1000000)) ms of 20 s"
	echo "# the host was too busy for the closed form, three times: judged was what the drive answered late" >&3
}

@test "a stall delays as many I/Os as the closed form says, by the drive's own record: psync" {
	stall_on_fault_drive psync
}

@test "a stall delays as many I/Os as the closed form says, by the drive's own record: libaio" {
	stall_on_fault_drive libaio iodepth=64
}

@test "a stall delays as many I/Os as the closed form says, by the drive's own record: io_uring" {
	stall_on_fault_drive io_uring iodepth=64
}
