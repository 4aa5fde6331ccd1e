#!/bin/bash
# From the command to the first I/O, in milliseconds: medians of nine runs for a plan of one job on a file and for one of 100
# jobs, and fio's beside them (three runs); and the memory of 100 jobs beside the I/O buffers.
# usage: startup.sh SSDASSAY
# The kernel's own trace says when the program was started and when its first I/O reached io_uring (needs root and tracefs);
# otherwise strace does, which stops the program at every new thread: 100 jobs then look several times slower.
# Given root, the runs get ahead of everything else on the machine, so that its load is not what is measured.
# Fails above 20 ms, 100 ms, 30 MB.
set -eu
program=$(realpath "$1")
work=$(mktemp -d)
trap 'tracing_off; rm -rf "$work"' EXIT
cd "$work"
fallocate -l 1G file
cp "$program" startup-bench	# names that nothing else on the machine has
[ -z "$(command -v fio)" ] || cp "$(command -v fio)" startup-fio
trace=/sys/kernel/tracing
[ -e $trace/trace ] || mount -t tracefs nodev $trace 2> /dev/null || true
instance=$trace/instances/startup-bench-$$

tracing_off() {
	[ ! -d "$instance" ] || rmdir "$instance"
}

tracing_on() {	# a buffer of our own: false where that can't be had
	mkdir "$instance" 2> /dev/null || return 1
	echo 0 > "$instance/options/overwrite"
}

plan() {	# plan JOBS
	printf '[global]\nrw=randread\nbs=4k\nsize=1g\nruntime=600\ntime_based=1\nnumjobs=%s\n[load]\n' "$1" > plan.fio
}

ours() {
	rm -f run.assay*
	exec ./startup-bench run plan.fio file -o run.assay --allow-unwritten
}

theirs() {	# theirs JOBS
	exec ./startup-fio --name=load --filename=file --rw=randread --bs=4k --size=1g --norandommap=1 --direct=1 \
		--ioengine=io_uring --time_based=1 --runtime=600 --numjobs="$1" --thread=1
}

stop() {	# stop PID: its first I/O is there, or it has ended
	kill -INT "$1" 2> /dev/null || true
	wait "$1" 2> /dev/null || true
}

traced() {	# traced NAME COMMAND...: prints the time of one run, ms
	local name=$1 pid tries=0
	shift
	echo > "$instance/trace"
	echo "filename ~ \"*$name\"" > "$instance/events/sched/sched_process_exec/filter"
	echo "comm == \"$name\"" > "$instance/events/io_uring/io_uring_submit_req/filter"
	echo 1 > "$instance/events/sched/sched_process_exec/enable"
	echo 1 > "$instance/events/io_uring/io_uring_submit_req/enable"
	"$@" > log 2>&1 &
	pid=$!
	until grep -q -m 1 io_uring_submit_req "$instance/trace" || [ $((++tries)) -gt 100 ] || ! kill -0 $pid 2> /dev/null; do
		sleep 0.05
	done
	echo 0 > "$instance/events/io_uring/io_uring_submit_req/enable"
	stop $pid
	awk '/sched_process_exec/ && !start { match($0, / [0-9]+\.[0-9]+:/); start = substr($0, RSTART, RLENGTH - 1) + 0 }
		/io_uring_submit_req/ && start { match($0, / [0-9]+\.[0-9]+:/)
			printf "%.2f\n", (substr($0, RSTART, RLENGTH - 1) - start) * 1000; exit }' "$instance/trace"
}

straced() {	# the same by strace
	local pid tries=0
	shift
	# shellcheck disable=SC2163 # the function that $1 names
	export -f "$1"
	setsid strace -f --seccomp-bpf -ttt -e trace=execve,io_uring_enter -o trace bash -c '"$@"' bash "$@" > log 2>&1 &
	pid=$!
	until grep -q -m 1 io_uring_enter trace 2> /dev/null || [ $((++tries)) -gt 100 ] || ! kill -0 $pid 2> /dev/null; do
		sleep 0.05
	done
	kill -KILL -- -$pid 2> /dev/null || true	# all of them: what comes after the first I/O isn't wanted
	wait $pid 2> /dev/null || true
	awk '/execve\("[^"]*startup-(bench|fio)"/ { start = $2 }
		/io_uring_enter/ && start { printf "%.2f\n", ($2 - start) * 1000; exit }' trace
}

median() {
	sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)], value[1], value[NR] }'
}

mine=$(cat /proc/self/autogroup 2> /dev/null || true)
[ -z "$mine" ] || echo -20 2> /dev/null > /proc/self/autogroup || true
tracing_on && way=traced || { way=straced; echo "by strace, which slows it down: root and tracefs would tell better"; }
failed=0
for jobs in 1 100; do
	plan $jobs
	[ $jobs = 1 ] && limit=20 || limit=100
	times=$(for _ in 1 2 3 4 5 6 7 8 9; do $way startup-bench ours; done | median)
	[ -n "$times" ] || { echo "startup.sh: no I/O was seen; the program said:" >&2; cat log >&2; exit 1; }
	echo "$times $jobs $limit" | awk '{ printf "%s job(s): first I/O after %s ms (%s to %s; limit %s)\n", $4, $1, $2, $3, $5
		exit $1 > $5 }' || failed=1
	[ -z "$(command -v fio)" ] || for _ in 1 2 3; do $way startup-fio theirs $jobs; done | median |
		awk -v jobs=$jobs '{ printf "%s job(s): fio %s ms (%s to %s)\n", jobs, $1, $2, $3 }'
done

# Proportional set size of everything that belongs to the run, buffers included: 100 jobs of depth 1, a 4 KiB slot each.
memory() {	# memory PID: kB of it and its children; nothing when one of them is gone meanwhile
	local pid total=0 kb
	for pid in "$1" $(pgrep -P "$1"); do
		kb=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2> /dev/null) || true
		total=$((total + ${kb:-0}))
	done
	echo $total
}
rm -f run.assay*
./startup-bench run plan.fio file -o run.assay --allow-unwritten > log 2>&1 &
front=$!
most=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.2
	now=$(memory $front)
	[ "$now" -le $most ] || most=$now
done
stop $front
echo "$most" | awk '{ printf "100 jobs: %.1f MB, I/O buffers of 0.4 MB included (limit 30)\n", $1 / 1000
	exit $1 > 30000 || $1 < 1000 }' || failed=1
exit $failed
