#!/usr/bin/env bats
# What devices do when they fail, shrink, turn read-only or vanish in the middle of a run: a clear line, the right exit code, a valid
# partial run. Hangs, errors in a range and deadlines: hanging.bats; a full disk under the run file: interrupted.bats.

load common

setup() {
	rig_need_loop
	cli_start
}

teardown() { cli_stop; }

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
