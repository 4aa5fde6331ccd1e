#!/usr/bin/env bats
# run --resume: a run that was interrupted, killed or failed goes on with the first step that is not done.

load common

setup() {
	cli_start
	plan steps.plan <<-PLAN
		[global]
		bs=4k
		size=8m
		iodepth=2
		interval=100ms

		[a]
		rw=randwrite
		runtime=600ms

		[b]
		rw=randread
		runtime=10m

		[c]
		rw=randread
		runtime=300ms
	PLAN
}

teardown() { cli_stop; }

# begin ARG...: a run in the background, into r.assay; PID. What it is to be interrupted in lasts ten minutes.
begin() {
	background run "$@" -o r.assay --progress none
}

# reached NAME: until the step NAME is stored and has intervals.
reached() {
	until_shows "select count(*) >= 2 from series join step on id = step where name = '$1'"
}

stop() {
	kill -"$1" "$PID" 2> /dev/null || true	# it may have come to its end
	status=0
	wait "$PID" || status=$?
}

# shorten [TIME]: the rest of the plan as it is stored takes less long.
shorten() {
	sqlite3 r.assay "update run set plan_text = replace(plan_text, 'runtime=10m', 'runtime=${1:-400ms}')"
}

resume() {
	ssd run --resume r.assay --progress none "$@"
}

# Every place of the tree was carried out once, in order, without a gap in time that another step fills.
steps_are_whole() {
	[ "$(query "select count(*) = count(distinct path) from step")" = 1 ]
	[ "$(query "select count(*) from step where status != 'complete'")" = 0 ]
	[ "$(query "select count(*) from step s join step t on t.id > s.id and t.started_ns < s.started_ns + s.duration_ns")" = 0 ]
	[ "$(query "select status from run")" = complete ]
	[ "$(query "select duration_ns >= (select max(started_ns + duration_ns) from step) from run")" = 1 ]
}

numbers_of() {
	query "select * from step s join load l on l.step = s.id join total t on t.step = s.id where s.name = '$1'"
	query "select step, load, idx, op, start_ns, ios, sum_ns from series join step on id = step where name = '$1' order by 1, 2, 3, 4"
}

@test "after Ctrl-C: what was measured keeps its numbers, the rest is run, time goes on" {
	begin steps.plan t.dat
	reached b
	stop INT
	[ "$status" = 130 ]
	numbers_of a > before
	local end
	end=$(query "select duration_ns from run")
	resume --set=x=1
	expect 2
	shorten
	resume
	expect 0
	numbers_of a > after
	cmp before after
	steps_are_whole
	[ "$(query "select group_concat(name, ' ') from step where name != 'prepare'")" = "a b c" ]
	[ "$(query "select min(started_ns) >= $end from step where name in ('b', 'c')")" = 1 ]
	[ "$(query "select count(*) from event where kind = 'resume'")" = 1 ]
	[ "$(result .status)" = complete ]
	sums_agree
	[ "$(ls r.assay*)" = r.assay ]
	resume
	expect 0
	expect_err "nothing is left"
}

@test "after kill -9, and again after kill -9" {
	plan many.plan <<-PLAN
		[global]
		bs=4k
		size=8m
		interval=100ms
		[m]
		vary.iodepth=1 2
		rw=randread
		runtime=300ms
		[n]
		vary.iodepth=3 4
		rw=randread
		runtime=10m
	PLAN
	begin many.plan t.dat
	reached n
	stop KILL
	numbers_of m > before
	local part
	for part in 1 2; do
		background run --resume r.assay --progress none
		until_shows "select count(*) = $part from event where kind = 'resume'"
		reached n
		stop KILL
		ssd show r.assay
		expect 0
		[ "$(result .status)" = interrupted ]
	done
	shorten
	resume
	expect 0
	steps_are_whole
	numbers_of m > after
	cmp before after
	[ "$(query "select group_concat(value, ' ') from (select json_extract(values_json, '\$.iodepth') value from step where name in ('m', 'n') order by id)")" = "1 2 3 4" ]
	[ "$(query "select count(*) from event where kind = 'resume'")" = 3 ]
}

