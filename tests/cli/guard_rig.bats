#!/usr/bin/env bats
# The guard seen from the command line: exit codes, reasons, and that nothing is written when it refuses.
# Needs SSDASSAY (the program), and for some tests root with loop devices or FAULT_DRIVE.

load common

setup() {
	RIG_PARENT=/tmp		# not /dev/shm: files are never made under /dev
	rig_start
	PLAN="$RIG/write.plan"
	cat > "$PLAN" <<-PLAN
		[w]
		rw=randwrite
		bs=4k
		direct=1
		iodepth=4
		range=0%..10%
		runtime=300ms
		interval=100ms
	PLAN
	READ="$RIG/read.plan"
	sed 's/randwrite/randread/' "$PLAN" > "$READ"
	SMALL="$RIG/small.plan"
	sed 's/range=.*/size=8m/' "$PLAN" > "$SMALL"
}

teardown() {
	cli_stop
}

go() {
	rm -f "$RIG/r.assay"
	run "$SSDASSAY" run "$@" -o "$RIG/r.assay" --progress none
	echo "$output"
}

disk() {
	rig_need_loop
	FILE=$(rig_file disk 64M)
	LOOP=$(rig_loop "$FILE")
	ID="loop:$FILE"
}

hash_of() {
	sha256sum < "$1"
}

@test "a block device is refused without its id, and the id is named" {
	disk
	before=$(hash_of "$FILE")
	go "$PLAN" "$LOOP" < /dev/null
	[ "$status" -eq 3 ]
	[[ "$output" == *"--destroy $ID"* ]]
	[ "$(hash_of "$FILE")" = "$before" ]
}

@test "a device path is no id" {
	disk
	go "$PLAN" "$LOOP" --destroy "$LOOP" < /dev/null
	[ "$status" -eq 3 ]
}

@test "with its id it runs" {
	disk
	go "$PLAN" "$LOOP" --destroy "$ID"
	[ "$status" -eq 0 ]
}

@test "what a target is and how it is, before and after, is kept with the run" {
	disk
	go "$PLAN" "$LOOP" --destroy "$ID"
	[ "$status" -eq 0 ]
	for when in before after; do
		[ "$(sqlite3 "$RIG/r.assay" "select json_extract(${when}_json, '$.id') from drive")" = "$ID" ]
	done
	go "$SMALL" "$RIG/t.dat"
	[ "$status" -eq 0 ]
	for when in before after; do
		[ "$(sqlite3 "$RIG/r.assay" "select json_extract(${when}_json, '$.file.mount_point') from drive")" = \
			"$(stat -c %m "$RIG")" ]
	done
}

@test "reading needs no id and changes nothing" {
	disk
	dd if=/dev/urandom of="$LOOP" bs=1M count=8 status=none
	sync "$LOOP"
	before=$(hash_of "$FILE")
	go "$READ" "$LOOP" --allow-unwritten
	[ "$status" -eq 0 ]
	[ "$(hash_of "$FILE")" = "$before" ]
}

@test "a file system asks for --wipe-signatures and is intact after the refusal" {
	disk
	mkfs.ext4 -q "$LOOP"
	before=$(hash_of "$FILE")
	go "$PLAN" "$LOOP" --destroy "$ID" < /dev/null
	[ "$status" -eq 3 ]
	[[ "$output" == *"ext4 file system"* ]]
	[ "$(hash_of "$FILE")" = "$before" ]
	go "$PLAN" "$LOOP" --destroy "$ID" --wipe-signatures
	[ "$status" -eq 0 ]
}

@test "H01 no option helps on a mounted device" {
	disk
	mkfs.ext4 -q "$LOOP"
	rig_mount "$LOOP" mnt
	go "$PLAN" "$LOOP" --destroy "$ID" --wipe-signatures --overwrite --allow-unwritten
	[ "$status" -eq 3 ]
	[[ "$output" == *"mounted on $RIG/mnt"* ]]
}

@test "H01 a mounted partition protects its disk" {
	disk
	echo "1M,32M" | sfdisk -q --no-reread "$LOOP" || skip "no sfdisk"
	partx -a "$LOOP"
	rig_later "partx -d $LOOP"
	mkfs.ext4 -q "${LOOP}p1"
	rig_mount "${LOOP}p1" mnt
	go "$PLAN" "$LOOP" --destroy "$ID" --wipe-signatures
	[ "$status" -eq 3 ]
	[[ "$output" == *"p1 is mounted on"* ]]
}

@test "a partition needs its own id" {
	disk
	echo "1M,32M" | sfdisk -q --no-reread "$LOOP" || skip "no sfdisk"
	partx -a "$LOOP"
	rig_later "partx -d $LOOP"
	go "$PLAN" "${LOOP}p1" --destroy "$ID" < /dev/null
	[ "$status" -eq 3 ]
	go "$PLAN" "${LOOP}p1" --destroy "$ID:p1"
	[ "$status" -eq 0 ]
}

@test "check says the same as run would, and writes nothing" {
	disk
	mkfs.ext4 -q "$LOOP"
	before=$(hash_of "$FILE")
	run "$SSDASSAY" check "$PLAN" "$LOOP"
	[ "$status" -eq 3 ]
	[[ "$output" == *"--destroy $ID"* ]]
	[[ "$output" == *"ext4 file system"* ]]
	[ "$(hash_of "$FILE")" = "$before" ]
}

@test "the run file must not lie on the device" {
	disk
	mkfs.ext4 -q "$LOOP"
	rig_mount "$LOOP" mnt
	run "$SSDASSAY" run "$PLAN" "$LOOP" --destroy "$ID" --wipe-signatures -o "$RIG/mnt/r.assay" --progress none
	[ "$status" -eq 3 ]
	[ ! -e "$RIG/mnt/r.assay" ]
}

