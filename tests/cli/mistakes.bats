#!/usr/bin/env bats
# Mistakes in plans and on the command line: named with file, line and column, before anything is touched.

load common

setup() { cli_start; }
teardown() { cli_stop; }

# mistake FILE PLACE TEXT < plan: check and run both end with 2 and say TEXT at FILE:PLACE; nothing is made.
mistake() {
	local command
	cat > "$1"
	for command in check run; do
		ssd $command "$1" target.dat
		expect 2
		expect_err "ssdassay: $1:$2: " "$3"
		[ -z "$out" ]
	done
	[ ! -e target.dat ]
	[ -z "$(find . -name '*.assay')" ]
}

# accepted FILE TEXT < fio file: warned of, and refused with --strict.
accepted() {
	cat > "$1"
	ssd check "$1" target.dat
	expect 0
	expect_err "warning: $1:" "$2"
	ssd check "$1" target.dat --strict
	expect 2
	expect_err "$2"
}

@test "F17 an unknown option is named with line, column and the nearest name" {
	mistake a.plan 3:1 "iodepht is not known; did you mean iodepth?" <<-PLAN
		[a]
		rw=read
		iodepht=3
	PLAN
	mistake a.fio 3:1 "iodepht is not known; did you mean iodepth?" <<-PLAN
		[a]
		rw=read
		iodepht=3
	PLAN
}

@test "F17 an unknown value is named with its column and the nearest one" {
	mistake a.plan 4:8 "did you mean randread?" <<-PLAN
		; a comment
		[a]

		  rw = randraed	; another
	PLAN
	mistake a.fio 2:10 "io_uring" <<-PLAN
		[a]
		ioengine=sg
		rw=read
	PLAN
}

@test "F17 an option that fio knows and this program does not support is refused by name" {
	mistake a.fio 3:1 "zonemode is not supported" <<-PLAN
		[a]
		rw=read
		zonemode=zbd
	PLAN
}

@test "sections and lines that are not closed, empty or out of place" {
	mistake a.plan 1:1 "]" <<< "[a"
	mistake a.plan 1:1 "before the first [section]" <<< "rw=read"
	mistake a.plan 4:1 "there is a step called a already" <<-PLAN
		[a]
		rw=read
		runtime=1
		[a]
		rw=write
		runtime=1
	PLAN
	echo "" > empty.plan
	ssd check empty.plan target.dat
	expect 2
	expect_err "empty.plan" "no step"
	head -c 300 /dev/urandom > noise.plan
	ssd check noise.plan target.dat
	expect 2
	printf '[a]\nrw=read\n\0\n' > nul.plan
	ssd check nul.plan target.dat
	expect 2
	expect_err "NUL"
}

