#!/usr/bin/env bats
# Runs that do not get to their end: killed, interrupted, out of space. What was measured is kept and can be opened.

load common

setup() {
	cli_start
	plan long.plan <<-PLAN
		[w]
		rw=randwrite
		bs=4k
		size=8m
		direct=1
		iodepth=2
		runtime=10m
		interval=100ms
	PLAN
}

teardown() { cli_stop; }

# begin ARG...: starts a run of long.plan in the background; PID.
begin() {
	background run "$@" -o r.assay --progress json
}

child_of() {
	cat "/proc/$1/task/$1/children"
}

started() {
	until_shows "select count(*) >= 1 from series"
}

told() {
	[ "$(told_ms)" -ge "$1" ]
}

opens() {
	ssd show r.assay
	expect 0
	ssd show --json r.assay
	expect 0
	jq -e . .out > .parsed
	ssd export r.assay --format csv -o csv
	expect 0
	ssd report r.assay -o page.html
	expect 0
	[ -s page.html ]
	[ "$(sqlite3 -readonly r.assay 'pragma integrity_check')" = ok ]
}

@test "kill -9 at several moments leaves a valid run with all but the last second" {
	local moment kept child children
	for moment in 0 1 1000 3000; do
		rm -rf r.assay* csv
		begin long.plan t.dat
		until_true 60 test -e r.assay
		until_true 60 told $moment	# by the run's own clock
		children=$(child_of "$PID")
		kill -KILL "$PID"
		wait "$PID" || true
		opens
		[ "$(result .status)" = interrupted ]
		kept=$(query "select coalesce(max(start_ns + duration_ns), 0) / 1000000 from series")
		echo "told $(told_ms) ms, kept $kept ms"
		[ "$(told_ms)" -ge $moment ]
		[ "$kept" -ge "$(($(told_ms) - 1000))" ]
		# nobody measures on when the front is gone
		for child in $children; do
			until_true 60 gone_or_zombie "$child"
		done
	done
}

@test "what kill -9 leaves has every interval up to its end, and totals from them" {
	begin long.plan t.dat
	until_shows "select count(distinct idx) >= 10 from series"
	kill -KILL "$PID"
	wait "$PID" || true
	no_gaps
	[ "$(result '.steps[0].loads[0].write.ios')" = "$(query "select sum(ios) from series where op = 1 and ramp = 0")" ]
	# what was not concluded is not passed over
	ssd show r.assay
	expect_out "no findings and checks: " "--resume"
	ssd report r.assay -o page.html
	expect 0
	grep -F 'class="banner bad">Of ' page.html | grep -qF "Nothing was concluded: there are no findings and no self-checks"
}

@test "one Ctrl-C: 130 within a second, sealed, everything kept" {
	local signal
	for signal in INT TERM HUP; do
		rm -rf r.assay* csv
		begin long.plan t.dat
		started
		kill -$signal "$PID"
		ended_within "$(soon)"
		expect 130
		expect_err "interrupted" "kept"
		expect_out "interrupted"
		opens
		[ "$(result .status)" = interrupted ]
		[ "$(result '.steps[-1].status')" = interrupted ]
		[ "$(query "select sum(ios) from series where op = 1")" = "$(query "select ios from total where op = 1")" ]
		[ "$(ls r.assay*)" = r.assay ]
	done
}

@test "Ctrl-C to the whole foreground group, as a terminal sends it" {
	setsid "$SSDASSAY" run long.plan t.dat -o r.assay --progress none > .run.out 2> .run.err < /dev/null 3>&- &
	PID=$!
	started
	kill -INT -- "-$PID"
	ended_within "$(soon)"
	expect 130
	opens
}

