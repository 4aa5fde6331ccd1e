#!/usr/bin/env bats
# Job files of fio as a fio user has them, run unchanged.

load common

setup() {
	cli_start
	rig_need_loop
	mkdir disk
	mount -t tmpfs -o size=1g none disk
	rig_later "umount '$RIG/disk'"
}

teardown() { cli_stop; }

# job NAME [OPTION...]: runs it scaled down on a file or a directory.
job() {
	run_plan "$GOLDEN/fio/$1.fio" disk/ --scale "$2"
	expect 0
	[ "$(result .status)" = complete ]
	[ "$(query "select sum(errors) from total")" = 0 ]
	[ -z "$(ls disk)" ]
}

steps() {
	result '[.steps[].name] | join(" ")'
}

@test "random read: the file is laid out first, then read at random, each block once a pass" {
	job random-read 0.005
	[ "$(steps)" = "prepare random-read" ]
	[ "$(result '.steps[1].loads[0].engine')" = io_uring ]
	[ "$(result '.steps[1].loads[0].queue_depth.asked')" = 32 ]
	[ "$(result '.steps[1].loads[0].read | .bytes / .ios')" = 4096 ]
	[ "$(result '.steps[1].loads[0].write.ios')" = 0 ]
}

@test "sequential write: every byte once" {
	job sequential-write 0.01
	[ "$(steps)" = "sequential-write" ]
	[ "$(result '.steps[0].loads[0].write.bytes')" = "$(result '.drives[0].capacity_bytes')" ]
	[ "$(result '.steps[0].loads[0].engine')" = libaio ]
}

@test "mixed 70/30: the shares, four workers, one report" {
	job mixed-70-30 0.01
	expect_err "fio/mixed-70-30.fio:13:1: write_lat_log has no effect here"
	[ "$(result '.steps[-1].loads | length')" = 1 ]
	[ "$(result '.steps[-1].loads[0].workers')" = 4 ]
	near "$(result '.steps[-1].loads[0] | .read.ios / (.read.ios + .write.ios)')" 0.7 0.02
	# the last block of the scaled file is a short one
	near "$(result '.steps[-1].loads[0].read | .bytes / .ios')" 8192 0.01
}

@test "multi-job: sections run together, each with its own load" {
	job multi-job 0.02
	[ "$(steps)" = "prepare readers" ]
	[ "$(result '[.steps[-1].loads[].name] | join(" ")')" = "readers writer syncer" ]
	[ "$(result '.steps[-1].loads[0].workers')" = 4 ]
	[ "$(result '.steps[-1].loads[1].write | .bytes / .ios')" = 131072 ]
	near "$(result '.steps[-1].loads[2] | .fsync.ios / .write.ios')" 1 0.1
	# rate=50m is fio's 50 * 2^20 bytes per second
	near "$(result '.steps[-1].loads[1].write.bytes_per_second')" 52428800 0.1
}

@test "fill then measure: stonewall puts one after the other" {
	job fill-then-measure 0.02
	[ "$(steps)" = "fill read write" ]
	[ "$(query "select max(a.started_ns + a.duration_ns) <= min(b.started_ns) from step a, step b where a.name = 'fill' and b.name = 'read'")" = 1 ]
}

@test "time based with ramp: the warm-up is recorded apart, the time is kept" {
	run_plan "$GOLDEN/fio/time-based-ramp.fio" disk/ --scale 0.01 --set steady.size=64m
	expect 0
	[ "$(query "select count(*) > 0 from series where ramp = 1")" = 1 ]
	near "$(result '.steps[-1].loads[0].measured_ns')" 3000000000 0.05
	[ "$(query "select sum(ios) from series where ramp = 0")" = "$(query "select sum(ios) from total")" ]
}

@test "a job's own filename= is used when no target is given" {
	plan j.fio <<-PLAN
		[j]
		rw=write
		bs=64k
		size=1m
		filename=disk/mine.dat
	PLAN
	run_plan j.fio
	expect 0
	[ "$(stat -c %s disk/mine.dat)" = 1048576 ]
	run_plan j.fio disk/other.dat
	expect 0
	[ "$(stat -c %s disk/other.dat)" = 1048576 ]
}

@test "a job that names several files keeps them, and a target then is an error" {
	plan j.fio <<-PLAN
		[a]
		rw=write
		size=1m
		filename=disk/a.dat
		[b]
		rw=write
		size=1m
		filename=disk/b.dat
	PLAN
	run_plan j.fio disk/c.dat
	expect 2
	expect_err "2 files"
	[ -z "$(ls disk)" ]
	run_plan j.fio
	expect 0
	[ "$(ls disk | tr '\n' ' ')" = "a.dat b.dat " ]
	[ "$(result '[.steps[0].loads[].target] | join(" ")')" = "0 1" ]
}

@test "E18 a colon in filename= splits as in fio, and the files that it would make are named before" {
	plan j.fio <<-PLAN
		[a]
		rw=write
		size=64k
		filename=disk/x:disk/y.dat
	PLAN
	ssd check j.fio
	expect 0
	expect_out "Target disk/x (file" "Target disk/y.dat (file"
}

@test "the same job with a number of workers, as fio counts: size is each worker's range" {
	plan j.fio <<-PLAN
		[j]
		rw=write
		bs=64k
		size=1m
		numjobs=3
		group_reporting
	PLAN
	run_plan j.fio disk/
	expect 0
	[ "$(result '.steps[-1].loads[0].write.bytes')" = $((3 * 1048576)) ]
	[ "$(result '.steps[-1].loads[0].workers')" = 3 ]
}

@test "check counts a job with files of its own under those files only" {
	plan j.fio <<-PLAN
		[a]
		rw=randread
		bs=4k
		size=64k
		filename=disk/x:disk/y
		[b]
		stonewall
		rw=write
		size=1m
		filename=disk/z
	PLAN
	ssd check j.fio
	expect 0
	awk '/^Target/ { target = $2 } /^[ab] / { print target, $1 }' <<< "$out" > seen
	diff seen - <<-SEEN
		disk/x a
		disk/y a
		disk/z b
	SEEN
	[ "$(grep -c '^1 measurement, at most' <<< "$out")" = 3 ]
	[ "$(grep -c 'nothing written' <<< "$out")" = 2 ]
}
