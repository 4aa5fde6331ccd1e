#!/usr/bin/env bats
# What went wrong for people with other tools, and is right here: loads, data, scale. (More of them stand where they belong.)

load common

setup() { cli_start; }
teardown() { cli_stop; }

@test "A03 the same load with a synchronous and an asynchronous engine moves the same" {
	local engine
	for engine in psync io_uring libaio; do
		plan a.plan <<-PLAN
			[a]
			ioengine=$engine
			rw=randrw
			bs=4k
			size=8m
			io_size=4m
			randseed=5
		PLAN
		run_plan a.plan t.dat
		expect 0
		query "select op, ios, bytes from total where step = (select id from step where name = 'a') order by op" >> moved
		[ "$(query "select count(*) from total_latency where step = (select id from step where name = 'a') and n > 0 and op < 2")" = 2 ]
	done
	[ "$(sort moved | uniq -c | awk '{ print $1 }' | sort -u)" = 3 ]
}

@test "A09 I/Os of a worker that had no processor are marked as the host's" {
	local hog hogs=()
	plan a.plan <<-PLAN
		[a]
		rw=randread
		bs=4k
		size=4m
		direct=0
		ioengine=psync
		cpus_allowed=0
		runtime=5s
	PLAN
	for hog in 1 2 3; do
		taskset -c 0 sh -c 'while :; do :; done' > /dev/null 2>&1 3>&- &
		hogs+=($!)
		rig_later "kill $!"
	done
	run_plan a.plan t.dat
	kill "${hogs[@]}"
	expect 0
	# the host's flag is 2; its share of the time is in the step's event
	[ "$(query "select sum(json_extract(data_json, '$.wait_ns')) > 500000000 from event where kind = 'hiccup'")" = 1 ]
	[ "$(query "select count(*) > 0 from outlier where flags & 2")" = 1 ]
	ssd export r.assay --format csv -o copies
	expect 0
	grep -q ',host\|host top\|host$' copies/outliers.csv
}

@test "A13 an open loop with a warm-up: counts, means and percentiles of the same I/Os" {
	plan a.plan <<-PLAN
		[a]
		rw=randread
		bs=4k
		size=16m
		rate_iops=2000
		ramp_time=2s
		runtime=10s
	PLAN
	run_plan a.plan sim:tlc-consumer
	expect 0
	sums_agree
	near "$(result '.steps[-1].loads[0].read.ios')" 20000 0.01
	[ "$(result '.steps[-1].loads[0].read | .service_ns.n == .ios and .response_ns.n == .ios and .lateness_ns.n == .ios')" = true ]
	[ "$(result '.steps[-1].loads[0].read | [.service_ns, .response_ns] | map(.min <= .mean and .mean <= .max) | all')" = true ]
}

@test "A17 a limited rate, depth 2 and a display every second: latency is there" {
	plan a.plan <<-PLAN
		[a]
		rw=randread
		bs=4k
		size=4m
		direct=1
		iodepth=2
		rate=4m
		runtime=3s
	PLAN
	"$SSDASSAY" run a.plan t.dat -o r.assay --progress json > .o 2> .e
	[ "$(result '.steps[-1].loads[0].read.service_ns | .mean > 0 and .min > 0')" = true ]
	grep '^{' .e | jq -es 'map(select(.step == "a" and .iops > 0)) | length >= 1 and all(.p50_ns > 0 and .max_ns >= .p50_ns)' > .parsed
	near "$(result '.steps[-1].loads[0].read.bytes_per_second')" 4194304 0.05
}

@test "B01 the rate does not depend on the mix of block sizes, and Poisson arrivals keep it" {
	local mix process
	for mix in 4k/100 8k/90:16k/10 4k/50:64k/50 4k/25:8k/25:16k/25:32k/25; do
		for process in constant poisson; do
			plan b.plan <<-PLAN
				[b]
				rw=randread
				bssplit=$mix
				size=64m
				arrival=$process:1000
				iodepth=64
				runtime=20s
			PLAN
			run_plan b.plan sim:tlc-consumer --allow-unwritten
			expect 0
			# 20,000 arrivals: Poisson's standard deviation is 141, 0.7 %
			near "$(result '.steps[-1].loads[0].read.ios')" 20000 "$([ $process = constant ] && echo 0.002 || echo 0.035)"
		done
	done
}

