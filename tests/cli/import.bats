#!/usr/bin/env bats
# Results of fio as a run: what fio says is what show says; what contradicts itself is refused and leaves nothing behind.

load common

setup() {
	cli_start
	KEPT=$(dirname "$BATS_TEST_FILENAME")/../unit/store/fio
}

teardown() { cli_stop; }

# fio_run NAME ARG...: NAME.json (and logs), made by the fio of this machine.
fio_run() {
	command -v fio > /dev/null || skip "fio is not installed"
	local name=$1
	shift
	fio --name="$name" --filename=data --size=16m --bs=4k --time_based --runtime=2 --output-format=json+ \
		--output="$name.json" "$@" > fio.out 2>&1 || { cat fio.out; return 1; }
}

# same JQ_FIO JQ_SHOW TOLERANCE
same() {
	near "$(result "$2")" "$(jq -r "$1" "$JSON")" "$3"
}

@test "a run of this machine's fio: counts, rates and latencies are fio's" {
	fio_run mixed --rw=randrw --iodepth=8 --ioengine=libaio --numjobs=2 --group_reporting
	JSON=mixed.json
	ssd import mixed.json -o r.assay
	expect 0
	expect_err "Run file: r.assay"
	[ -z "$out" ]
	for way in read write; do
		same ".jobs[0].$way.total_ios" ".steps[0].loads[0].$way.ios" 0
		same ".jobs[0].$way.io_bytes" ".steps[0].loads[0].$way.bytes" 0
		same ".jobs[0].$way.iops" ".steps[0].loads[0].$way.iops" 0.001
		same ".jobs[0].$way.clat_ns.mean" ".steps[0].loads[0].$way.service_ns.mean" 0.00001
		same ".jobs[0].$way.clat_ns.max" ".steps[0].loads[0].$way.service_ns.max" 0
		same ".jobs[0].$way.clat_ns.percentile[\"99.000000\"]" \
			".steps[0].loads[0].$way.service_ns.percentiles[] | select(.p == 99) | .value" 0.02
	done
	[ "$(result .status)" = complete ]
	ssd show r.assay
	expect 0
	expect_out "engine libaio (imported)" "mixed"
}

@test "its logs become the series" {
	fio_run logged --rw=randread --write_bw_log=l --write_iops_log=l --write_lat_log=l --log_avg_msec=250 \
		--write_hist_log=l --log_hist_msec=250
	ssd import logged.json l_*.log -o r.assay
	expect 0
	[ "$(query "select count(distinct idx) from series")" -ge 6 ]
	[ "$(query "select count(*) from step")" = 1 ]
}

@test "a log alone tells what it holds: no I/Os from bytes, no bytes from I/Os, and nothing is called 0" {
	ssd import "$KEPT/l_bw.1.log" -o bw.assay
	expect 0
	ssd show bw.assay
	expect 0
	[[ $out =~ l\ +read\ +n/a\ +2\.0[0-9] ]]
	expect_out "n/a: what was imported doesn't tell it"
	[ "$(result '.steps[0] | .state, (.loads[0].read | .ios, .iops, .bytes > 1e6)' bw.assay | tr '\n' ' ')" = "null null null true " ]
	ssd report bw.assay -o page.html
	expect 0
	grep -q 'Throughput against time' page.html
	refute grep -qE 'IOPS against time|Slow I/Os|no measured I/O' page.html
	for log in l_iops.1.log l_clat_hist.1.log; do
		rm -f iops.assay
		ssd import "$KEPT/$log" -o iops.assay
		expect 0
		ssd show iops.assay
		expect 0
		[[ $out =~ l\ +read\ +50[0-9]\ +n/a ]]
		[ "$(result '.steps[0].loads[0].read | .bytes, .bytes_per_second, .ios > 500' iops.assay | tr '\n' ' ')" = "null null true " ]
		ssd report iops.assay -o page.html
		expect 0
		grep -q 'IOPS against time' page.html
		refute grep -q 'Throughput against time' page.html
	done
	ssd report iops.assay -o page.html	# the histogram's: times are known
	grep -q 'Slow I/Os' page.html
}

@test "logs alone: reads and writes that take turns have one period" {
	fio_run turns --rw=randrw --write_hist_log=t --log_hist_msec=250
	ssd import t_clat_hist.1.log -o r.assay
	expect 0
	[ "$(query "select max(idx) between 5 and 8 from series")" = 1 ]
	near "$(query "select interval_ns from step")" 250000000 0.2	# fio is late on a computer that is busy
}

