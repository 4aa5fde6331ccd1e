#!/usr/bin/env bats
# Purges seen from the command line: what was done is kept; what could not be done is said, before the run or in its result.

load common

setup() {
	cli_start
}

teardown() {
	cli_stop
}

notes() {	# of the purges, in order
	query "select group_concat(note, '|') from step where kind = 'purge'"
}

purges() {	# METHOD...: a plan that writes a little, then purges by each
	local method number=0
	{
		printf '[w]\nrw=write\nbs=64k\nio_size=1m\n'
		for method in "$@"; do
			number=$((number + 1))
			printf '[p%s]\nkind=purge\nmethod=%s\n' $number "$method"
		done
	} | plan p.plan
}

@test "a simulated drive is trimmed, or said to be as it was" {
	purges auto best trim none sanitize
	ssd run p.plan sim:tlc-consumer,shrink=512 -o r.assay
	expect 0
	[ "$(notes)" = "trim|trim|trim|not purged|not purged" ]
	expect_out "NOT purged in step 'p4': what follows" "NOT purged in step 'p5' (" "method=trim"
	[ "$(query "select count(*) from finding where kind = 'not_purged'")" = 2 ]
}

@test "a simulated hard disk has no TRIM: a purge says so, and a load of trims is a mistake" {
	purges auto trim
	ssd run p.plan sim:hdd --set w.size=1m -o r.assay
	expect 0
	[ "$(notes)" = "not purged|not purged" ]
	expect_out "NOT purged in step 'p1'" "no TRIM"
	local rw target
	for rw in trim randtrim; do
		printf '[a]\nrw=%s\nbs=64k\nsize=1m\n' $rw > t.plan
		for target in sim:hdd /dev/zero /dev/null; do
			ssd check t.plan $target
			expect 2
			expect_err "t.plan:1: load 'a': rw=$rw: the target has no TRIM"
			ssd run t.plan $target -o t.assay --progress none
			expect 2
			expect_err "t.plan:1: load 'a': rw=$rw: the target has no TRIM"
			[ ! -e t.assay ]
		done
	done
}

@test "method=none leaves what was written: it is read without being filled again" {
	plan n.plan <<-PLAN
		[global]
		bs=64k
		size=1m
		[w]
		rw=write
		[p]
		kind=purge
		method=none
		[r]
		rw=read
	PLAN
	ssd run n.plan sim:tlc-consumer,shrink=512 -o r.assay
	expect 0
	[ "$(query "select group_concat(name) from step where kind != 'purge'")" = w,r ]
	sed -i s/method=none/method=trim/ n.plan
	ssd run n.plan sim:tlc-consumer,shrink=512 -o r2.assay
	expect 0
	[ "$(query "select count(*) from step where name = 'r' or kind = 'fill' or name like '%prepare%'" r2.assay)" -ge 2 ]
}

@test "a file is punched; a method that files do not have is not replaced by another" {
	purges auto punch trim sanitize secure-erase
	ssd run p.plan file --set size=1m -o r.assay
	expect 0
	[ "$(notes)" = "punch hole|punch hole|not purged|not purged|not purged" ]
	expect_out "method=punch"
}

@test "a device is trimmed, and a method that it cannot have is refused before anything is written" {
	loop_disk
	purges auto none
	ssd run p.plan "$LOOP" --destroy "$ID" -o r.assay
	expect 0
	[ "$(notes)" = "trim|not purged" ]
	local before method
	before=$(sha256sum < "$DISK")
	for method in format sanitize secure_erase; do
		purges $method
		ssd run p.plan "$LOOP" --destroy "$ID" -o "$method.assay"
		expect 4
		expect_err "cannot be purged by method=$method"
		[ ! -e "$method.assay" ]
	done
	[ "$(sha256sum < "$DISK")" = "$before" ]
}
