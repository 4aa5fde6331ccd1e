#!/usr/bin/env bats
# Copies of a run for other programs: fio's JSON, which comes back unchanged, and HdrHistogram logs.

load common

setup() {
	cli_start
	plan two.plan <<'END'
[mixed]
rw=randrw
rwmixread=70
bs=4k
iodepth=8
fsync=64
runtime=4s
[open]
rw=randread
bs=4k
iodepth=32
arrival=poisson:5000
ramp_time=1s
runtime=3s
END
	run_plan two.plan sim:tlc-consumer,shrink=64
	expect 0
}

teardown() { cli_stop; }

@test "fio-json: what consumers of fio 3 look for is there" {
	ssd export r.assay --format fio-json -o copies
	expect 0
	[ -z "$out" ]
	jq -e '."fio version" | test("^fio-3")' copies/fio.json
	jq -e '(.timestamp | type) == "number" and (.time | type) == "string" and (."global options" | type) == "object"' copies/fio.json
	jq -e '.jobs | length == 3' copies/fio.json
	jq -e '[.jobs[] | [.jobname, .groupid, .error, .eta, .elapsed, ."job options", .read, .write, .trim, .sync, .usr_cpu,
		.latency_us, .latency_ms] | all(. != null)] | all' copies/fio.json
	jq -e '.jobs[1].read | .iops > 1000 and .bw == (.bw_bytes / 1024 | floor) and .io_kbytes == (.io_bytes / 1024 | floor)' copies/fio.json
	jq -e '.jobs[1].read.clat_ns | .percentile["99.000000"] >= .percentile["50.000000"] and .N == ([.bins[]] | add)' copies/fio.json
	jq -e '.jobs[1].read | .iops_samples == 4 and .iops_min <= .iops_mean and .iops_mean <= .iops_max and .bw_mean > 0' copies/fio.json
	jq -e '.jobs[1] | ."job options" | .rw == "randrw" and .bs == "4k" and .iodepth == "8"' copies/fio.json
	jq -e '.jobs[2].read | .lat_ns.mean >= .clat_ns.mean and .lat_ns.percentile["99.000000"] > 0' copies/fio.json
	jq -e '[.jobs[] | (.latency_ns, .latency_us, .latency_ms | add)] | add / 3 | . > 99.99 and . < 100.01' copies/fio.json
}

# The fields that fio-plot 1.1 takes from each job, without asking whether they are there.
@test "fio-json: every job has what fio-plot reads, joined loads and the fill of a range too" {
	plan joined.plan <<-'END'
		[a]
		rw=randread
		bs=4k
		runtime=1s
		[b]
		with=a
		rw=write
		bs=64k
	END
	run_plan joined.plan sim:tlc-consumer,shrink=64
	expect 0
	ssd export r.assay --format fio-json -o copies
	expect 0
	jq -c '.jobs[] | .read as $read | [(."job options" | (.iodepth, .numjobs | tonumber), .bs, .rw), $read.bw, $read.iops, $read.iops_stddev,
		$read.lat_ns.mean, $read.lat_ns.stddev, .usr_cpu, .sys_cpu, (.latency_ms, .latency_us, .latency_ns | length)]' \
		copies/fio.json > fields
	[ "$(wc -l < fields)" = 3 ]
	refute grep null fields
	[ "$(jq -r '.jobs[1]."job options" | [.rw, .bs] | join(" ")' copies/fio.json)" = "randread 4k" ]
	[ "$(jq -r '.jobs[2]."job options" | [.rw, .bs] | join(" ")' copies/fio.json)" = "write 64k" ]
	plan joined.plan <<-'END'
		[a]
		rw=randread
		bs=4k
		runtime=1s
		arrival=poisson:1000
		[b]
		with=a
		rw=randwrite
		bs=64k
		arrival=constant:100
	END
	run_plan joined.plan sim:tlc-consumer,shrink=64
	ssd export r.assay --format fio-json -o more
	expect 0
	[ "$(jq -c '[.jobs[-2:][]."job options" | .rw, .bs, .rate_iops, .rate_process]' more/fio.json)" = \
	  '["randread","4k","1000","poisson","randwrite","64k","100","linear"]' ]
}

# As fio's own fio_jsonplus_clat2csv does it: buckets by their value, counts that add up to N.
@test "fio-json: the bins of each direction are its I/Os, and the percentiles follow from them" {
	ssd export r.assay --format fio-json -o copies
	expect 0
	jq -e '[.jobs[] | .read, .write | select(.total_ios > 0) | .clat_ns |
		([.bins | to_entries[] | .value] | add) == .N and
		(.percentile["50.000000"] as $median | .N as $n |
			([.bins | to_entries[] | select((.key | tonumber) < $median * 0.98) | .value] | add // 0) <= $n / 2 and
			([.bins | to_entries[] | select((.key | tonumber) <= $median * 1.02) | .value] | add) >= $n / 2)] |
		length == 4 and all' copies/fio.json
}

