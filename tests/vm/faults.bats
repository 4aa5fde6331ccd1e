#!/usr/bin/env bats
# NVMe drives that fail: one with a bad block, one that hangs, one that is pulled out. Errors are data: they are counted, kept with
# their place, named to the user; and what was measured until then can be opened.

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

moving() {	# serial reads: more than that since begin
	[ "$(reads_of "$1")" -gt "$2" ]
}

in_use() {	# until the load has done some hundred reads; the guard does some hundred, too
	until_true 20 moving "$1" $(($2 + 1000))
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
	load_plan io_uring 6s
	before=$(reads_of VMHANG)
	begin VMHANG
	in_use VMHANG "$before"
	fault hang 2
	guest_end
	expect 0
	[ "$(query "select max(max_ns) between 1900e6 and 2900e6 from total_latency")" = 1 ]
	[ "$(query "select count(*) between 1 and 4 from outlier where service_ns > 1900e6")" = 1 ]
	[ "$(query "select max(service_ns) from outlier")" = "$(query "select max(max_ns) from total_latency where op = 0")" ]
	[ "$(query "select stall_longest_ns > 1800e6 from step")" = 1 ]
	[ "$(result '.steps[0].loads[0].read.slow_ios.ge_1s')" -ge 1 ]
}

@test "Ctrl-C while the drive hangs: the prompt comes back long before the hang ends" {
	need_fault
	local before engine
	for engine in io_uring psync io_uring_cmd; do
		fault reset
		load_plan $engine 60s
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
		fault hang 25
		sleep 0.5
		: > hangs
		until_true 15 test -e ended
		fault reset
		guest_end
		expect 130
		awk '{ print "ended after " $2 - $1 " s"; exit !($2 - $1 < 8) }' times	# quiet: below one; emulated and not alone: more
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
		load_plan $engine 60s
		before=$(reads_of VMGONE)
		begin VMGONE
		in_use VMGONE "$before"
		qmp device_del '{"id": "VMGONE"}'
		guest_end 30
		expect 4
		echo "$err"
		expect_err "I/O failed"
		[ "$(result .status)" = failed ]
		[ "$(query "select ios > 0 from total where op = 0")" = 1 ]
		[ "$(query "select sum(ios) from series")" = "$(query "select sum(ios) from total")" ]
		[ "$(query "select max(result) from outlier where result < 0")" != "" ]
		until_true 10 gone
		qmp device_add '{"driver": "nvme", "id": "VMGONE", "serial": "VMGONE", "drive": "VMGONE", "bus": "socket"}'
	done
}
