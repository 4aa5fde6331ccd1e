#!/bin/sh
# User-space instructions per I/O, by callgrind: the same figure every time, whatever else the machine does.
# usage: instructions.sh ENGINE_LOOP [its options]; ENGINE_LOOP is the built program
set -eu
out=$(mktemp)
trap 'rm -f "$out"' EXIT
few=20000
many=120000
count() {	# count IOS PROGRAM [OPTIONS]
	ios=$1
	shift
	"$@" -n "$ios" >/dev/null 2>&1 || { "$@" -n "$ios" >&2; exit 1; }
	valgrind --tool=callgrind --callgrind-out-file="$out" "$@" -n "$ios" >/dev/null 2>&1
	sed -n 's/^summary: //p;s/^totals: //p' "$out" | head -n 1
}
first=$(count $few "$@")
second=$(count $many "$@")
echo "$first $second" | awk -v n=$((many - few)) '{ printf "%.1f instructions per I/O\n", ($2 - $1) / n }'