@test "fio-json comes back through import: the same counts and the same latencies" {
	ssd export r.assay --format fio-json
	expect 0
	printf '%s\n' "$out" > fio.json
	ssd import fio.json -o again.assay
	expect 0
	figures='[.steps[].loads[] | {name, read: .read | {ios, bytes, n: .service_ns.n, min: .service_ns.min, max: .service_ns.max,
		mean: .service_ns.mean, p: [.service_ns.percentiles[]? | .value]}, write: .write | {ios, bytes, mean: .service_ns.mean,
		p: [.service_ns.percentiles[]? | .value]}, fsync: .fsync | {ios, max: .service_ns.max}}]'
	# fio's JSON has no intervals: all of its I/Os count as independent, so that it carries percentiles that the run does not
	[ "$(jq -n --argjson run "$(result "$figures")" --argjson again "$(result "$figures" again.assay)" \
		'[$run | paths(. == null)] as $untold | reduce $untold[] as $path ($again; setpath($path; null)) == $run')" = true ]
	near "$(result '.steps[1].loads[0].read.iops' again.assay)" "$(result '.steps[1].loads[0].read.iops')" 0.001
}

@test "hdr: a log per load, kind of I/O and time; a line per interval" {
	ssd export r.assay --format hdr -o logs
	expect 0
	[ "$(ls logs | tr '\n' ' ')" = "0001-prepare-0-write-service.hlog 0002-mixed-0-fsync-service.hlog \
0002-mixed-0-read-service.hlog 0002-mixed-0-write-service.hlog 0003-open-0-read-lateness.hlog \
0003-open-0-read-response.hlog 0003-open-0-read-service.hlog " ]
	[ "$(sed -n 2p logs/0003-open-0-read-response.hlog)" = "#[Histogram log format version 1.3]" ]
	sed -n 3p logs/0003-open-0-read-response.hlog | grep -Eq '^#\[StartTime: [0-9]+\.[0-9]{3} \(seconds since epoch\)'
	[ "$(sed -n 4p logs/0003-open-0-read-response.hlog)" = \
		'"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"' ]
	[ "$(grep -c '^Tag=read,[0-9.]*,1\.000,[0-9.]*,HISTFAAA[A-Za-z0-9+/]*=*$' logs/0003-open-0-read-response.hlog)" = 3 ]
	[ "$(grep -c '^Tag=' logs/0002-mixed-0-read-service.hlog)" -ge 4 ]
	# the largest of all intervals is the largest of all
	max=$(grep '^Tag=' logs/0002-mixed-0-read-service.hlog | cut -d, -f4 | sort -n | tail -1)
	near "$max" "$(result '.steps[1].loads[0].read.service_ns.max / 1e6')" 0.001
}

# read_log READER LOG: what an independent reader finds in it, by its percentiles, as one line of JSON.
read_log() {
	case $1 in
	js) NODE_PATH=$HDR_PACKAGES node "$BATS_TEST_DIRNAME/hdr/read.js" "$2" ;;
	py) python3 "$BATS_TEST_DIRNAME/hdr/read.py" "$2" ;;
	esac | jq -cS .
}

# A run with times from microseconds to a second, and what READER makes of its logs: each log has the I/Os of one load, kind and
# time, and its figures are those of `show --json`, as near as the slots of an interval (1/64) allow.
logs_are_read_by() {
	local which log name step load op time figures
	plan stalls.plan <<-'END'
		[stalls]
		rw=randrw
		rwmixread=70
		bs=4k
		size=64m
		iodepth=64
		arrival=poisson:2000
		runtime=6s
		fsync=100
	END
	cp r.assay two.assay
	run_plan stalls.plan sim:theory,stall_at_s=3,stall_s=1
	expect 0
	for which in r two; do
		ssd export $which.assay --format hdr -o $which.logs
		expect 0
		for log in $which.logs/*.hlog; do
			name=${log##*/}
			IFS=- read -r step _ load op time <<< "${name%.hlog}"
			figures=$(result ".steps[$((10#$step - 1))].loads[$load].$op.${time}_ns" $which.assay)
			read_log "$1" "$log" > log.json
			printf '%s\n%s: %s\n' "$figures" "$log" "$(cat log.json)"
			jq -e --argjson figures "$figures" '
				def near($a; $b): $a - $b | fabs <= $b / 64 + 1;
				.n == $figures.n and ([.lines[].n] | add) == .n and near(.max; $figures.max) and near(.mean; $figures.mean) and
				([.percentiles[] as $own | $figures.percentiles[] | select(.p == $own.p and .value != null) |
					near($own.value; .value)] | all)' log.json
		done
	done
	[ "$(ls r.logs | wc -l)" -ge 7 ]
	# the stall is in the log of responses, and what came through it in the others
	[ "$(read_log "$1" r.logs/*stalls-0-read-response.hlog | jq '.max > 900000000 and .percentiles[0].value < 1000000')" = true ]
	[ "$(read_log "$1" r.logs/*stalls-0-read-response.hlog | jq -c '[.lines[] | .seconds] | unique')" = "[1]" ]
}

@test "hdr: a reader written after the format's description finds the figures of show --json" {
	logs_are_read_by py
}

@test "hdr: hdr-histogram-js finds the figures of show --json, and the same as that reader to the last digit" {
	[ -n "${HDR_PACKAGES:-}" ] || skip "npm could not fetch hdr-histogram-js when this was configured"
	logs_are_read_by js
	for log in r.logs/*.hlog; do
		[ "$(read_log js "$log")" = "$(read_log py "$log")" ]
	done
}

@test "unknown formats are named" {
	ssd export r.assay --format xml
	expect 2
	expect_err "known are csv, json, fio-json and hdr"
	ssd export r.assay
	expect 2
}
