# common: what every test of the whole program starts with.
#
#   cli_start               a scratch directory on a real file system (cd into it); the fixtures below
#   ssd ARG...              runs the program: $status, $out (stdout), $err (stderr)
#   expect CODE             fails, showing both outputs, unless the last run ended with CODE
#   expect_out TEXT ...     each TEXT stands in stdout;   expect_err TEXT ...   in stderr
#   plan NAME < text        writes a plan (or .fio) file
#   run_plan PLAN TARGET... runs into r.assay without progress (options may follow)
#   result FILTER [RUN]     jq -r FILTER on show --json
#   query SQL [RUN]         sqlite3 on the run file
#   loop_disk [SIZE] [SECTOR]  sets DISK (its file), LOOP (device), ID (what --destroy wants)
#   until_true SECONDS CMD...  waits until CMD succeeds

load ../rig/rig

cli_start() {
	RIG_PARENT=/tmp		# not /dev/shm: files are never made under /dev
	rig_start
	cd "$RIG" || return 1
}

cli_stop() {
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

until_true() {
	local tries=$(($1 * 50))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.02
	done
}

# The two values differ by less than SHARE (0.05) of the second.
near() {
	awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= s * b) }' || {
		echo "$1 is not within $3 of $2"
		return 1
	}
}
