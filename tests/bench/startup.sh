#!/bin/bash
# From the command to the first I/O: milliseconds between execve and the first io_uring_enter, medians of nine runs, for a plan of
# one job on a file and for one of 100 jobs; and the memory of the latter beside the I/O buffers. strace stops only at the
# system calls in question (--seccomp-bpf).
# usage: startup.sh SSDASSAY
# Fails above 20 ms, 100 ms, 30 MB.
set -eu
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fallocate -l 1G file
plan() {	# plan JOBS
	printf '[global]\nrw=randread\nbs=4k\nsize=1g\nruntime=1\ntime_based=1\nnumjobs=%s\n[load]\n' "$1" > plan.fio
}
first_io() {	# prints the time of one run, ms
	rm -f run.assay*
	strace -f --seccomp-bpf -ttt -e trace=execve,io_uring_enter -o trace \
		"$program" run plan.fio file -o run.assay --allow-unwritten > log 2>&1 &
	local tracer=$!
	while ! grep -q io_uring_enter trace 2> /dev/null; do
		kill -0 $tracer 2> /dev/null || break
		sleep 0.02
	done
	pkill -INT -P $tracer || true
	wait $tracer || true
	awk '/execve/ && !start { start = $2 } /io_uring_enter/ { printf "%.2f\n", ($2 - start) * 1000; exit }' trace
}
median() {
	sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}
failed=0
for jobs in 1 100; do
	plan $jobs
	[ $jobs = 1 ] && limit=20 || limit=100
	time=$(for _ in 1 2 3 4 5 6 7 8 9; do first_io; done | median)
	echo "$time $jobs $limit" | awk '{ printf "%s job(s): first I/O after %s ms (limit %s)\n", $2, $1, $3
		exit $1 > $3 }' || failed=1
done
"$program" run plan.fio file -o memory.assay --allow-unwritten > log 2>&1 &
front=$!
sleep 0.8
total=0
for pid in $front $(pgrep -P $front); do
	total=$((total + $(awk '/^Pss:/ { print $2 }' /proc/$pid/smaps_rollup)))
done
wait $front || true
# buffers: 100 jobs of depth 1, one 4 KiB slot each, that lie in mappings of their own
echo "$total" | awk '{ printf "100 jobs: %.1f MB, I/O buffers of 0.4 MB included (limit 30)\n", $1 / 1000; exit $1 > 30000 }' || failed=1
exit $failed
