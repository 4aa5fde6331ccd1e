#!/usr/bin/env bats
# What devices do when they fail, shrink, turn read-only or vanish in the middle of a run: a clear line, the right exit code, a valid
# partial run. Hangs and deadlines: hanging.bats; a full disk under the run file: interrupted.bats; steps of the clock, media errors
# and time-outs of a real driver: ../vm.

load common

setup() {
	rig_need_loop
	cli_start
}

teardown() {
	[ -z "${FAULT:-}" ] || echo reset > "$FAULT/ctl" || true
	cli_stop
}

# load_plan RW TIME: one load on the whole device
load_plan() {
	printf '[l]\nrw=%s\nbs=4k\niodepth=4\nruntime=%s\ninterval=100ms\n' "$1" "$2" > l.plan
}

# begin: runs it in the background, until there are three intervals
begin() {
	background run l.plan "$LOOP" --destroy "$ID" --allow-unwritten -o r.assay --progress none
	until_shows "select count(*) >= 3 from series"
}

# ends: interrupted, unless it has ended by itself
ends() {
	kill -INT "$PID" 2> /dev/null || true
	ended
	[ "$status" = 130 ] || [ "$status" = 4 ]
}

# shrink BYTES: a write on its way makes the file as long as it was before the loop device looks
shrink() {
	truncate -s "$1" "$DISK"
	losetup -c "$LOOP"
	[ "$(blockdev --getsize64 "$LOOP")" = "$1" ]
}

errors_shown() {
	shows "select sum(errors) > 0 from series" || gone_or_zombie "$PID"
}

partial_is_valid() {
	ssd show --json r.assay
	expect 0
	[ "$(query 'pragma integrity_check')" = ok ]
	[ "$(query "select sum(ios) > 0 from series")" = 1 ]
	[ "$(query "select sum(errors) from series where ramp = 0")" = "$(query "select sum(errors) from total")" ]
	sums_agree
}

@test "a device that shrinks to nothing in the middle: reads that return 0 are failures, and not an endless loop" {
	loop_disk
	load_plan randread 10m
	begin
	truncate -s 0 "$DISK"
	losetup -c "$LOOP"
	until_true 60 errors_shown
	ends
	[ "$status" = 4 ] || [ "$(query "select errors > 0 from total where op = 0")" = 1 ]
	partial_is_valid
}

@test "a device that shrinks to half: the I/Os beyond its end are counted as errors, with offsets" {
	loop_disk
	load_plan randread 10m
	begin
	truncate -s 32M "$DISK"
	losetup -c "$LOOP"
	until_true 60 errors_shown
	ends
	[ "$(query "select errors > 0 from total where op = 0")" = 1 ]
	[ "$(query "select min(offset) >= 33554432 from outlier where result < 0")" = 1 ]
	partial_is_valid
}

@test "a device that turns read-only: writes fail and are counted, reads go on" {
	loop_disk
	load_plan randrw 10m
	begin
	blockdev --setro "$LOOP"
	until_true 60 errors_shown
	ends
	blockdev --setrw "$LOOP"
	[ "$(query "select errors > 0 from total where op = 1")" = 1 ]
	[ "$(query "select ios > 0 from total where op = 0")" = 1 ]
	partial_is_valid
}

@test "a device that shrinks while it is written: what no longer fits fails and is counted" {
	loop_disk
	load_plan randwrite 10m
	begin
	until_true 60 shrink 4194304
	until_true 60 errors_shown
	ends
	[ "$(query "select errors > 0 from total where op = 1")" = 1 ]
	[ "$(query "select min(offset) >= 4194304 from outlier where result < 0")" = 1 ]
	partial_is_valid
}

# The fault drive as a file: it answers with any error, where a block device only knows some.
fault_file() {
	rig_need_fault
	FAULT=$(rig_fault)
	rig_later "echo reset > '$FAULT/ctl'"
}

# of 64 blocks, each read or written once, the 9th to 16th fail
errors_of() {	# errors_of ENGINE RW ERRNO
	printf '[e]\nioengine=%s\nrw=%s\nbs=4k\nsize=256k\n%s' "$1" "$2" "$([ "$1" = psync ] || echo iodepth=4)" > e.plan
	echo reset > "$FAULT/ctl"
	echo "errors 32768 32768 rw $3" > "$FAULT/ctl"
	run_plan e.plan "$FAULT/disk" --overwrite --allow-unwritten
}

@test "I/O error, media error, no space, time-out, abort: each is counted, named, kept with its offset; the run goes on" {
	fault_file
	local engine number words
	while read -r number words; do
		for engine in psync libaio io_uring; do
			for rw in read write; do
				errors_of $engine $rw "$number"
				expect 0
				expect_out "8 I/Os of step 'e' failed: $words; at offsets 32768 to 61440; each is in the list of outliers"
				expect_out "check failed no_io_errors: 8 I/Os failed."
				[ "$(query "select ios, errors, bytes from total where ios > 0")" = "56|8|229376" ]
				[ "$(query "select count(*), min(result), max(result), min(offset), max(offset) from outlier where result < 0")" = \
					"8|-$number|-$number|32768|61440" ]
				[ "$(result .status)" = complete ]
				sums_agree
			done
		done
	done <<-'KINDS'
		5 I/O error (EIO)
		61 media error: the drive cannot read it (ENODATA)
		28 no space left (ENOSPC)
		110 timed out: the kernel gave up waiting (ETIMEDOUT)
		125 aborted (ECANCELED)
	KINDS
}

