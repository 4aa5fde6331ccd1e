#!/usr/bin/env bats
# The program on drives of its own, under a kernel of its own: an NVMe drive behind a PCIe port, a SATA and a virtio disk. What it
# says is compared with what the guest's block layer and QEMU counted.

load vm

setup_file() {
	vm_possible || return 0
	vm_prepare
	export APPEND=nvme.poll_queues=1
	vm_start \
		-device pcie-root-port,id=socket,chassis=1 \
		-blockdev "$(vm_disk VM0001 64M)" -device "$(vm_nvme VM0001 ,bus=socket)" \
		-blockdev "$(vm_disk sata 64M)" -device ahci,id=ahci \
		-device ide-hd,drive=sata,bus=ahci.0,serial=VM0002,model=VMSATA \
		-blockdev "$(vm_disk virtio 64M)" -device virtio-blk-pci,drive=virtio,serial=VM0003
}

teardown_file() {
	vm_stop
}

setup() {
	vm_scratch
}

# run_in_guest PLAN TARGET OPTION...: run file r.assay, progress none; $status, $out, $err
run_in_guest() {
	guest 120 <<-SH
		rm -f /tmp/r.assay*
		ssdassay run $* -o /tmp/r.assay --progress none
		code=\$?
		[ ! -e /tmp/r.assay ] || cp /tmp/r.assay r.assay
		exit \$code
	SH
}

sata_id() {
	guest <<< 'ssdassay drives --json'
	jq -r '.drives[] | select(.serial == "VM0002") | .id' <<< "$out"
}

drive_of() {	# serial filter
	jq -r ".drives[] | select(.serial == \"$1\") | $2" drives.json
}

@test "drives: model, serial, id, capacity, firmware, interface of NVMe, SATA and virtio" {
	guest <<-SH
		ssdassay drives --json > drives.json && ssdassay drives
	SH
	expect 0
	expect_out "QEMU NVMe Ctrl" VM0001:1 VMSATA VM0003
	[ "$(drive_of VM0001 '[.id, .model, .path, .interface, .capacity_bytes, .namespace_id] | @csv')" = \
		'"VM0001:1","QEMU NVMe Ctrl","/dev/nvme0n1","nvme",67108864,1' ]
	[ "$(drive_of VM0001 .firmware)" = "$(guest <<< 'cat /sys/class/nvme/nvme0/firmware_rev' && echo $out)" ]
	[ "$(drive_of VM0002 '[.model, .path, .interface, .capacity_bytes] | @csv')" = '"VMSATA","/dev/sda","sata",67108864' ]
	[ "$(drive_of VM0003 '[.id, .path, .interface, .capacity_bytes] | @csv')" = '"VM0003","/dev/vda","virtio",67108864' ]
}

@test "drives: temperature and counters by SMART, and the PCIe link" {
	guest <<< 'ssdassay drives --json > drives.json'
	[ "$(drive_of VM0001 .health.temperature_c)" = 50 ]
	[ "$(drive_of VM0001 .health.warning_c)" = 70 ]
	[ "$(drive_of VM0001 .health.critical_warning)" = 0 ]
	[ "$(drive_of VM0001 '.health.host_read_bytes >= 0')" = true ]
	[ "$(drive_of VM0001 '.links[0] | [.speed_now_gt_per_second, .width_now] | @csv')" = 2.5,1 ]
	[ "$(drive_of VM0001 '.links | length')" = 2 ]
	[ "$(drive_of VM0001 '.not_read | length')" = 0 ]
}

@test "drives: a critical warning of the drive is told" {
	qmp qom-set '{"path": "/machine/peripheral/VM0001", "property": "smart_critical_warning", "value": 4}'
	guest <<< 'ssdassay drives --json > drives.json; ssdassay drives'
	qmp qom-set '{"path": "/machine/peripheral/VM0001", "property": "smart_critical_warning", "value": 0}'
	[ "$(drive_of VM0001 .health.critical_warning)" = 4 ]
	[ "$(drive_of VM0001 '.warnings | length > 0')" = true ]
}

