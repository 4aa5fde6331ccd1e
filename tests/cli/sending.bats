#!/usr/bin/env bats
# How I/Os are sent: what the options do to the system calls, and what is refused with its reason.

load common

setup() { cli_start; }

teardown() { cli_stop; }

# calls NAMES LINE...: runs a load of these lines on a file under strace; the calls go to `calls`
calls() {
	local names=$1
	shift
	command -v strace > /dev/null || skip "needs strace"
	{ printf '[load]\nsize=1m\nio_size=64k\n'; printf '%s\n' "$@"; } > load.plan
	rm -f r.assay
	status=0
	strace -f -qq -e trace="$names" -o calls "$SSDASSAY" run load.plan a.dat -o r.assay --progress none \
		> "$RIG/.out" 2> "$RIG/.err" < /dev/null || status=$?
	out=$(cat "$RIG/.out") err=$(cat "$RIG/.err")
}

absent() {	# absent PATTERN: no such call
	! grep "$1" calls || return 1
}

refused() {	# refused WORDS LINE...: the step fails with these words
	local words=$1
	shift
	{ printf '[load]\nsize=1m\nio_size=64k\n'; printf '%s\n' "$@"; } > load.plan
	rm -f r.assay
	run_plan load.plan "${TARGET:-a.dat}"
	expect 4
	expect_err "$words"
}

@test "nowait= and sync= are flags of each call; those for writes are not on reads" {
	calls preadv2,pwritev2 rw=randrw ioengine=psync nowait=1 sync=dsync
	expect 0
	[ "$(grep -c 'preadv2.*, RWF_NOWAIT) = 4096' calls)" -gt 2 ]
	[ "$(grep -c 'pwritev2.*, RWF_DSYNC|RWF_NOWAIT)' calls)" -gt 2 ]
	absent 'preadv2.*DSYNC'
	calls io_submit rw=randwrite ioengine=libaio iodepth=4 sync=sync
	expect 0
	grep -q 'aio_rw_flags=RWF_SYNC.*PWRITE' calls
}

@test "plain psync and libaio send no vectors; vectored=1 and nonvectored=0 do" {
	calls pread64,preadv,preadv2 rw=randread ioengine=psync
	expect 0
	grep -q 'pread64.*4096) = 4096\|pread64.* 4096, [0-9]*) = 4096' calls
	absent 'preadv'
	calls pread64,preadv,preadv2 rw=randread ioengine=psync vectored=1
	expect 0
	grep -q 'preadv' calls
	absent 'pread64.* 4096, [0-9]*) = 4096'
	calls io_submit rw=randread ioengine=libaio iodepth=4 nonvectored=0
	expect 0
	grep -q 'IOCB_CMD_PREADV' calls
	calls io_submit rw=randread ioengine=libaio iodepth=4
	expect 0
	absent 'IOCB_CMD_PREADV'
}

@test "an I/O that would have to wait fails with nowait=1, and the others are counted" {
	printf '[load]\nsize=4m\nrw=randread\ndirect=0\nnowait=1\nioengine=psync\n' > load.plan
	run_plan load.plan a.dat --set io_size=4m
	expect 0
	[ "$(query "select sum(ios) + sum(errors) from total join step on step.id = total.step where step.name = 'load'")" -ge 1024 ]
}

@test "huge pages are reserved ones, or joined at once" {
	calls mmap,madvise rw=randread mem=mmaphuge
	[ "$status" -eq 0 ] || {
		expect_err "no huge pages for the I/O buffers" "vm.nr_hugepages"
		skip "this machine has no huge pages"
	}
	grep -q 'MAP_HUGETLB\|MADV_COLLAPSE' calls	# the step ran, so one of them worked
	calls mmap,madvise rw=randread
	expect 0
	absent 'MAP_HUGETLB\|MADV_COLLAPSE'
}

@test "numa_mem_policy= is the worker's memory policy" {
	[ -e /sys/devices/system/node/node0 ] || skip "a kernel without NUMA"
	calls set_mempolicy rw=randread numa_mem_policy=interleave:0
	expect 0
	grep -q 'set_mempolicy(MPOL_INTERLEAVE, \[0x0*1\]' calls
	calls set_mempolicy rw=randread numa_mem_policy=bind:0
	grep -q 'set_mempolicy(MPOL_BIND' calls
	printf '[load]\nrw=randread\nnuma_mem_policy=bind\n' > bad.plan
	ssd check bad.plan sim:tlc-sata
	expect 2
	expect_err "bad.plan:3:" "needs its nodes"
}

@test "sqthread_poll gives worker and kernel thread a processor each, or is refused" {
	cpus=$(nproc)
	[ "$cpus" -ge 2 ] || skip "needs two processors"
	calls io_uring_setup,sched_setaffinity rw=randread sqthread_poll=1
	expect 0
	grep -q 'SETUP_SQ_AFF.*sq_thread_cpu=0x' calls
	poller=$(grep -o 'sq_thread_cpu=0x[0-9a-f]*' calls | head -n 1 | grep -o '[0-9a-f]*$')
	worker=$(grep 'io_uring_setup.*SQPOLL' calls | awk '{ print $1; exit }')
	absent "^$worker .*sched_setaffinity.*\[[^]]*\b$((16#$poller))\b[^]]*\]"
	refused "needs a CPU for each worker and another" rw=randread sqthread_poll=1 "numjobs=$cpus"
	refused "needs a CPU for each worker and another" rw=randread sqthread_poll=1 sqthread_poll_cpu=0 cpus_allowed=0
}

