#!/bin/bash
# User instructions per I/O of the whole program with everything recorded, by callgrind: (Ir(n2) - Ir(n1)) / (n2 - n1) of
# `ssdassay run`, 4 KiB random reads, QD128 with batches of 32 and QD1, on an unwritten file.
# usage: program_instructions.sh SSDASSAY [TARGET]
# Prints the measuring process (which does the I/O) and, apart, what the front process did meanwhile: that is per second of
# wall time, not per I/O, and valgrind stretches time about fifty-fold. For the same reason more of the I/Os are samples or
# among the slowest of their interval here than in a real run, which has fifty times as many a second: their extra cost is in
# the figure, and printed behind it. ENGINE=psync or libaio instead of io_uring; WITH_FIO=1 shows fio's figure too.
# Fails when io_uring takes more than 150 at QD128 or more than 300 at QD1.
set -eu
program=$(realpath "$1")
engine=${ENGINE:-io_uring}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
target=${2:-file}
[ "$target" != file ] || fallocate -l 1G file
few=40960
many=163840

sum() {	# sum FILE...: instructions counted in callgrind's output files
	sed -n 's/^summary: //p' "$@" | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

by_the_second() {	# by_the_second FILE: instructions for samples and the slowest I/Os
	callgrind_annotate --inclusive=yes --auto=no --threshold=100 "$1" 2> /dev/null |
		awk '/:recorder_(slow|complete_each) / { gsub(",", "", $1); sum += $1 } END { printf "%d\n", sum }'
}

ours() {	# ours DEPTH IOS: prints "measuring front by-the-second"
	rm -f out.* run.assay
	printf '[global]\nrw=randread\nbs=4k\nsize=1g\nnorandommap=1\nioengine=%s\n[load]\niodepth=%s\nio_size=%s\n' \
		"$engine" "$1" "$(($2 * 4096))" > plan.fio
	[ "$1" = 1 ] || echo iodepth_batch_submit=32 >> plan.fio
	valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=out.%p \
		"$program" run plan.fio "$target" -o run.assay --allow-unwritten > log 2>&1 || { cat log >&2; exit 1; }
	local measuring front
	measuring=$(grep -l 'worker_issue' out.*)
	for front in out.*; do
		[ "$front" = "$measuring" ] || break
	done
	echo "$(sum "$measuring") $(sum "$front") $(by_the_second "$measuring")"
}

fio_user() {	# fio_user DEPTH IOS: fio's best configuration that still records latency
	rm -f out.*
	valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=out.%p fio --name=load --filename="$target" \
		--rw=randread --bs=4k --size=1g --norandommap=1 --direct=1 --ioengine=io_uring --registerfiles=1 \
		--fixedbufs=1 --thread=1 --iodepth="$1" --iodepth_batch_submit=32 --iodepth_batch_complete_min=1 \
		--iodepth_batch_complete_max=32 --number_ios="$2" > log 2>&1 || { cat log >&2; return 1; }
	sum out.*
}

failed=0
depths="128 1"
[ "$engine" != psync ] || depths=1
for depth in $depths; do
	[ $depth = 128 ] && limit=150 || limit=300
	[ "$engine" = io_uring ] || limit=0
	first=$(ours $depth $few)
	second=$(ours $depth $many)
	echo "$first $second" | awk -v n=$((many - few)) -v depth=$depth -v limit=$limit -v engine="$engine" '{
		cost = ($4 - $1) / n
		printf "ssdassay %s QD%d: %.1f instructions per I/O%s, %.1f of them by the second; the front process meanwhile: %.1f\n",
			engine, depth, cost, limit ? " (limit " limit ")" : "", ($6 - $3) / n, ($5 - $2) / n
		exit limit && cost > limit }' || failed=1
	if [ -n "${WITH_FIO:-}" ] && command -v fio > /dev/null; then
		echo "$(fio_user $depth $few) $(fio_user $depth $many)" |
			awk -v n=$((many - few)) -v depth=$depth '{
				printf "fio QD%d: %.1f instructions per I/O\n", depth, ($2 - $1) / n }'
	fi
done
exit $failed
