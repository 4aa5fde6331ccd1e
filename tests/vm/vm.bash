# vm: a virtual machine with drives of any kind, which runs the program under a kernel of its own.
# Bats files start it in setup_file and stop it in teardown_file; the tests of a file share it.
#
#   vm_possible             false where QEMU, the kernel or a tool is missing; the tests are then skipped with the reason
#   vm_scratch              (in setup) an empty shared folder as current directory
#   vm_start OPTION...      boots with these QEMU options (drives); APPEND: more kernel parameters. It ends with whoever
#                           started it: one that a test boots is gone in the next test
#   vm_nvme SERIAL [MORE]   -device option for an NVMe drive on the block node SERIAL; MORE as in ",bus=port"
#   vm_disk NAME SIZE       a sparse raw file as block node NAME: prints the -blockdev option's value
#   vm_fault_drive          starts the fault drive: files disk and ctl in $VM/fault
#   vm_fault_disk NAME      its disk as block node NAME
#   vm_stop                 ends it; vm_kill: as if the power was cut
#   guest [SECONDS] < sh    runs the script in the guest, in the shared folder: $status, $out, $err
#   guest_start / guest_end [SECONDS]   the same in two parts: the host may do something between them
#   qmp COMMAND [JSON]      a QEMU monitor command
#   reads_of SERIAL, writes_of SERIAL   operations that QEMU has seen for an NVMe drive
#   SHARE                   the shared folder: /share in the guest

load ../cli/common

VM_HERE=${BASH_SOURCE[0]%/*}

vm_missing() {
	export VM_MISSING=$*
	return 1
}

vm_possible() {
	local tool reason
	for tool in qemu-system-x86_64 busybox cpio depmod xz strip jq sqlite3; do
		command -v $tool > /dev/null || vm_missing "no $tool" || return
	done
	reason=$("$VM_HERE/make-kernel" "$VM_CACHE" 2>&1) ||
		vm_missing "no kernel for the virtual machine: ${reason##*$'\n'}"
}

vm_fault_possible() {
	[ -x "${FAULT_DRIVE:-}" ] && [ -w /dev/fuse ] || vm_missing "the fault drive cannot run (fuse3, /dev/fuse)"
}

vm_disk() {
	truncate -s "$2" "$VM/$1.img"
	echo "driver=raw,node-name=$1,discard=unmap,file.driver=file,file.filename=$VM/$1.img,file.discard=unmap"
}

vm_fault_drive() {
	mkdir "$VM/fault"
	setpriv --pdeathsig TERM "$FAULT_DRIVE" -f --size=67108864 "$VM/fault" > /dev/null 2>&1 < /dev/null 3>&- &
	until_true 5 test -e "$VM/fault/ctl"
}

# Direct: nothing of it stays in the host's page cache.
vm_fault_disk() {
	echo "driver=raw,node-name=$1,cache.direct=on,file.driver=file,file.aio=threads,file.cache.direct=on,\
file.filename=$VM/fault/disk"
}

vm_nvme() {
	echo "nvme,id=$1,serial=$1,drive=$1${2:-}"
}

vm_prepare() {
	VM=$(mktemp -d /tmp/ssdassay-vm-XXXXXX)
	SHARE=$VM/share
	export VM SHARE
	mkdir "$SHARE"
	mkfifo "$VM/jobs.in" "$VM/jobs.out" "$VM/qmp.in" "$VM/qmp.out"
	"$VM_HERE/make-initramfs" "$VM_CACHE/base.cpio" "$SSDASSAY" "$VM/initramfs"
}

vm_start() {
	rm -f "$SHARE/ready"
	setpriv --pdeathsig KILL qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-machine q35 -accel tcg -cpu max -smp 1 -m 512 \
		-kernel "$VM_CACHE/vmlinux" -initrd "$VM/initramfs" \
		-append "console=ttyS0 quiet panic=-1 tsc=unstable mitigations=off nokaslr nopti audit=0 \
random.trust_cpu=on 8250.nr_uarts=2 cryptomgr.notests no_timer_check pci=lastbus=8 ${APPEND:-}" \
		-serial "file:$VM/console" -serial "pipe:$VM/jobs" -qmp "pipe:$VM/qmp" \
		-fsdev "local,id=share,path=$SHARE,security_model=none" -device virtio-9p-pci,fsdev=share,mount_tag=share \
		"$@" > "$VM/qemu.log" 2>&1 < /dev/null 3>&- &
	echo $! > "$VM/pid"
	disown $!	# its end, wanted, is not told by the shell
	until_true 60 vm_ready_or_dead && vm_ready && qmp qmp_capabilities > /dev/null || {
		vm_explain
		return 1
	}
}

vm_ready() { [ -e "$SHARE/ready" ]; }
vm_dead() { ! grep -qs "^State:.[^ZX]" "/proc/$(cat "$VM/pid")/status"; }
vm_ready_or_dead() { vm_ready || vm_dead; }

vm_explain() {
	echo "-- qemu"
	head -n 20 "$VM/qemu.log"
	echo "-- the guest's console"
	tail -n 30 "$VM/console" | tr -d '\r\0'
}

vm_kill() {
	local pid
	pid=$(cat "$VM/pid")
	kill -KILL "$pid" 2> /dev/null || true
	until_true 20 vm_dead
}

vm_stop() {
	[ -z "${VM_MISSING:-}" ] || return 0
	[ ! -e "$VM/fault/ctl" ] || echo reset > "$VM/fault/ctl"
	[ ! -e "$VM/pid" ] || vm_kill || true
	! mountpoint -q "$VM/fault" || fusermount3 -u -z "$VM/fault"
	rm -rf --one-file-system "$VM"
}

guest_start() {
	! vm_dead || {
		echo "the virtual machine has ended"
		vm_explain
		return 1
	}
	JOB=$(mktemp "$SHARE/job-XXXXXX")
	JOB=${JOB##*/}
	cat > "$SHARE/$JOB"
	echo "$JOB" > "$VM/jobs.in"
}

guest_ended() { [ -e "$SHARE/$JOB.code" ] || vm_dead; }

guest_end() {
	until_true "${1:-60}" guest_ended && [ -e "$SHARE/$JOB.code" ] || {
		echo "the guest did not end this within ${1:-60} s:"
		cat "$SHARE/$JOB" "$SHARE/$JOB.out" "$SHARE/$JOB.err"
		vm_explain
		return 1
	}
	status=$(cat "$SHARE/$JOB.code")
	out=$(tr -d '\0' < "$SHARE/$JOB.out")
	err=$(tr -d '\0' < "$SHARE/$JOB.err")
}

guest() {
	guest_start
	guest_end "$@"
}

# Answers come between events; the pipe keeps both.
qmp() {
	local id=$RANDOM line=
	echo "{\"execute\": \"$1\", \"id\": $id, \"arguments\": ${2:-{\}}}" > "$VM/qmp.in"
	until [[ $line == *"\"id\": $id"* ]]; do
		read -r -t 20 line || return 1
	done < "$VM/qmp.out"
	jq -e 'if .error then .error.desc | halt_error else .return end' <<< "$line"
}

operations_of() {	# serial counter
	qmp query-blockstats | jq -e ".[] | select(.qdev == \"$1\").stats.$2"
}

reads_of() { operations_of "$1" rd_operations; }
writes_of() { operations_of "$1" wr_operations; }

# RIG: for the helpers of ../cli/common.
vm_scratch() {
	[ -z "${VM_MISSING:-}" ] || skip "$VM_MISSING"
	RIG=$SHARE
	cd "$SHARE" || return 1
	find "$SHARE" -mindepth 1 ! -name ready -delete
}
