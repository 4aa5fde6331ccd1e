#!/usr/bin/env bats
# Drives that hang, fail and stall: a loop device on the fault drive. The user always gets the prompt back.

load common

setup() {
	rig_need_loop
	rig_need_fault
	cli_start
	fault_loop
}

teardown() {
	[ -z "${FAULT:-}" ] || echo reset > "$FAULT/ctl" || true
	cli_stop
}

fault() {
	echo "$*" > "$FAULT/ctl"
}

load_plan() {
	local depth=""
	[ "$1" = psync ] || depth="iodepth=4"
	plan h.plan <<-PLAN
		[h]
		ioengine=$1
		rw=${2:-randread}
		bs=4k
		direct=1
		runtime=${3:-60s}
		interval=100ms
		$depth
	PLAN
}

begin() {
	background run h.plan "$LOOP" --destroy "$ID" --allow-unwritten -o r.assay --progress "${PROGRESS:-none}" "$@"
}

moving() {
	until_shows "select count(*) >= 3 from series"
}

steps_reached() {
	until_shows "select count(*) = $1 from step"
}

# stuck: something is in flight on LOOP, and nothing of it is done within a tenth of a second.
stuck() {
	local before now
	before=$(cat "/sys/block/${LOOP##*/}/stat")
	sleep 0.1
	now=$(cat "/sys/block/${LOOP##*/}/stat")
	# fields: I/Os done of each direction, how many are in flight
	awk -v before="$before" -v now="$now" 'BEGIN {
		split(before, b)
		split(now, n)
		exit !(n[9] > 0 && n[1] == b[1] && n[5] == b[5] && n[12] == b[12])
	}'
}