@test "a simulated run that was killed ends like one that was not" {
	plan sim.plan <<-PLAN
		[fill]
		kind=fill
		range=0%..1%
		[rounds]
		kind=group
		until=snia
		max=6
		track=w[iodepth=4] iops
		[w]
		in=rounds
		vary.iodepth=1 4
		rw=randwrite
		range=0%..1%
		bs=4k
		runtime=10s
		[r]
		rw=randread
		range=0%..1%
		iodepth=8
		runtime=5s
	PLAN
	run_plan sim.plan sim:tlc-consumer
	expect 0
	mv r.assay whole.assay
	begin sim.plan sim:tlc-consumer
	until_shows "select count(*) >= 4 from step"
	stop KILL
	resume
	expect 0
	local table
	for table in step load total total_latency series outlier sample telemetry "event where kind != 'resume'" finding; do
		sqlite3 whole.assay "select quote(x.rowid), x.* from (select rowid, * from $table) x" | cut -d'|' -f2- | sort > a
		sqlite3 r.assay "select quote(x.rowid), x.* from (select rowid, * from $table) x" | cut -d'|' -f2- | sort > b
		[ "$table" = telemetry ] || sed -i 's/^[0-9]*|//' a b
		cmp a b || {
			echo "$table differs"
			return 1
		}
	done
	[ "$(query "select duration_ns from run")" = "$(query "select duration_ns from run" whole.assay)" ]
	steps_are_whole
}

@test "a simulated run whose profile was changed meanwhile: 4, said so" {
	"$SSDASSAY" sim tlc-consumer > mine.profile
	plan sim.plan <<-PLAN
		[a]
		rw=randread
		runtime=2s
		[b]
		rw=randread
		runtime=100h
	PLAN
	begin sim.plan sim:./mine.profile
	reached b
	stop KILL
	sed -i 's/^read_us=.*/read_us=99/' mine.profile
	resume
	expect 4
	expect_err "replayed gives" "cannot go on"
}

@test "groups go on in the right round; picks and shares of a rate are those of the steps before" {
	plan groups.plan <<-PLAN
		[global]
		bs=4k
		size=4m
		interval=100ms
		[g]
		kind=group
		max=3
		until=snia
		track=w iops
		[w]
		in=g
		rw=randwrite
		runtime=400ms
		[x]
		in=g
		vary.iodepth=1 2
		rw=randread
		runtime=400ms
		[again]
		rw=randread
		iodepth=@best.iodepth
		runtime=300ms
		arrival=constant:20%@x
	PLAN
	sed -i '/^track/a pick.best=x max iops' groups.plan
	begin groups.plan t.dat
	until_shows "select count(*) >= 2 from step where round = 1 and name = 'x'"
	stop KILL
	resume
	expect 0
	steps_are_whole
	[ "$(query "select group_concat(round || name, ' ') from step where name in ('w', 'x')")" = "0w 0x 0x 1w 1x 1x 2w 2x 2x" ]
	[ "$(query "select count(*) from step where name = 'again'")" = 1 ]
	local reached
	reached=$(query "select avg(t.ios * 1e9 / (l.total_end_ns - l.total_start_ns)) from step s join load l on l.step = s.id join total t on t.step = s.id where s.name = 'x' and s.id = (select max(id) from step where name = 'x')")
	near "$(query "select rate_asked from load join step on id = step where step.name = 'again'")" "$(awk -v r="$reached" 'BEGIN { print r / 5 }')" 0.01
}

@test "the plan is read as it was: --set, --scale, classes, variables, standard input" {
	plan options.plan <<-PLAN
		[class small]
		size=4m
		[class large]
		size=16m
		[a]
		rw=randwrite
		bs=\${BLOCK}
		runtime=1s
		interval=50ms
		[b]
		rw=randread
		iodepth=\$ncpus
		runtime=10m
		interval=50ms
	PLAN
	BLOCK=8k "$SSDASSAY" run - t.dat -o r.assay --progress none --set class=large --set b.numjobs=2 --scale 0.5 \
		> .out 2> .err < options.plan 3>&- &
	PID=$!
	reached b
	stop KILL
	rm options.plan
	shorten 4s
	resume
	expect 0
	steps_are_whole
	[ "$(query "select scale from run")" = 0.5 ]
	[ "$(query "select workers from load join step on id = step where step.name = 'b'")" = 2 ]
	[ "$(query "select range_bytes from load join step on id = step where step.name = 'b'")" = 8388608 ]
	[ "$(query "select duration_ns between 2e9 and 3.9e9 from step where name = 'b'")" = 1 ]
}

