#!/usr/bin/env bats
# What the program says it did is what the block layer saw and what the run file holds, to the I/O.

load common

setup() { cli_start; }
teardown() { cli_stop; }

# One field of the step's block_layer event.
layer() {
	query "select json_extract(data_json, '\$.$1') from event where kind = 'block_layer' limit 1"
}

# reads | writes | discards: requests and merged ones together = what was submitted (below the split size).
submitted() {
	echo $(($(layer "$1s") + $(layer "$1_merges")))
}

total() {
	query "select coalesce(sum($1), 0) from total where op = $2"
}

# moves ENGINE RW BS IO_SIZE OP: runs one load; program, intervals and self-check agree.
moves() {
	local depth=""
	[ "$1" = psync ] || depth="iodepth=16"
	plan m.plan <<-PLAN
		[m]
		ioengine=$1
		rw=$2
		bs=$3
		io_size=$4
		direct=1
		$depth
	PLAN
	run_plan m.plan "$LOOP" --destroy "$ID" --allow-unwritten && expect 0 && sums_agree &&
		[ "$(query "select sum(errors) from total")" = 0 ]
		[ "$(result .steps[0].loads[0].engine)" = "$1" ]
}

# compare NAME OP: the block layer saw the I/Os and bytes that the program counted.
compare() {
	local ios bytes seen
	ios=$(total ios "$2")
	bytes=$(total bytes "$2")
	seen=$(submitted "$1")
	[ "$1" != write ] || seen=$((seen - $(layer flushes)))	# a flush is counted as a write of no bytes, too
	echo "program: $ios I/Os, $bytes bytes; block layer: $seen I/Os, $(layer "$1_bytes") bytes"
	[ "$ios" -gt 0 ] && [ "$(layer "$1_bytes")" = "$bytes" ] && [ "$seen" = "$ios" ] &&
		[ "$(result '.checks[] | select(.name == "bytes_match_block_layer").result')" = passed ]
}

# agree NAME ENGINE RW BS IO_SIZE OP: both. Somebody else may read a device at any time (a list of drives does): of three
# runs one has to be exact.
agree() {
	local tries
	for tries in 1 2 3; do
		moves "${@:2}" || return 1
		compare "$1" "$6" && return 0
	done
	return 1
}

all_engines() {
	local engine size
	for engine in psync libaio io_uring; do
		for size in 512 4k 128k 1280k; do
			agree "$2" $engine "$1" $size "$([ $size = 512 ] && echo 512k || echo 10m)" "$3"
		done
	done
}

