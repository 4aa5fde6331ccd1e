#!/usr/bin/env bats
# NVMe drives that fail: one with a bad block, one that hangs, one that is pulled out; and a clock that is set. Errors are data: they
# are counted, kept with their place, named to the user; and what was measured until then can be opened.

load vm

BAD_BLOCK=12345		# of 4 KiB, on VMBAD

setup_file() {
	vm_possible || return 0
	vm_prepare
	local hanging=()
	if [ -x "${FAULT_DRIVE:-}" ] && [ -w /dev/fuse ]; then
		vm_fault_drive
		hanging=(-blockdev "$(vm_fault_disk VMHANG)" -device "$(vm_nvme VMHANG)")
	fi
	vm_start "${hanging[@]}" \
		-blockdev "$(bad_disk)" -device "$(vm_nvme VMBAD)" \
		-device pcie-root-port,id=socket,chassis=1 \
		-blockdev "$(vm_disk VMGONE 64M)" -device "$(vm_nvme VMGONE ,bus=socket)"
}

teardown_file() {
	vm_stop
}

setup() {
	vm_scratch
}

# Reads of one 512-byte sector fail.
bad_disk() {
	truncate -s 64M "$VM/bad.img"
	echo "driver=blkdebug,node-name=VMBAD,image.driver=file,image.filename=$VM/bad.img,inject-error.0.event=none,\
inject-error.0.iotype=read,inject-error.0.errno=5,inject-error.0.sector=$((BAD_BLOCK * 8)),inject-error.0.once=off"
}

need_fault() {
	[ -e "$VM/fault/ctl" ] || skip "the fault drive cannot run (fuse3, /dev/fuse)"
	fault reset
}

fault() {
	echo "$*" > "$VM/fault/ctl"
}

load_plan() {	# engine runtime
	plan f.plan <<-PLAN
		[f]
		ioengine=$1
		rw=randread
		bs=4k
		direct=1
		runtime=$2
		interval=100ms
		$([ "$1" = psync ] || echo iodepth=4)
	PLAN
}

# begin SERIAL [SH]: runs f.plan on that drive; SH, meanwhile, with the program's process as $pid
begin() {
	guest_start <<-SH
		rm -f /tmp/r.assay*
		target=\$(drive $1) || exit 99
		case "\$(cat f.plan)" in *io_uring_cmd*) target=/dev/ng\${target#/dev/nvme};; esac
		ssdassay run f.plan \$target --destroy $1:1 --allow-unwritten -o /tmp/r.assay --progress none &
		pid=\$!
		${2:-}
		wait \$pid
		code=\$?
		cp /tmp/r.assay r.assay
		exit \$code
	SH
}

# A run is never waited for by time: it is long, and ends when the guest sees the file "stop".
INTERRUPT='
	until [ -e stop ]; do usleep 50000; done
	kill -INT $pid'

moving() {	# serial reads: more than that since begin
	[ "$(reads_of "$1")" -gt "$2" ]
}

in_use() {	# until the load has done some hundred reads; the guard does some hundred, too
	until_true 120 moving "$1" $(($2 + 1000))
}

goes_on() {	# serial: what is in flight comes back, and more
	until_true 120 moving "$1" $(($(reads_of "$1") + 50))
}

@test "a media error is counted with its offset, and the run goes on" {
	local engine
	for engine in io_uring psync io_uring_cmd; do
		plan f.plan <<-PLAN
			[f]
			ioengine=$engine
			rw=read
			bs=4k
			offset=$(((BAD_BLOCK - 100) * 4096))
			size=800k
			direct=1
			io_size=1600k
		PLAN
		begin VMBAD
		guest_end
		expect 0
		expect_out "I/Os failed"
		[ "$(query "select ios, errors from total where op = 0")" = "398|2" ]
		[ "$(query "select distinct offset, result from outlier where result < 0")" = "$((BAD_BLOCK * 4096))|-61" ]
		[ "$(result '.checks[] | select(.name == "no_io_errors").result')" = failed ]
		[ "$(result .status)" = complete ]
	done
}

@test "a hang of seconds is one outlier, as long as it was" {
	need_fault
	local before
	load_plan io_uring 30m
	before=$(reads_of VMHANG)
	begin VMHANG "$INTERRUPT"
	in_use VMHANG "$before"
	fault hang 2
	sleep 2
	goes_on VMHANG
	: > stop
	guest_end 120
	expect 130
	[ "$(query "select max(max_ns) > 1900e6 from total_latency")" = 1 ]
	[ "$(query "select count(*) >= 1 from outlier where service_ns > 1900e6")" = 1 ]
	[ "$(query "select max(service_ns) from outlier")" = "$(query "select max(max_ns) from total_latency where op = 0")" ]
	[ "$(query "select stall_longest_ns > 1800e6 from step")" = 1 ]
	[ "$(result '.steps[0].loads[0].read.slow_ios.ge_1s')" -ge 1 ]
}

