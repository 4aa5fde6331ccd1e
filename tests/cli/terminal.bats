#!/usr/bin/env bats
# What a person sees on a terminal of 80 columns: colours, lines, letters.

load common

setup() { cli_start; }
teardown() { cli_stop; }

# What COMMAND writes to a terminal with so many columns.
on_terminal() {	# COLUMNS COMMAND...
	local columns=$1
	shift
	script -qec "stty cols $columns; $(printf '%q ' "$@")" /dev/null < /dev/null | tr -d '\r'
}

burst_plan() {
	plan burst.plan <<-PLAN
		[global]
		size=10%
		bs=4k
		runtime=1s
		[sequential-q8t1]
		rw=read
		iodepth=8
		repeat=3
		[sequential-q1t1]
		rw=randread
		iodepth=1
		repeat=3
	PLAN
}

widest() {
	sed 's/\x1b\[[0-9;]*[mK]//g' | LC_ALL=C.UTF-8 wc -L
}

@test "a table fits 80 columns, and two names are told apart there" {
	burst_plan
	run_plan burst.plan sim:theory --allow-unwritten
	expect 0
	on_terminal 80 "$SSDASSAY" show r.assay > shown
	[ "$(widest < shown)" -le 80 ]
	grep -q '8t1' shown
	grep -q '1t1' shown
	refute grep -q '(x3, [0-9]*…' shown
}

@test "colours are for terminals, and not with NO_COLOR, also at the end of a run" {
	burst_plan
	on_terminal 80 "$SSDASSAY" run burst.plan sim:theory --allow-unwritten --progress none -o a.assay > colour
	NO_COLOR=1 on_terminal 80 "$SSDASSAY" run burst.plan sim:theory --allow-unwritten --progress none -o b.assay > plain
	grep -q $'\x1b' colour
	refute grep -q $'\x1b' plain
	"$SSDASSAY" show a.assay > piped
	refute grep -q $'\x1b' piped
}

@test "a terminal without UTF-8 gets ASCII" {
	burst_plan
	run_plan burst.plan sim:theory --allow-unwritten
	LC_ALL=C on_terminal 100 "$SSDASSAY" show r.assay > shown
	refute env LC_ALL=C grep -q $'[\x80-\xff]' shown
	grep -q '[0-9] us' shown
	LC_ALL=C.UTF-8 on_terminal 100 "$SSDASSAY" show r.assay > shown
	grep -q '[0-9] µs' shown
}

@test "progress ends at a whole figure" {
	burst_plan
	on_terminal 60 "$SSDASSAY" run burst.plan sim:theory --allow-unwritten -o a.assay > shown
	sed 's/\x1b\[K/\n/g' shown | grep '^\[' > lines
	[ -s lines ]
	[ "$(widest < lines)" -lt 60 ]
	refute grep -v -E '(IOPS|B/s|s|%|left|sequential-q.t1|[^ -~])$' lines
}

@test "progress has no figures before there are any, no time left that is none, and fits where little is free" {
	printf '[read]\nrw=randread\nsize=4m\nruntime=2500ms\n' > read.plan
	on_terminal 15 "$SSDASSAY" run read.plan t.dat -o a.assay > shown
	sed 's/\x1b\[K/\n/g' shown | grep '^\[' > lines
	[ -s lines ]
	[ "$(widest < lines)" -lt 15 ]
	on_terminal 200 "$SSDASSAY" run read.plan t.dat -o b.assay > shown
	sed 's/\x1b\[K/\n/g' shown | grep '^\[2/2\] read\|^\[1/1\] read' > lines
	[ -s lines ]
	refute grep -E ' 0 IOPS|nan|[ ,]0 (ns|s) left' lines
	grep -q 'IOPS.*p99' lines
	"$SSDASSAY" run read.plan t.dat -o c.assay --progress json > .o 2> .e
	jq -es 'map(select(.step == "read")) | (map(select(.iops == 0)) == []) and any(.iops > 0)' .e > .parsed
}

@test "help fits 80 columns" {
	"$SSDASSAY" --help > help
	for name in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help); do
		"$SSDASSAY" "$name" --help >> help
	done
	[ "$(wc -l < help)" -gt 100 ]
	[ "$(widest < help)" -le 84 ]	# a path of the completion is longer
	[ "$(grep -c '.\{81\}' help)" -le 1 ]
}