# unpolled TARGET WORDS: check and run refuse the load that is written there before anything is made
unpolled() {
	ssd check load.plan "$1" --allow-unwritten
	expect 2
	expect_err "$2"
	ssd run load.plan "$1" --allow-unwritten -o r.assay --progress none
	expect 2
	expect_err "$2"
	[ ! -e r.assay ]
}

@test "polling is refused where nothing can be polled for, before anything is made" {
	printf '[load]\nrw=randwrite\nhipri=1\niodepth=4\nsize=1m\n' > load.plan
	unpolled /dev/null "hipri: /dev/null has no completions that could be polled for"
	loop_disk 64M
	printf '[load]\nrw=randread\nhipri=1\nio_size=64k\n' > load.plan
	queue_says io_poll 0
	unpolled "$LOOP" "hipri: $LOOP can't be polled: its device has no poll queues"
	expect_err "load 'load'" "leave hipri out"
	printf '[load]\nrw=randread\nhybrid_poll=1\n' > bad.plan
	ssd check bad.plan sim:tlc-sata
	expect 2
	expect_err "hybrid_poll" "needs hipri=1"
}

@test "atomic writes are refused where the kernel says that the target takes none" {
	loop_disk 64M
	printf '[load]\nrw=randwrite\natomic=1\nio_size=64k\n' > load.plan
	run_plan load.plan "$LOOP" --destroy "$ID"
	expect 2
	expect_err "takes no atomic writes"
}

@test "the program's own ceiling is measured once the work is done, also when it is interrupted" {
	printf '[load]\nsize=16m\nrw=randread\nruntime=10m\n' > load.plan
	background run load.plan a.dat -o r.assay --progress none
	until_shows "select count(*) > 0 from series join step on step.id = series.step where step.name = 'load'"
	kill -INT "$PID"
	ended
	expect 130
	[ "$(query "select ceiling_iops > 10000 from run")" = 1 ]
}

holds() {	# holds FILTER: true of the last document
	jq -e "$1" <<< "$out" > /dev/null || {
		echo "not true: $1"
		both_show
		return 1
	}
}

# A drive that answers after the same time, whatever it did before: the rate while I/O is to be sent is the same in all of
# them, to one I/O that a burst may have more or less.
@test "rates and depths are those of the time in which I/O was to be sent" {
	printf '%s\n' '[global]' 'rw=randread' 'bs=4k' 'iodepth=1' 'size=1g' \
		'[plain]' 'runtime=4s' \
		'[late]' 'runtime=4s' 'startdelay=3s' \
		'[ramped]' 'runtime=4s' 'startdelay=2500ms' 'ramp_time=1s' \
		'[bursts]' 'duty=2s/3s*3' \
		'[odd]' 'duty=700ms/1300ms*4' 'startdelay=1s' > p.plan
	ssd run p.plan sim:theory --allow-unwritten -o r.assay
	expect 0
	ssd export r.assay --format csv -o csv
	expect 0
	ssd show r.assay --json
	expect 0
	holds '.steps[0].loads[0].read.iops as $plain |
		.steps | map(.loads[0].read.iops / $plain | . > 0.998 and . < 1.002) | all'
	holds '.steps | map(.loads[0].queue_depth.reached | . > 0.999 and . < 1.001) | all'
	holds '.steps | map(.loads[0].measured_ns / 1e9 | . * 1000 | round) == [4000, 4000, 4000, 6000, 2800]'
	holds '.steps | map(.loads[0].rest_ns / 1e9 | . * 1000 | round) == [0, 3000, 0, 6000, 4900]'
	holds '.steps | map(.duration_ns / 1e9 | . * 1000 | round) == [4000, 7000, 8000, 12000, 7700]'
	holds '[.checks[] | select(.name == "queue_depth_reached") | .result] == ["passed"]'
	# every interval of the series too
	rates=$(awk -F, 'NR > 1 && $5 - $24 > 1e8 { printf "%.0f\n", $6 * 1e9 / ($5 - $24) }' csv/series.csv | sort -n)
	[ "$(tail -n 1 <<< "$rates")" -le $(($(head -n 1 <<< "$rates") * 1002 / 1000 + 12)) ]
}

@test "a load that was told to pause is not judged by the depth it was asked for" {
	printf '%s\n' '[thinks]' 'rw=randread' 'bs=4k' 'iodepth=8' 'size=1g' 'runtime=4s' 'thinktime=1ms' > p.plan
	ssd run p.plan sim:theory --allow-unwritten -o r.assay
	expect 0
	ssd show r.assay --json
	holds '.steps[0].loads[0].queue_depth.reached < 1'
	holds '[.checks[] | select(.name == "queue_depth_reached") | .result] == ["not_applicable"]'
	holds '[.findings[] | select(.kind == "bottleneck") | .data.verdict] == ["load"]'
}

@test "duty= takes no schedule: arrivals would go on in its rests" {
	for line in arrival=poisson:1000 rate_iops=500; do
		printf '%s\n' '[o]' 'rw=randread' 'bs=4k' 'duty=1s/1s*3' "$line" > p.plan
		ssd check p.plan sim:theory
		expect 2
		expect_err "p.plan:4:1: duty: the schedule of" "goes on in the rests"
	done
}