@test "zones that must be written in order: writing is refused whatever is permitted, reading is not" {
	disk
	before=$(hash_of "$FILE")
	queue_says zoned host-managed
	go "$PLAN" "$LOOP" --destroy "$ID" --wipe-signatures < /dev/null
	[ "$status" -eq 3 ]
	[[ "$output" == *"host-managed"* ]]
	[ "$(hash_of "$FILE")" = "$before" ]
	run "$SSDASSAY" check "$PLAN" "$LOOP" --destroy "$ID"
	[ "$status" -eq 3 ]
	run "$SSDASSAY" drives
	[[ "$output" == *"zones that must be written in order"* ]]
	go "$READ" "$LOOP" --allow-unwritten
	[ "$status" -eq 0 ]
}

@test "who is not root sees what there is to see, is told what not, and measures files" {
	local words=(setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
	command -v setpriv > /dev/null || skip "no setpriv"
	disk
	chmod 755 "$RIG" "$FILE" "$PLAN" "$READ"
	mkdir -m 777 "$RIG/files"
	run "${words[@]}" "$SSDASSAY" drives
	[ "$status" -eq 0 ]
	[[ "$output" == *"id          $ID"* ]]
	[[ "$output" == *"in use      no, as far as it can be seen"* ]]
	[[ "$output" == *"not read    signatures of $LOOP: Permission denied"* ]]
	for plan in "$PLAN" "$READ"; do
		for command in check "run -o $RIG/files/r.assay"; do
			run "${words[@]}" "$SSDASSAY" $command "$plan" "$LOOP" --destroy "$ID"
			[ "$status" -eq 4 ]
			[[ "$output" == *"$LOOP cannot be opened: Permission denied (root may, and the node's group)"* ]]
			[ ! -e "$RIG/files/r.assay" ]
		done
	done
	run "${words[@]}" "$SSDASSAY" run "$SMALL" "$RIG/files/" -o "$RIG/files/r.assay" --progress none
	[ "$status" -eq 0 ]
	[ "$(ls "$RIG/files")" = r.assay ]
}

@test "a foreign file needs --overwrite" {
	file="$RIG/precious"
	echo "my thesis" > "$file"
	go "$SMALL" "$file"
	[ "$status" -eq 3 ]
	[[ "$output" == *"--overwrite"* ]]
	[ "$(cat "$file")" = "my thesis" ]
}

@test "a file is made where none is, marked, and used again without a question" {
	mkdir "$RIG/d"
	for i in 1 2; do
		go "$SMALL" "$RIG/a:b 100% é"
		[ "$status" -eq 0 ]
	done
	getfattr -n user.ssdassay "$RIG/a:b 100% é" 2> /dev/null || [ -n "$(python3 -c "
import os, sys
print(os.getxattr(sys.argv[1], 'user.ssdassay'))" "$RIG/a:b 100% é")" ]
}

@test "a directory is left as it was" {
	mkdir "$RIG/d"
	go "$SMALL" "$RIG/d/"
	[ "$status" -eq 0 ]
	[ -z "$(ls -A "$RIG/d")" ]
}

@test "nothing is made under /dev" {
	go "$SMALL" /dev/ssdassay-no-such
	[ "$status" -eq 4 ]
	[ ! -e /dev/ssdassay-no-such ]
	go "$SMALL" /dev/shm/ssdassay-no-such
	[ "$status" -eq 4 ]
	[ ! -e /dev/shm/ssdassay-no-such ]
}

@test "a loop device's backing file is never written" {
	disk
	go "$PLAN" "$FILE" --overwrite
	[ "$status" -eq 3 ]
	[[ "$output" == *"backing file of loop"* ]]
}

@test "drives lists the device with the id that --destroy wants" {
	disk
	run "$SSDASSAY" drives
	[ "$status" -eq 0 ]
	[[ "$output" == *"$ID"* ]]
	"$SSDASSAY" drives --json | python3 -c "
import json, sys
drives = json.load(sys.stdin)['drives']
assert any(d['id'] == sys.argv[1] for d in drives), drives" "$ID"
}

@test "a hanging drive does not hang the program: Ctrl-C gives the prompt back" {
	rig_need_loop
	rig_need_fault
	fault=$(rig_fault)
	LOOP=$(rig_loop "$fault/disk" 4096)
	cd "$RIG"
	background run "$PLAN" "$LOOP" --destroy "loop:$fault/disk" --set w.runtime=10m -o r.assay --progress none
	until_shows "select count(*) >= 3 from series"
	echo "hang 60" > "$fault/ctl"
	kill -INT "$PID"
	ended_within "$(soon)"
	echo reset > "$fault/ctl"
	expect 130
	"$SSDASSAY" show r.assay | grep -q interrupted
	comes_free "$LOOP"	# so that the devices can be given back
}

@test "errors of the drive are counted, the run goes to its end" {
	rig_need_loop
	rig_need_fault
	fault=$(rig_fault)
	LOOP=$(rig_loop "$fault/disk" 4096)
	echo "errors 0 1048576 w" > "$fault/ctl"
	go "$PLAN" "$LOOP" --destroy "loop:$fault/disk"
	"$SSDASSAY" show "$RIG/r.assay" --json | python3 -c "
import json, sys
run = json.load(sys.stdin)
errors = sum(load['write']['errors'] for step in run['steps'] for load in step['loads'])
assert errors > 0, run['steps']"
}