# The measuring process is stopped for longer than a pause lasts: it comes back after the moment at which the pause was over.
@test "B07 a pause that is overrun, spinning or asleep, is over at once and not at the end of the run" {
	local spin stopped
	for spin in 100ms 0ms; do
		plan b.plan <<-PLAN
			[b]
			rw=randread
			bs=4k
			size=4m
			ioengine=psync
			thinktime=100ms
			thinktime_spin=$spin
			runtime=10m
			interval=100ms
		PLAN
		rm -f r.assay*
		background run b.plan t.dat -o r.assay --progress none
		until_shows "select count(*) >= 3 from series where step = (select id from step where name = 'b')"
		kill -STOP $(pgrep -P "$PID")
		sleep 1		# the overrun
		stopped=$(query "select max(idx) from series where step = (select id from step where name = 'b')")
		kill -CONT $(pgrep -P "$PID")
		until_shows "select sum(ios) >= 3 from series where step = (select id from step where name = 'b') and idx > $stopped + 12"
		kill -INT "$PID"
		ended
		expect 130
		sums_agree
	done
}

@test "C19 the maximum of an interval is its own: slow then fast" {
	rig_need_fault
	FAULT=$(rig_fault)
	plan c.plan <<-PLAN
		[c]
		rw=randread
		bs=4k
		ioengine=psync
		runtime=3s
		interval=500ms
	PLAN
	echo "latency 50000 0" > "$FAULT/ctl"
	"$SSDASSAY" run c.plan "$FAULT/disk" --allow-unwritten --overwrite -o r.assay --progress none > .o 2>&1 3>&- &
	until_true 5 sh -c "[ \"\$(sqlite3 -readonly r.assay 'select count(*) from series' 2>/dev/null || echo 0)\" -ge 1 ]"
	echo reset > "$FAULT/ctl"
	wait $!
	[ "$(query "select max_ns >= 50e6 from series where idx = 0 and op = 0")" = 1 ]
	[ "$(query "select min(max_ns) < 45e6 from series where idx > 2 and op = 0")" = 1 ]
}

@test "D18 thousands of workers start, run and are counted" {
	plan d.plan <<-PLAN
		[d]
		rw=randread
		bs=4k
		size=64m
		ioengine=null
		numjobs=3584
		io_size=40k
	PLAN
	run_plan d.plan /dev/null
	expect 0
	[ "$(query "select sum(ios) from total")" = 35840 ]
	sed -i 's/io_size=40k/runtime=1s/' d.plan	# and with a time, that begins when all are ready
	run_plan d.plan /dev/null
	expect 0
	[ "$(query "select sum(ios) > 3584 from total")" = 1 ]
	[ "$(result '.steps[0].loads[0].workers')" = 3584 ]
	sums_agree
}

@test "E10 data compresses and repeats as much as asked, and not at all by default" {
	local share size
	for share in 0 50 80; do
		plan e.plan <<-PLAN
			[e]
			rw=write
			bs=64k
			size=8m
			buffer_compress_percentage=$share
		PLAN
		rm -f t.dat
		run_plan e.plan t.dat
		expect 0
		size=$(gzip -1c t.dat | wc -c)
		awk -v s="$size" -v p="$share" 'BEGIN { want = 8388608 * (100 - p) / 100; d = s - want; if (d < 0) d = -d
			if (d > 8388608 * 0.08) { print "compresses to " s ", wanted " want; exit 1 } }'
	done
	plan e.plan <<-PLAN
		[e]
		rw=write
		bs=4k
		size=8m
		dedupe_percentage=50
	PLAN
	rm -f t.dat
	run_plan e.plan t.dat
	expect 0
	near "$(xxd -p -c 4096 t.dat | sort -u | wc -l)" 1024 0.1
}

@test "E12 data that is new in every buffer: when making it takes all of a CPU, that is said" {
	plan e.plan <<-PLAN
		[e]
		ioengine=null
		rw=write
		bs=1m
		size=64m
		refill_buffers=1
		iodepth=8
		runtime=4s
		time_based=1
	PLAN
	run_plan e.plan /dev/null
	expect 0
	# a worker that the host gave no whole CPU could not use one
	waited=$(query "select coalesce(sum(json_extract(data_json, '$.wait_ns')), 0) from event where kind = 'hiccup'")
	[ "$(result '.checks[] | select(.name == "cpu_not_the_limit").result')" = failed ] || [ "$waited" -gt 200000000 ]
	# bytes of data in each ns of CPU time; far less than it is, for builds with sanitizers
	near "$(result '.steps[-1].loads[0].write.bytes')" "$(query "select ios * 1048576 from total where op = 1")" 0
	awk -v bytes="$(query "select bytes from total where op = 1")" -v ns="$(query "select sum(json_extract(value, '$.cpu_user_ns') +
		json_extract(value, '$.cpu_system_ns')) from load, json_each(facts_json, '$.workers')")" \
		'BEGIN { print bytes / ns " bytes/ns"; exit !(bytes / ns > 0.2) }'
}