@test "Ctrl-C during a simulated run, an idle step and the fill of a file" {
	plan sim.plan <<-PLAN
		[w]
		rw=randwrite
		bs=4k
		iodepth=32
		runtime=100h
	PLAN
	plan idle.plan <<-PLAN
		[i]
		kind=idle
		runtime=10m
	PLAN
	plan fill.plan <<-PLAN
		[r]
		rw=randread
		size=2g
		ioengine=psync
	PLAN
	plan late.plan <<-PLAN
		[w]
		rw=randwrite
		bs=4k
		runtime=1s
		startdelay=100000h
	PLAN
	local words
	for words in "sim.plan sim:tlc-consumer" "late.plan sim:tlc-consumer" "idle.plan /dev/null" "fill.plan fill.dat"; do
		rm -f r.assay*
		begin $words
		until_shows "select count(*) >= 1 from step"
		kill -INT "$PID"
		ended_within "$(soon)"
		expect 130
		ssd show --json r.assay
		expect 0
		[ "$(result .status)" = interrupted ]
	done
}

@test "a hang-up does not end what was started by nohup" {
	cat > nohup.sh <<-SCRIPT
		trap '' HUP
		exec "$SSDASSAY" "\$@"
	SCRIPT
	sh nohup.sh run long.plan t.dat -o r.assay --progress json > .run.out 2> .run.err < /dev/null 3>&- &
	PID=$!
	started
	kill -HUP "$PID"
	local before
	before=$(told_ms)
	until_true 60 told $((before + 1500))
	kill -TERM "$PID"
	ended_within "$(soon)"
	expect 130
}

@test "Ctrl-Z does not pause a measurement" {
	begin long.plan t.dat
	started
	kill -TSTP "$PID" $(child_of "$PID")
	local before
	before=$(told_ms)
	until_true 60 told $((before + 1500))
	[[ "$(cat /proc/$PID/status)" != *"State:	T"* ]]
	kill -INT "$PID"
	ended_within "$(soon)"
	expect 130
}

@test "Ctrl-C: a directory target's file is removed" {
	mkdir d
	begin long.plan d/
	started
	[ -n "$(ls d)" ]
	kill -INT "$PID"
	ended_within "$(soon)"
	expect 130
	[ -z "$(ls d)" ]
}

@test "the measuring process killed: 4, said so, and the part kept" {
	local signal
	for signal in KILL SEGV; do
		rm -rf r.assay* csv
		begin long.plan t.dat
		started
		kill -$signal $(child_of "$PID")
		ended
		expect 4
		expect_err "measuring process"
		opens
		[ "$(result .status)" = failed ]
		[ "$(result '.steps[-1].loads[0].write.ios > 0')" = true ]
		[ "$(query "select sum(ios) from series where op = 1")" = "$(query "select ios from total where op = 1")" ]
	done
}

@test "a stopped and continued measuring process is no failure, and no standstill of the drive" {
	begin long.plan t.dat --set w.runtime=6s
	started
	kill -STOP $(child_of "$PID")
	sleep 1		# a second of the computer, not of the drive
	kill -CONT $(child_of "$PID")
	ended
	expect 0
	[ "$(query "select json_extract(data_json, '$.host.longest_ns') > 800000000 from event where kind = 'stalls'")" = 1 ]
	[ "$(query "select max(stall_longest_ns) < 800000000 from step")" = 1 ]
	[ "$(result '.findings[] | select(.kind == "host_stall") | .value > 8e8')" = true ]
	no_gaps
	[ "$(query "select sum(ios) from series where op = 1")" = "$(query "select ios from total where op = 1")" ]
}

@test "a run file that is removed or moved during the run: 4, said so, and no word of where it is" {
	local how
	for how in "rm r.assay" "mv r.assay elsewhere"; do
		begin long.plan t.dat
		started
		$how
		kill -INT "$PID"
		ended_within "$(soon)"
		expect 4
		expect_err "the run file r.assay was" "while it was written"
		[[ $err != *"Run file:"* ]]
		rm -f r.assay* elsewhere*
	done
}

@test "a limit of the size of files (ulimit -f) is a full disk: 4, said so" {
	printf '#!/bin/bash\nulimit -f 200\nexec "%s" "$@"\n' "$SSDASSAY" > limited
	chmod +x limited
	SSDASSAY=./limited ssd run long.plan sim:tlc-consumer,shrink=256 -o r.assay --progress none
	expect 4
	expect_err "File too large"
}