@test "from another directory; a file that is gone or has another size is refused" {
	begin steps.plan t.dat
	reached b
	stop KILL
	shorten
	mv t.dat away
	resume
	expect 3
	expect_err "t.dat" "not there any more"
	cp away t.dat
	truncate -s +4096 t.dat
	resume --overwrite
	expect 3
	expect_err "size was"
	mv away t.dat
	mkdir elsewhere
	mv r.assay* elsewhere/
	cd elsewhere
	resume
	expect 0
	steps_are_whole
	[ ! -e t.dat ]
}

@test "a copy of the file, mark and all, is another file; the file under another name is the same" {
	begin steps.plan t.dat
	reached b
	stop KILL
	shorten
	cp --preserve=all t.dat copy.dat
	resume copy.dat
	expect 3
	expect_err "copy.dat is another file than the one that the run was made on"
	mv t.dat kept.dat
	mv copy.dat t.dat
	resume
	expect 3
	expect_err "t.dat is another file than the one that the run was made on"
	resume kept.dat
	expect 0
	steps_are_whole
}

@test "a block device needs --destroy again and must be the same one" {
	loop_disk
	local first=$LOOP first_id=$ID
	begin steps.plan "$LOOP" --destroy "$ID" --allow-unwritten
	reached b
	stop KILL
	shorten
	comes_free "$LOOP"
	resume
	expect 3
	expect_err "--destroy"
	DISK=$(rig_file other 64M)
	LOOP=$(rig_loop "$DISK")
	ssd run --resume r.assay "$LOOP" --destroy "loop:$DISK" --progress none
	expect 3
	expect_err "ID was"
	[ "$(query "select status from run")" = running ]
	resume --destroy "$first_id"
	expect 0
	steps_are_whole
	[ "$first" != "$LOOP" ]
}

# precondition_begin: purge, fill and a random write on LOOP are done; the read after it is interrupted by $1.
precondition_begin() {
	[ -n "${LOOP:-}" ] || loop_disk
	plan pre.plan <<-PLAN
		[global]
		interval=100ms
		[p]
		kind=purge
		[f]
		kind=fill
		until=written:1x
		[w]
		rw=randwrite
		bs=64k
		iodepth=4
		until=written:16m
		[r]
		rw=randread
		bs=4k
		runtime=10m
		[z]
		rw=randread
		bs=4k
		runtime=300ms
	PLAN
	begin pre.plan "$LOOP" --destroy "$ID"
	reached r
	# noted once a second: what the block layer had counted when everything was written
	until_shows "select count(*) > 0 from telemetry t join telemetry_name n on n.id = t.name join step s on s.name = 'r'
		where n.name = 'block_write_total_bytes' and t.t_ns > s.started_ns"
	stop "$1"
	comes_free "$LOOP"
	shorten
}

@test "preconditioning is not done again when nothing else has written" {
	local signal
	for signal in INT KILL; do
		rm -f r.assay*
		precondition_begin $signal
		resume --destroy "$ID"
		expect 0
		steps_are_whole
		[ "$(query "select group_concat(name, ' ') from step")" = "p f w r z" ]
		[ "$(query "select text like '%no preconditioning again%' from event where kind = 'resume'")" = 1 ]
	done
}

@test "preconditioning is done again when something else has written, unless the user trusts the state" {
	precondition_begin INT
	dd if=/dev/urandom of="$LOOP" bs=1M count=8 oflag=direct status=none
	cp r.assay trusted.assay
	resume --destroy "$ID"
	expect 0
	steps_are_whole
	[ "$(query "select group_concat(name || '/' || kind, ' ') from step")" = "p/purge f/fill w/load prepare/purge prepare/fill prepare/load r/load z/load" ]
	[ "$(query "select text like '%has been written to since%' from event where kind = 'resume'")" = 1 ]
	[ "$(query "select count(*) from event where kind = 'preconditioned'")" = 1 ]
	dd if=/dev/urandom of="$LOOP" bs=1M count=8 oflag=direct status=none
	mv trusted.assay r.assay
	resume --destroy "$ID" --trust-state
	expect 0
	[ "$(query "select group_concat(name, ' ') from step")" = "p f w r z" ]
}