@test "without the drive's id nothing is written" {
	local before target
	before=$(writes_of VM0001)
	[ "$before" -ge 0 ]
	for target in /dev/nvme0n1 /dev/ng0n1; do
		run_in_guest quick $target
		expect 3
		expect_err VM0001:1
		run_in_guest quick $target --destroy VM0002:1
		expect 3
	done
	[ "$(writes_of VM0001)" = "$before" ]
}

@test "a drive with a mounted partition is refused under each of its names, and unmounted it needs --wipe-signatures" {
	local before target
	guest <<-'SH'
		printf 'n\np\n1\n\n\nw\n' | fdisk /dev/nvme0n1
		mke2fs /dev/nvme0n1p1
		sync
		mkdir -p /tmp/mounted
		mount -t ext4 -o ro /dev/nvme0n1p1 /tmp/mounted	# it writes nothing by itself
		for node in generic/ng0n1:c:ng7n7 generic/ng0n1:c:any block/nvme0n1:b:nvme7n7; do
			numbers=$(cat /sys/class/nvme-${node%%:*}/dev /sys/class/${node%%:*}/dev 2> /dev/null)
			type=${node#*:}
			mknod /tmp/${node##*:} ${type%%:*} ${numbers%%:*} ${numbers##*:}
		done
	SH
	expect 0
	before=$(writes_of VM0001)
	[ "$before" -ge 0 ]
	# a node is what its numbers say, whatever name somebody gave it
	for target in /dev/nvme0n1 /dev/ng0n1 /dev/nvme0n1p1 /tmp/ng7n7 /tmp/any /tmp/nvme7n7; do
		run_in_guest quick $target --destroy VM0001:1 --destroy VM0001:1:p1 --wipe-signatures
		expect 3
		expect_err mounted
	done
	[ "$(writes_of VM0001)" = "$before" ]
	guest <<< 'umount /tmp/mounted'
	before=$(writes_of VM0001)
	run_in_guest quick /dev/nvme0n1 --destroy VM0001:1
	expect 3
	expect_err --wipe-signatures
	[ "$(writes_of VM0001)" = "$before" ]
	guest <<< 'blkdiscard /dev/nvme0n1 && partprobe /dev/nvme0n1'
	expect 0
}

@test "quick: the program's bytes are those of the guest's block layer" {
	guest 120 <<-'SH'
		sectors() { awk '{ print $3, $7 }' /sys/block/nvme0n1/stat; }
		one=
		for step in seq-1m-q8t1 seq-1m-q1t1 rnd-4k-q32t16 rnd-4k-q1t1; do
			one="$one --set $step.repeat=1"
		done
		rm -f /tmp/r.assay*
		sync
		sectors > before
		ssdassay run quick /dev/nvme0n1 --destroy VM0001:1 --scale 0.02 $one -o /tmp/r.assay --progress none
		code=$?
		sectors > after
		cp /tmp/r.assay r.assay
		exit $code
	SH
	expect 0
	[ "$(result .status)" = complete ]
	[ "$(result '.steps | length')" -ge 13 ]
	[ "$(result '[.checks[] | select(.name == "bytes_match_block_layer").result] | unique | join(" ")')" = passed ]
	[ "$(query "select sum(errors) from total")" = 0 ]
	local read_before written_before read_after written_after
	read -r read_before written_before < before
	read -r read_after written_after < after
	[ $(((written_after - written_before) * 512)) = "$(query "select sum(bytes) from total where op = 1")" ]
	[ "$(query "select sum(json_extract(data_json, '$.read_bytes')) from event where kind = 'block_layer'")" = \
		"$(query "select sum(bytes) from total where op = 0")" ]
	# the guard's looks at the drive between the steps are on top
	[ $(((read_after - read_before) * 512)) -ge "$(query "select sum(bytes) from total where op = 0")" ]
}

fill_and_purge() {	# method line
	plan p.plan <<-PLAN
		[w]
		rw=write
		bs=1m
		direct=1
		[p]
		kind=purge
		$1
	PLAN
	run_in_guest p.plan /dev/nvme0n1 --destroy VM0001:1
}

image_is_zero() {
	[ "$(tr -d '\0' < "$VM/VM0001.img" | head -c 1 | wc -c)" = 0 ]
}

@test "purge: the whole drive is deallocated and reads back as zeros" {
	fill_and_purge ""
	expect 0
	[ "$(query "select sum(bytes) from total where op = 1")" = 67108864 ]
	image_is_zero
	[ "$(du -k "$VM/VM0001.img" | cut -f 1)" -lt 1024 ]
}

@test "purge with method=format: an NVMe format of the namespace" {
	fill_and_purge method=format
	expect 0
	[ "$(query "select note from step where kind = 'purge'")" = format ]
	[ "$(query "select sum(bytes) from total where op = 1")" = 67108864 ]
	image_is_zero
}

@test "purge by a method that the drive has not: refused before anything is written, with what it has" {
	local before
	before=$(writes_of VM0001)
	fill_and_purge method=sanitize
	expect 4
	expect_err "has no sanitize" "method=format"
	plan p.plan <<-PLAN
		[p]
		kind=purge
		method=secure_erase
	PLAN
	run_in_guest p.plan /dev/nvme0n1 --destroy VM0001:1
	expect 4
	expect_err "only a whole SATA drive can"
	run_in_guest p.plan /dev/sda --destroy "$(sata_id)"
	expect 4
	expect_err "no ATA security feature set"
	[ "$(writes_of VM0001)" = "$before" ]
}

@test "what the drive wrote into its error log is read, and a question of ours does not fill it" {
	guest 60 <<-'SH'
		ssdassay drives --json > before.json
		for i in 1 2 3; do ssdassay drives > text; done
		ssdassay drives --json > after.json
	SH
	expect 0
	[ "$(jq '.drives[] | select(.serial == "VM0001") | .error_log | type' before.json)" = '"array"' ]
	[ "$(jq '.drives[] | select(.serial == "VM0001") | .power_states | length > 0' before.json)" = true ]
	[ "$(jq '.drives[] | select(.serial == "VM0001") | .health.nand_log' after.json)" = 0 ]
}

@test "a run file on a file system that makes flock() a lock of all bytes (9p) is written and read" {
	plan p.plan <<-PLAN
		[r]
		rw=randread
		bs=4k
		io_size=1m
		direct=1
	PLAN
	guest 120 <<-'SH'
		ssdassay run p.plan /dev/nvme0n1 --allow-unwritten -o /share/far.assay --progress none || exit
		ssdassay show far.assay > far.txt || exit
		[ ! -e far.assay-wal ]
	SH
	expect 0
	[ "$(query "select status from run" far.assay)" = complete ]
}

# Loads of WORDS "rw bs iodepth bytes ..." by NVMe commands: none may fail, and QEMU must have seen them all.
pass_through() {
	local before after rw bs iodepth bytes number=0
	before=$(($(reads_of VM0001) + $(writes_of VM0001)))
	while read -r rw bs iodepth bytes; do
		number=$((number + 1))
		plan $number.plan <<-PLAN
			[g]
			ioengine=io_uring_cmd
			rw=$rw
			bs=$bs
			iodepth=$iodepth
			io_size=$bytes
			direct=1
		PLAN
	done
	guest 120 <<-'SH'
		for plan in *.plan; do
			run=${plan%.plan}.assay
			ssdassay run $plan /dev/ng0n1 --destroy VM0001:1 --allow-unwritten -o /tmp/$run --progress none || exit
			mv /tmp/$run .
		done
	SH
	expect 0
	after=$(($(reads_of VM0001) + $(writes_of VM0001)))
	loads_agree $((after - before))
}

loads_agree() {	# operations that QEMU saw
	local run ios=0
	for run in [0-9]*.assay; do
		echo "$run: $(query "select sum(ios), sum(bytes), sum(errors) from total" "$run")"
		[ "$(result '.steps[0].loads[0].engine' "$run")" = io_uring_cmd ]
		[ "$(query "select sum(errors) from total" "$run")" = 0 ]
		[ "$(query "select sum(bytes) from total" "$run")" = "$(sed -n s/io_size=//p "${run%.assay}.plan")" ]
		ios=$((ios + $(query "select sum(ios) from total" "$run")))
	done
	echo "$ios I/Os, $1 of them seen by QEMU"
	[ $ios -gt 1000 ]
	[ "$1" -ge $ios ]
	[ "$1" -lt $((ios * 2)) ]
}

@test "NVMe passthrough: no I/O fails at any depth, and each is a command that the drive has seen" {
	pass_through <<-LOADS
		randread 4k 1 2097152
		randread 4k 4 4194304
		randrw 4k 1 2097152
		randrw 4k 4 4194304
		randwrite 4k 4 4194304
		randwrite 4k 32 4194304
	LOADS
}

@test "NVMe passthrough: sizes from one block up to the drive's largest command" {
	pass_through <<-LOADS
		randread 512 4 524288
		randwrite 512 4 524288
		randrw 128k 4 16777216
		read 512k 2 16777216
	LOADS
}

@test "NVMe passthrough with hipri says that this kernel cannot poll commands, and runs without" {
	plan g.plan <<-PLAN
		[g]
		ioengine=io_uring_cmd
		rw=randread
		bs=4k
		hipri=1
		io_size=1m
		direct=1
	PLAN
	run_in_guest g.plan /dev/ng0n1 --destroy VM0001:1 --allow-unwritten
	echo "$status $err"
	[[ $status = [0234] && "$out$err" == *"6.5"* ]]
}

@test "polled queues: the completions of a load with hipri come without interrupts" {
	local hipri interrupts
	for hipri in 0 1; do
		plan h.plan <<-PLAN
			[h]
			rw=randread
			bs=4k
			iodepth=4
			io_size=8m
			direct=1
			hipri=$hipri
		PLAN
		guest <<-'SH'
			interrupts() { awk '/nvme0q/ { sum += $2 } END { print sum }' /proc/interrupts; }
			rm -f /tmp/r.assay*
			before=$(interrupts)
			ssdassay run h.plan /dev/nvme0n1 --destroy VM0001:1 --allow-unwritten -o /tmp/r.assay --progress none || exit
			echo interrupts $(($(interrupts) - before))
			cp /tmp/r.assay r.assay
		SH
		expect 0
		[ "$(query "select sum(ios), sum(errors) from total")" = "2048|0" ]
		interrupts=$(sed -n 's/^interrupts //p' <<< "$out")
		echo "hipri=$hipri: $interrupts interrupts"
		[ $hipri = 1 ] || [ "$interrupts" -gt 300 ]
		[ $hipri = 0 ] || [ "$interrupts" -lt 300 ]
	done
}

@test "a write cache that a killed run turned off is on again after the resume, SATA and NVMe" {
	local name serial id
	for name in sda nvme0n1; do
		serial=$([ $name = sda ] && echo VM0002 || echo VM0001)
		guest <<< 'ssdassay drives --json > drives.json'
		id=$(drive_of $serial .id)
		plan w.plan <<-PLAN
			[off]
			write_cache=off
			rw=randwrite
			bs=4k
			runtime=10m
			interval=100ms
			[after]
			rw=randread
			bs=4k
			io_size=64k
		PLAN
		guest <<-SH
			caches() { cat /sys/class/block/sda/device/scsi_disk/*/cache_type; }
			rm -f /tmp/r.assay*
			caches > before
			writes=\$(awk '{ print \$5 }' /sys/block/$name/stat)
			ssdassay run w.plan /dev/$name --destroy $id -o /tmp/r.assay --progress none &
			pid=\$!
			tries=0
			until [ "\$(awk '{ print \$5 }' /sys/block/$name/stat)" -gt \$((writes + 50)) ]; do
				tries=\$((tries + 1))
				[ \$tries -lt 300 ] || exit 98
				sleep 0.1
			done
			kill -9 \$pid
			caches > during
			cp /tmp/r.assay* .
		SH
		expect 0
		sqlite3 r.assay "update run set plan_text = replace(plan_text, 'runtime=10m', 'runtime=300ms')"
		[ "$(query "select json_extract(data_json, '\$.on') || json_extract(data_json, '\$.before_run') from event where kind = 'write_cache'")" = 01 ]
		[ "$name" != sda ] || [ "$(cat before during | tr '\n' ,)" = "write back,write through," ]
		guest <<-SH
			rm -f /tmp/r.assay*
			cp r.assay /tmp/
			ssdassay run --resume /tmp/r.assay --destroy $id --progress none || exit
			cat /sys/class/block/sda/device/scsi_disk/*/cache_type > after
			cp /tmp/r.assay r.assay
		SH
		expect 0
		cmp before after
		[ "$(query "select text like '%turned back on' from event where kind = 'write_cache' order by rowid desc limit 1")" = 1 ]
		[ "$(query "select count(*) from event where kind = 'write_cache' and data_json is null")" = 0 ]
		rm -f r.assay*
	done
}

# This drive always has 50 degrees, which are read from its own log: it is as cool as at the start at once, and is not waited for.
@test "until=cool asks a real drive for its temperature and goes on when it has that of the start" {
	cat > cool.plan <<-'PLAN'
		[read]
		rw=randread
		bs=4k
		runtime=300ms
		[cool]
		kind=idle
		until=cool
		max=time:50s
		runtime=100s
	PLAN
	guest 90 <<-'SH'
		rm -f /tmp/r.assay*
		ssdassay run cool.plan /dev/nvme0n1 --allow-unwritten -o /tmp/r.assay --progress none
		code=$?
		cp /tmp/r.assay r.assay
		exit $code
	SH
	expect 0
	[ "$(query "select status_text from step where name = 'cool'")" = cool ]
	[ "$(query "select duration_ns < 50e9 from step where name = 'cool'")" = 1 ]
	[[ $(query "select text from event where kind = 'cooling'") == "'cool': cool after "*": 50 "*"C, 50 "*" when the run began" ]]
	[ "$(query "select count(*) > 0 from telemetry join telemetry_name n on n.id = telemetry.name
		where n.name = 'temperature_c' and value = 50")" = 1 ]
}

@test "until=cool of a resumed run waits for the temperature of its first part" {
	cat > cool.plan <<-'PLAN'
		[read]
		rw=randread
		bs=4k
		runtime=10m
		[cool]
		kind=idle
		until=cool
		max=time:3s
		runtime=100s
	PLAN
	guest 90 <<-'SH'
		rm -f /tmp/r.assay*
		ssdassay run cool.plan /dev/nvme0n1 --allow-unwritten -o /tmp/r.assay --progress none &
		pid=$!
		tries=0
		until [ "$(stat -c %s /tmp/r.assay-wal 2> /dev/null || echo 0)" -gt 200000 ]; do
			tries=$((tries + 1))
			[ $tries -lt 300 ] || exit 98
			sleep 0.1
		done
		sleep 3
		kill -9 $pid
		cp /tmp/r.assay* .
	SH
	expect 0
	temperatures="from telemetry join telemetry_name n on n.id = telemetry.name where n.name = 'temperature_c'"
	[ "$(query "select count(*) > 0 $temperatures")" = 1 ]
	sqlite3 r.assay "update telemetry set value = 20 where rowid in (select telemetry.rowid $temperatures limit 1)"
	sqlite3 r.assay "update run set plan_text = replace(plan_text, 'runtime=10m', 'runtime=300ms')"
	guest 90 <<-'SH'
		rm -f /tmp/r.assay*
		cp r.assay /tmp/
		ssdassay run --resume /tmp/r.assay --progress none
		code=$?
		cp /tmp/r.assay r.assay
		exit $code
	SH
	expect 0
	[[ $(query "select text from event where kind = 'cooling'") == "'cool': not cool after "*": 50 "*"C, 20 "*" when the run began" ]]
}