@test "several kinds of errors in one step are told apart" {
	fault_file
	printf '[e]\nioengine=psync\nrw=write\nbs=4k\nsize=256k\nthinktime=10ms\nruntime=10m\ntime_based=1\n' > e.plan
	echo "errors 0 8192 w 5" > "$FAULT/ctl"
	background run e.plan "$FAULT/disk" --overwrite -o r.assay --progress none
	until_true 60 errors_shown
	echo "errors 0 8192 w 61" > "$FAULT/ctl"
	until_shows "select count(distinct result) = 2 from outlier where result < 0"
	kill -INT "$PID"
	ended
	expect 130
	expect_out "I/O error (EIO) " "media error: the drive cannot read it (ENODATA) " " times"
}

@test "a write that moves less than was asked is no error, but told, listed and a failed check" {
	fault_file
	printf '[s]\nioengine=psync\nrw=write\nbs=64k\nsize=4m\n' > s.plan
	echo "short 2" > "$FAULT/ctl"
	run_plan s.plan "$FAULT/disk" --overwrite
	expect 0
	[ "$(rig_fault_count "$FAULT" shorts)" = 32 ]
	expect_out "32 I/Os of step 's' moved less than was asked, the first 32768 of 65536 bytes at offset 65536" \
		"check failed no_io_errors: 32 I/Os moved less than was asked."
	[ "$(query "select ios, errors, bytes from total where op = 1")" = "64|0|$((64 * 65536 - 32 * 32768))" ]
	[ "$(query "select count(*) from outlier where result = 32768 and bytes = 65536")" = 32 ]
	ssd export r.assay --format csv -o copies
	[ "$(grep -c short copies/outliers.csv)" = 32 ]
	sums_agree
}

@test "short writes that the kernel turns into errors, as it does for asynchronous ones here, are counted as such" {
	fault_file
	local engine
	for engine in libaio io_uring; do
		printf '[s]\nioengine=%s\nrw=write\nbs=64k\nsize=4m\niodepth=4\n' $engine > s.plan
		echo reset > "$FAULT/ctl"
		echo "short 2" > "$FAULT/ctl"
		run_plan s.plan "$FAULT/disk" --overwrite
		expect 0
		[ "$(query "select count(*) from outlier where result < 0 or result < bytes")" = 32 ]
		[ "$(query "select ios + errors from total where op = 1")" = 64 ]
		expect_out "check failed no_io_errors"
		sums_agree
	done
}

@test "a device that fails everything is taken for dead: 4, it is named" {
	fault_file
	printf '[e]\nrw=randread\nbs=4k\niodepth=4\nruntime=10m\n' > e.plan
	echo "errors 0 67108864 rw 5" > "$FAULT/ctl"
	run_plan e.plan "$FAULT/disk" --overwrite --allow-unwritten
	expect 4
	expect_err "$FAULT/disk: I/O failed: Input/output error"
	[ "$(result .status)" = failed ]
	[ "$(query "select errors >= 1000 from total where op = 0")" = 1 ]
}

@test "a file on a file system that runs full: 4 or errors, said so" {
	mkdir small
	mount -t tmpfs -o size=4m none small
	rig_later "umount '$RIG/small'"
	printf '[w]\nrw=write\nbs=64k\nsize=16m\ndirect=0\n' > l.plan
	ssd run l.plan small/t.dat -o r.assay --progress none
	expect 4
	expect_err "small/t.dat"
}

@test "the run file on the device under test: refused; on the file system under test: told, and a failed check" {
	loop_disk
	mkfs.ext4 -q "$DISK"
	losetup -c "$LOOP"
	local mounted
	mounted=$(rig_mount "$LOOP" mnt)
	load_plan randwrite 500ms
	ssd run l.plan "$LOOP" --destroy "$ID" --wipe-signatures -o "$mounted/r.assay"
	expect 3
	printf 'size=4m\n' >> l.plan
	ssd run l.plan "$mounted/t.dat" -o "$mounted/r.assay" --progress none
	expect 0
	expect_err "same file system"
	[ "$(result '.checks[] | select(.name == "run_file_elsewhere").result' "$mounted/r.assay")" = failed ]
}

@test "the wall clock is used for no measurement" {
	local root
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	run grep -rlE 'CLOCK_REALTIME|gettimeofday|[^_]time\(NULL\)|clock_wall_ns\(' "$root/src/run" "$root/src/engine" "$root/src/measure" \
		"$root/src/work" "$root/src/analyze"
	[ -z "$output" ]
}

@test "a write cache that cannot be switched is told by check, by the run and by its results" {
	loop_disk
	plan cache.plan <<-PLAN
		[a]
		rw=randread
		bs=4k
		runtime=200ms
		write_cache=off
	PLAN
	ssd check cache.plan "$LOOP"
	expect 0
	expect_out "warning: $LOOP has no write cache that can be turned off: it stays as it is"
	run_plan cache.plan "$LOOP" --allow-unwritten
	expect 0
	expect_err "warning: $LOOP has no write cache that can be turned off"
	expect_out "The plan switches the write cache, and it could not be done"
	[ "$(result '.checks[] | select(.name == "write_cache_as_asked").result')" = failed ]
	ssd show r.assay
	expect_out "write cache"
	truncate -s 1m t.dat
	ssd check cache.plan t.dat
	expect_out "t.dat is not a drive of its own: its write cache is not turned off"
	ssd check cache.plan sim:tlc-consumer
	[[ $out != *"write cache"* ]]
	run_plan cache.plan sim:tlc-consumer
	[ "$(result '.checks[] | select(.name == "write_cache_as_asked").result')" = passed ]
}