@test "a failed run goes on when the device is back" {
	rig_need_loop
	rig_need_fault
	FAULT=$(rig_fault)
	LOOP=$(losetup --find --show --direct-io=on "$FAULT/disk")
	rig_later "losetup -d $LOOP"
	begin steps.plan "$LOOP" --destroy "loop:$FAULT/disk"
	reached b
	echo gone > "$FAULT/ctl"
	ended
	expect 4
	[ "$(result .status)" = failed ]
	echo back > "$FAULT/ctl"
	shorten
	resume --destroy "loop:$FAULT/disk"
	expect 0
	steps_are_whole
	[ "$(query "select group_concat(name, ' ') from step where name != 'prepare'")" = "a b c" ]
}

# lock_taken FILE: HOLDER holds the lock of a run file's writer.
lock_taken() {
	flock --no-fork "$1" sh -c 'echo > held; exec sleep 600' 3>&- &
	HOLDER=$!
	until_true 60 test -e held
}

# is_left_alone: nothing reads LOOP any more. Who was killed while it hung reads on when it no longer does, and so does the kernel for
# him, after the device can be claimed.
is_left_alone() {
	echo reset > "$FAULT/ctl"
	sleep 0.2
	[ "$(rig_fault_count "$FAULT" reads)" = 0 ] && ! fuser -s "$LOOP"
}

# has_looked: the resume that waits for the lock has seen the drive, and nobody looks now.
has_looked() {
	gone_or_zombie "$PID" || { [ "$(rig_fault_count "$FAULT" reads)" -gt 0 ] && [ -z "$(cat "/proc/$PID/task/$PID/children")" ]; }
}

asks() {
	gone_or_zombie "$PID" || [ -n "$(cat "/proc/$PID/task/$PID/children")" ]
}

# hangs_when_asked: a resume of r.assay has looked at LOOP as at any target, and now asks whether it is as the run left it, and LOOP
# hangs. Before that it waits two seconds for the lock of the run file; that is when it begins to hang.
hangs_when_asked() {
	local try
	for try in 1 2 3 4 5; do
		until_true 60 is_left_alone
		rm -f held
		lock_taken r.assay
		background run --resume r.assay --destroy "loop:$FAULT/disk" --progress none
		until_true 60 has_looked
		echo "hang 120" > "$FAULT/ctl"
		kill "$HOLDER"
		wait "$HOLDER" || true
		until_true 60 asks
		gone_or_zombie "$PID" || return 0
		ended		# too late for the lock: this machine is slow
		expect_err "another ssdassay is writing"
	done
	return 1
}

@test "a drive that hangs when it is asked whether it is as the run left it: a signal ends the program at once, 4 after a while" {
	fault_loop
	begin steps.plan "$LOOP" --destroy "loop:$FAULT/disk"
	reached b
	stop KILL
	comes_free "$LOOP"
	local before
	before=$(query "select count(*), max(id) from step")
	hangs_when_asked
	kill -TERM "$PID"
	ended_within "$(soon)"
	expect 143
	echo reset > "$FAULT/ctl"
	comes_free "$LOOP"
	hangs_when_asked
	ended_within 60
	echo reset > "$FAULT/ctl"
	expect 4
	expect_err "$LOOP has not answered for 15.0 s: does it hang? The run file is as it was"
	[ "$(query "select count(*), max(id) from step")" = "$before" ]
	comes_free "$LOOP"
	shorten
	resume --destroy "loop:$FAULT/disk"
	expect 0
	steps_are_whole
}

@test "a search that was interrupted begins anew; one that is done is not done again" {
	plan find.plan <<-PLAN
		[find]
		rw=randread
		bs=4k
		size=8m
		iodepth=4
		search=p50<60s
		runtime=200ms
		interval=50ms
		[b]
		rw=randread
		bs=4k
		size=8m
		runtime=10m
		interval=100ms
		[at]
		rw=randread
		bs=4k
		size=8m
		iodepth=4
		arrival=constant:10%@find
		runtime=200ms
	PLAN
	begin find.plan t.dat
	until_shows "select count(*) >= 2 from step where name = 'find'"
	stop KILL
	background run --resume r.assay --progress none
	reached b
	stop KILL
	[ "$(query "select count(*) from event where kind = 'search'")" = 1 ]
	numbers_of find > before
	shorten
	resume
	expect 0
	steps_are_whole
	numbers_of find > after
	cmp before after
	[ "$(query "select count(*) from event where kind = 'search'")" = 1 ]
	[ "$(result '.findings[] | select(.kind == "search") | .value > 0')" = true ]
	near "$(query "select rate_asked from load join step on id = step where step.name = 'at'")" \
		"$(result '.findings[] | select(.kind == "search") | .value / 10')" 0.1
}

