#!/usr/bin/env bats
# Findings against the truth of simulated drives: what the program concludes from what a host can see.

load common
load findings

setup() { cli_start; }
teardown() { cli_stop; }

@test "the SLC cache of sn850 is found within 3 %, with the truth in its interval" {
	fill_plan 500ms
	run_plan fill.plan sim:sn850
	expect 0
	truth=$(result '.drives[0].truth.slc_limit_bytes')
	near "$(finding slc_cache .value)" "$truth" 0.03
	[ "$(result "[.findings[] | select(.kind == \"slc_cache\")][0] | .low <= $truth and $truth <= .high")" = true ]
	[ "$(finding slc_cache '.data.stages[0].likely')" = burst ]
	[ "$(finding slc_cache '.data.stages[1].likely')" = folding ]
	[ "$(finding write_stages .value)" = 3 ]
	near "$(finding sustained_write .value)" "$(finding write_stages '.data.stages[-1].bytes_per_second')" 0.001
}

@test "the SLC caches of ten random drives are found within 3 %" {
	fill_plan 50ms
	for size in $(awk 'BEGIN { srand(20260131); for (i = 0; i < 10; i++) printf "%.1f\n", 45 + 100 * rand() }'); do
		run_plan fill.plan "sim:tlc-consumer,shrink=32,slc_gb=$size"
		expect 0
		near "$(finding slc_cache .value)" "$(result '.drives[0].truth.slc_limit_bytes')" 0.03
	done
}

@test "a write with too few intervals says why it shows no cache, and which interval would" {
	fill_plan 500ms
	run_plan fill.plan sim:tlc-consumer,shrink=64
	expect 0
	[ "$(finding write_stages '.value')" = null ]
	[ "$(finding write_stages '.data | .intervals < .needs_intervals')" = true ]
	expect_out "Step 'fill' was over in 4.81 s: its 10 intervals of 500 ms are too few to see a cache or stages in, it takes 24"
	ssd report r.assay -o page.html
	expect 0
	grep -q "are too few to see a cache or stages in" page.html
	interval=$(sed 's/.*(interval=\([0-9]*\)[0-9.]* ms or less.*/\1/' <<< "$(finding write_stages .text)")
	fill_plan "${interval}ms"
	run_plan fill.plan sim:tlc-consumer,shrink=64
	expect 0
	[ "$(finding write_stages '.value > 1')" = true ]
	[ "$(finding slc_cache '.value > 0')" = true ]
}

# Three bits a cell, and 24 % of the capacity is cache: not all of it, whatever a drive of four bits would be.
@test "a rate that is folding in one step is folding in the next" {
	run_plan cache sim:qlc-consumer,shrink=16
	expect 0
	[ "$(result '[.findings[] | select(.kind == "write_stages").data.stages[] | select(.likely == "folding").bytes_per_second] as $folding |
		[.findings[] | select(.kind == "write_stages").data.stages[] | select(.likely == "direct").bytes_per_second |
			. as $rate | $folding[] | ($rate / . - 1 | fabs) > 0.05] | all')" = true ]
	[ "$(result '[.findings[] | select(.kind == "write_stages" and .step == "fill-full").data.stages[0].likely] | join(" ")')" = folding ]
}

@test "that all of the flash serves as cache is never said of a drive whose cells nobody knows" {
	fill_plan 50ms
	run_plan fill.plan sim:tlc-consumer,shrink=32,bits=3,slc_gb=120
	expect 0
	near "$(result '.drives[0] | .truth.slc_limit_bytes / .capacity_bytes')" 0.24 0.03
	expect_out "about a quarter of the capacity, which is what all of the flash holds as cache if its cells are of four bits"
	[[ $out != *"likely all of the flash"* ]]
}

recovery_plan() {	# RANGE
	plan recovery.plan <<-END
	[global]
	range=$1
	rw=write
	bs=128k
	iodepth=32
	interval=20ms
	[clean]
	kind=purge
	range=0%..100%
	[fill]
	until=written:1r
	[recovery]
	kind=group
	vary.wait=0s 5s 300s
	[rest]
	in=recovery
	kind=idle
	runtime=@wait
	[burst]
	in=recovery
	offset=continue
	until=drop:30%
	max=written:1r
	END
}

@test "what a pause gives back of a full drive's cache is its static part" {
	recovery_plan 0%..100%
	run_plan recovery.plan sim:qlc-consumer,shrink=32,slc_refill=off
	expect 0
	near "$(finding slc_recovery .value)" $((12000000000 / 32)) 0.1
	[ "$(finding slc_recovery '.data.points | map(.idle_s) | join(" ")')" = "0 5 300" ]
	[ "$(finding slc_recovery '.data.points[0].bytes < 1e7')" = true ]
	[[ "$(finding slc_recovery .text)" == *"Fast writes that a pause after step 'fill' gives back: "*"after 5 min 00 s of idling"* ]]
}

# 375 MB at 3.2 GB/s are gone in an eighth of a second, and folding makes up for them in the next: half a second shows nothing.
@test "a static cache that is used up within half a second is seen by the cache plan, on the full drive too" {
	run_plan cache sim:tlc-consumer,shrink=16 --set random.max=time:1s
	expect 0
	[ "$(result '[.findings[] | select(.kind == "slc_recovery") | .value - 375e6 | . >= 0 and . < 60e6] | map(tostring) | join(" ")')" = "true true" ]
	expect_out "gives back: nothing without one, " " of idling; nine tenths of the most are back within 30.0 s"
}

@test "with room to spare the whole cache comes back, once it has been folded" {
	recovery_plan 0%..50%
	run_plan recovery.plan sim:sn850,shrink=64
	expect 0
	# 30 s of folding for the whole of it: five are too few, as the host can see
	[ "$(finding slc_recovery '.data.points[2].bytes > 2e9 and .data.points[0].bytes < 1e8')" = true ]
	[[ "$(finding slc_recovery .text)" == *"nine tenths of the most are back "* ]]
}

@test "a full drive without a static cache gives nothing back" {
	recovery_plan 0%..100%
	run_plan recovery.plan sim:sn850,shrink=64
	expect 0
	[[ "$(finding slc_recovery .text)" == "Pauses of up to 5 min 00 s after step 'fill' gave back none of the cache's speed that intervals of 20.0 ms would show: "* ]]
}

@test "the link is told when it sets the pace, and when it could run faster" {
	plan read.plan <<-END
	[read]
	rw=read
	bs=128k
	iodepth=32
	runtime=5s
	END
	run_plan read.plan sim:840pro,shrink=64
	expect 0
	[ "$(result '[.findings[] | select(.kind == "bottleneck" and .step == "read")][0].data.verdict')" = link ]
	expect_out "the link to the drive was the limit, not the drive (SATA 6 Gb/s carries 555 MB/s)"
	run_plan read.plan sim:sn850,shrink=256,slc_gb=0,pcie_generation_max=4
	expect 0
	[ "$(result '[.findings[] | select(.kind == "bottleneck" and .step == "read")][0].data.verdict')" = link ]
	[ "$(result '[.findings[] | select(.kind == "bottleneck" and .step == "read")][0].data.loads[0].tags | sort | join(" ")')" = \
		"link_downgraded link_limited" ]
	[ "$(result '.checks[] | select(.name == "link_at_full_speed").result')" = failed ]
	run_plan read.plan sim:m8peg,shrink=256
	expect 0
	[ "$(result '[.findings[] | select(.kind == "bottleneck" and .step == "read")][0].data.verdict')" = drive ]
	[ "$(result '.checks[] | select(.name == "link_at_full_speed").result')" = passed ]
}

# 512 I/Os in flight take a second and more to come back when the step of five is over: the drive's time.
@test "what comes back when a step is over is no lack of the sender's, and no machine is blamed in virtual time" {
	plan deep.plan <<-END
	[deep]
	rw=randread
	bs=4k
	iodepth=32
	numjobs=16
	runtime=5s
	END
	run_plan deep.plan sim:hdd --allow-unwritten
	expect 0
	[ "$(result '.steps[0].loads[0].queue_depth | .reached < 0.9 * .asked')" = true ]
	[ "$(result '.findings[] | select(.kind == "bottleneck").data.verdict')" = drive ]
	[ "$(result '.checks[] | select(.name == "queue_depth_reached").result')" = passed ]
	[[ $out != *"share "*" CPUs here"* ]]
}

@test "a drive that has one I/O at a time is not said to be at its limit without a word" {
	plan one.plan <<-END
	[one]
	rw=randread
	bs=4k
	iodepth=1
	runtime=2s
	END
	run_plan one.plan sim:p3700,shrink=128 --allow-unwritten
	expect 0
	expect_out "the drive was the limit, not the computer or the link to it; it had one I/O at a time: that is its latency, not the most it can do"
	run_plan one.plan sim:p3700,shrink=128 --allow-unwritten --set one.iodepth=32
	expect 0
	expect_out "the drive was the limit, not the computer or the link to it; "
	[[ $out != *"one I/O at a time"* ]]
}

# 1200 random arrivals are 3 % more or fewer as often as not: of six loads, some did less than was offered.
@test "what random arrivals lack by chance is not told as less than all of them" {
	plan chance.plan <<-END
	[chance]
	rw=randread
	bs=4k
	vary.arrival=poisson:100 poisson:101 poisson:102 poisson:103 poisson:104 poisson:105
	runtime=12s
	END
	run_plan chance.plan sim:p3700,shrink=128 --allow-unwritten
	expect 0
	[ "$(result '[.steps[].loads[0] | .read.iops] | min < 99')" = true ]
	expect_out "the load itself set the pace, not the drive, in all 6 measurements; " \
		" % of the I/Os offered were done, which is all of them but for chance"
	[[ $out != *"all of them from 99.5"* ]]
}

@test "many passes over a small part of the drive are no fill of which stages could be told" {
	plan passes.plan <<-END
	[passes]
	rw=write
	bs=1m
	iodepth=8
	range=0%..6%
	runtime=5s
	END
	run_plan passes.plan sim:tlc-consumer,shrink=256
	expect 0
	[ "$(result '.steps[0].loads[0].write.bytes > .drives[0].capacity_bytes')" = true ]
	[ -z "$(finding write_stages .text)" ]
}

@test "a verdict says which point it is of, and how many were too few to have one" {
	plan few.plan <<-END
	[few]
	vary.rw=read randread
	bs=64k
	iodepth=4
	runtime=2s
	END
	run_plan few.plan sim:hdd --allow-unwritten
	expect 0
	expect_out "Step 'few': the drive was the limit, not the computer or the link to it, in one measurement (rw=read), 1 more had too few I/Os to say"
}

# Of five seconds an hour has 720.
@test "how many an hour is told of ten minutes or more, never of seconds" {
	plan short.plan <<-END
	[short]
	rw=randread
	bs=4k
	runtime=5s
	END
	run_plan short.plan sim:p3700,shrink=128,stall_at_s=1,stall_s=0.5,stall_every_s=2 --allow-unwritten
	expect 0
	[ "$(finding stalls '[.unit, .value, .low, .data.stalls] | map(tostring) | join(" ")')" = "count 3 null 3" ]
	expect_out "The drive stood still for 100 ms or longer 3 times in step 'short', in 5.50 s: too short to say how many an hour"
	[[ $out != *" an hour ("* ]]
	ssd report r.assay -o page.html
	expect 0
	grep -q "I/Os (log)" page.html
	sed -i 's/5s/20m/; s/^bs=4k/&\nthinktime=10ms/' short.plan
	run_plan short.plan sim:p3700,shrink=128,stall_at_s=1,stall_s=0.5,stall_every_s=200 --allow-unwritten
	expect 0
	[ "$(finding stalls '[.unit, .data.stalls, .low < 18 and .high > 18] | map(tostring) | join(" ")')" = "per_hour 6 true" ]
	expect_out ": 18 an hour (6.6 to 39)"
	ssd report r.assay -o page.html
	expect 0
	grep -q "I/Os per hour (log)" page.html
}

@test "a drive without a cache has one speed, and no cache is claimed" {
	fill_plan 50ms
	run_plan fill.plan sim:m8peg,shrink=64
	expect 0
	[ -z "$(finding slc_cache .value)" ]
	[ "$(finding write_stages .value)" = 1 ]
}

@test "a hard disk is slower on its inner tracks, and has no SLC cache, full or empty" {
	run_plan cache sim:hdd,shrink=128 --set random.max=time:1s
	expect 0
	[ "$(result '.drives[0].before.rotational')" = true ]
	[ "$(finding write_stages '.value >= 3')" = true ]
	[ -z "$(finding slc_cache .text)" ]
	[ -z "$(finding slc_recovery .text)" ]
	expect_out " to 15.6 GB (a hard disk is slower on its inner tracks)."
	[[ $out != *likely* && $out != *"SLC cache"* ]]
}

@test "a drive that is uneven from one second to the next is not said to have a cache" {
	fill_plan 1s
	run_plan fill.plan sim:840pro,shrink=10,hiccup_mb=3700
	expect 0
	[ -z "$(finding slc_cache .value)" ]
	[[ "$(finding write_stages .text)" != *burst* ]]
	[[ "$(finding write_stages .text)" != *folding* ]]
}

@test "what random writes do to an empty drive is told by what was written" {
	plan double.plan <<-END
	[clean]
	kind=purge
	[write]
	rw=randwrite
	bs=4k
	iodepth=32
	norandommap=0
	interval=100ms
	until=written:2x
	[again]
	rw=randwrite
	bs=4k
	iodepth=32
	until=written:1x
	END
	run_plan double.plan sim:intel750,shrink=64
	expect 0
	[ "$(result '[.findings[] | select(.kind == "random_fill") | .step] | join(" ")')" = write ]
	[ "$(finding random_fill '[.data.marks[].written_share] | map(tostring) | join(" ")')" = "0 0.5 1 1.5 2" ]
	# published for this drive: 112,500 at the start, 83,100 at 50 %
	near "$(finding random_fill '.data.marks[0].iops')" 112500 0.03
	near "$(finding random_fill '.data.marks[1].iops')" 83100 0.03
	expect_out "Random writes of step 'write' to the empty drive: 11" "plateau"
	# one figure for the end: the mean of the last half, between its pieces, and none where it has not levelled off
	[ "$(finding random_fill '.data | .last_iops_lowest <= .last_iops and .last_iops <= .last_iops_highest')" = true ]
	[ "$(finding random_fill '.data.plateau == (.low != null)')" = true ]
}

@test "a random fill that has not levelled off has no plateau" {
	plan double.plan <<-END
	[clean]
	kind=purge
	[write]
	rw=randwrite
	bs=4k
	iodepth=32
	norandommap=0
	interval=100ms
	until=written:2x
	END
	run_plan double.plan sim:840pro,shrink=32
	expect 0
	[ "$(finding random_fill .data.plateau)" = false ]
	[ "$(finding random_fill .low)" = null ]
	[[ $(finding random_fill .text) == *"no plateau:"*"over the quarter before."* ]]
}

@test "injected stalls are counted exactly" {
	plan stalls.plan <<-END
	[read]
	rw=randread
	bs=4k
	iodepth=4
	runtime=100s
	END
	run_plan stalls.plan sim:m8peg,shrink=256,stall=10/0.25/20
	expect 0
	# stalls begin at 10 s, 30 s, 50 s ... of the drive's time
	truth=$(result '.steps[-1] | (.started_ns / 1e9) as $a | [range(10; 1000; 20) | select(. > $a and . < $a + 100)] | length')
	[ "$(result '[.findings[] | select(.kind == "stalls" and .step == "read")][0].data.stalls')" = "$truth" ]
	near "$(finding longest_stall .value)" 250000000 0.01
}

@test "until=steady ends a step on a steady drive, with its window, and a step that goes on finds it verified" {
	plan steady.plan <<-END
	[settle]
	rw=randwrite
	bs=4k
	until=steady
	max=written:200x
	[measure]
	rw=randrw
	rwmixread=50
	bs=4k
	runtime=40m
	END
	run_plan steady.plan sim:hdd,capacity_gb=0.06
	expect 0
	[ "$(result '.steps[0].ended_by')" = steady ]
	[ "$(result '.steps[0].steady.verdict')" = steady ]
	[ "$(result '.steps[0].steady.gate.open')" = true ]
	# the work gate, then an hour: the window is its second half
	[ "$(result '.steps[0].steady | .window.end_ns - .gate.opened_ns >= 3600e9')" = true ]
	near "$(finding steady_state .value)" "$(result '.steps[0].loads[0].write.iops')" 0.1
	[ "$(result '.steps[1].steady.gate.settled_before')" = true ]
	[ "$(result '[.findings[] | select(.kind == "consistency" and .step == "measure")][0].value > 0.5')" = true ]
	# a step with a window of its own is judged by that
	[ "$(result '.steps[1].steady.verdict')" = steady ]
	[ "$(result '[.findings[] | select(.kind == "consistency" and .step == "measure")][0].data | [.window_start_ns, .window_end_ns]')" = \
		"$(result '.steps[1].steady.window | [.start_ns, .end_ns]')" ]
	[ "$(result '[.findings[] | select(.kind == "consistency" and .step == "measure")][0].data.seconds')" = 1200 ]
}

@test "a step too short for a window of its own takes over the state that was verified just before" {
	plan steady.plan <<-END
	[settle]
	rw=randwrite
	bs=4k
	until=steady
	max=written:200x
	[measure]
	rw=randwrite
	bs=4k
	runtime=1100s
	END
	run_plan steady.plan sim:hdd,capacity_gb=0.06
	expect 0
	[ "$(result '.steps[1].steady | [.verdict, .gate.settled_before] | map(tostring) | join(" ")')" = "time_limited true" ]
	[ "$(result '[.findings[] | select(.kind == "consistency" and .step == "measure")][0].data.seconds')" = 1100 ]
	expect_out "The steady state verified just before is taken over for step 'measure'; by itself it shows none: too short to say"
}

@test "steps that are steady for too short to score their consistency are one sentence, rounds of a sweep none" {
	plan short.plan <<-END
	[settle]
	rw=randwrite
	bs=4k
	until=steady
	max=written:200x
	[one]
	rw=randwrite
	bs=4k
	runtime=400s
	[two]
	rw=randwrite
	bs=4k
	runtime=500s
	[again]
	rw=randwrite
	bs=4k
	runtime=350s
	repeat=3
	END
	run_plan short.plan sim:hdd,capacity_gb=0.06
	expect 0
	[ "$(result '[.findings[] | select(.kind == "consistency" and .value == null)] | length')" = 1 ]
	[ "$(result '.findings[] | select(.kind == "consistency" and .value == null) | .data.steps | map("\(.step) \(.seconds)") | join(" ")')" = "one 400 two 500" ]
	[[ "$(result '.findings[] | select(.kind == "consistency" and .value == null) | .text')" == \
		"Consistency is refused for these steps, as it takes 1000 steady seconds"*"'one' (400, "*"'two' (500, "* ]]
}

@test "a step that ends within a third of t0 is too short to say, a longer one is judged at its end" {
	printf '[it]\nrw=randread\nbs=4k\niodepth=4\nuntil=steady\nmax=time:20m\n' > short.plan
	run_plan short.plan sim:hdd,capacity_gb=0.3 --allow-unwritten
	expect 0
	[ "$(result '.steps[0].steady | [.verdict, .gate.open, .gate.needed_ns] | map(tostring) | join(" ")')" = "time_limited true 1200000000000" ]
	[[ "$(finding steady_state .text)" == *"too short to say: it ended 19 min 00 s after its work gate had opened, and is judged from 20 min 00 s on." ]]
	printf '[it]\nrw=randread\nbs=4k\niodepth=4\nuntil=steady\nmax=time:22m\n' > longer.plan
	run_plan longer.plan sim:hdd,capacity_gb=0.3 --allow-unwritten
	expect 0
	[ "$(result '.steps[0].steady.verdict')" != time_limited ]
}

@test "a step that ends before enough was written claims no steady state" {
	plan short.plan <<-END
	[write]
	rw=randwrite
	bs=4k
	until=steady
	max=time:400s
	END
	run_plan short.plan sim:hdd,capacity_gb=20
	expect 0
	[ "$(result '.steps[0].steady.verdict')" = time_limited ]
	[ "$(result '.steps[0].steady.gate.open')" = false ]
	[ "$(finding steady_state .value)" = null ]
	[[ "$(finding steady_state .text)" == *"No steady state is claimed"* ]]
}

@test "--scale relaxes the gate and marks the result" {
	plan steady.plan <<-END
	[settle]
	rw=randwrite
	bs=4k
	until=steady
	max=written:600x
	END
	run_plan steady.plan sim:hdd,capacity_gb=0.3 --scale 0.1
	expect 0
	[ "$(result '.steps[0].steady.gate.relaxed')" = true ]
	[ "$(result '.steps[0].steady.verdict')" = steady ]
	[ "$(result '.steps[0].duration_ns < 3600e9')" = true ]
	[ "$(result '.checks[] | select(.name == "full_length").result')" = failed ]
}

@test "a scaled run does not speak of seconds: what it judged in their place is told with its length" {
	plan even.plan <<-END
	[global]
	rw=randwrite
	bs=4k
	iodepth=32
	[clean]
	kind=purge
	[write]
	until=steady
	max=written:8x
	[on]
	runtime=2000s
	END
	ssd run even.plan sim:tlc-datacenter,shrink=256 -o r.assay --progress none --scale 0.01
	expect 0
	[ "$(result '[.findings[] | select(.kind == "consistency" or .kind == "floor_iops" or .kind == "steady_stalls")] | length > 1')" = true ]
	[ "$(result '[.findings[] | select(.kind == "consistency" or .kind == "floor_iops" or .kind == "steady_stalls").text |
		contains("(scaled, not scored)")] | all')" = true ]
	expect_out "steady pieces of 10.0 ms"
	[[ $out != *"steady seconds"* ]]
}

@test "standstills of a step that is steady throughout are told once, and bad seconds by their number" {
	plan on.plan <<-END
	[global]
	rw=randwrite
	bs=4k
	[settle]
	until=steady
	max=written:600x
	[on]
	runtime=900s
	END
	run_plan on.plan sim:hdd,capacity_gb=0.3,write_cache=off,stall_at_s=50,stall_s=3.5,stall_every_s=300
	expect 0
	[ "$(result '.steps | map(.steady.verdict) | join(" ")')" = "steady time_limited" ]
	[ "$(result '[.findings[] | select(.step == "on" and (.kind == "stalls" or .kind == "steady_stalls")) | .data.stalls] | map(tostring) | join(" ")')" = 3 ]
	# of 3.5 s two or three whole seconds are silent
	[[ "$(finding dropouts .text)" =~ "Of "[0-9]+" steady seconds of step 'settle' "[0-9]+" fell below half of the median, at worst "[34]" in a row; "[0-9]+" had nothing at all." ]]
	expect_out "Floor of step 'settle': more than one in a thousand steady seconds had no I/O at all."
	[[ $out != *"0 IOPS or more"* ]]
}

@test "latency modes of single reads are the page types of the flash" {
	plan layers.plan <<-END
	[one]
	rw=randread
	bs=4k
	iodepth=1
	runtime=10s
	END
	run_plan layers.plan sim:tlc-datacenter,shrink=256
	expect 0
	[ "$(finding latency_layers .value)" = 3 ]
	[ "$(finding latency_layers '.data.regular')" = true ]
	run_plan layers.plan sim:tlc-datacenter,shrink=256,page_types=off,jitter=0	# one speed is no finding
	expect 0
	[ -z "$(finding latency_layers .value)" ]
}

@test "a sweep says from which depth on 95 % of the peak are reached" {
	plan depth.plan <<-END
	[depth]
	rw=randread
	bs=4k
	vary.iodepth=1..512*2
	runtime=1s
	END
	run_plan depth.plan sim:m8peg,shrink=256
	expect 0
	best=$(result '[.steps[] | select(.name == "depth") | .loads[0].read.iops] | max')
	truth=$(result "[.steps[] | select(.name == \"depth\" and .loads[0].read.iops >= 0.95 * $best) | .values.iodepth] | min")
	[ "$(finding peak_depth .value)" = "$truth" ]
	[ "$(finding peak_depth .data.rising)" = false ]
}

@test "a sweep of two keys says at which value of the other one a peak lies" {
	cat > two.plan <<-'PLAN'
		[r]
		rw=randrw
		bs=4k
		runtime=50ms
		vary.rwmixread=100 50
		vary.iodepth=1 2 4 8 16
	PLAN
	run_plan two.plan sim:tlc-consumer,shrink=64
	expect 0
	[ "$(result '[.findings[] | select(.kind == "peak_depth")] | length')" = 2 ]
	[[ $(result '[.findings[] | select(.kind == "peak_depth")][0].text') == "Step 'r' (randrw, rwmixread=100) "* ]]
	[[ $(result '[.findings[] | select(.kind == "peak_depth")][1].text') == "Step 'r' (randrw, rwmixread=50) "* ]]
}

@test "the peak of a sweep in rounds is of the means of the last five, as the page tells them and picks take them" {
	cat > rounds.plan <<-'PLAN'
		[clean]
		kind=purge
		[rounds]
		kind=group
		until=snia
		max=8
		track=w[bs=4k] iops
		[w]
		in=rounds
		rw=randwrite
		iodepth=32
		vary.bs=64k 16k 8k 4k
		runtime=200ms
	PLAN
	run_plan rounds.plan sim:sata-tlc,shrink=512
	expect 0
	rounds=$(result '[.steps[] | select(.name == "w").round] | max + 1')
	[ "$rounds" -gt 5 ]
	last=$(result "[.steps[] | select(.name == \"w\" and .round >= $rounds - 5)] | group_by(.values.bs) |
		map([.[].loads[0].write.bytes_per_second] | add / length | round) | join(\" \")")
	[ "$(finding peak_size '[.data.points[].bytes_per_second | round] | join(" ")')" = "$last" ]
	all=$(result '[.steps[] | select(.name == "w")] | group_by(.values.bs) | map([.[].loads[0].write.bytes_per_second] | add / length | round) | join(" ")')
	[ "$all" != "$last" ]	# the first rounds, on the empty drive, are others
}

cross_plan() {	# how much is written at random, and after it
	plan cross.plan <<-END
	[clean]
	kind=purge
	[before]
	rw=write
	bs=1024k
	iodepth=32
	interval=100ms
	until=written:3x
	[random]
	rw=randwrite
	bs=8k
	iodepth=32
	until=written:$1
	[after]
	rw=write
	bs=1024k
	iodepth=32
	interval=100ms
	until=written:$2
	END
}

rate_of() {	# FROM TO, s of the step 'after': bytes per second
	query "select coalesce(sum(bytes) * 1e9 / sum(series.duration_ns), 0) from series join step on step.id = series.step
		where step.name = 'after' and series.start_ns >= ($1) * 1e9 and series.start_ns < ($2) * 1e9"
}

@test "after random writes the bandwidth's recovery has a time: slow before it, at its level from it on" {
	cross_plan 3x 4x
	run_plan cross.plan sim:tlc-datacenter,shrink=256
	expect 0
	at=$(finding bandwidth_recovery .value)
	level=$(finding bandwidth_recovery .data.level_bytes_per_second)
	sample=$(finding bandwidth_recovery .data.sample_s)
	[ "$(jq -n "$at > 1 and $(rate_of 0 "$at - 0.5") < 0.9 * $level and $(rate_of "$at" "$at + $sample") >= 0.9 * $level")" = true ]
	near "$level" "$(finding bandwidth_recovery .data.before_bytes_per_second)" 0.05
	expect_out "After the random writes of step 'random' the bandwidth of step 'after' took"
}

@test "bandwidth is back when it rises, not a sample later, and its start is that of the first minute" {
	cross_plan 3x 3x
	sed -i 's/interval=100ms/interval=1s/; $ s/.*/runtime=1h/' cross.plan
	run_plan cross.plan sim:840pro,shrink=64
	expect 0
	[ "$(finding bandwidth_recovery .data.sample_s)" = 60 ]
	at=$(finding bandwidth_recovery .value)
	level=$(finding bandwidth_recovery .data.level_bytes_per_second)
	near "$(finding bandwidth_recovery .data.start_bytes_per_second)" "$(rate_of 0 60)" 0.01
	# this drive is slow up to a moment and fast from it on: single seconds tell when
	[ "$(jq -n "$at > 30 and $(rate_of "$at - 10" "$at") < 0.9 * $level and $(rate_of "$at" "$at + 10") >= 0.9 * $level")" = true ]
	expect_out "averaged over 1 min 00 s"
	"$SSDASSAY" report r.assay -o r.html
	grep -q 'Recovery of the bandwidth' r.html
	grep -q 'recovered after' r.html
	grep -q 'level of the last half' r.html
}

@test "bandwidth that has not levelled off has no time of recovery, and one that never fell was back at once" {
	cross_plan 3x 1x
	run_plan cross.plan sim:840pro,shrink=64
	expect 0
	[ "$(finding bandwidth_recovery .value)" = null ]
	expect_out "had not levelled off in the first half of it"
	cross_plan 0.01x 4x
	run_plan cross.plan sim:theory,capacity_gb=1
	expect 0
	[ "$(finding bandwidth_recovery .value)" = 0 ]
	expect_out "was back at once"
}

@test "a write of many passes is sustained in its last one, and slow after random writes by garbage collection" {
	cross_plan 3x 4x
	run_plan cross.plan sim:840pro,shrink=64
	expect 0
	[ "$(result '[.findings[] | select(.kind == "sustained_write" and .step == "after")] | length')" = 1 ]
	[ "$(result '.findings[] | select(.kind == "write_stages" and .step == "after") | .data.passes')" = 4 ]
	[ "$(result '[.findings[] | select(.kind == "write_stages" and .step == "after") | .data.stages[].likely] | index("folding")')" = null ]
	[[ "$(result '.findings[] | select(.kind == "write_stages" and .step == "after") | .text')" == *"over the randomly written drive had "*"garbage collection"* ]]
	[[ "$(result '.findings[] | select(.kind == "sustained_write" and .step == "after") | .text')" == *"over the last of its 4 passes"* ]]
	near "$(result '.findings[] | select(.kind == "sustained_write" and .step == "after") | .value')" \
		"$(query "select sum(bytes) * 1e9 / sum(series.duration_ns) from series join step on step.id = series.step
			where step.name = 'after' and series.start_ns > 0.8 * (select max(start_ns) from series where series.step = step.id)")" 0.1
}

@test "what rests give back is told of duty cycles, by the same load without them; a late start is no rest" {
	cat > rests.plan <<-'END'
	[clean]
	kind=purge
	[fill]
	kind=fill
	until=written:1x
	[settle]
	rw=randwrite
	bs=4k
	iodepth=32
	until=written:0.5x
	[waits]
	kind=group
	vary.wait=1s 20s
	[duty]
	in=waits
	rw=randwrite
	bs=4k
	iodepth=32
	duty=1s/@wait*20
	[recover]
	in=waits
	rw=randwrite
	bs=4k
	iodepth=32
	runtime=20s
	[late]
	rw=randwrite
	bs=4k
	iodepth=32
	startdelay=2s
	runtime=5s
	[again]
	rw=randwrite
	bs=4k
	iodepth=32
	runtime=5s
	END
	run_plan rests.plan sim:qlc-consumer,shrink=64
	expect 0
	[ "$(result '[.findings[] | select(.kind == "idle_recovery") | .step] | join(" ")')" = duty ]
	[ "$(finding idle_recovery '.data.points | map(.point) | join(" ")')" = "wait=1s wait=20s" ]
	[ "$(finding idle_recovery '.data.points[1].ratio > .data.points[0].ratio and .data.points[0].ratio > 1.5')" = true ]
	[ "$(finding idle_recovery '.value == .data.points[1].ratio')" = true ]
	near "$(finding idle_recovery '.data.points[1].continuous_iops')" \
		"$(query "select sum(ios) * 1e9 / sum(series.duration_ns) from series join step on step.id = series.step
			where step.path like 'waits[1]%' and step.name = 'recover' and series.start_ns >= 10e9")" 0.02
	ssd report r.assay -o page.html
	expect 0
	[ "$(grep -c 'Fastest at the beginning: wait=.*, over its last half [0-9]' page.html)" = 1 ]	# each point has its own length
	run_plan rests.plan sim:tlc-datacenter,shrink=256
	expect 0
	expect_out "the rests gave back nothing to speak of"
}

@test "many sweeps of one key in one step are one line, with the highest and lowest peak; each is in its data" {
	cat > many.plan <<-'PLAN'
		[r]
		rw=randread
		bs=4k
		runtime=30ms
		vary.numjobs=1 2 3 4 5
		vary.iodepth=1 2 4 8
	PLAN
	run_plan many.plan sim:m8peg,shrink=256
	expect 0
	[ "$(result '[.findings[] | select(.kind == "peak_depth")] | length')" = 1 ]
	[ "$(result '[.findings[] | select(.kind == "peak_workers")] | length')" = 1 ]
	[ "$(finding peak_depth '.data.sweeps | length')" = 5 ]
	[ "$(finding peak_depth '.data.best == ([.data.sweeps[].best] | max)')" = true ]
	best=$(result '[.steps[] | select(.name == "r") | .loads[0].read.iops] | max')
	near "$(finding peak_depth .data.best)" "$best" 0.001
	expect_out "Step 'r': the highest peak of its 5 sweeps is"
	expect_out "95 % of each is reached from 8 on; 5 of them still rose with the most that was tried."
}

@test "latency modes of many points and rounds are one line; each point is in its data" {
	cat > modes.plan <<-'PLAN'
		[rounds]
		kind=group
		until=snia
		max=6
		track=r[bs=4k] iops
		[r]
		in=rounds
		rw=randread
		iodepth=1
		runtime=3s
		vary.bs=4k 8k
	PLAN
	run_plan modes.plan sim:tlc-datacenter,shrink=256
	expect 0
	[ "$(result '[.steps[] | select(.name == "r").round] | max >= 4')" = true ]
	[ "$(result '[.findings[] | select(.kind == "latency_layers")] | length')" = 1 ]
	[ "$(finding latency_layers '.data.points | length')" = 2 ]
	[ "$(finding latency_layers '.value == ([.data.points[].layers | length] | max)')" = true ]
	expect_out "the most of its 2 points with several"
}

@test "a sweep that ends while the curve still rises has found no peak" {
	plan depth.plan <<-END
	[depth]
	rw=randread
	bs=4k
	vary.iodepth=1 2 4 8
	runtime=1s
	END
	run_plan depth.plan sim:m8peg,shrink=256
	expect 0
	[ "$(finding peak_depth .data.rising)" = true ]
	[ "$(finding peak_depth .value)" = 8 ]
	[ "$(finding peak_depth .low)" = 4 ]
	[ "$(finding peak_depth .high)" = null ]
	[[ $(finding peak_depth .text) == *"was still rising"*"may lie beyond"* ]]
}

@test "points of two drives that were tested one after another are not counted together" {
	printf '[a]\nrw=randwrite\nbs=4k\nuntil=steady\nmax=time:3s\nvary.iodepth=1 2 4\n' > two.plan
	run_plan two.plan sim:tlc-consumer,shrink=512 sim:qlc-consumer,shrink=512
	expect 0
	[ "$(result '[.findings[] | select(.kind == "steady_state") | .text | select(contains("and 2 more of its points"))] | length')" = 2 ]
}

@test "spare area: fewer addressed blocks, more random writes" {
	plan spare.plan <<-END
	[share]
	kind=group
	vary.range=0%..100% 0%..60%
	[clean]
	in=share
	kind=purge
	range=0%..100%
	[fill]
	in=share
	kind=fill
	until=written:1r
	[write]
	in=share
	rw=randwrite
	bs=4k
	iodepth=32
	until=written:3x
	END
	run_plan spare.plan sim:m8peg,shrink=256
	expect 0
	[ "$(finding over_provisioning '.value > 1.3')" = true ]
	[ "$(finding over_provisioning '[.data.shares[].addressed_share * 100 | round] | join(" ")')" = "100 60" ]
}

@test "every self-check is in every run, the ones that cannot be known with their reason" {
	fill_plan 500ms
	run_plan fill.plan sim:m8peg,shrink=256
	expect 0
	for name in bytes_match_block_layer littles_law queue_depth_reached latency_plausible no_io_errors reads_find_data \
		offsets_cover_range workers_apart cpu_not_the_limit host_not_noisy tails_not_the_hosts link_at_full_speed drive_settings_kept \
		scheduler_none power_state not_throttled clock_without_steps run_file_elsewhere targets_apart; do
		[ "$(result ".checks[] | select(.name == \"$name\") | (.text | length) > 10")" = true ]
	done
}

@test "sequential workers on the same blocks are told" {
	plan together.plan <<-END
	[read]
	rw=read
	bs=128k
	iodepth=4
	numjobs=2
	runtime=5s
	END
	run_plan together.plan sim:m8peg,shrink=256
	expect 0
	[ "$(result '.checks[] | select(.name == "workers_apart").result')" = failed ]
}

# checked NAME: its result and sentence
checked() {
	result ".checks[] | select(.name == \"$1\") | .result + \": \" + .text"
}

@test "loads of one step are each judged by what they do: sequential ones on the same blocks are told, and are no random one" {
	cat > mixed.plan <<-END
	[global]
	bs=16k
	size=256m
	runtime=3s
	[a]
	rw=randread
	iodepth=4
	[b]
	with=a
	rw=read
	rate_iops=1000
	[c]
	with=a
	rw=read
	END
	run_plan mixed.plan sim:sata-tlc,shrink=64 --allow-unwritten
	expect 0
	[[ $(checked offsets_cover_range) == passed:* ]]
	[[ $(checked workers_apart) == "failed: Too good to be true: the sequential loads 'b' and 'c' of step 'a' read the same blocks." ]]
	sed 's/^\[c\]/&\noffset=256m/' mixed.plan > apart.plan
	run_plan apart.plan sim:sata-tlc,shrink=64 --allow-unwritten
	expect 0
	[[ $(checked workers_apart) == passed:* ]]
}

@test "A-B-A-B: more workers at the same depth gain nothing on a simulated drive, so the drive set the pace" {
	plan whose.plan <<-END
	[fill]
	kind=fill
	until=written:1r
	[whose]
	rw=randread
	bs=4k
	vary.numjobs/iodepth=1/32 2/16
	repeat=3
	runtime=200ms
	END
	run_plan whose.plan sim:theory,shrink=256
	expect 0
	[ "$(result '[.steps[] | select(.name == "whose") | .values.numjobs] | join(" ")')" = "1 2 1 2 1 2" ]
	[ "$(result '.findings[] | select(.kind == "bottleneck" and .step == "whose") | .data.verdict')" = drive ]
	[ "$(result '.findings[] | select(.kind == "bottleneck" and .step == "whose") |
		[.data.loads[].numbers[] | select(.name == "throughput with more host effort / without") | .value > 0.99 and .value < 1.01] |
		length == 3 and all')" = true ]
	expect_out "with more effort of the computer the rate was"
}

# One-minute rounds: five of them take longer than the first step may, and the third is as even as a drive can be.
@test "what was to reach SNIA's steady state and did not says so, step and group" {
	plan p.plan <<-'END'
		[global]
		bs=1m
		iodepth=1
		[short]
		rw=randread
		until=snia:1m/2m
		max=time:5m
		[even]
		rw=randread
		until=snia:1m/2m
		max=time:20m
		[few]
		kind=group
		until=snia
		max=3
		track=one iops
		[one]
		in=few
		rw=randread
		runtime=5s
		[enough]
		kind=group
		until=snia
		track=other iops
		track=other mean
		[other]
		in=enough
		rw=randread
		runtime=5s
	END
	run_plan p.plan sim:theory --allow-unwritten
	expect 0
	ssd show r.assay
	expect_out "NOT REACHED in step 'short': it takes 5 rounds, and there was time for 3" \
		"was reached in step 'even': range" \
		"NOT REACHED in group 'few' in 3 rounds: one iops: it takes 5 rounds" \
		"was reached in group 'enough' after 5 rounds: other iops: range"
	[ "$(result '[.steps[] | select(.name == "short" or .name == "even") | .steady.snia.met] | tostring')" = "[false,true]" ]
	[ "$(result '[.steps[] | select(.name == "one") | .steady.verdict] | tostring')" = '[null,null,"not_steady"]' ]
	[ "$(result '[.steps[] | select(.name == "other") | .steady.verdict] | last')" = steady ]
	[ "$(result '[.findings[] | select(.kind == "snia_steady_state")] | length')" = 4 ]
	ssd report r.assay -o p.html
	expect 0
	grep -q "NOT REACHED" p.html
}

@test "I/Os that fail are a result of a run that is complete, and no 0 where the plan forbids them" {
	plan p.plan <<-'END'
		[one]
		rw=randread
		bs=4k
		runtime=5s
	END
	run_plan p.plan sim:theory,error_rate=0.001 --allow-unwritten
	expect 0
	[ "$(result '.status')" = complete ]
	[ "$(result '.steps[0].loads[0].read.errors > 0')" = true ]
	[ "$(result '.checks[] | select(.name == "no_io_errors") | .result')" = failed ]
	run_plan p.plan sim:theory,error_rate=0.001 --allow-unwritten --set 'expect=errors<1'
	expect 1
}

@test "many findings of one kind are three sentences and a line in show, and all of them in its JSON" {
	for name in a b c d e f; do printf '[%s]\nrw=randread\nbs=4k\nruntime=2s\n' $name; done > many.plan
	run_plan many.plan sim:theory,capacity_gb=1 --allow-unwritten
	expect 0
	[ "$(result '[.findings[] | select(.kind == "bottleneck")] | length')" = 6 ]
	[ "$(grep -c "^- Step '.': " .out)" = 3 ]
	expect_out "3 more of this kind: 'd', 'e', 'f' (the page and show --json have them)"
}

@test "a sweep of depth over a cache that is used up says that its peak is not one of one state" {
	printf '[clean]\nkind=purge\n[w]\nrw=randwrite\nbs=4k\nruntime=1s\nvary.iodepth=8 16 32 64 128\n' > used.plan
	run_plan used.plan sim:qlc-consumer,shrink=256
	expect 0
	[[ $(finding peak_depth .text) == *"with a queue depth of 128 it was "*" % slower: something changed while it was measured"* ]]
	sed 's/randwrite/randread/; s/purge/fill/' used.plan > read.plan
	run_plan read.plan sim:qlc-consumer,shrink=256
	expect 0
	[[ $(finding peak_depth .text) != *"something changed"* ]]
}