@test "C11 logs with times since 1970 start at 0, and those without do" {
	fio_run epoch --rw=randread --write_bw_log=e --log_avg_msec=250 --log_unix_epoch=1
	[ "$(head -n 1 e_bw.1.log | cut -d , -f 1)" -gt 1000000000000 ]
	ssd import epoch.json e_bw.1.log -o absolute.assay
	expect 0
	expect_err "since 1970: counted from the first line"
	[ "$(query "select count(*) between 6 and 9 and min(start_ns) = 0 from series" absolute.assay)" = 1 ]
	fio_run relative --rw=randread --write_bw_log=r --log_avg_msec=250
	ssd import relative.json r_bw.1.log -o relative.assay
	expect 0
	[ "$(query "select count(*) between 6 and 9 and min(start_ns) = 0 from series" relative.assay)" = 1 ]
}

@test "C13 a histogram log with stray memory in it is refused with line and bucket" {
	fio_run leak --rw=randread --write_hist_log=h --log_hist_msec=250
	awk -F ', ' -v OFS=', ' 'NR == 2 { $41 = "7310577365313486450"; $42 = "8388272040" } 1' h_clat_hist.1.log > l_clat_hist.1.log
	refused 2 "l_clat_hist.1.log:2: impossible count in bucket 37" leak.json l_clat_hist.1.log
	refused 2 "l_clat_hist.1.log:2: impossible count in bucket 37" l_clat_hist.1.log
}

@test "C17 one log of several jobs: they are added up in each interval" {
	fio_run several --rw=randread --numjobs=3 --runtime=7 --per_job_logs=0 --write_bw_log=s --log_avg_msec=1000
	ssd import several.json s_bw.log -o r.assay
	expect 0
	expect_err "lines of several jobs in one file"
	[ "$(query "select count(*) between 6 and 8 from series")" = 1 ]
	# each line is a rate of a second
	[ "$(query "select sum(bytes) from series")" = "$(awk -F, '{ sum += $2 * 1024 } END { print sum }' s_bw.log)" ]
	# none of the intervals holds what belongs into another
	[ "$(query "select max(bytes) < 4 * avg(bytes) from series")" = 1 ]
}

@test "a page, a table and copies can be made of it" {
	ssd import "$KEPT/plus.json" -o r.assay
	expect 0
	ssd report r.assay -o page.html
	expect 0
	grep -q '<html' page.html
	ssd export r.assay --format csv -o copies
	expect 0
	[ "$(wc -l < copies/results.csv)" -ge 2 ]
}

@test "A15 fio 2 and fio 3 say the same in different units; a key that is missing is refused and not 0" {
	ssd import "$KEPT/two.json" -o two.assay
	expect 0
	ssd import "$KEPT/three.json" -o three.assay
	expect 0
	two=$(result '.steps[0].loads[0] | [.read.ios, .read.service_ns.mean, .read.service_ns.max] | @csv' two.assay)
	three=$(result '.steps[0].loads[0] | [.read.ios, .read.service_ns.mean, .read.service_ns.max] | @csv' three.assay)
	[ "$two" = "$three" ]
	sed 's/"clat"/"klat"/; s/"lat"/"lar"/' "$KEPT/two.json" > missing.json
	refused 2 'none of "clat_ns", "clat", "lat_ns", "lat" is there' missing.json
}

@test "reads and writes beside their sum are read; their sum alone has no place" {
	fio_run both --rw=randrw --unified_rw_reporting=both
	JSON=both.json
	ssd import both.json -o r.assay
	expect 0
	same ".jobs[0].read.total_ios" ".steps[0].loads[0].read.ios" 0
	same ".jobs[0].write.total_ios" ".steps[0].loads[0].write.ios" 0
	rm r.assay
	fio_run mixed --rw=randrw --unified_rw_reporting=mixed
	refused 2 "cannot be told apart" mixed.json
	# clients of fio 2.6: global options only, which do not say what the job did
	cat > clients.json <<-'JSON'
		{
		  "fio version" : "fio-2.6",
		  "global options" : { "unified_rw_reporting" : "1" },
		  "client_stats" : [ { "jobname" : "a", "groupid" : 0, "error" : 0,
		    "mixed" : { "io_bytes" : 2021176, "bw" : 16653, "iops" : 2252.49, "runtime" : 121363, "total_ios" : 273369,
		      "lat" : { "min" : 431, "max" : 3781314, "mean" : 1782.92, "stddev" : 19405.44 } } } ]
		}
	JSON
	refused 2 "cannot be told apart" clients.json
}

@test "D04 a tab in a job's name, which fio writes as it is, is no obstacle" {
	fio_run $'tab\tbed' --rw=randread
	mv $'tab\tbed.json' tab.json
	refute jq . tab.json > .parsed 2>&1
	ssd import tab.json -o r.assay
	expect 0
	[ "$(result '.steps[0].name')" = $'tab\tbed' ]
}

