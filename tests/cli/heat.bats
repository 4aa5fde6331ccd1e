#!/usr/bin/env bats
# What is said about heat, against what simulated drives did.

load common
load findings

setup() { cli_start; }
teardown() { cli_stop; }

heat_plan() {
	plan heat.plan <<-END
	[read]
	rw=read
	bs=128k
	iodepth=32
	runtime=120s
	END
}

@test "throttling is found with its time and temperature" {
	heat_plan
	run_plan heat.plan sim:sn850,shrink=1,capacity_gb=2,slc_gb=0,ambient_c=45,heat_capacity=4
	expect 0
	start=$(result '.steps[-1].started_ns')
	truth=$(result "(.drives[0].truth.first_throttle_ns - $start) / 1e9")
	[ "$(result "[.findings[] | select(.kind == \"thermal_throttling\")][0].value - $truth | fabs <= 2")" = true ]
	near "$(finding thermal_throttling .data.at_c)" 90 0.02
	[ "$(result '.checks[] | select(.name == "not_throttled").result')" = failed ]
	[ "$(result '[.findings[] | select(.kind == "bottleneck" and .step == "read")][0].data.verdict')" = thermal ]
}

@test "throttling by turns is found in writes too, a cache that is full is not taken for it" {
	plan heat.plan <<-END
	[write]
	rw=write
	bs=128k
	iodepth=32
	runtime=300s
	END
	run_plan heat.plan sim:p3700,shrink=1,capacity_gb=2,heat_resistance=9,heat_capacity=3,throttle_c=65,throttle_clear_c=63.5,throttle_mbps=200
	expect 0
	start=$(result '.steps[0].started_ns')
	truth=$(result "(.drives[0].truth.first_throttle_ns - $start) / 1e9")
	[ "$(result '.drives[0].truth.throttle_count > 1')" = true ]
	[ "$(result "[.findings[] | select(.kind == \"thermal_throttling\")][0].value - $truth | fabs <= 2")" = true ]
	fill_plan 500ms
	run_plan fill.plan sim:sn850
	[ "$(finding slc_cache '.value > 1e9')" = true ]
	[ -z "$(finding thermal_throttling .value)" ]
}

heat_case() {	# DRIVE RW RUNTIME: what is found against what the drive did
	printf '[it]\nrw=%s\nbs=128k\niodepth=32\nruntime=%s\n' "$2" "$3" > case.plan
	run_plan case.plan "sim:$1" --allow-unwritten
	expect 0
	result '.steps[0].started_ns as $start | .drives[0].truth as $truth
		| ([.findings[] | select(.kind == "thermal_throttling")][0]) as $found
		| (.checks[] | select(.name == "not_throttled").result) as $check
		| if $truth.throttle_count == 0 then $found == null and $check == "passed"
		  else $found != null and $check == "failed"
			and ($found.value - ($truth.first_throttle_ns - $start) / 1e9 | fabs) <= 2
			and ($found.data.slow_s - $truth.throttled_ns / 1e9 | fabs) <= ([4, $truth.throttled_ns / 1e10] | max) end
		| if . then "agrees" else {case: "'"$*"'", truth: $truth | {throttle_count, throttled_ns, first_throttle_ns},
			found: $found, check: $check} | tojson end'
}

@test "throttled seconds are those of the drive, hot from the start, by turns, once or never" {
	for drive in tlc-consumer,ambient_c={30,35,37,40,50,60} sn850,ambient_c={25,60} tlc-datacenter,ambient_c=50; do
		[ "$(heat_case $drive write 4m | tee told)" = agrees ] || { cat told; false; }
	done
	for drive in tlc-consumer,ambient_c={30,60} sn850,ambient_c=45; do
		[ "$(heat_case $drive read 4m | tee told)" = agrees ] || { cat told; false; }
	done
	# stages of a cache below the lid, and behind it
	for drive in qlc-consumer,ambient_c={25,40,45}; do
		[ "$(heat_case $drive write 8m | tee told)" = agrees ] || { cat told; false; }
	done
	# a drive that does not tell where it warns
	for drive in tlc-consumer,interface=sata,ambient_c={20,35,40}; do
		[ "$(heat_case $drive write 4m | tee told)" = agrees ] || { cat told; false; }
	done
}

# A small drive warms and cools within a second or two: 1 s of 3000 MB/s and 1 s of 800 look like 1900 all the time.
@test "throttling that comes and goes faster than it is read is told without a depth or a count that would be wrong" {
	plan brief.plan <<-'END'
	[global]
	bs=128k
	iodepth=32
	range=0%..20%
	[fill]
	kind=fill
	until=written:1r
	[read]
	rw=read
	runtime=120s
	END
	run_plan brief.plan sim:tlc-consumer,shrink=64
	expect 0
	[ "$(result '.drives[0].truth | .throttle_count > 10 and .throttled_ns / .throttle_count < 2e9')" = true ]
	[ "$(result '.findings[] | select(.kind == "thermal_throttling") | .data.brief')" = true ]
	# 3500 MB/s is what its link carries
	[ "$(result '.findings[] | select(.kind == "thermal_throttling") | .data.fast_bytes_per_second > 3.4e9')" = true ]
	expect_out "Heat slowed the drive down in step 'read': after " "do not show how far, how often or for how long"
	expect_out "heat was the limit"
	[[ $out != *"slowed down for "*" s;"* ]]
}

@test "a step that is too short to judge, on a drive as hot as it warns of, is no sign of no throttling" {
	plan short.plan <<-'END'
	[write]
	rw=write
	bs=128k
	iodepth=32
	runtime=8s
	END
	run_plan short.plan sim:tlc-consumer,shrink=64,slc_gb=0,throttle_c=50,throttle_clear_c=45
	expect 0
	[ "$(result '.drives[0].truth.throttle_count > 0')" = true ]
	[ "$(result '.checks[] | select(.name == "not_throttled").result')" = failed ]
	expect_out "In step 'write' the drive was " " °C hot, and it warns at 50 °C: heat may have held it back, the step is too short" "heat was the limit"
	run_plan short.plan sim:tlc-consumer,shrink=4,slc_gb=0
	expect 0
	[ "$(result '.checks[] | select(.name == "not_throttled").result')" = passed ]
}

@test "a drive that does not tell where it slows down is not said to be free of it when its writes fell" {
	printf '[it]\nrw=write\nbs=128k\niodepth=32\nruntime=4m\n' > case.plan
	run_plan case.plan sim:tlc-consumer,interface=sata,ambient_c=50
	expect 0
	[ "$(result '.drives[0].truth.throttle_count')" = 1 ]
	[ "$(result '.checks[] | select(.name == "not_throttled").result')" = not_applicable ]
	[ -z "$(finding thermal_throttling .value)" ]
}

@test "a step that is hot from its first second on is not said to be free of heat" {
	plan two.plan <<-END
	[global]
	bs=128k
	iodepth=32
	runtime=1m
	[write]
	rw=write
	[read]
	rw=read
	END
	run_plan two.plan sim:tlc-consumer,ambient_c=60
	expect 0
	[ "$(result '[.findings[] | select(.kind == "bottleneck") | .data.verdict] | join(" ")')" = "thermal thermal" ]
	plan one.plan <<-END
	[global]
	bs=128k
	iodepth=32
	[warm]
	rw=write
	runtime=10s
	[read]
	rw=read
	runtime=1m
	END
	run_plan one.plan sim:tlc-consumer,ambient_c=60
	expect 0
	[ "$(result '.checks[] | select(.name == "not_throttled").result')" = failed ]
	result '.checks[] | select(.name == "not_throttled").text' | grep -q "In step 'read' the drive stood for [0-9]* s at the temperature where it warns (85 °C)"
}

@test "a drive that stays cool is not said to throttle" {
	heat_plan
	run_plan heat.plan sim:sn850,shrink=1,capacity_gb=2,slc_gb=0,ambient_c=20,heat_capacity=4
	expect 0
	[ -z "$(finding thermal_throttling .value)" ]
	[ "$(result '.checks[] | select(.name == "not_throttled").result')" = passed ]
}

cool_plan() {	# LIMIT: a write that warms the drive, and the wait until it has cooled
	plan cool.plan <<-END
	[write]
	rw=write
	bs=128k
	iodepth=32
	runtime=20s
	[cool]
	kind=idle
	until=cool
	max=time:$1
	runtime=15m
	END
}

# 2 K above the start, by Newton's law of cooling: as long as the drive's R C times the logarithm of how far it was above.
@test "until=cool waits until the drive has the temperature of the start again, and no longer" {
	cool_plan 1h
	run_plan cool.plan sim:tlc-consumer,shrink=1,capacity_gb=2,heat_resistance=9,heat_capacity=1
	expect 0
	query "select (select max(value) from telemetry join telemetry_name n on n.id = telemetry.name where n.name = 'temperature_c' and step = s.id and t_ns = s.started_ns),
		(select min(value) from telemetry join telemetry_name n on n.id = telemetry.name where n.name = 'temperature_c'), s.duration_ns / 1e9
		from step s where s.name = 'cool'" > cooled
	python3 - <<'PY'
import math
hot, start, took = map(float, open("cooled").read().split("|"))
truth = 9 * 1 * math.log((hot - start) / 2)
assert hot > start + 20, (hot, start)
assert truth <= took <= truth + 2, (truth, took)
PY
	[[ $(query "select text from event where kind = 'cooling'") == "'cool': cool after "*" when the run began" ]]
	[ "$(query "select status_text from step where name = 'cool'")" = cool ]
}

@test "until=cool ends with max=, and where no temperature is told with runtime=, and says which" {
	cool_plan 10s
	run_plan cool.plan sim:tlc-consumer,shrink=1,capacity_gb=2,heat_capacity=4
	expect 0
	[ "$(query "select duration_ns from step where name = 'cool'")" = 10000000000 ]
	[[ $(query "select text from event where kind = 'cooling'") == "'cool': not cool after 10.0 s: "* ]]
	plan null.plan <<-END
	[cool]
	kind=idle
	until=cool
	max=time:1h
	runtime=300ms
	[write]
	rw=write
	bs=4k
	runtime=300ms
	END
	run_plan null.plan /dev/null
	expect 0
	[[ $(query "select text from event where kind = 'cooling'") == "'cool': no temperature is told, so that it waited as runtime= says: "* ]]
	[ "$(query "select duration_ns >= 300000000 from step where name = 'cool'")" = 1 ]
}
