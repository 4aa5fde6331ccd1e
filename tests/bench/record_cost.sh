#!/bin/sh
# Prints the user instructions per recorded I/O: (record(n2) - record(n1)) - (loop(n2) - loop(n1)), by callgrind.
# usage: record_cost.sh PROGRAM
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$work/out" "$program" "$1" "$2" >"$work/log" 2>&1
	sed -n 's/^summary: //p' "$work/out"
}
record=$(( $(instructions record 20000) - $(instructions record 10000) ))
loop=$(( $(instructions loop 20000) - $(instructions loop 10000) ))
echo "$record $loop" | awk '{ printf "record_cost: %.1f instructions per I/O (the loop around it: %.1f)\n",
	($1 - $2) / 320000, $2 / 320000 }'