@test "E16 zero is an error and never means everything" {
	local key
	for key in bs size io_size numjobs iodepth loops; do
		mistake a.plan 3:$((${#key} + 2)) "$key" <<-PLAN
			[a]
			rw=randread
			$key=0
		PLAN
	done
	mistake a.fio 3:6 "it never means" <<-PLAN
		[a]
		rw=trim
		size=0
	PLAN
}

@test "sizes: no number, unknown units, too large, negative" {
	local size
	for size in 4kk x 4q 999999999999g 18446744073709551616 -4k 4.2.1k "4k 8q"; do
		mistake a.plan 3:4 "bs" <<-PLAN
			[a]
			rw=read
			bs=$size
		PLAN
	done
	mistake a.plan 3:6 "more than 100%" <<-PLAN
		[a]
		rw=read
		size=20000%
	PLAN
}

@test "4KiB is refused in a .fio file, with the advice to write 4k, and is 4096 in a .plan" {
	mistake a.fio 3:4 'write "4k"' <<-PLAN
		[a]
		rw=randread
		bs=4KiB
	PLAN
	plan a.plan <<-PLAN
		[a]
		rw=randwrite
		bs=4KiB
		size=16k
	PLAN
	run_plan a.plan sim:tlc-consumer
	expect 0
	[ "$(result '.steps[-1].loads[0].write | .bytes / .ios')" = 4096 ]
}

@test "times: no number, unknown units, negative, zero" {
	local time
	for time in x 1y -5 0 "" 9999999999999d; do
		mistake a.plan 3:9 "runtime" <<-PLAN
			[a]
			rw=read
			runtime=$time
		PLAN
	done
}

@test "B05 a rate below one block in the run time is refused, in bytes and with fractions" {
	local rate
	for rate in 50.49 50; do
		mistake a.plan 3:1 "not even one I/O" <<-PLAN
			[a]
			rw=read
			rate=$rate
			bs=4096
			runtime=30
		PLAN
	done
}

@test "D02 an option given twice is an error in a .plan, and a warning that names both lines in a .fio file" {
	mistake a.plan 4:1 "a second time (first in line 3)" <<-PLAN
		[a]
		rw=read
		bs=4k
		bs=8k
	PLAN
	accepted a.fio "a second time (first in line 3)" <<-PLAN
		[a]
		rw=read
		bs=4k
		bs=8k
		size=1m
	PLAN
}

@test "E20 iodepth with a synchronous engine is an error, in a .fio file a warning" {
	local engine
	for engine in sync psync; do
		mistake a.plan 4:1 "iodepth has no effect here" <<-PLAN
			[a]
			rw=read
			ioengine=$engine
			iodepth=32
		PLAN
		accepted a.fio "iodepth has no effect here" <<-PLAN
			[a]
			rw=randtrim
			size=1m
			ioengine=$engine
			iodepth=32
		PLAN
	done
}

@test "C09 reporting options that have no effect are warned of, never silently ignored" {
	local option
	for option in write_lat_log=x write_bw_log=x gtod_reduce=1 log_avg_msec=10 lat_percentiles=1; do
		accepted a.fio "${option%%=*} has no effect here" <<-PLAN
			[a]
			rw=read
			size=1m
			$option
		PLAN
	done
}

@test "E06 zoned shares may be fractions and are checked to add up" {
	plan a.fio <<-PLAN
		[a]
		rw=randread
		size=64m
		random_distribution=zoned:99/0.01:1/99.99
	PLAN
	ssd check a.fio target.dat
	expect 0
	mistake a.fio 4:21 "random_distribution" <<-PLAN
		[a]
		rw=randread
		size=64m
		random_distribution=zoned:50/10:20/20
	PLAN
}

@test "included files and variables: faults name the file they stand in" {
	mkdir parts
	printf 'bs=4k\niodepht=3\n' > parts/common.inc
	plan a.plan <<-PLAN
		[a]
		rw=read
		include parts/common.inc
	PLAN
	ssd check a.plan target.dat
	expect 2
	expect_err "common.inc:2:1" "did you mean iodepth"
	mistake b.plan 3:9 "missing.inc" <<-PLAN
		[a]
		rw=read
		include missing.inc
	PLAN
	echo "include loop.plan" > loop.plan
	ssd check loop.plan target.dat
	expect 2
	plan v.plan <<-'PLAN'
		[a]
		rw=randwrite
		bs=${SIZE}
		size=64k
	PLAN
	SIZE=8k run_plan v.plan sim:tlc-consumer
	expect 0
	[ "$(result '.steps[-1].loads[0].write | .bytes / .ios')" = 8192 ]
	ssd check v.plan target.dat
	expect 2
	expect_err "v.plan:3:" "SIZE"
}

@test "--set of all steps says which ones keep a value of their own" {
	plan a.plan <<-PLAN
		[global]
		bs=4k
		rw=randread
		[a]
		bs=8k
		runtime=1s
		[b]
		runtime=1s
	PLAN
	ssd check a.plan sim:theory --set bs=64k
	expect 0
	expect_err "--set bs=64k" "keep it: a (" "--set a.bs=64k"
	ssd check a.plan sim:theory --set rw=read
	expect 0
	[ -z "$err" ]
}

@test "--set: unknown keys, steps and values are errors; the last word wins" {
	plan a.plan <<-PLAN
		[a]
		rw=randwrite
		bs=4k
		size=64k
	PLAN
	ssd check a.plan target.dat --set iodpth=4
	expect 2
	expect_err "--set iodpth=4" "did you mean iodepth?"
	ssd check a.plan target.dat --set b.bs=4k
	expect 2
	expect_err "--set b.bs=4k" '"b"'
	ssd check a.plan target.dat --set bs
	expect 2
	expect_err "KEY=VALUE"
	ssd check a.plan target.dat --set a.bs=4x
	expect 2
	expect_err "4x"
	run_plan a.plan sim:tlc-consumer --set a.bs=16k
	expect 0
	[ "$(result '.steps[-1].loads[0].write | .bytes / .ios')" = 16384 ]
}

@test "--scale takes a positive factor" {
	local factor
	for factor in 0 -1 nan inf x 1001 ""; do
		ssd check quick sim:tlc-consumer --scale "$factor"
		expect 2
		expect_err "--scale"
	done
}

@test "--progress and targets: what is not known is named" {
	ssd run quick sim:tlc-consumer --progress loud
	expect 2
	expect_err "loud" "auto, plain, json, none"
	ssd check quick
	expect 2
	expect_err "no target"
}

@test "a simulated drive that does not exist, or a parameter of it, is a mistake of the user: 2" {
	local command
	for command in check run; do
		ssd $command quick sim:tlc-consumre
		expect 2
		expect_err "tlc-consumre" "tlc-consumer"
		ssd $command quick sim:tlc-consumer,shrnk=3
		expect 2
		expect_err "shrnk" "shrink"
		ssd $command quick sim:tlc-consumer,shrink=abc
		expect 2
		expect_err "abc"
		ssd $command quick ""
		expect 2
		expect_err "empty"
	done
	[ -z "$(ls)" ]
}

@test "a target that cannot be there: 4, and nothing is made" {
	local command target
	for command in check run; do
		for target in /dev/ssdassay-none "$RIG/none/a" ; do
			ssd $command quick "$target"
			expect 4
			expect_err "${target%/a}"
			[ ! -e "$target" ]
		done
	done
}

@test "check exits 0, 2 or 3 as run would" {
	plan a.plan <<-PLAN
		[a]
		rw=randwrite
		size=64k
	PLAN
	echo precious > theirs.dat
	ssd check a.plan new.dat
	expect 0
	expect_out "Target new.dat (file"
	[ ! -e new.dat ]
	ssd check a.plan theirs.dat
	expect 3
	expect_out "needed: " "--overwrite"
	ssd check a.plan theirs.dat --overwrite
	expect 0
	expect_out "Would be destroyed:" "theirs.dat"
	[ "$(cat theirs.dat)" = precious ]
	ssd run a.plan theirs.dat -o r.assay
	expect 3
	[ ! -e r.assay ]
	[ "$(cat theirs.dat)" = precious ]
}

@test "check shows steps, bytes, time and memory as a table" {
	plan a.plan <<-PLAN
		[fill]
		kind=fill
		size=1m
		until=written:1r
		[r]
		rw=randread
		vary.bs=4k 8k
		repeat=3
		size=1m
		runtime=2s
	PLAN
	ssd check a.plan new.dat
	expect 0
	expect_out "measurements" "written" "time" "memory" "7 measurements" "1.05 MB written"
	[[ $out =~ r\ +load\ +6\  ]]
	[[ $out == *"12.0 s"* ]]
}

@test "a plan of more points than one can wait for is refused" {
	mistake a.plan 4:1 "more than 10000 points" <<-PLAN
		[a]
		rw=randread
		vary.iodepth=$(seq -s " " 200)
		vary.numjobs=$(seq -s " " 60)
		runtime=1s
	PLAN
}

@test "a plan that runs commands is refused without --allow-commands" {
	plan a.plan <<-PLAN
		[a]
		kind=app
		command=touch made
	PLAN
	ssd run a.plan sim:tlc-consumer
	expect 2
	expect_err "a.plan:"
	[ ! -e made ]
}

@test "a plan from standard input, and the same twice, is the same plan" {
	plan a.plan <<-PLAN
		[a]
		rw=randwrite
		size=64k
	PLAN
	STDIN=a.plan run_plan - sim:tlc-consumer
	expect 0
	[ "$(result .run.plan_text)" = "$(cat a.plan)" ]
	plan b.plan <<-PLAN
		[a]
		rw=rondwrite
	PLAN
	STDIN=b.plan ssd check - sim:tlc-consumer
	expect 2
	expect_err "standard input:2:4"
}

@test "CRLF, a byte order mark, blanks and comments at the end of lines are read as meant" {
	printf '\xef\xbb\xbf; made on Windows\r\n[a]\r\n  rw = randwrite  \r\nbs=4k ; small\r\nsize=64k\r\n' > a.plan
	run_plan a.plan sim:tlc-consumer
	expect 0
	[ "$(result '.steps[-1].loads[0].write.ios')" = 16 ]
}

@test "E22 blocks that the target's block size does not divide are refused, not rounded" {
	mistake_block() {
		plan a.plan <<-PLAN
			[a]
			rw=randread
			bs=$1
			size=1m
			direct=1
			ioengine=psync
		PLAN
		run_plan a.plan t.dat
		[ "$status" -ne 0 ]
		expect_err "$1"
	}
	mistake_block 528
	mistake_block 520
	mistake_block 4104
	mistake_block 4224
}

@test "a mistake in the target is all that check says; of several targets the others are told" {
	printf '[w]\nrw=randwrite\nbs=4k\nsize=8m\nruntime=1s\n' > w.plan
	ssd check w.plan nowhere/t.dat
	expect 4
	expect_err "the directory nowhere: No such file or directory"
	[ -z "$out" ]
	ssd check w.plan nowhere/t.dat sim:tlc-consumer
	expect 4
	expect_err "the directory nowhere"
	expect_out "Plan w" "Target sim:tlc-consumer"
}

@test "what would be written is compared with the capacity in words that say something" {
	check_of() {
		printf '[w]\nrw=%s\nbs=4k\nsize=%s\nruntime=%s\n' "$1" "$2" "$3" > w.plan
		ssd check w.plan t.dat
		expect 0
	}
	check_of randwrite 8m 300ms
	expect_out "1 measurement, at most 300 ms, 61.4 MB written (7.32 times the capacity), nothing read;"
	check_of randwrite 8m 3s
	expect_out "614 MB written (73 times the capacity)"
	check_of randwrite 4k 10h
	expect_out "7.37 TB written (again and again over the same 4.10 kB)"
	check_of randwrite 8g 1ms
	expect_out "written (less than a hundredth of the capacity)"
	ssd check w.plan sim:tlc-consumer
	expect_out "written (less than a hundredth of the capacity)"
	check_of randread 8m 300ms
	expect_out "nothing written, 61.4 MB read"
}

@test "what is missing on the command line is named" {
	local words
	for words in "show/RUN" "compare/RUN" "compare a.assay/another RUN" "check/PLAN" "import/FILE" "report/RUN" "export/RUN" \
		"completion/bash|zsh|fish"; do
		ssd ${words%/*}
		expect 2
		expect_err "ssdassay: ${words%%[ /]*}: ${words#*/} is missing; usage: ssdassay ${words%%[ /]*} "
	done
}

@test "a plan of which nothing can be measured on a drive's blocks is refused before anything is erased" {
	local command
	for command in "check pts-cbw sim:tlc-datacenter,shrink=256" \
		"run pts-cbw sim:tlc-datacenter,shrink=256 --scale 0.01 -o r.assay --progress none"; do
		ssd $command
		expect 2
		expect_err "sim:tlc-datacenter,shrink=256 has logical blocks of 4096 bytes, and every measurement of the plan has I/Os of 512 bytes or less"
	done
	[ ! -e r.assay ]
	printf '[a]\nrw=randread\nvary.bs=512 4k\nsize=8m\nruntime=100ms\n' > some.plan	# one of two points can
	ssd run some.plan sim:tlc-datacenter,shrink=256 -o some.assay --progress none
	expect 0
	expect_out "a: point 1 of 2 skipped, its I/Os are smaller than the drive's logical block of 4096 bytes"
}

@test "a target that would be the run file, or belong to it, is refused before either is made" {
	printf '[a]\nrw=write\nbs=64k\nsize=1m\n' > w.plan
	local name
	for name in new new-wal new-journal; do
		ssd run w.plan $name -o ./new --progress none
		expect 3
		expect_err "$name" "the run file ./new"
		[ -z "$(ls -d new* 2> /dev/null)" ]
	done
	ssd run w.plan new-walnut -o new --progress none
	expect 0
}

@test "a damaged run file is named, and what that means is said" {
	printf '[w]\nrw=randwrite\nbs=4k\nsize=8m\nruntime=1s\n' > w.plan
	ssd run w.plan sim:tlc-consumer -o r.assay --progress none
	expect 0
	ssd run w.plan sim:tlc-consumer -o r2.assay --progress none
	cp r.assay status.assay
	sqlite3 status.assay "update step set status = 'no such status'"
	local command
	for command in "show" "show --json" "report -o page.html"; do
		ssd $command status.assay
		expect 4
		expect_err "ssdassay: status.assay: damaged: what is in it makes no sense"
	done
	cp r.assay bad.assay
	sqlite3 bad.assay "update series set idx = -1 where rowid in (select rowid from series limit 1)"
	for command in "report -o page.html" "export -o . --format csv" "export -o . --format hdr"; do
		ssd $command bad.assay
		expect 4
		expect_err "ssdassay: bad.assay: damaged: what is in it makes no sense"
	done
	local last=$((1 << 62))
	for change in "start_ns = $last where idx = (select max(idx) from series)" "start_ns = start_ns * 1000000"; do
		cp r.assay bad.assay
		sqlite3 bad.assay "update series set $change"
		for command in "report -o page.html" "compare r2.assay" "show"; do
			ssd $command bad.assay
			expect 4
			expect_err "ssdassay: bad.assay: damaged: what is in it makes no sense"
		done
	done
	head -c 20000 r.assay > short.assay
	ssd show short.assay
	expect 2
	expect_err "short.assay: not a run file, or damaged"
}

@test "a target that is named twice, in whatever words, is an error" {
	plan a.plan <<-PLAN
		[a]
		rw=randwrite
		bs=4k
		size=64k
		runtime=1s
	PLAN
	truncate -s 64k there
	ln -s there link
	for names in "new new" "there there" "there ./there" "there link" "sim:theory new ./new"; do
		# shellcheck disable=SC2086 # two words
		ssd run a.plan $names -o r.assay --overwrite --progress none
		expect 2
		expect_err "is named twice"
		[ ! -e r.assay ]
		[ ! -e new ]
	done
	ssd check a.plan sim:theory sim:theory
	expect 0
}

@test "a processor that is not there is named, also as that of the polling thread" {
	for key in cpus_allowed sqthread_poll_cpu; do
		plan a.plan <<-PLAN
			[a]
			rw=randread
			bs=4k
			size=64k
			runtime=1s
			sqthread_poll=1
			$key=1000
		PLAN
		ssd check a.plan target.dat
		expect 2
		expect_err "a.plan:7:" "$key: CPU 1000 does not exist"
	done
}

@test "a file that a run writes to is refused to a second run, and free again after it" {
	plan a.plan <<-PLAN
		[a]
		rw=randwrite
		bs=4k
		size=64k
		runtime=10m
		interval=100ms
	PLAN
	background run a.plan target.dat -o first.assay --progress none
	until_shows "select count(*) >= 1 from series" first.assay
	ssd check a.plan target.dat
	expect 3
	ssd run a.plan target.dat -o r.assay --progress none
	expect 3
	expect_err "target.dat" "locked by another program"
	[ ! -e r.assay ]
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	sed -i s/10m/100ms/ a.plan
	ssd run a.plan target.dat -o r.assay --progress none
	expect 0
}

@test "between two steps the file is refused to a second run, too; and it is free when the run is killed" {
	plan a.plan <<-PLAN
		[a]
		rw=write
		size=64k
		[rest]
		kind=idle
		runtime=1h
	PLAN
	background run a.plan target.dat -o first.assay --progress none
	until_shows "select count(*) = 1 from step where name = 'rest' and status = 'running'" first.assay
	ssd run a.plan target.dat -o r.assay --progress none
	expect 3
	expect_err "target.dat" "locked by another program"
	[ ! -e r.assay ]
	children=$(cat "/proc/$PID/task/$PID/children")
	kill -KILL "$PID"
	ended
	for child in $children; do
		until_true 60 gone_or_zombie "$child"
	done
	ssd check a.plan target.dat
	expect 0
	background run --resume first.assay --progress none
	until_shows "select count(*) = 1 from step, event where name = 'rest' and event.kind = 'resume'" first.assay
	ssd check a.plan target.dat
	expect 3
	kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	ssd check a.plan target.dat
	expect 0
}

# unfit TARGET TEXT KEY=VALUE...: check and run end with 2 and say TEXT, and neither a file nor a run file is made.
unfit() {
	local target=$1 text=$2 command
	shift 2
	printf '%s\n' "[a]" rw=randread bs=4k size=64k runtime=1s "$@" > a.plan
	for command in "check a.plan $target" "run a.plan $target -o r.assay --progress none"; do
		# shellcheck disable=SC2086 # words
		ssd $command
		expect 2
		expect_err "a.plan" "$text"
		[ ! -e r.assay ]
		[ ! -e target.dat ]
	done
}

@test "what a load cannot do on a target is found by check, and leaves no run file" {
	truncate -s 1m there.dat
	local target
	for target in target.dat there.dat sim:tlc-consumer; do
		unfit $target "blockalign: 3 bytes is not a multiple" blockalign=3
		unfit $target "io_uring_cmd can't drive the target" ioengine=io_uring_cmd
	done
	unfit sim:tlc-consumer "io_uring can't drive the target, which is a simulated drive" ioengine=io_uring
	unfit target.dat "numa_cpu_nodes: this machine has no node 63" numa_cpu_nodes=63
	unfit /dev/null "reads /dev/null, which gives no bytes"
	sed -i '/^bs=/d; s/^size=.*/size=100%/' a.plan
	printf '%s\n' bs=1g >> a.plan
	ssd check a.plan there.dat
	expect 2
	expect_err "bs: 1073741824 bytes are more than the 1048576 bytes that the load addresses"
}

# limited LIMIT...: the program with these limits, which it may not raise beyond the hard ones
limited() {
	local drop=()
	[ "$(id -u)" != 0 ] || drop=(setpriv --bounding-set -sys_resource --inh-caps -sys_resource)
	status=0
	(ulimit "$@" && exec "${drop[@]}" "$SSDASSAY" run a.plan t.dat -o r.assay --progress none) > .out 2> .err < /dev/null || status=$?
	out=$(cat .out) err=$(cat .err)
}

@test "too few open files or too small a stack: one sentence with the cure, before anything is made; what may be raised is" {
	command -v setpriv > /dev/null || skip "no setpriv"
	printf '[a]\nrw=randread\nsize=64k\nio_size=64k\n' > a.plan
	limited -n 10
	expect 4
	[ "$err" = "ssdassay: only 10 files may be open at once here, and 64 are needed: ulimit -n 64, or more, before it is started" ]
	limited -s 64
	expect 4
	[ "$err" = "ssdassay: the stack may have only 64 KiB here, and 1024 are needed: ulimit -s 1024, or more, before it is started" ]
	[ ! -e t.dat ]
	[ ! -e r.assay ]
	limited -S -n 10
	expect 0
	rm r.assay
	limited -S -s 64
	expect 0
}
