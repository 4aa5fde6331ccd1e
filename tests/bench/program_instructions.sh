#!/bin/bash
# User instructions per I/O of the whole program with everything recorded, by callgrind: (Ir(n2) - Ir(n1)) / (n2 - n1) of
# `ssdassay run`, 4 KiB random reads, QD128 with batches of 32 and QD1, on an unwritten file.
# usage: program_instructions.sh SSDASSAY [TARGET]
# Prints the measuring process (which does the I/O) and, apart, what the front process did meanwhile: that is per second of
# wall time, not per I/O, and valgrind stretches time about fifty-fold. Fio's figure beside it, where fio is.
# Fails when QD128 takes more than 150 or QD1 more than 300.
set -eu
program=$(realpath "$1")
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

ours() {	# ours DEPTH IOS: prints "measuring front"
	rm -f out.* run.assay
	printf '[global]\nrw=randread\nbs=4k\nsize=1g\nnorandommap=1\n[load]\niodepth=%s\nio_size=%s\n' \
		"$1" "$(($2 * 4096))" > plan.fio
	valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=out.%p \
		"$program" run plan.fio "$target" -o run.assay --allow-unwritten > log 2>&1 || { cat log >&2; exit 1; }
	local measuring front
	measuring=$(grep -l 'worker_issue' out.*)
	for front in out.*; do
		[ "$front" = "$measuring" ] || break
	done
	echo "$(sum "$measuring") $(sum "$front")"
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
for depth in 128 1; do
	[ $depth = 128 ] && limit=150 || limit=300
	first=$(ours $depth $few)
	second=$(ours $depth $many)
	echo "$first $second" | awk -v n=$((many - few)) -v depth=$depth -v limit=$limit '{
		cost = ($3 - $1) / n
		printf "ssdassay QD%d: %.1f instructions per I/O (limit %d); the front process meanwhile: %.1f\n",
			depth, cost, limit, ($4 - $2) / n
		exit cost > limit }' || failed=1
	if [ -n "${WITH_FIO:-}" ] && command -v fio > /dev/null; then
		echo "$(fio_user $depth $few) $(fio_user $depth $many)" |
			awk -v n=$((many - few)) -v depth=$depth '{
				printf "fio QD%d: %.1f instructions per I/O\n", depth, ($2 - $1) / n }'
	fi
done
exit $failed