@test "several targets: one after the other, and those that the plan names" {
	begin steps.plan t1.dat t2.dat
	reached b
	stop KILL
	shorten 2s
	background run --resume r.assay --progress none
	until_shows "select count(*) >= 1 from step where path like 'target1/b%'"
	stop KILL
	shorten
	resume
	expect 0
	steps_are_whole
	[ "$(query "select group_concat(substr(path, 7, 4), ' ') from step where name != 'prepare'")" = "0/a[ 0/b[ 0/c[ 1/a[ 1/b[ 1/c[" ]
	[ "$(query "select count(*) from drive")" = 2 ]

	rm -f r.assay*
	plan own.plan <<-PLAN
		[global]
		bs=4k
		size=8m
		interval=100ms
		[a]
		filename=n1.dat
		rw=randwrite
		runtime=300ms
		[b]
		filename=n2.dat
		rw=randread
		runtime=10m
		[c]
		filename=n1.dat
		rw=randread
		runtime=300ms
	PLAN
	begin own.plan
	reached b
	stop INT
	shorten
	resume
	expect 0
	steps_are_whole
	[ "$(query "select group_concat(name || target, ' ') from (select step.name, target from step join load on id = step where step.name != 'prepare' order by id)")" = "a0 b1 c0" ]
}

@test "a file in a directory: kill -9 leaves it, the resume uses and removes it; Ctrl-C removes it, the resume makes another" {
	mkdir d
	local signal name
	for signal in KILL INT; do
		rm -f r.assay*
		begin steps.plan d/
		reached b
		stop $signal
		name=$(query "select name from drive")
		[ $signal = INT ] || [ -e "$name" ]
		[ $signal = KILL ] || [ -z "$(ls d)" ]
		shorten
		resume
		expect 0
		[ "$(query "select status from run")" = complete ]
		[ "$(query "select group_concat(name, ' ') from step where name != 'prepare'")" = "a b c" ]
		[ -z "$(ls d)" ]
		[ $signal = INT ] || [ "$(query "select name from drive")" = "$name" ]
		[ $signal = KILL ] || [ "$(query "select name from drive")" != "$name" ]
	done
}

@test "a run file cannot have a file removed that is not this program's own" {
	mkdir d
	begin steps.plan d/
	reached b
	stop KILL
	shorten
	local mine=d/ssdassay-abcdef
	mv d/ssdassay-* $mine
	setfattr -x "$(getfattr --absolute-names -m - $mine 2> /dev/null | sed -n 2p)" $mine
	sqlite3 r.assay "update run set options_json = json_set(options_json, '\$.targets[0]', '$RIG/$mine')"
	resume --overwrite
	[ -e $mine ]
}

@test "after a reboot a drive that has another name is found by its ID" {
	loop_disk
	begin steps.plan "$LOOP" --destroy "$ID" --allow-unwritten
	reached b
	stop KILL
	shorten
	sqlite3 r.assay "update run set options_json = json_set(options_json, '\$.boot_id', 'another boot')"
	comes_free "$LOOP"
	local now
	now=$(rig_loop "$DISK")
	losetup -d "$LOOP"	# whoever gets that name next
	[ "$now" != "$LOOP" ]
	resume --destroy "$ID"
	expect 0
	expect_err "was $LOOP and is $now now"
	steps_are_whole
	[ "$(query "select name from drive")" = "$now" ]
	[ "$(query "select text like '%no counter that would tell%' from event where kind = 'resume'")" = 1 ]
}

@test "a measuring process that hangs in the kernel does not hold the run file" {
	rig_need_loop
	rig_need_fault
	FAULT=$(rig_fault)
	rig_later "echo reset > '$FAULT/ctl'"
	plan hang.plan <<-PLAN
		[a]
		rw=randread
		bs=4k
		ioengine=psync
		runtime=10m
		interval=100ms
	PLAN
	begin hang.plan "$FAULT/disk" --allow-unwritten --overwrite
	reached a
	local child
	child=$(measuring "$PID")
	[ -n "$child" ]
	echo hang 60 > "$FAULT/ctl"
	until_shows "select sum(ios) = 0 from series where idx = (select max(idx) from series)"
	stop KILL
	# its first thread is a zombie, the one that waits for the drive is not
	grep -q '^State:.D' "/proc/$child/task/"*/status
	ssd show r.assay
	expect 0
	# nobody holds it: it can be locked at once
	flock --nonblock r.assay true
	echo reset > "$FAULT/ctl"
	shorten
	resume --overwrite
	expect 0
	steps_are_whole
}