@test "F09 an engine that a limit refuses is named with the cause, and the best that works says why no better one" {
	command -v setpriv > /dev/null || skip "no setpriv"
	[ "$(id -u)" = 0 ] || skip "not root"
	plan f.plan <<-PLAN
		[f]
		rw=write
		bs=64k
		size=1m
		ioengine=io_uring
		registerfiles=1
		fixedbufs=1
		iodepth=64
	PLAN
	chmod 777 .
	local words=(setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
	status=0
	(ulimit -l 64; "${words[@]}" "$SSDASSAY" run f.plan t.dat -o r.assay --progress none > .o 2> .e) || status=$?
	if [ "$status" -ne 0 ]; then
		[ "$status" -eq 4 ]
		grep -qi "memlock\|locked memory" .e
	else
		[ "$(result '.steps[0].loads[0].engine')" = io_uring ]
	fi
	rm -f r.assay t.dat
	sed -i '/ioengine\|registerfiles\|fixedbufs/d' f.plan
	(ulimit -l 64; "${words[@]}" "$SSDASSAY" run f.plan t.dat -o r.assay --progress none > .o 2> .e)
	[ "$(result '.steps[0].loads[0].engine | length > 0')" = true ]
}

@test "F11 trims need no buffers, however large; what does not fit into memory is refused before" {
	plan f.plan <<-PLAN
		[f]
		rw=randtrim
		bs=1g
		iodepth=512
	PLAN
	ssd check f.plan sim:tlc-consumer
	expect 0
	expect_out "0 B of memory for buffers"
	plan f.plan <<-PLAN
		[f]
		rw=randwrite
		bs=1g
		size=2g
		iodepth=1024
		numjobs=100
		runtime=1s
	PLAN
	local command
	for command in check run; do
		ssd $command f.plan t.dat
		expect 2
		expect_err "memory" "100 TiB"
		[ ! -e t.dat ]
	done
}

@test "F15 zoned modes are refused by name: nothing is written into a zoned drive as if it were none" {
	plan f.fio <<-PLAN
		[f]
		filename=t.dat
		rw=randwrite
		bs=4k
		size=1m
		zonemode=zbd
		zonesize=64k
	PLAN
	ssd run f.fio -o r.assay
	expect 2
	expect_err "f.fio:6:1: zonemode is not supported: zoned devices are not supported"
	[ ! -e t.dat ]
}

@test "F19 a file in memory, and what else stands between the load and the drive, is told" {
	rig_need_loop
	mkdir m
	mount -t tmpfs -o size=64m none m
	rig_later "umount '$RIG/m'"
	plan f.plan <<-PLAN
		[f]
		rw=write
		bs=64k
		size=1m
	PLAN
	ssd check f.plan m/t.dat
	expect 0
	expect_out "warning: " "memory"
	run_plan f.plan m/t.dat
	expect 0
	expect_err "memory"
}

@test "F19 a file on btrfs that compresses: the numbers of compressible data are told to be too good, those of others not" {
	rig_need_loop
	command -v mkfs.btrfs > /dev/null || skip "no mkfs.btrfs"
	local options
	truncate -s 256m disk
	mkfs.btrfs -q disk
	mkdir m
	plan f.plan <<-PLAN
		[f]
		rw=write
		bs=64k
		size=1m
	PLAN
	for options in loop,compress=zstd:3 loop,compress-force=lzo loop; do
		mount -t btrfs -o $options disk m 2> /dev/null || skip "no btrfs here"
		rig_later "! mountpoint -q '$RIG/m' || umount '$RIG/m'"
		ssd check f.plan m/t.dat
		expect 0
		run_plan f.plan m/t.dat --overwrite
		expect 0
		umount m
		if [ $options = loop ]; then
			[[ $err != *"compresses here"* ]]
		else
			expect_err "btrfs compresses here (" "compressible data looks faster than the drive is"
		fi
	done
}

@test "peak memory does not grow with the length of a run" {
	command -v /usr/bin/time > /dev/null || skip "no time(1)"
	plan p.plan <<-PLAN
		[p]
		rw=randread
		bs=4k
		size=64m
		runtime=400s
	PLAN
	local runtime
	for runtime in 40s 400s; do
		rm -f r.assay
		/usr/bin/time -f %M -o peak.$([ $runtime = 40s ] && echo short || echo long) "$SSDASSAY" run p.plan sim:tlc-consumer,shrink=64 --set p.runtime=$runtime \
			-o r.assay --progress none > .o 2> .e
	done
	echo "KiB: $(cat peak.short) and $(cat peak.long)"
	[ "$(cat peak.long)" -lt $(($(cat peak.short) + 16384)) ]
}
