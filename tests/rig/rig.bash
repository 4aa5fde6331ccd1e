# rig: helpers for bats tests that need loop devices, mounts or the fault drive.
# A test calls rig_start in setup and rig_stop in teardown; everything made between is undone, newest first.
#
#   rig_need_loop            skips the test unless root may use loop devices
#   rig_need_fault           skips it unless the fault drive (FAULT_DRIVE) can run
#   rig_file NAME SIZE       a sparse file; prints its path
#   rig_loop FILE [SECTOR]   binds it to a free loop device; prints the device
#   rig_mount DEV NAME       mounts on a fresh directory; prints that
#   rig_fault [BYTES]        starts the fault drive; prints its directory (files "disk" and "ctl")
#   rig_fault_count DIR NAME a counter of it

rig_start() {
	RIG=$(mktemp -d "${RIG_PARENT:-/dev/shm}/ssdassay-rig-XXXXXX")
	RIG_UNDO="$RIG.undo"
	: > "$RIG_UNDO"
}

rig_stop() {
	[ -n "$RIG" ] || return 0
	tac "$RIG_UNDO" | while read -r command; do
		eval "$command" > /dev/null 2>&1 || true
	done
	rm -rf --one-file-system "$RIG" "$RIG_UNDO"
}

rig_later() {
	echo "$*" >> "$RIG_UNDO"
}

rig_need_loop() {
	[ "$(id -u)" = 0 ] || skip "not root"
	[ -w /dev/loop-control ] || skip "no /dev/loop-control"
}

rig_need_fault() {
	[ -x "${FAULT_DRIVE:-}" ] || skip "the fault drive was not built (fuse3)"
	[ -w /dev/fuse ] || skip "no /dev/fuse"
}

rig_file() {
	truncate -s "$2" "$RIG/$1"
	echo "$RIG/$1"
}

rig_loop() {
	local device
	device=$(losetup --find --show --sector-size "${2:-512}" "$1") || return 1
	rig_later "losetup -d $device"
	echo "$device"
}

rig_mount() {
	mkdir "$RIG/$2" && mount "$1" "$RIG/$2" || return 1
	rig_later "umount '$RIG/$2'"
	echo "$RIG/$2"
}

rig_fault() {
	local directory="$RIG/fault" tries=0
	mkdir "$directory"
	"$FAULT_DRIVE" -f --size="${1:-67108864}" "$directory" > /dev/null 2>&1 3>&- &
	rig_later "fusermount3 -u -z '$directory' || umount -l '$directory'"
	until [ -e "$directory/ctl" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 500 ] || return 1
		sleep 0.01
	done
	echo "$directory"
}

rig_fault_count() {
	sed -n "s/^$2 //p" "$1/ctl"
}