@test "the kernel's time-out and abort of a command: told by the kernel, one long outlier here, and the run goes on" {
	need_fault
	local before
	load_plan io_uring 30m
	before=$(reads_of VMHANG)
	begin VMHANG '
		queue=/sys/block/${target#/dev/}/queue/io_timeout
		was=$(cat $queue)
		echo 2000 > $queue'"$INTERRUPT"'
		wait $pid
		code=$?
		echo $was > $queue
		dmesg | grep -i timeout
		cp /tmp/r.assay r.assay
		exit $code'
	in_use VMHANG "$before"
	fault hang 5
	sleep 5
	goes_on VMHANG
	: > stop
	guest_end 120
	echo "$out"
	expect 130
	expect_out "aborting"
	[ "$(result .status)" = interrupted ]
	# back after the hang, or given up by the kernel when the second time-out had reset the drive
	[ "$(query "select max(service_ns) > 1900e6 from outlier")" = 1 ]
	[ "$(query "select stall_longest_ns > 1900e6 from step")" = 1 ]
	[ "$(query "select sum(errors) from series")" = "$(query "select sum(errors) from total")" ]
	[ "$(query "select sum(ios) from series")" = "$(query "select sum(ios) from total")" ]
}

@test "the clock set back and forth by a day moves nothing on the run's axis" {
	local before
	load_plan io_uring 30m
	before=$(reads_of VMGONE)
	begin VMGONE '
		while [ ! -e stop ]; do
			date -s @$(($(date +%s) - 86400)) > /dev/null
			usleep 300000
			date -s @$(($(date +%s) + 86400)) > /dev/null
			usleep 300000
			echo >> steps
		done'"$INTERRUPT"
	in_use VMGONE "$before"
	local steps
	steps=$(cat steps | wc -l)
	until_true 120 sh -c "[ \"\$(cat steps | wc -l)\" -ge $((steps + 5)) ]"
	: > stop
	guest_end 120
	expect 130
	# a day would show; an hour is more than any machine needs for this
	[ "$(query "select duration_ns between 1.5e9 and 3600e9 from step")" = 1 ]
	no_gaps
	[ "$(query "select max(max_ns) < 3600e9 from total_latency")" = 1 ]
	[ "$(query "select min(t_ns) >= 0 and max(t_ns) < 3600e9 from telemetry")" = 1 ]
	[ "$(query "select min(t_ns) >= 0 and max(t_ns) < 3600e9 from event")" = 1 ]
	[ "$(query "select duration_ns < 3600e9 and wall_duration_ns < 3600e9 from run")" = 1 ]
}

@test "Ctrl-C while the drive hangs: the prompt comes back long before the hang ends" {
	need_fault
	local before engine
	for engine in io_uring psync io_uring_cmd; do
		fault reset
		load_plan $engine 30m
		before=$(reads_of VMHANG)
		begin VMHANG '
			until [ -e hangs ]; do usleep 50000; done
			start=$(cut -d " " -f 1 /proc/uptime)
			kill -INT $pid
			wait $pid
			code=$?
			echo "$start $(cut -d " " -f 1 /proc/uptime)" > times
			cp /tmp/r.assay r.assay
			: > ended
			exit $code'
		in_use VMHANG "$before"
		fault hang 3000
		sleep 0.5
		: > hangs
		until_true 300 test -e ended	# while it hangs
		fault reset
		guest_end 120
		expect 130
		awk '{ print "ended after " $2 - $1 " s" }' times
		[ "$(result .status)" = interrupted ]
		[ "$(result '[.events[] | select(.kind == "unfinished")] | length')" -ge 1 ]
		[ "$(query "select sum(ios) from series")" = "$(query "select sum(ios) from total")" ]
		rm hangs ended
	done
}

gone() { ! qmp qom-get '{"path": "/machine/peripheral/VMGONE", "property": "serial"}' > /dev/null 2>&1; }

@test "a drive that is pulled out ends the run: 4, named, and the part before it is kept" {
	local before engine
	for engine in io_uring psync io_uring_cmd; do
		load_plan $engine 30m
		before=$(reads_of VMGONE)
		begin VMGONE
		in_use VMGONE "$before"
		qmp device_del '{"id": "VMGONE"}'
		guest_end 120
		expect 4
		echo "$err"
		expect_err "/dev/n" "I/O failed"
		target=$(result '.drives[0].target')
		[[ $target = /dev/n[vg]* ]]
		expect_err "$target: I/O failed"
		[ "$(result .status)" = failed ]
		[ "$(query "select ios > 0 from total where op = 0")" = 1 ]
		[ "$(query "select sum(ios) from series")" = "$(query "select sum(ios) from total")" ]
		[ "$(query "select max(result) from outlier where result < 0")" != "" ]
		until_true 10 gone
		qmp device_add '{"driver": "nvme", "id": "VMGONE", "serial": "VMGONE", "drive": "VMGONE", "bus": "socket"}'
	done
}

@test "a drive that was pulled out and is back: --resume goes on with the step that it was in" {
	local before totals
	load_plan io_uring 30m
	printf '[first]\nioengine=io_uring\nrw=randread\nbs=4k\ndirect=1\nio_size=64k\n' | cat - f.plan > both.plan
	mv both.plan f.plan
	before=$(reads_of VMGONE)
	begin VMGONE
	in_use VMGONE "$before"
	qmp device_del '{"id": "VMGONE"}'
	guest_end 120
	expect 4
	[ "$(query "select group_concat(name || ' ' || status, ', ') from step")" = "first complete, f failed" ]
	totals=$(query "select * from total where step = (select min(id) from step)")
	until_true 10 gone
	qmp device_add '{"driver": "nvme", "id": "VMGONE", "serial": "VMGONE", "drive": "VMGONE", "bus": "socket"}'
	sqlite3 r.assay "update run set plan_text = replace(plan_text, 'runtime=30m', 'runtime=300ms')"
	guest 120 <<-SH
		drive VMGONE || exit 99
		rm -f /tmp/r.assay*
		cp r.assay /tmp/r.assay
		ssdassay run --resume /tmp/r.assay --destroy VMGONE:1 --progress none
		code=\$?
		cp /tmp/r.assay r.assay
		exit \$code
	SH
	expect 0
	[ "$(result .status)" = complete ]
	[ "$(query "select group_concat(name || ' ' || status, ', ') from step")" = "first complete, f complete" ]
	[ "$(query "select * from total where step = (select min(id) from step)")" = "$totals" ]
	sums_agree
}
