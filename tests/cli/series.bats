#!/usr/bin/env bats
# Series, totals, percentiles, and runs that repeat to the byte.

load common

setup() { cli_start; }
teardown() { cli_stop; }

contents() {
	sqlite3 -readonly "$1" "select step, load, idx, op, start_ns, duration_ns, spans, ramp, ios, bytes, errors, n, sum_ns,
		min_ns, max_ns, p50_ns, p99_ns, p999_ns, hex(histogram) from series order by 1, 2, 3, 4;
		select * from outlier order by submit_ns, worker, offset; select step, count, first_ns, last_ns, hex(ios) from sample;
		select step, load, op, ios, bytes from total order by 1, 2, 3; select name, path, status, started_ns, duration_ns from step"
}

@test "the same plan and seed on a simulated drive give the same bytes; another seed does not" {
	plan s.plan <<-PLAN
		[fill]
		kind=fill
		until=written:1r
		[mixed]
		rw=randrw
		bs=4k
		numjobs=4
		iodepth=8
		runtime=20s
	PLAN
	local target=sim:tlc-consumer,shrink=64
	for seed in 7 7 8; do
		run_plan s.plan $target --set randseed=$seed
		expect 0
		sums_agree
		[ "$(result .run.seed)" = $seed ]
		contents r.assay | sha256sum >> sums
	done
	[ "$(sed -n 1p sums)" = "$(sed -n 2p sums)" ]
	[ "$(sed -n 1p sums)" != "$(sed -n 3p sums)" ]
}

@test "E02 the seed changes the offsets, the same seed repeats them, on a real file too" {
	plan s.plan <<-PLAN
		[s]
		rw=randwrite
		bs=4k
		size=4m
		io_size=256k
		ioengine=psync
	PLAN
	local seed
	for seed in 1 1 2; do
		rm -f t.dat
		run_plan s.plan t.dat --set randseed=$seed
		expect 0
		# which blocks are written: those that are not zeros
		xxd -p -c 4096 t.dat | grep -n '[1-9a-f]' | cut -d: -f1 | sha256sum >> places
		sha256sum < t.dat >> data
	done
	[ "$(sed -n 1p places)" = "$(sed -n 2p places)" ]
	[ "$(sed -n 1p places)" != "$(sed -n 3p places)" ]
	[ "$(sed -n 1p data)" = "$(sed -n 2p data)" ]
}

@test "E04 every seed does the same number of I/Os" {
	local seed
	plan s.plan <<-PLAN
		[s]
		rw=randrw
		percentage_random=50
		bs=128k
		size=16m
		io_size=32m
	PLAN
	for seed in 1 2 3 47827 4294967295; do
		run_plan s.plan sim:tlc-consumer --set randseed=$seed
		expect 0
		[ "$(query "select sum(bytes) from total t join step s on s.id = t.step where s.name = 's'")" = 33554432 ]
	done
}

@test "sums over intervals equal the totals exactly, in real time with several workers and loads" {
	plan s.plan <<-PLAN
		[global]
		size=16m
		direct=1
		interval=50ms
		runtime=2s
		[a]
		rw=randrw
		bs=4k
		numjobs=3
		iodepth=8
		[b]
		with=a
		rw=write
		bs=64k
		ioengine=psync
	PLAN
	run_plan s.plan t.dat
	expect 0
	sums_agree
	[ "$(query "select count(distinct load) from series where step = (select id from step where name = 'a')")" = 2 ]
	[ "$(query "select sum(n) = sum(ios - errors) from series where op = 0")" = 1 ]
}

@test "C03 every interval of every direction is there, also the empty ones, on one grid" {
	plan s.plan <<-PLAN
		[s]
		rw=randrw
		bs=4k
		size=16m
		thinktime=400ms
		thinktime_blocks=4
		ioengine=psync
		interval=100ms
		runtime=3s
	PLAN
	run_plan s.plan t.dat
	expect 0
	sums_agree
	[ "$(query "select count(*) >= 15 from (select idx, sum(ios) i from series s join step t on t.id = s.step where t.name = 's' group by idx) where i = 0")" = 1 ]
	[ "$(query "select count(*) from series where start_ns != idx * (select interval_ns from step where id = series.step)")" = 0 ]
	# exported, an empty interval is a row of zeros
	"$SSDASSAY" export r.assay --format csv -o csv
	head -1 csv/series.csv | grep -q '^step,load,direction,t_ns,duration_ns,ios,bytes,errors,min,mean,max,p50,p99,p99.9'
	awk -F, '$6 == 0 { empty++ } END { exit empty < 15 }' csv/series.csv
}

@test "C15 the last interval is written although it is a short one" {
	plan s.plan <<-PLAN
		[s]
		rw=randwrite
		bs=4k
		iodepth=4
		runtime=2500ms
		interval=1s
	PLAN
	run_plan s.plan sim:tlc-consumer
	expect 0
	sums_agree
	[ "$(query "select group_concat(d) from (select distinct duration_ns / 1000000 d from series order by idx)")" = 1000,500 ]
	[ "$(query "select sum(n) from series")" = "$(query "select sum(ios) from total")" ]
}

