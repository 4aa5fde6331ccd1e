#!/usr/bin/env bats
# kind=mkfs: file systems that a run makes, measures on and takes away again. Needs root and loop devices, but for the skipped ones.

load common

setup() {
	cli_start
}

teardown() { cli_stop; }

# fs_plan NAME RUNTIME: make, fill, write.
fs_plan() {
	plan fs.plan <<-PLAN
		[make]
		kind=mkfs
		fs=$1
		size=40%
		[fill]
		kind=fill
		on=make
		until=written:1r
		[w]
		on=make
		rw=randwrite
		bs=4k
		iodepth=4
		runtime=$2
		interval=100ms
	PLAN
}

can_make() {
	command -v "mkfs.$1" > /dev/null || skip "no mkfs.$1"
	modprobe -q "$1" 2> /dev/null || true
	grep -qw "$1" /proc/filesystems || skip "this kernel has no $1"
}

# Nothing is left: no signature, no mount in any namespace, no directory of ours.
is_clean() {
	[ -z "$(wipefs "$LOOP")" ] && ! grep -lsq "$LOOP " /proc/*/mountinfo && [ -z "$(directories)" ]
}

directories() {
	query "select data from event where kind = 'file_system'" | jq -r .directory | while read -r directory; do
		[ ! -e "$directory" ] || echo "$directory"
	done
}

# The random writes are under way: their step has intervals.
writes_run() {
	until_shows "select count(*) > 0 from series join step on step.id = series.step where step.name = 'w'"
}

family() {
	local child
	echo "$1"
	for child in $(cat "/proc/$1/task/$1/children"); do
		family "$child"
	done
}

measured_on() {
	loop_disk 320M
	fs_plan "$1" 1s
	run_plan fs.plan "$LOOP" --destroy "$ID"
	expect 0
	[ "$(result '.steps[] | select(.name == "w") | .status')" = complete ]
	[ "$(result '[.steps[] | select(.name == "w") | .loads[0].write.ios] | add > 0')" = true ]
	[ "$(query "select count(*) from event where kind = 'skipped'")" = 0 ]
	# 40 % of 320 MiB, all of it written
	[ "$(result '.steps[] | select(.name == "fill") | .loads[0].write.bytes')" = 134217728 ]
	is_clean
}

@test "ext4 is made, measured on, and gone afterwards" {
	can_make ext4
	measured_on ext4
}

@test "xfs is made, measured on, and gone afterwards" {
	can_make xfs
	measured_on xfs
}

@test "btrfs is made, measured on, and gone afterwards" {
	can_make btrfs
	measured_on btrfs
}

@test "ntfs is made, measured on, and gone afterwards" {
	command -v mkfs.ntfs > /dev/null || skip "no mkfs.ntfs"
	grep -qw ntfs3 /proc/filesystems || { command -v ntfs-3g > /dev/null && [ -w /dev/fuse ]; } || skip "neither ntfs3 nor ntfs-3g"
	measured_on ntfs
}

@test "raw-vs-fs measures the same loads on the same share of the drive and of each file system" {
	can_make ext4
	loop_disk 320M
	run_plan raw-vs-fs "$LOOP" --destroy "$ID" --scale 0.001 --set where.vary.fs="raw ext4" --set interval=10ms
	expect 0
	[ "$(result '[.steps[] | select(.name == "random") | .values.fs] | unique | join(" ")')" = "ext4 raw" ]
	[ "$(result '[.steps[] | select(.name == "fill") | .loads[0].write.bytes] | unique | length')" = 1 ]
	[ "$(result '[.steps[] | select(.kind == "load" and .status != "complete")] | length')" = 0 ]
	is_clean

	# what it cost, load by load: the rates of both steps, and an interval around their quotient
	[ "$(result '.findings[] | select(.kind == "file_system") | .data.fs')" = ext4 ]
	[ "$(result '.findings[] | select(.kind == "file_system") | .data.points | length')" = 8 ]
	result '.steps as $steps | [.findings[] | select(.kind == "file_system") | .data.points[] |
		. as $p | ($steps[] | select(.id == $p.step_id) | [.loads[][("read", "write")].iops] | add) /
		($steps[] | select(.id == $p.raw_step_id) | [.loads[][("read", "write")].iops] | add) / .ratio |
		. > 0.99 and . < 1.01] | all' > agree
	[ "$(cat agree)" = true ]
	[ "$(result '[.findings[] | select(.kind == "file_system") | .data.points[] | .low < .ratio and .ratio < .high] | all')" = true ]
	ssd report r.assay -o page.html
	expect 0
	grep -q "Raw drive and file systems" page.html
	grep -q "seq rw=write &#xb7; ext4\|seq rw=write · ext4" page.html
}

@test "check says which file systems will be skipped, and why; on what can be made none is" {
	fs_plan ext4 1s
	ssd check fs.plan sim:theory,shrink=64
	expect 0
	expect_out "will be skipped: ext4, and all that is on it (counted above): sim:theory,shrink=64 is no block device"
	mkdir dir
	ssd check raw-vs-fs dir/
	expect 0
	expect_out "will be skipped: ext4, xfs, btrfs, ntfs, and all that is on them (counted above): dir/ is no block device"
	loop_disk 320M
	ssd check fs.plan "$LOOP" --destroy "$ID"
	expect 0
	[[ "$out" != *skipped* ]]
}

@test "ntfs that a program in user space serves is told with a warning" {
	command -v mkfs.ntfs > /dev/null || skip "no mkfs.ntfs"
	grep -qw ntfs3 /proc/filesystems || { command -v ntfs-3g > /dev/null && [ -w /dev/fuse ]; } || skip "neither ntfs3 nor ntfs-3g"
	loop_disk 320M
	plan both.plan <<-'END'
	[where]
	kind=group
	vary.fs=raw ntfs
	[make]
	in=where
	kind=mkfs
	fs=@fs
	size=40%
	[w]
	in=where
	on=make
	rw=write
	bs=64k
	direct=1
	runtime=1s
	END
	run_plan both.plan "$LOOP" --destroy "$ID"
	expect 0
	mounted=$(query "select json_extract(data_json, '$.mounted_as') from event where kind = 'file_system'")
	fuse=$(result '.findings[] | select(.kind == "file_system").data.through_fuse')
	if [ "$mounted" = fuseblk ]; then
		[ "$fuse" = true ]
		expect_out "Warning: it was served by a program in user space (FUSE), through the page cache"
	else
		[ "$fuse" = false ]
		[[ "$out" != *FUSE* ]]
	fi
}

@test "what cannot be made is skipped with the reason, and so is what is on it" {
	fs_plan ext4 1s
	run_plan fs.plan sim:theory,shrink=64
	expect 4	# nothing is left to measure
	[ "$(query "select text from event where kind = 'skipped'")" = \
		"make: fs=ext4 skipped, and all that is on it: sim:theory,shrink=64 is no block device, so no file system can be made on it" ]
	[ "$(result '[.steps[].name] | join(" ")')" = make ]
	ssd show r.assay
	expect_out "fs=ext4 skipped"
}

@test "fs=raw uses the share that a file would have, on simulated drives too" {
	fs_plan raw 1s
	run_plan fs.plan sim:theory,shrink=64
	expect 0
	[ "$(result '.steps[] | select(.name == "fill") | .loads[0].write.bytes')" = \
		"$(result '.drives[0].capacity_bytes * 0.4 / 1048576 | floor * 1048576')" ]
}

@test "a drive with somebody's file system still asks for --wipe-signatures" {
	can_make ext4
	loop_disk 64M
	mkfs.ext4 -q "$LOOP"
	before=$(sha256sum < "$DISK")
	fs_plan ext4 1s
	run_plan fs.plan "$LOOP" --destroy "$ID"
	expect 3
	[ "$(sha256sum < "$DISK")" = "$before" ]
}

@test "a step that uses the drive itself ends the file system; what is on= it after that fails with words" {
	can_make ext4
	loop_disk 64M
	fs_plan ext4 100ms
	cat >> fs.plan <<-PLAN
		[raw]
		rw=randwrite
		bs=4k
		runtime=100ms
		[late]
		on=make
		rw=randwrite
		bs=4k
		runtime=100ms
	PLAN
	run_plan fs.plan "$LOOP" --destroy "$ID"
	expect 4
	[ "$(result '.steps[] | select(.name == "raw") | .status')" = complete ]
	expect_err "step 'late': the file system of 'make' is gone"
	is_clean
}

@test "SIGINT: 130, and the file system is gone soon" {
	can_make ext4
	loop_disk 320M
	fs_plan ext4 600s
	background run fs.plan "$LOOP" --destroy "$ID" --progress none -o r.assay
	writes_run
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	until_true 60 is_clean
}

@test "the run's process is killed: the keeper unmounts and wipes by itself" {
	can_make ext4
	loop_disk 320M
	fs_plan ext4 600s
	background run fs.plan "$LOOP" --destroy "$ID" --progress none -o r.assay
	writes_run
	kill -KILL "$PID"
	wait "$PID" || true
	until_true 60 is_clean
}

@test "all are killed: nothing stays mounted, the label tells whose it was, and --resume goes on and cleans up" {
	can_make ext4
	loop_disk 320M
	fs_plan ext4 600s
	background run fs.plan "$LOOP" --destroy "$ID" --progress none -o r.assay --set w.runtime=600s
	writes_run
	# shellcheck disable=SC2046 # one word each
	kill -KILL $(family "$PID")
	wait "$PID" || true
	until_true 60 sh -c "! grep -lsq '$LOOP ' /proc/*/mountinfo"
	comes_free "$LOOP"	# the kernel takes the file system down after the mount has gone
	[ "$(blkid -p -s LABEL -o value "$LOOP")" = ssdassay ]

	ssd check fs.plan "$LOOP" --destroy "$ID"
	expect 3
	expect_out "label ssdassay"

	background run --resume r.assay "$LOOP" --destroy "$ID" --progress none
	until_shows "select count(*) from event where kind = 'preconditioned'"
	writes_run
	kill -INT "$PID"
	ended
	until_true 60 is_clean
	# made and filled once more
	[ "$(query "select count(*) from step where name = 'prepare'")" = 2 ]
}

@test "a run of which everything was skipped is no success" {
	mkdir folder
	printf '[m]\nkind=mkfs\nfs=ext4\n' > only.plan
	ssd run only.plan folder/ -o r.assay --progress none
	expect 4
	expect_err "nothing was measured: every step was skipped"
	expect_out "m: fs=ext4 skipped"
	[ "$(result .status)" = failed ]
}
