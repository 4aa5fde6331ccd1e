#!/usr/bin/env bats
# The search for the highest open-loop rate, on drives whose truth is known, and the curve of latency against throughput.

load common

setup() { cli_start; }

teardown() { cli_stop; }

# One die that reads in 100 us and nothing else: M/D/1. Its waiting times are known (Erlang 1909): the rates below are those at
# which the share of responses above the limit is just what the percentile leaves, by that formula, with 100.041 us of service.
MD1=sim:theory,capacity_gb=1,channels=1,dies=1,planes=1,page_kb=4,precondition=sequential,read_us=100
MD1+=,channel_mbps=100000,link_read_mbps=100000,read_us_fixed=0,read_us_command=0

# searched LIMIT TRUTH TOLERANCE [KEY=VALUE...]
searched() {
	local limit=$1 truth=$2 tolerance=$3
	shift 3
	printf '%s\n' '[find]' rw=randread bs=4k iodepth=1024 "search=$limit" "$@" > find.plan
	run_plan find.plan "$MD1"
	expect 0
	near "$(result '.findings[] | select(.kind == "search") | .value')" "$truth" "$tolerance"
	[ "$(result '.findings[] | select(.kind == "search") | .unit')" = ios_per_second ]
	[ "$(result '.findings[] | select(.kind == "search") | (.low <= '"$truth"') and (.high >= '"$truth"')')" = true ]
}

@test "p99.9 < 1 ms: within 3 % of the formula, and the interval holds it" {
	searched 'p99.9<1ms' 6747 0.03
	expect_out "Step 'find' meets p99.9<1ms up to "
	[ "$(result '[.steps[] | select(.name == "find")] | length >= 6')" = true ]
	[ "$(result '[.steps[] | select(.name == "find") | .point] | unique | length')" = \
	  "$(result '[.steps[] | select(.name == "find")] | length')" ]
	[ "$(query "select count(*) from step where name = 'find' and status_text = 'decided'")" -ge 2 ]
	[ "$(query "select note from step order by id desc limit 1")" != "${note#*confirmation*}" ]
}

@test "other percentiles and limits" {
	searched 'p99<1ms' 7731 0.03
	searched 'p99.9<500us' 4053 0.03
	searched 'response.p99.9<2ms' 8316 0.03
}

@test "it starts at a rate that is given, and then needs no closed loop" {
	searched 'p99.9<1ms' 6747 0.03 arrival=poisson:1000
	[ "$(result '[.steps[].values.arrival_rate] | index("closed")')" = null ]
	[ "$(result '.steps[1].values.arrival_rate')" = 1000 ]
}

@test "arrivals by the clock do not wait: the search ends at the service rate" {
	searched 'p99.9<1ms' 9990 0.03 arrival=constant:5000
}

@test "a limit that no rate meets is said" {
	printf '%s\n' '[find]' rw=randread bs=4k 'search=p99.9<50us' > find.plan
	run_plan find.plan "$MD1"
	expect 0
	[ "$(result '.findings[] | select(.kind == "search") | .value')" = null ]
	expect_out "No open-loop rate was found"
}

# A disk takes 8 ms: there is no rate of single I/Os a second that meets it.
@test "a rate that is below one a second is not told as none" {
	printf '%s\n' '[find]' rw=randread bs=4k iodepth=64 'search=p99.9<1ms' > find.plan
	run_plan find.plan sim:hdd --allow-unwritten --scale 0.1
	[ "$(result '.findings[] | select(.kind == "search") | .high > 0 and .high < 1')" = true ]
	[[ $out =~ "meets p99.9<1ms: 0."[0-9]+" I/Os per second already exceed it." ]]
}

@test "the probes of a maximum end at the first I/O that misses" {
	printf '%s\n' '[find]' rw=randread bs=4k iodepth=64 'search=max<2ms' > find.plan
	run_plan find.plan "$MD1"
	expect 0
	[ "$(result '.findings[] | select(.kind == "search") | .value > 3000 and .value < 8316')" = true ]
}

@test "vary.arrival in percent of a step: the rates are asked for and reached, and the curve rises" {
	printf '%s\n' '[global]' rw=randread bs=4k iodepth=256 runtime=20s '[max]' ramp_time=3s '[curve]' \
		'vary.arrival=10%@max 50%@max 80%@max 95%@max' > curve.plan
	run_plan curve.plan "$MD1"
	expect 0
	[ "$(result '[.steps[] | select(.name == "curve") | .loads[0] | .read.iops / .rate_asked | . > 0.98 and . < 1.02] | all')" = true ]
	near "$(result '[.steps[] | select(.name == "curve") | .values.arrival_rate][1]')" 4998 0.02
	# M/D/1: s (1 + rho / (2 (1 - rho)))
	near "$(result '[.steps[] | select(.name == "curve") | .loads[0].read.response_ns.mean][0]')" 105600 0.02
	near "$(result '[.steps[] | select(.name == "curve") | .loads[0].read.response_ns.mean][1]')" 150100 0.02
	near "$(result '[.steps[] | select(.name == "curve") | .loads[0].read.response_ns.mean][2]')" 300100 0.06
}