@test "a run that is being resumed is not resumed by a second one" {
	begin long.plan t.dat
	started
	kill -INT "$PID"
	ended_within "$(soon)"
	expect 130
	background run --resume r.assay --progress json
	until_shows "select status = 'running' from run"
	ssd run --resume r.assay --progress none
	expect 4
	expect_err "another ssdassay is writing this run"
	kill -INT "$PID"
	ended_within "$(soon)"
	expect 130
}

@test "a run file is never overwritten, whatever lies there" {
	plan short.plan <<-PLAN
		[w]
		rw=write
		size=64k
	PLAN
	run_plan short.plan sim:tlc-consumer
	expect 0
	local before
	before=$(sha256sum < r.assay)
	ssd run short.plan sim:tlc-consumer -o r.assay
	expect 2
	expect_err "r.assay exists"
	[ "$(sha256sum < r.assay)" = "$before" ]
	echo mine > other
	ln -s other link.assay
	ln -s nowhere dangling.assay
	mkdir dir.assay
	local name
	for name in other link.assay dangling.assay dir.assay; do
		ssd run short.plan sim:tlc-consumer -o $name
		expect 2
		expect_err "$name"
	done
	[ "$(cat other)" = mine ]
	[ ! -e nowhere ]
}

# A target whose first I/O comes after an hour: the run can only be ended before it.
@test "a run that ended before anything was measured says so, is kept, and what to do is told by whoever meets it" {
	printf '[wait]\nrw=randwrite\nsize=1m\nstartdelay=1h\nruntime=1s\n' > late.plan
	background run late.plan t.dat -o "my run.assay" --progress none
	until_shows "select count(*) = 1 from step where name = 'wait' and status = 'running'" "my run.assay"
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	[[ $out == *"nothing was measured: no I/O came to its end"* ]]
	[[ $err == *"Run file: my run.assay   (nothing was measured; to begin anew: ssdassay run --resume 'my run.assay')"* ]]
	ssd show "my run.assay"
	expect 0
	expect_out interrupted "nothing was measured: no I/O came to its end"
	ssd report "my run.assay" -o page.html
	expect 0
	grep -q 'Nothing was measured: no I/O came to its end' page.html
	# the same command again
	cp "my run.assay" before
	ssd run late.plan t.dat -o "my run.assay" --progress none
	expect 2
	expect_err "exists, and holds a run that was interrupted before anything was measured" "ssdassay run --resume 'my run.assay'"
	cmp before "my run.assay"
	# where something was measured, nothing says otherwise
	printf '[read]\nrw=randread\nsize=1m\nruntime=1h\n' > long.plan
	background run long.plan t.dat -o s.assay --progress none
	until_shows "select count(*) >= 1 from series where ios > 0" s.assay
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	[[ $out != *"nothing was measured"* ]]
	[[ $err == *"Run file: s.assay   (page: "* ]]
	ssd run long.plan t.dat -o s.assay --progress none
	expect 2
	expect_err "s.assay exists, and holds a run that was interrupted (" "go on with it: ssdassay run --resume s.assay"
}

@test "a run that fails in its first step is kept with its reason, and --resume begins it anew" {
	[ "$(id -u)" = 0 ] || skip "not root"
	mkdir mnt
	mount -t tmpfs none mnt || skip "no tmpfs"
	rig_later "umount '$PWD/mnt'"
	printf '[load]\nrw=randwrite\nsize=1m\nioengine=io_uring\nhipri=1\nruntime=100ms\n' > poll.plan
	run_plan poll.plan mnt/t.dat
	expect 4
	expect_out "can't be polled" "nothing was measured"
	[ "$(query "select status from run")" = failed ]
	ssd run poll.plan mnt/t.dat -o r.assay --progress none
	expect 2
	expect_err "holds a run that failed before anything was measured (step 'load': " "can't be polled" "ssdassay run --resume r.assay"
	ssd run --resume r.assay --progress none
	expect 4
	expect_out "nothing was measured"
}

