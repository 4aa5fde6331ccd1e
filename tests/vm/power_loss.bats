#!/usr/bin/env bats
# The power goes out in the middle of a run. The run file lies on a disk with a write cache of its own: what was not flushed is lost.
# After the reboot it opens, its numbers agree, and all but the last moments are there; and the run goes on with the step it was in.

load vm

setup_file() {
	vm_possible || return 0
	vm_fault_possible || return 0
	vm_prepare
	vm_fault_drive
	mke2fs -q -F -t ext4 "$VM/fault/disk"
	echo "write-cache on" > "$VM/fault/ctl"
	boot
}

boot() {
	vm_start \
		-blockdev "$(vm_disk VM0001 64M)" -device "$(vm_nvme VM0001)" \
		-blockdev "$(vm_fault_disk home)" \
		-device virtio-blk-pci,drive=home,serial=HOME
}

teardown_file() {
	vm_stop
}

setup() {
	vm_scratch
}

@test "after a power cut the run file opens, agrees with itself, has all but the last second, and is resumed to its end" {
	local ran kept
	plan p.plan <<-PLAN
		[done]
		rw=write
		bs=64k
		io_size=4m
		direct=1
		[w]
		rw=randwrite
		bs=4k
		iodepth=4
		direct=1
		runtime=20s
		interval=100ms
	PLAN
	guest <<-'SH'
		mkdir -p /tmp/home
		mount -t ext4 /dev/vda /tmp/home
		ssdassay run p.plan /dev/nvme0n1 --destroy VM0001:1 -o /tmp/home/r.assay --progress none > /dev/null 2>&1 &
		tries=0
		until [ "$(awk '{ print $5 }' /sys/block/nvme0n1/stat)" -gt 300 ]; do
			tries=$((tries + 1))
			[ $tries -lt 300 ] || exit 1
			sleep 0.1
		done
		start=$(awk '{ print int($1 * 1000) }' /proc/uptime)
		sleep 5
		pidof ssdassay > /dev/null || exit
		echo $(($(awk '{ print int($1 * 1000) }' /proc/uptime) - start))
	SH
	expect 0
	vm_kill
	ran=$out
	echo "powercut 1000 7" > "$VM/fault/ctl"
	boot
	guest <<-'SH'
		mkdir -p /tmp/home
		mount -t ext4 /dev/vda /tmp/home || exit
		ls -l /tmp/home
		ssdassay show /tmp/home/r.assay || exit
		ssdassay show --json /tmp/home/r.assay > show.json || exit
		cp /tmp/home/r.assay* .
	SH
	expect 0
	expect_out interrupted "without its end being written"
	[ "$(jq -r .status show.json)" = interrupted ]
	[ "$(sqlite3 r.assay 'pragma integrity_check')" = ok ]
	[ "$(query "select sum(duration_ns) = max(start_ns + duration_ns) from
		(select distinct start_ns, duration_ns from series where step = 2)")" = 1 ]
	kept=$(query "select coalesce(max(start_ns + duration_ns), 0) / 1000000 from series where step = 2")
	echo "ran for more than $ran ms, kept: $kept ms"
	[ "$kept" -ge $((ran - 1000)) ]
	[ "$(jq '.steps[1].loads[0].write.ios' show.json)" = "$(query "select sum(ios) from series where step = 2 and op = 1 and ramp = 0")" ]
	mv show.json before.json
	# the step that was done keeps its numbers, the other one is run to its end
	guest 120 <<-'SH'
		ssdassay run --resume /tmp/home/r.assay --destroy VM0001:1 --progress none || exit
		ssdassay show --json /tmp/home/r.assay > after.json || exit
		cp /tmp/home/r.assay .
	SH
	expect 0
	[ "$(jq -r .status after.json)" = complete ]
	[ "$(jq -c '[.steps[].name]' after.json)" = '["done","w"]' ]
	[ "$(jq -r '[.steps[].status] | unique | join(" ")' after.json)" = complete ]
	kept=$(jq -c '.steps[0].loads[0].write | [.ios, .bytes, .service_ns.mean, .service_ns.max]' before.json)
	[ "$(jq -c '.steps[0].loads[0].write | [.ios, .bytes, .service_ns.mean, .service_ns.max]' after.json)" = "$kept" ]
	[ "$(jq '.steps[0].loads[0].write.bytes' after.json)" = 4194304 ]
	[ "$(query "select duration_ns >= 19.9e9 from step where name = 'w'")" = 1 ]
	[ "$(query "select sum(ios) from series where step = (select id from step where name = 'w')")" = \
		"$(query "select sum(ios) from total where step = (select id from step where name = 'w')")" ]
}