@test "D12 an option is the job's own, else the global one, else fio's default" {
	jq '.jobs[0]["job options"] = {"rw": "randread"} | .["global options"] = {"rw": "write", "iodepth": "7"}' \
		"$KEPT/normal.json" > global.json
	ssd import global.json -o global.assay
	expect 0
	[ "$(result '.steps[0] | .values.rw + " " + (.loads[0].queue_depth.asked | tostring)' global.assay)" = "randread 7" ]
	ssd import "$KEPT/client.json" -o client.assay
	expect 0
	[ "$(result '[.steps[] | .name + " " + (.values.bs | tostring) + " " + (.loads[0].queue_depth.asked | tostring)] | join(", ")' \
		client.assay)" = "reader 4096 1, writer 4096 2" ]
	jq 'del(.jobs[0]["job options"]) | del(.["global options"])' "$KEPT/normal.json" > none.json
	ssd import none.json -o none.assay
	expect 0
	[ "$(result '.steps[0].values | length' none.assay)" = 0 ]
}

@test "D14 nan, which some programs write, is a missing number and not an obstacle" {
	sed 's/\("bw_dev" : \)[0-9.]*/\1nan/; s/\("iops_stddev" : \)[0-9.]*/\1-nan/' "$KEPT/normal.json" > few.json
	refute jq . few.json > /dev/null 2>&1
	ssd import few.json -o few.assay
	expect 0
	ssd import "$KEPT/normal.json" -o whole.assay
	[ "$(result '.steps[].loads[].read' few.assay)" = "$(result '.steps[].loads[].read' whole.assay)" ]
	sed 's/\("mean" : \)[0-9.]*/\1nan/' "$KEPT/normal.json" > means.json
	ssd import means.json -o means.assay
	expect 0
	[ "$(result '.steps[0].loads[0].read.service_ns.mean' means.assay)" = null ]
	[ "$(result '.steps[0].loads[0].read.ios' means.assay)" = "$(result '.steps[0].loads[0].read.ios' whole.assay)" ]
}

@test "percentiles that are not in the file are told to be missing" {
	fio_run few --rw=randread --percentile_list=50:99.99 --output-format=json
	ssd import few.json -o r.assay
	expect 0
	expect_err 'job "few": median, p99 or p99.9 is not in the file'
}

@test "client and server, and files that are several" {
	ssd import "$KEPT/client.json" -o r.assay
	expect 0
	ssd import "$KEPT/normal.json" "$KEPT/three.json" -o both.assay
	expect 0
	[ "$(query "select count(*) from step" both.assay)" -ge 2 ]
}

# refused CODE TEXT FILE...: nothing is left behind
refused() {
	local code=$1 text=$2
	shift 2
	ssd import "$@" -o r.assay
	expect "$code"
	expect_err "$text"
	[ -z "$out" ]
	[ ! -e r.assay ]
	[ -z "$(ls -A | grep 'r.assay')" ]
}

@test "what cannot be is refused with the reason" {
	echo '{ "jobs": [' > cut.json
	refused 2 "cut.json:2: not valid JSON" cut.json
	echo 'nothing of fio' > words.txt
	refused 2 "words.txt" words.txt
	: > empty.json
	refused 2 "empty.json: the file is empty" empty.json
	echo '{"a": 1}' > other.json
	refused 2 'neither JSON of fio' other.json
	jq '.jobs[0].read.clat_ns.N = 10 * .jobs[0].read.total_ios + 1' "$KEPT/plus.json" > many.json
	refused 2 "many.json" many.json
	refused 2 "cannot be read: No such file" nope.json
	refused 2 "Is a directory" .
	printf '0, 1, 0, 4096\n9500, 1, 0, 4096\n400, 1, 0, 4096\n' > back_bw.1.log
	refused 2 "back_bw.1.log:3" back_bw.1.log
	printf '0, 1, 0, 4096\n' > strange.log
	refused 2 "a log of what?" strange.log
}

@test "a missing name, an existing run and a bad place are mistakes" {
	ssd import "$KEPT/plus.json"
	expect 2
	expect_err "-o RUN.assay"
	echo kept > r.assay
	ssd import "$KEPT/plus.json" -o r.assay
	expect 2
	[ "$(cat r.assay)" = kept ]
	ssd import "$KEPT/plus.json" -o no/such/r.assay
	expect 2
	ssd import -o r.assay
	expect 2
}

@test "a job that fio ran stands beside the same job of ours, by its name and values" {
	printf '[reader]\nrw=randread\nbs=4k\nruntime=1s\n[writer]\nrw=write\nbs=4k\nnumjobs=2\nruntime=1s\n' > ours.plan
	ssd run ours.plan sim:theory,shrink=16 -o ours.assay --progress none
	expect 0
	ssd import "$KEPT/normal.json" -o fio.assay
	expect 0
	ssd compare ours.assay fio.assay --json
	expect 0
	[ "$(jq -r '[.comparisons[].step] | unique | join(" ")' <<< "$out")" = "reader writer" ]
	[[ $out != *"different plans"* ]]
	ssd run ours.plan sim:theory,shrink=16 --set reader.bs=8k -o other.assay --progress none	# another job of that name
	ssd compare other.assay fio.assay --json
	[ "$(jq -r '[.comparisons[].step] | unique | join(" ")' <<< "$out")" = writer ]
}
