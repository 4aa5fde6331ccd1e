# common: what every test of the whole program starts with.
#
#   cli_start               a scratch directory on a real file system (cd into it); the fixtures below
#   ssd ARG...              runs the program: $status, $out (stdout), $err (stderr)
#   expect CODE             fails, showing both outputs, unless the last run ended with CODE
#   expect_out TEXT ...     each TEXT stands in stdout;   expect_err TEXT ...   in stderr
#   refute CMD...           fails when CMD succeeds: a bare "! CMD" fails no test unless it is its last line
#   plan NAME < text        writes a plan (or .fio) file
#   run_plan PLAN TARGET... runs into r.assay without progress (options may follow)
#   result FILTER [RUN]     jq -r FILTER on show --json
#   query SQL [RUN]         sqlite3 on the run file
#   no_gaps [RUN]           the intervals of each load cover its step from 0 to the end of the last one
#   sums_agree [RUN]        every interval is there, and they add up to the totals
#   loop_disk [SIZE] [SECTOR]  sets DISK (its file), LOOP (device), ID (what --destroy wants)
#   fault_loop              the fault drive (FAULT: its folder) under a loop device: LOOP, ID; it is reset in the end
#   queue_says NAME VALUE   from here on the program sees that in the attribute NAME of LOOP's queue
#   until_true SECONDS CMD...  waits until CMD succeeds
#   until_shows SQL [RUN]   waits until the run file that is being written answers SQL with 1
#   comes_free DEVICE       waits until nobody holds DEVICE any more
#   background ARG...       starts the program in the background: PID; its outputs go to .run.out and .run.err. cli_stop ends it
#   measuring PID           the processes that measure for it (the one that holds its locks is none)
#   ended                   waits for PID, however long that takes here: $status, $out, $err
#   ended_within SECONDS    the same, and fails when it takes longer
#   soon                    what "within a second" may take: seconds for ended_within
#   told_ms                 how far the run in the background has come by its own progress lines (--progress json)
#   kept_ms [RUN]           how far the run file reaches, on the run's time axis
#
# No test may depend on how fast the machine is. What has to happen first is waited for where it shows (until_shows), with a limit
# that only a program that is stuck can reach; what goes on in the meantime is made so long that it cannot end by itself and is then
# interrupted.

load ../rig/rig

cli_start() {
	[ -x "$SSDASSAY" ] || return 1
	RIG_PARENT=/tmp		# not /dev/shm: files are never made under /dev
	rig_start
	cd "$RIG" || return 1
}

# A test that failed may have left its run behind.
cli_stop() {
	! jobs -pr | grep -qx "${PID:-none}" || kill -KILL "$PID"
	cd /
	rig_stop
}

ssd() {
	status=0
	"$SSDASSAY" "$@" > "$RIG/.out" 2> "$RIG/.err" < "${STDIN:-/dev/null}" || status=$?
	out=$(tr -d '\0' < "$RIG/.out")
	err=$(tr -d '\0' < "$RIG/.err")
}

both_show() {
	printf 'exit code %s\n-- stdout --\n%s\n-- stderr --\n%s\n' "$status" "$out" "$err" | head -60
}

expect() {
	[ "$status" -eq "$1" ] || {
		echo "expected exit code $1"
		both_show
		return 1
	}
}

refute() {
	! "$@" || { echo "should have failed: $*" >&2; return 1; }
}

expect_out() {
	local text
	for text in "$@"; do
		[[ $out == *"$text"* ]] || {
			echo "not in stdout: $text"
			both_show
			return 1
		}
	done
}

expect_err() {
	local text
	for text in "$@"; do
		[[ $err == *"$text"* ]] || {
			echo "not in stderr: $text"
			both_show
			return 1
		}
	done
}

plan() {
	cat > "$1"
}

run_plan() {
	rm -f r.assay r.assay-*
	ssd run "$@" -o r.assay --progress none
}

result() {
	"$SSDASSAY" show --json "${2:-r.assay}" | jq -r "$1"
}

query() {
	sqlite3 -readonly "${2:-r.assay}" "$1"
}

loop_disk() {
	rig_need_loop
	DISK=$(rig_file disk "${1:-64M}")
	LOOP=$(rig_loop "$DISK" "${2:-512}")
	ID="loop:$DISK"
}