@test "C05 C01 long and short intervals hold the same I/Os" {
	local interval
	for interval in 10ms 100ms 25s; do
		plan s.plan <<-PLAN
			[s]
			rw=randread
			bs=4k
			iodepth=8
			size=64m
			runtime=30s
			interval=$interval
		PLAN
		run_plan s.plan sim:tlc-consumer
		expect 0
		sums_agree
		query "select sum(ios), sum(bytes), sum(sum_ns) from series s join step t on t.id = s.step where t.name = 's'" >> totals
	done
	[ "$(sort -u totals | wc -l)" = 1 ]
}

@test "C17 C07 two workers are one series of their sums, and the group's figure is the sum (D06)" {
	local jobs
	for jobs in 1 4; do
		plan s.plan <<-PLAN
			[s]
			rw=randread
			bs=4k
			size=64m
			numjobs=$jobs
			iodepth=1
			runtime=5s
		PLAN
		run_plan s.plan sim:tlc-consumer
		expect 0
		sums_agree
		[ "$(query "select count(distinct load) from series where step = (select max(id) from step)")" = 1 ]
		near "$(result '.steps[-1].loads[0].read.iops')" "$(query "select sum(ios) / 5.0 from series where step = (select max(id) from step)")" 0.001
		near "$(result '.steps[-1].loads[0].queue_depth.reached')" $jobs 0.05
	done
}

@test "A07 Little's law holds in every closed loop" {
	plan s.plan <<-PLAN
		[s]
		vary.iodepth=1 4 32
		rw=randread
		bs=4k
		size=64m
		runtime=5s
	PLAN
	run_plan s.plan sim:tlc-consumer
	expect 0
	[ "$(result '.checks[] | select(.name == "littles_law").result')" = passed ]
	local depth
	for depth in 1 4 32; do
		near "$(result ".steps[] | select(.values.iodepth == $depth).loads[0].read | .iops * .service_ns.mean / 1e9")" $depth 0.03
	done
}

@test "percentiles without samples are null and say how many I/Os they need; none is above the maximum" {
	plan s.plan <<-PLAN
		[s]
		rw=randread
		bs=4k
		size=1m
		io_size=400k
	PLAN
	run_plan s.plan sim:tlc-consumer
	expect 0
	[ "$(result '[.steps[].loads[][] | objects | select(has("service_ns")) | .service_ns.percentiles[] | select(.value == null and (.needs | type) != "number")] | length')" = 0 ]
	[ "$(result '[.steps[].loads[][] | objects | select(has("service_ns")) | .service_ns | .max as $max | .percentiles[] | select(.value != null and .value > $max)] | length')" = 0 ]
	[ "$(result '[.steps[-1].loads[0].read.service_ns.percentiles[] | select(.p == 50)][0].value != null')" = true ]
	[ "$(result '[.steps[-1].loads[0].read.service_ns.percentiles[] | select(.p == 99.9)][0] | .value == null and .needs > 1000')" = true ]
	[ "$(result '.steps[-1].loads[0].write.service_ns | .n == 0 and .mean == null and .max == null')" = true ]
	expect_out "n/a"
}

@test "percentiles are there when the I/Os suffice, in order, between minimum and maximum, inside their bounds" {
	plan s.plan <<-PLAN
		[s]
		rw=randread
		bs=4k
		size=64m
		iodepth=16
		runtime=5s
	PLAN
	run_plan s.plan sim:tlc-consumer
	expect 0
	[ "$(result '.steps[-1].loads[0].read.service_ns | [.percentiles[] | select(.value != null) | .value] | . == sort')" = true ]
	[ "$(result '.steps[-1].loads[0].read.service_ns | .min as $min | [.percentiles[] | select(.value != null) | .value >= $min] | all')" = true ]
	[ "$(result '.steps[-1].loads[0].read.service_ns | [.percentiles[] | select(.value != null and .low != null) | .low <= .value and .value <= .high] | all')" = true ]
	[ "$(result '[.steps[-1].loads[0].read.service_ns.percentiles[] | select(.p == 99.9)][0].value > 0')" = true ]
}

@test "B03 B09 an open loop counts from the intended start; a stall hits all that were due" {
	rig_need_fault
	FAULT=$(rig_fault)
	plan s.plan <<-PLAN
		[s]
		rw=randread
		bs=4k
		rate_iops=200
		iodepth=1
		ioengine=psync
		runtime=4s
		interval=100ms
	PLAN
	background run s.plan "$FAULT/disk" --allow-unwritten --overwrite -o r.assay --progress none
	until_shows "select count(*) >= 1 from series"
	echo hang 1 > "$FAULT/ctl"
	ended
	expect 0
	[ "$(result '.steps[0].loads[0].read.response_ns != null and .steps[0].loads[0].read.lateness_ns != null')" = true ]
	# about 200 were due in that second: half of them waited 0.5 s and more; by service time only one is slow
	[ "$(result '[.steps[0].loads[0].read.service_ns.max > 800000000, .steps[0].loads[0].read.response_ns.max > 800000000] | all')" = true ]
	[ "$(query "select slow from (select ge_500ms slow from total where op = 0)")" -ge 50 ]
	near "$(result '.steps[0].loads[0].read.ios')" 800 0.05
}