@test "the built-in plan latency-throughput from end to end" {
	ssd run latency-throughput "$MD1" --set iodepth=64 --scale 0.2 -o r.assay --progress none
	expect 0
	[ "$(result '[.steps[].name] | unique | join(" ")')" = "curve fill find max" ]
	[ "$(result '[.steps[] | select(.name == "curve") | .loads[0].read.response_ns.mean] | . == sort')" = true ]
	near "$(result '.findings[] | select(.kind == "search") | .value')" 6747 0.06
}

# tile NAME: what the page shows at a glance of the section NAME, read by a reader
tile() {
	ssd report r.assay -o page.html
	expect 0
	grep -F "<h3>$1 " page.html | grep -F 'class="tile"'
}

@test "the page's figure of a search is the rate that was found, not that of a probe that missed" {
	printf '%s\n' '[find]' rw=randread bs=4k iodepth=1024 'search=p99.9<1ms' > find.plan
	run_plan find.plan "$MD1"
	expect 0
	found=$(result '.findings[] | select(.kind == "search") | .value')
	big=$(tile find | sed 's/.*class="big">\([^<]*\)<.*/\1/' | tr -cd 0-9)
	near "$big" "$found" 0.02
	[ "$(result '[.steps[] | select(.name == "find") | .values.arrival_rate | numbers] | max > '"$found * 1.02")" = true ]
	[[ $(tile find) == *"highest found with p99.9&lt;1ms"* ]]
}

@test "a drive that becomes slower while it is searched: what is told is what a long run met" {
	printf '%s\n' '[find]' rw=write bs=128k iodepth=8 'search=p50<5ms' runtime=2s > find.plan
	run_plan find.plan sim:tlc-consumer,shrink=16	# the first probes end in its cache, the long ones do not
	expect 0
	[ "$(query "select count(*) from step where note like '%confirmation%exceeds%'")" -ge 5 ]
	found=$(result '.findings[] | select(.kind == "search") | .value')
	[ "$(query "select count(*) from step where note like '%confirmation at $found per second%meets%'")" = 1 ]
	missed=$(query "select min(rate_asked) from step join load on id = step where note like '%confirmation%exceeds%' and rate_asked > $found")
	near "$missed" "$found" 0.05
}

@test "the last probe is of the rate that is told, also where it was found between two confirmations; shares are of it" {
	local runtime misses=0
	for runtime in 1.2s 1.5s 2.3s; do
		rm -f r.assay*
		printf '%s\n' '[find]' rw=write bs=128k iodepth=8 'search=p50<5ms' runtime=$runtime \
			'[at]' rw=write bs=128k iodepth=8 arrival=constant:10%@find runtime=1s > find.plan
		run_plan find.plan sim:tlc-consumer,shrink=16
		expect 0
		found=$(result '.findings[] | select(.kind == "search") | .value')
		[[ "$(query "select note from step where name = 'find' order by id desc limit 1")" == *"confirmation at $found per second"*" meets "* ]]
		near "$(query "select rate_asked from load join step on id = step where step.name = 'at'")" \
			"$(awk -v rate="$found" 'BEGIN { print rate / 10 }')" 0.01
		misses=$((misses + $(query "select count(*) > 1 from step where note like '%confirmation at $found per second%meets%'")))
	done
	[ "$misses" -ge 1 ]	# halving did end with a miss, and the rate was run again
}

@test "the page has no figure of a search that found no rate" {
	printf '%s\n' '[find]' rw=randread bs=4k 'search=p99.9<50us' > find.plan
	run_plan find.plan "$MD1"
	expect 0
	[[ $(tile find) == *'class="big">n/a<'*"no rate found with p99.9&lt;50us"* ]]
}

@test "a search on a file is one of real time and can be interrupted" {
	printf '%s\n' '[find]' rw=randread bs=4k size=16m iodepth=8 'search=p99<20ms' runtime=1s > find.plan
	background run find.plan "$RIG/file" -o r.assay --progress none
	until_shows "select count(*) >= 2 from step"
	kill -INT "$PID"
	ended_within "$(soon)"
	expect 130
	[ "$(result .status)" = interrupted ]
	[ "$(result '.findings[] | select(.kind == "search")')" = "" ]
}