@test "random reads of every engine, 512 bytes up to max_sectors" {
	loop_disk
	[ "$(cat /sys/block/"${LOOP##*/}"/queue/max_sectors_kb)" -ge 1280 ] || skip "the loop device takes smaller requests"
	all_engines randread read 0
}

@test "random writes of every engine, 512 bytes up to max_sectors" {
	loop_disk
	all_engines randwrite write 1
}

@test "sequential reads and writes, merged ones included" {
	loop_disk
	local engine
	for engine in psync libaio io_uring; do
		agree read $engine read 4k 10m 0
		agree write $engine write 4k 10m 1
	done
}

@test "trims of every engine" {
	loop_disk
	local engine size
	for engine in psync libaio io_uring; do
		for size in 4k 1m; do
			agree discard $engine randtrim $size 10m 2
		done
	done
}

@test "A05 a synchronous trim takes the time it takes, whatever the engine" {
	loop_disk
	local engine
	for engine in psync libaio io_uring; do
		moves $engine randtrim 1m 32m 2
		[ "$(query "select min(min_ns) > 1000 from total_latency where op = 2 and n > 0")" = 1 ]
	done
}

@test "mixed load with fsync: each direction its own counts and times (A19)" {
	loop_disk
	plan m.plan <<-PLAN
		[m]
		rw=randrw
		rwmixread=50
		bs=4k
		io_size=4m
		fsync=16
		iodepth=8
		direct=1
	PLAN
	once() {
		run_plan m.plan "$LOOP" --destroy "$ID" --allow-unwritten && expect 0 && compare read 0 && compare write 1
	}
	once || once || once
	[ "$(total ios 0)" -gt 300 ]
	[ "$(total ios 1)" -gt 300 ]
	[ "$(total ios 3)" = 0 ]
	near "$(total ios 4)" "$(($(total ios 1) / 16))" 0.1
	[ "$(result '.steps[0].loads[0].fsync.service_ns.n')" = "$(total ios 4)" ]
	[ "$(layer flushes)" -gt 0 ]
}

@test "E16 D08 several workers: the sum of their counts is what the device saw" {
	loop_disk
	plan m.plan <<-PLAN
		[m]
		rw=randread
		bs=4k
		numjobs=4
		iodepth=4
		io_size=2m
		direct=1
	PLAN
	once() {
		run_plan m.plan "$LOOP" --destroy "$ID" --allow-unwritten && expect 0 && compare read 0
	}
	once || once || once
	[ "$(total bytes 0)" = $((4 * 2097152)) ]
	near "$(result '.steps[0].loads[0].read | .iops * .service_ns.mean / 1e9')" "$(result .steps[0].loads[0].queue_depth.reached)" 0.1
}

@test "F03 the budget begins after the warm-up, and the warm-up is not in the totals" {
	loop_disk
	plan m.plan <<-PLAN
		[m]
		rw=randread
		bs=4k
		io_size=4m
		ramp_time=1s
		direct=1
		ioengine=psync
		interval=500ms
	PLAN
	run_plan m.plan "$LOOP" --destroy "$ID" --allow-unwritten
	expect 0
	local ios
	ios=$(total ios 0)
	# the one that was in flight when the warm-up ended completes in the measured part
	[ "$ios" -ge 1024 ]
	[ "$ios" -le 1025 ]
	[ "$(result '.steps[0].loads[0].read.service_ns.n')" = "$ios" ]
	[ "$(query "select sum(ios) from series where ramp = 0")" = "$ios" ]
	[ "$(query "select sum(ios) > 0 from series where ramp = 1")" = 1 ]
	[ "$(layer reads)" -ge "$(query "select sum(ios) from series")" ]
}

@test "F01 warm-up then measurement, one after the other, and nothing of another kind" {
	loop_disk
	plan m.plan <<-PLAN
		[m]
		rw=randwrite
		bs=4k
		ramp_time=2s
		runtime=1s
		direct=1
		iodepth=4
		interval=500ms
	PLAN
	run_plan m.plan "$LOOP" --destroy "$ID"
	expect 0
	[ "$(query "select sum(ios) from series where op = 0")" = "" ] || [ "$(query "select sum(ios) from series where op = 0")" = 0 ]
	[ "$(layer reads)" -lt 100 ]		# somebody else may look at the device
	[ "$(result '.steps[0].duration_ns >= 3000000000')" = true ]
	[ "$(query "select max(idx) < (select min(idx) from series where ramp = 0) from series where ramp = 1")" = 1 ]
	[ "$(query "select max(start_ns + duration_ns) = 2000000000 from series where ramp = 1")" = 1 ]
	near "$(result .steps[0].loads[0].measured_ns)" 1000000000 0.3
}

@test "E24 the fill of a new file is a step of its own" {
	plan m.plan <<-PLAN
		[m]
		rw=randread
		bs=4k
		size=4m
		io_size=1m
		direct=1
	PLAN
	run_plan m.plan new.dat
	expect 0
	[ "$(result '[.steps[].name] | join(" ")')" = "prepare m" ]
	[ "$(result '.steps[0].loads[0].write.bytes')" = 4194304 ]
	[ "$(result '.steps[1].loads[0].write.bytes')" = 0 ]
	[ "$(result '.steps[1].loads[0].read.bytes')" = 1048576 ]
	run_plan m.plan new.dat
	expect 0
	[ "$(result '[.steps[].name] | join(" ")')" = m ]
}

@test "each file that the plan names is filled before it is read, whatever was done to the others" {
	plan m.plan <<-PLAN
		[global]
		bs=64k
		size=4m
		[a]
		filename=one.dat
		rw=write
		[b]
		filename=two.dat
		rw=read
		[c]
		filename=one.dat
		rw=read
		[d]
		filename=three.dat
		rw=randread
	PLAN
	run_plan m.plan
	expect 0
	[ "$(result '[.steps[].name] | join(" ")')" = "a prepare b c prepare d" ]
	[ "$(query "select group_concat(target, ' ') from (select target from load join step on step = id where step.name = 'prepare' order by id)")" = "1 2" ]
	[ "$(result '[.checks[] | select(.name == "reads_find_data") | .result] | unique | join(" ")')" = passed ]
}

@test "bytes that a run counts as written are in the file" {
	plan m.plan <<-PLAN
		[m]
		rw=write
		bs=64k
		size=4m
		direct=1
		iodepth=4
	PLAN
	run_plan m.plan new.dat
	expect 0
	[ "$(stat -c %s new.dat)" = 4194304 ]
	[ "$(result '.steps[0].loads[0].write.bytes')" = 4194304 ]
	# incompressible, and no block of 4 KiB twice
	[ "$(gzip -c new.dat | wc -c)" -gt 4100000 ]
	[ "$(xxd -p -c 4096 new.dat | sort -u | wc -l)" = 1024 ]
}

@test "F13 a sequential write never shortens the file" {
	plan w.plan <<-PLAN
		[w]
		rw=write
		bs=4k
		size=8m
		io_size=1m
	PLAN
	run_plan w.plan new.dat
	expect 0
	[ "$(stat -c %s new.dat)" = 8388608 ]
	run_plan w.plan new.dat --set w.size=4m
	expect 0
	[ "$(stat -c %s new.dat)" = 8388608 ]
}
