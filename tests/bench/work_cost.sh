#!/bin/sh
# User instructions per I/O of work_next in batches of 32, for each kind of load, by callgrind: difference of two run
# lengths. Fails when a uniform 4 KiB read takes more than 25.
# usage: work_cost.sh PROGRAM
set -eu
program=$1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$out" "$program" "$1" "$2" >/dev/null 2>&1
	sed -n 's/^summary: //p;s/^totals: //p' "$out" | head -n 1
}
failed=0
for kind in $("$program" --kinds); do
	few=$(instructions "$kind" 1000)
	many=$(instructions "$kind" 6000)
	echo "$kind $few $many" | awk '{ cost = ($3 - $2) / 160000
		printf "%-18s %6.1f instructions per I/O\n", $1, cost
		exit $1 == "uniform" && cost > 25 }' || failed=1
done
"$program"
exit $failed
