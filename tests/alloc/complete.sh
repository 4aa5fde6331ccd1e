#!/bin/sh
# Has every constructor a row in the failing-allocator test? Compares the `*_new(` and `*_init(` that the headers declare
# and that can fail (they return int or a pointer) with the `covers` of tests/alloc/rows_*.c and the list of those that
# allocate nothing, exempt.txt. One TAP line for each difference's direction.
#
#	complete.sh SOURCE-ROOT
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -hE '^(int |struct [a-z_]+ \*|[a-z_]+ \*)[a-z_]+_(new|init)[a-z_]*\(' src/*/*.h include/*.h |
	sed -E 's/^(int |struct [a-z_]+ \*|[a-z_]+ \*)([a-z_]+)\(.*/\2/' | sort -u >"$work/declared"
grep -hE '^[[:space:]]*("|\{|\.)' tests/alloc/rows_*.c | grep -oE '[a-z_]+_(new|init)[a-z_]*' | sort -u >"$work/covered"
grep -oE '^[a-z_]+' tests/alloc/exempt.txt | sort -u >"$work/exempt"
sort -u "$work/covered" "$work/exempt" >"$work/known"

say() {	# number, what, file with the names that are wrong
	if [ -s "$3" ]; then
		sed 's/^/# /' "$3"
		echo "not ok $1 - $2"
	else
		echo "ok $1 - $2"
	fi
}

echo 1..3
comm -23 "$work/declared" "$work/known" >"$work/missing"
say 1 "each constructor has a row, or is in exempt.txt" "$work/missing"
comm -13 "$work/declared" "$work/exempt" >"$work/stale"
say 2 "exempt.txt names nothing that is no longer there" "$work/stale"
comm -12 "$work/covered" "$work/exempt" >"$work/twice"
say 3 "nothing is both covered and exempt" "$work/twice"