@test "criteria of the steps before and after decide the exit code" {
	printf 'expect=iops<1\n' >> steps.plan
	begin steps.plan t.dat
	reached b
	stop INT
	shorten
	resume
	expect 1
	resume
	expect 1
}

@test "what cannot be resumed is said" {
	ssd run --resume none.assay
	expect 2
	expect_err none.assay
	echo no > text.assay
	ssd run --resume text.assay
	expect 2
	ssd run --resume r.assay --scale 2
	expect 2
	expect_err "--scale cannot be given"
	ssd run steps.plan sim:tlc-consumer --trust-state
	expect 2
	ssd run
	expect 2
	begin steps.plan t.dat
	reached b
	resume
	expect 4
	expect_err "another ssdassay is writing this run, process $PID"
	stop INT
	[ "$status" = 130 ]
	sqlite3 r.assay "update run set options_json = NULL"
	resume
	expect 2
	expect_err "cannot go on"
	sqlite3 r.assay "delete from run"
	resume
	expect 2
	expect_err "holds no run"
}

# told_lines COUNT: it has shown its progress so often, or is at its end.
told_lines() {
	[ "$(grep -c elapsed_ns .run.err)" -ge "$1" ] || gone_or_zombie "$PID"
}

# A seeded number from 0 up to $2: moment_of SEED MAX
moment_of() {
	awk -v seed="$1" -v max="$2" 'BEGIN { srand(seed * 7919); rand(); printf "%.3f", rand() * max }'
}

# moments COUNT LINES ARG...: kills a run at COUNT seeded moments and has each run file opened and resumed. Every third moment is one
# within the first 0.2 s; the others follow one of the first LINES lines of progress, by up to 0.2 s. At most a second of what had been
# told by then may be lost: by the run's own clock, so that it does not matter how long it takes to start here. (Simulated seconds
# are no time at all; those are only resumed.)
moments() {
	local count=$1 lines=$2 moment told kept i
	shift 2
	for i in $(seq "$count"); do
		rm -rf r.assay* t.dat
		background run "$@" -o r.assay --progress json
		[ $((i % 3)) = 0 ] || until_true 60 told_lines $((i * 7 % lines + 1))
		moment=$(moment_of "$i" 0.2)
		sleep "$moment"
		stop KILL
		[ -e r.assay ] || continue	# killed before there was any
		ssd show --json r.assay
		expect 0
		told=$(told_ms)
		kept=$(kept_ms)
		[ $((i % 3)) = 0 ] || [ "${*: -1}" != t.dat ] || [ "$told" -gt 0 ]
		echo "moment $i: told $told ms, kept $kept ms" | tee -a "${KILL_LOG:-/dev/null}"
		[ "${*: -1}" != t.dat ] || [ "$kept" -ge $((told - 1000)) ]
		[ "$(sqlite3 .copy/r.assay 'pragma integrity_check')" = ok ]
		resume
		expect 0
		steps_are_whole
	done
}

@test "kill -9 at many moments of a run on a real file: opens, loses a second at most, resumes to the end" {
	plan short.plan <<-PLAN
		[global]
		bs=4k
		size=8m
		interval=50ms
		[a]
		rw=write
		[b]
		vary.iodepth=1 2 4 8
		rw=randrw
		runtime=400ms
		[i]
		kind=idle
		runtime=100ms
		[c]
		rw=randread
		runtime=400ms
	PLAN
	moments "${KILL_MOMENTS:-5}" 9 short.plan t.dat
}

@test "kill -9 at many moments of a run on a simulated drive: opens, resumes to the end" {
	plan short.plan <<-PLAN
		[fill]
		kind=fill
		range=0%..1%
		[g]
		kind=group
		max=4
		until=snia
		track=w iops
		[w]
		in=g
		rw=randwrite
		range=0%..1%
		bs=4k
		iodepth=4
		runtime=5s
		[r]
		rw=randread
		range=0%..1%
		runtime=4s
	PLAN
	moments "${KILL_MOMENTS:-5}" 6 short.plan sim:tlc-consumer
}