@test "without -o the name says plan, drive and date, and a second run takes another name" {
	plan short.plan <<-PLAN
		[w]
		rw=write
		size=64k
	PLAN
	ssd run short.plan sim:tlc-consumer --progress none
	expect 0
	ssd run short.plan sim:tlc-consumer --progress none
	expect 0
	[ "$(ls ./*.assay | wc -l)" = 2 ]
	[ "$(ls ./*.assay | grep -cE '^./short-sim-tlc-consumer-[0-9]{8}-[0-9]{6}(-2)?\.assay$')" = 2 ]
}

@test "a run file that cannot be made: said before anything is measured" {
	ssd run long.plan t.dat -o none/r.assay
	expect 4
	expect_err "none/r.assay"
	[ "$(id -u)" != 0 ] || mount -t tmpfs -o ro none "$(mkdir ro && echo ro)"
	rig_later "umount '$RIG/ro'"
	ssd run long.plan t.dat -o ro/r.assay
	expect 4
	expect_err "ro/r.assay"
	ssd run long.plan t.dat -o ""
	[ "$status" -ne 0 ]
}

# A simulated run whose series grow until small/ is full.
fill_small() {
	mkdir small
	mount -t tmpfs -o size="$1" none small
	rig_later "umount '$RIG/small'"
	ssd run long.plan sim:tlc-consumer -o small/r.assay --progress none --set w.runtime=100h
}

@test "the run file's disk is full: 4, said so, the run is told as failed, what was kept can be opened, and it goes on" {
	rig_need_loop
	fill_small 3m
	expect 4
	expect_err "small/r.assay" "No space left"
	local command
	for command in "show" "show --json" "report -o page.html"; do
		ssd $command small/r.assay
		expect 0
	done
	[ "$(result .status small/r.assay)" = failed ]
	[[ $(result .status_text small/r.assay) == *"the run file's disk was full"* ]]
	[ "$(result '.steps[-1].status' small/r.assay)" = interrupted ]
	ssd show small/r.assay
	expect_out "failed" "the run file's disk was full"
	mount -o remount,size=64m small
	sqlite3 small/r.assay "update run set plan_text = replace(plan_text, 'runtime=10m', 'runtime=2s'),
		options_json = replace(options_json, 'w.runtime=100h', 'w.runtime=2s')"
	ssd run --resume small/r.assay --progress none
	expect 0
	[ "$(result .status small/r.assay)" = complete ]
}

@test "the run file's disk is full and nothing could be kept aside: nobody runs it, and so it is told" {
	rig_need_loop
	fill_small 640k
	expect 4
	expect_err "small/r.assay"
	ssd show --json small/r.assay
	expect 0
	jq -e . .out > .parsed
	[ "$(result .status small/r.assay)" != running ]
	[[ $(result .status_text small/r.assay) == *"disk of the run file was full"* ]]
}

@test "a run that was killed is not told as running; one that is alive is" {
	begin long.plan t.dat
	started
	[ "$(result .status)" = running ]
	[ "$(result '.steps[-1].status')" = running ]
	kill -KILL "$PID"
	wait "$PID" || true
	[ "$(result .status)" = interrupted ]
	[ "$(result '.steps[-1].status')" = interrupted ]
	[[ $(result .status_text) == "it stopped without its end being written: it was killed, or"*"--resume"* ]]
	ssd show r.assay
	expect_out "interrupted" "length unknown" "stopped without its end being written"
	ssd report r.assay -o page.html
	grep -q "stopped without its end being written" page.html
	[ "$(query "select status from run")" = running ]	# what is stored is what was known
	sqlite3 r.assay "update run set options_json = json_set(options_json, '\$.boot_id', 'another boot')"
	[[ $(result .status_text) == *"the machine was switched off or started again"* ]]
}