# For a program in a mount namespace of its own.
queue_says() {
	local queue="/sys/block/${LOOP##*/}/queue"
	mkdir "$RIG/queue"
	cp "$queue"/* "$RIG/queue/" 2> /dev/null || true	# some cannot be read
	echo "$2" > "$RIG/queue/$1"
	cat > "$RIG/inside" <<-SCRIPT
		#!/bin/sh
		mount --bind '$RIG/queue' $queue && exec '$SSDASSAY' "\$@"
	SCRIPT
	cat > "$RIG/ssdassay" <<-SCRIPT
		#!/bin/sh
		exec unshare --mount '$RIG/inside' "\$@"
	SCRIPT
	chmod +x "$RIG/inside" "$RIG/ssdassay"
	SSDASSAY="$RIG/ssdassay"
}

fault_loop() {
	rig_need_loop
	rig_need_fault
	FAULT=$(rig_fault)
	rig_later "echo reset > '$FAULT/ctl'"
	# direct: what the loop device gets goes to the fault drive, and not to the page cache
	LOOP=$(losetup --find --show --direct-io=on "$FAULT/disk")
	rig_later "losetup -d $LOOP"
	rig_later "echo reset > '$FAULT/ctl'"
	ID="loop:$FAULT/disk"
}

# The limit is one of tries, 50 in a second of a fast machine: on a slow one it is later.
until_true() {
	local tries=$(($1 * 50))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.02
	done
}

shows() {
	[ "$(sqlite3 -readonly "${2:-r.assay}" "$1" 2> /dev/null)" = 1 ]
}

shows_or_ended() {
	shows "$@" || gone_or_zombie "$PID"
}

until_shows() {
	until_true 60 shows_or_ended "$@" && shows "$@" || {
		echo "the run file does not come to show: $1"
		cat .run.out .run.err 2> /dev/null
		return 1
	}
}

can_be_claimed() {
	python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)' "$1" 2> /dev/null
}

# When a process has gone, the kernel may still be giving back what its io_uring held: no table of open files shows that.
comes_free() {
	until_true 60 can_be_claimed "$1" || {
		echo "$1 is still held"
		return 1
	}
}

# Whoever started the tests with nohup has not asked these runs to outlive a hang-up.
background() {
	env --default-signal=HUP "$SSDASSAY" "$@" > .run.out 2> .run.err < /dev/null 3>&- &
	PID=$!
}

gone_or_zombie() {
	! kill -0 "$1" 2> /dev/null || grep -q '^State:.Z' "/proc/$1/status" 2> /dev/null
}

ended() {
	ended_within 120
}

measuring() {
	local child
	for child in $(cat "/proc/$1/task/"*/children 2> /dev/null); do
		[ "$(cat "/proc/$child/comm" 2> /dev/null)" = lock-holder ] || echo "$child"
	done
}

# What a process that should have ended waits for, and its children.
stands_where() {
	local pid
	for pid in "$1" $(cat "/proc/$1/task/$1/children" 2> /dev/null); do
		echo "process $pid: $(tr '\0' ' ' < "/proc/$pid/cmdline" | cut -c 1-200)"
		grep -E '^(State|Threads|SigPnd|ShdPnd)' "/proc/$pid/status"
		cat /proc/"$pid"/task/*/stack
	done 2> /dev/null || true
}

ended_within() {
	until_true "$1" gone_or_zombie "$PID" || {
		echo "still running after $1 s"
		stands_where "$PID"
		tail -n 5 .run.err
		kill -KILL "$PID"
		return 1
	}
	status=0
	wait "$PID" || status=$?
	out=$(tr -d '\0' < .run.out)
	err=$(tr -d '\0' < .run.err)
}

# Far less than what would be waited for by mistake: hangs and runs of half a minute and more. Not a measurement.
soon() {
	awk -v cpus="$(nproc)" '{ print ($1 > 2 * cpus ? 8 : 3) }' /proc/loadavg
}

told_ms() {
	local ns
	ns=$(sed -n 's/.*"elapsed_ns":\([0-9]*\).*/\1/p' .run.err | tail -n 1)
	echo $((${ns:-0} / 1000000))
}

# A copy is read: a journal that the killed writer left is taken back there, as the program does it.
kept_ms() {
	local run=${1:-r.assay}
	rm -rf .copy
	mkdir .copy
	cp "$run"* .copy/
	sqlite3 ".copy/${run##*/}" "select max(t) / 1000000 from (
		select coalesce(max(started_ns + duration_ns), 0) t from step
		union all select max(s.started_ns + i.start_ns + i.duration_ns) from step s join series i on i.step = s.id
		union all select max(t_ns) from telemetry union all select max(t_ns) from event)"
}

# Sums over intervals equal the totals exactly, and the intervals cover the time from 0 to the end without a gap. A row
# stands for `spans` intervals when a worker was late.
# Intervals that a busy collector has put together are as long as they were together.
gaps() {
	query "select step, load, covered, ends from (select step, load, sum(duration_ns) covered,
		max(start_ns + duration_ns) ends from (select distinct step, load, idx, start_ns, duration_ns from series)
		group by 1, 2) where covered != ends" "$@"
}

no_gaps() {
	local bad
	bad=$(gaps "$@")
	[ -z "$bad" ] || {
		echo "intervals leave gaps or overlap: $bad"
		return 1
	}
}

sums_agree() {
	local bad
	bad=$(query "select step, load, op, s.i, t.ios, s.b, t.bytes, s.e, t.errors from (select step, load, op, sum(ios) i,
		sum(bytes) b, sum(errors) e from series where ramp = 0 group by 1, 2, 3) s left join total t using (step, load, op)
		where s.i != coalesce(t.ios, 0) or s.b != coalesce(t.bytes, 0) or s.e != coalesce(t.errors, 0)" "$@")
	bad+=$(query "select step, load, op from total t where ios > 0 and not exists (select 1 from series s where
		s.step = t.step and s.load = t.load and s.op = t.op)" "$@")
	bad+=$(gaps "$@")
	[ -z "$bad" ] || {
		echo "sums or intervals do not agree: $bad"
		return 1
	}
}

# The two values differ by less than SHARE (0.05) of the second.
near() {
	awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= s * b) }' || {
		echo "$1 is not within $3 of $2"
		return 1
	}
}