hang_and_interrupt() {
	rm -f r.assay*
	fault reset
	load_plan "$1" "$2"
	begin
	moving
	fault hang 60
	until_true 10 stuck
	kill -INT "$PID"
	ended_within "$(soon)"
	fault reset
	expect 130
	expect_err "never came back" "offset" "of $LOOP, in flight for"
	[ "$(result .status)" = interrupted ]
	[ "$(result "[.events[] | select(.kind == \"unfinished\")] | length")" -ge 1 ]
	[ "$(query "select sum(ios) from series")" = "$(query "select sum(ios) from total")" ]
	# the device comes free when the hang is over
	comes_free "$LOOP"
}

@test "Ctrl-C while an I/O hangs in the kernel: the prompt within a second, io_uring" {
	hang_and_interrupt io_uring randread
	hang_and_interrupt io_uring randwrite
}

@test "Ctrl-C while an I/O hangs in the kernel: the prompt within a second, libaio" {
	hang_and_interrupt libaio randread
	hang_and_interrupt libaio randwrite
}

@test "Ctrl-C while an I/O hangs in the kernel: the prompt within a second, psync" {
	hang_and_interrupt psync randread
	hang_and_interrupt psync randwrite
}

@test "Ctrl-C while a purge hangs: the prompt within a second" {
	plan h.plan <<-PLAN
		[i]
		kind=idle
		runtime=3s
		[p]
		kind=purge
	PLAN
	begin
	steps_reached 1
	fault hang 60
	steps_reached 2
	until_true 10 stuck
	kill -INT "$PID"
	ended_within "$(soon)"
	fault reset
	expect 130
	ssd show r.assay
	expect 0
}

@test "a purge on a device that hangs is given up: 4, what was measured before it is kept" {
	plan h.plan <<-PLAN
		[first]
		rw=randwrite
		bs=4k
		io_size=64k
		[pause]
		kind=idle
		runtime=3s
		[p]
		kind=purge
		give_up=10s
	PLAN
	kernel_gives_up_after 500	# so that it is 11 s
	begin
	steps_reached 2
	fault hang 200
	ended_within 90
	fault reset
	expect 4
	expect_err "step 'p': the device hangs: $LOOP has completed nothing for 11"
	[ "$(query "select group_concat(name || ' ' || status, ', ') from step")" = "first complete, pause complete, p failed" ]
	comes_free "$LOOP"
}

@test "a device that hangs already while it is looked at: Ctrl-C ends the program at once" {
	load_plan io_uring randread
	fault hang 60
	begin
	until_true 10 stuck
	kill -TERM "$PID"
	ended_within "$(soon)"
	fault reset
	expect 143
	[ ! -e r.assay ]
}

@test "a stall is measured in full: the I/O, the longest stall, the silent intervals" {
	load_plan io_uring randread 5s
	begin
	moving
	fault hang 1
	ended
	expect 0
	[ "$(query "select max(max_ns) between 900e6 and 3000e6 from total_latency")" = 1 ]
	[ "$(query "select stall_longest_ns > 900e6 from step")" = 1 ]
	[ "$(query "select sum(d) > 700e6 from (select sum(ios) s, max(duration_ns) d from series group by idx) where s = 0")" = 1 ]
	no_gaps
	[ "$(result '.steps[0].loads[0].read.slow_ios.ge_500ms')" -ge 1 ]
	[ "$(query "select count(*) >= 1 from outlier where service_ns > 900e6")" = 1 ]
	expect_out "in flight"
}

# drives_listed: both lists while LOOP hangs, at the same time.
drives_listed() {
	"$SSDASSAY" drives > text.out 2> text.err < /dev/null 3>&- &
	local text=$! json
	"$SSDASSAY" drives --json > json.out 2> json.err < /dev/null 3>&- &
	json=$!
	text_status=0 json_status=0
	wait $text || text_status=$?
	wait $json || json_status=$?
}

# Loop devices are asked for one another's files: only drives of other kinds do not notice.
@test "drives: one that hangs is named, the others are told in full: 4" {
	fault hang 60
	drives_listed
	fault reset
	[ "$text_status $json_status" = "4 4" ]
	grep -q "^ssdassay: .* not answer.*: the kernel's log" text.err
	grep -q "^ssdassay: .* not answer.*: the kernel's log" json.err
	grep -A 1 "^$LOOP  67.1 MB$" text.out | grep -q "^  not read    all of it: the drive did not answer within 15.0 s$"
	jq -e --arg path "$LOOP" '.drives[] | select(.path == $path)
		| .in_use == null and .id == null and (.not_read | length == 1) and .capacity_bytes == 67108864' json.out
	jq -e '[.drives[] | select(.path | startswith("/dev/loop") | not)] | all(.id != null and .in_use != null)' json.out
	comes_free "$LOOP"
}

# kernel_gives_up_after MS: for this program the loop device has the time-out that drives have and loop devices have not.
kernel_gives_up_after() {
	queue_says io_timeout "$1"
}

@test "a device that hangs past the deadline and the kernel's own time-out: 4, what hangs is named" {
	load_plan io_uring randread 4s
	kernel_gives_up_after 500
	begin
	moving
	fault hang 100
	ended_within 60
	fault reset
	expect 4
	expect_err "the device hangs, 4 I/Os never came back" "in flight for"
	[ "$(result .status)" = failed ]
	[ "$(query "select count(*) from event where kind = 'unfinished'")" -ge 1 ]
	# twice what the kernel takes, and 10 s
	[ "$(query "select duration_ns >= 14e9 from step")" = 1 ]
}

waiting_is_told() {
	grep -q '"notice": *"waiting at most 1 min 10 s for 4 I/Os; slow: read of' .run.err
}

@test "a device that holds its I/Os for seven seconds at the end of a step: waited for, told, and the run goes on" {
	load_plan io_uring randread 3s
	printf '[next]\nrw=randread\nbs=4k\nruntime=300ms\n' >> h.plan
	PROGRESS=json
	begin
	moving
	fault hang 11
	ended
	expect 0
	waiting_is_told
	[ "$(result .status)" = complete ]
	[ "$(query "select group_concat(name || status, ' ') from step")" = "hcomplete nextcomplete" ]
	[ "$(query "select stall_longest_ns >= 8e9 and duration_ns >= 10e9 from step where name = 'h'")" = 1 ]
	[ "$(query "select count(*) from event where kind = 'hang'")" = 1 ]
	[ "$(query "select count(*) from event where kind = 'unfinished'")" = 0 ]
	sums_agree
}

# endless_plan GIVE_UP: a load that only its bytes could end, and they never do.
endless_plan() {
	load_plan io_uring randread
	sed -i '/runtime/d' h.plan
	printf 'loops=1000000\ngive_up=%s\n' "$1" >> h.plan
}

giving_up_is_told() {
	grep -q '"notice": *"nothing comes back: given up in .*; slow: read of' .run.err
}

@test "a device that goes silent in the middle of a step without a deadline: given up, 4, the part before it kept" {
	endless_plan 10s
	kernel_gives_up_after 1000	# so that it is 12 s
	PROGRESS=json
	begin
	moving
	fault hang 200
	ended_within 90
	fault reset
	giving_up_is_told
	expect 4
	expect_err "the device hangs, 4 I/Os never came back" "in flight for"
	[ "$(result .status)" = failed ]
	[ "$(query "select count(*) from event where kind = 'unfinished'")" = 4 ]
	[ "$(query "select duration_ns >= 12e9 and stall_longest_ns >= 12e9 from step")" = 1 ]
	[ "$(query "select sum(ios) > 0 from series")" = 1 ]
	sums_agree
	comes_free "$LOOP"
}

@test "a device that hangs between two steps: the one that cannot open it is given up, 4, the first kept" {
	endless_plan 10s
	sed -i 's/loops=.*/loops=1/; s/^\[h\]/[pause]\nkind=idle\nruntime=3s\n&/' h.plan
	kernel_gives_up_after 500
	begin
	steps_reached 1
	fault hang 200
	ended_within 90
	fault reset
	expect 4
	expect_err "hangs in the kernel"
	[ "$(query "select group_concat(name || status, ' ') from step")" = "pausecomplete hfailed" ]
	comes_free "$LOOP"
}

@test "a silence of thirteen seconds in the middle of a step is data, whatever give_up says: the kernel itself waits longer" {
	endless_plan 10s
	sed -i 's/loops=.*/io_size=32m/; s/bs=4k/bs=4k\nrate_iops=1000/' h.plan
	begin
	moving
	fault hang 13
	ended
	expect 0
	[ "$(result .status)" = complete ]
	[ "$(query "select stall_longest_ns >= 12e9 from step")" = 1 ]
	[ "$(query "select max(max_ns) >= 12e9 from total_latency")" = 1 ]
	sums_agree
}

# The device takes about a hundred at once of the two thousand pages, and a second for them.
@test "an fsync that the device works for is waited for, however long: no I/O comes back, but the block layer counts" {
	load_plan psync randwrite
	sed -i 's/direct=1/direct=0/; /runtime/d' h.plan
	printf 'io_size=8m\nend_fsync=1\ngive_up=10s\n' >> h.plan
	kernel_gives_up_after 500	# so that it is 11 s
	fault latency 0 1000000
	begin
	ended_within 400
	fault reset
	expect 0
	[ "$(query "select stall_longest_ns >= 13e9 from step")" = 1 ]
	sums_agree
}

@test "a hang of more than a minute in the middle of a step is data" {
	endless_plan 10m
	sed -i 's/loops=.*/io_size=32m/; s/bs=4k/bs=4k\nrate_iops=1000/' h.plan
	begin
	moving
	fault hang 65
	ended_within 240
	expect 0
	[ "$(result .status)" = complete ]
	[ "$(query "select stall_longest_ns >= 64e9 from step")" = 1 ]
	[ "$(query "select max(max_ns) >= 64e9 from total_latency")" = 1 ]
	[ "$(query "select count(*) from event where kind = 'hang'")" = 1 ]
	sums_agree
}

@test "Ctrl-C while the end of a step is waited for: the prompt within a second" {
	load_plan io_uring randread 2s
	PROGRESS=json
	begin
	moving
	fault hang 60
	until_true 60 waiting_is_told
	kill -INT "$PID"
	ended_within "$(soon)"
	fault reset
	expect 130
	expect_err "never came back"
	comes_free "$LOOP"
}

@test "Ctrl-C while the page cache cannot be written to the device: the prompt within a second" {
	load_plan psync randwrite
	sed -i 's/direct=1/direct=0/' h.plan
	begin
	moving
	fault hang 60
	until_true 60 stuck
	kill -INT "$PID"
	ended_within "$(soon)"
	fault reset
	expect 130
	[ "$(result .status)" = interrupted ]
	comes_free "$LOOP"
}

# directory_loop: a file system on LOOP that waits for the device with everything it does: DIRECTORY
directory_loop() {
	command -v mkfs.ext4 > /dev/null || skip "no mkfs.ext4"
	mkfs.ext4 -q "$LOOP"
	mkdir "$RIG/mounted"
	mount -o sync,dirsync "$LOOP" "$RIG/mounted"
	rig_later "umount '$RIG/mounted'"
	rig_later "echo reset > '$FAULT/ctl'"
	DIRECTORY="$RIG/mounted/"
}

no_file_left() {
	[ -z "$(ls "$DIRECTORY" | grep -v lost+found)" ]
}

begin_in_directory() {
	load_plan io_uring randwrite
	echo size=16m >> h.plan
	background run h.plan "$DIRECTORY" -o r.assay --progress none
}

@test "Ctrl-C while the file is made on a device that hangs: the prompt within a second" {
	directory_loop
	touch "$DIRECTORY/x" && rm "$DIRECTORY/x"	# what a look needs is in memory now
	fault hang 60
	begin_in_directory
	until_true 20 stuck
	kill -INT "$PID"
	ended_within "$(soon)"
	fault reset
	expect 130
	expect_err "interrupted while $DIRECTORY" "was made"
	[ ! -e r.assay ]
	until_true 60 umount "$DIRECTORY"
}

@test "Ctrl-C while a file in a directory hangs with its device: the prompt within a second, and the file goes" {
	directory_loop
	begin_in_directory
	moving
	fault hang 60
	until_true 10 stuck
	kill -INT "$PID"
	ended_within "$(soon)"
	fault reset
	expect 130
	[ "$(result .status)" = interrupted ]
	until_true 60 no_file_left
	until_true 60 umount "$DIRECTORY"
}

@test "F05 a run ends at its deadline although every I/O takes long; the overrun is one I/O" {
	load_plan psync randread 1s
	fault latency 300000 0
	LOOP="$FAULT/disk"
	begin --overwrite
	ended
	expect 0
	[ "$(query "select duration_ns >= 900e6 and duration_ns <= 1e9 + 1.5 * max(max_ns) from step, total_latency where op = 0")" = 1 ]
	[ "$(query "select ios between 2 and 5 from total where op = 0")" = 1 ]
}

@test "A01 a latency of seconds is its own percentile and not a cap" {
	load_plan psync randread 60s
	sed -i '/runtime/d' h.plan
	echo io_size=12k >> h.plan
	fault latency 2500000 0
	LOOP="$FAULT/disk"
	begin --overwrite
	ended
	expect 0
	[ "$(query "select p50_ns between 2500000000 and 7500000000 from total_latency where op = 0 and n > 0")" = 1 ]
	[ "$(query "select p50_ns <= max_ns and min_ns >= 2500000000 from total_latency where op = 0 and n > 0")" = 1 ]
}

@test "F07 every error is counted and kept with its offset; the run goes on" {
	local engine
	for engine in psync libaio io_uring; do
		rm -f r.assay*
		load_plan $engine randread 1s
		fault reset
		fault errors 0 33554432 r
		begin
		ended
		fault reset
		expect 0
		[ "$(query "select errors > 0 and ios > 0 from total where op = 0")" = 1 ]
		[ "$(query "select sum(errors) from series")" = "$(query "select sum(errors) from total")" ]
		[ "$(query "select count(*) > 0 and max(offset) < 33554432 and max(result) = -5 from outlier where result < 0")" = 1 ]
		[ "$(result '.checks[] | select(.name == "no_io_errors").result')" = failed ]
		expect_out "I/Os failed"
	done
}

@test "F07 a failed fsync is counted" {
	load_plan psync randwrite 1s
	echo fsync=4 >> h.plan
	fault errors 0 67108864 s
	begin
	ended
	fault reset
	[ "$(query "select errors > 0 from total where op = 4")" = 1 ]
	[ "$(query "select errors from total where op = 1")" = 0 ]
}

@test "a device that is gone ends the run: 4, the part before it kept" {
	load_plan io_uring randread 60s
	begin
	moving
	fault gone
	ended_within 20
	fault back
	expect 4
	expect_err "$LOOP: I/O failed"
	[ "$(result .status)" = failed ]
	[ "$(query "select ios > 0 from total where op = 0")" = 1 ]
	[ "$(query "select sum(ios) from series")" = "$(query "select sum(ios) from total")" ]
}
