#!/usr/bin/env bats
# This computer itself: heard before a run and while it goes on. Where it has to be noisy, every wake-up of the thread that
# watches it is held up by strace.

load common

setup() { cli_start; }
teardown() { cli_stop; }

reads() {	# reads RUNTIME
	printf '[read]\nrw=randread\nbs=4k\nsize=8m\nruntime=%s\n' "$1" > read.plan
}

# held_up ARG...: the program with wake-ups that are 2 ms late
held_up() {
	command -v strace > /dev/null || skip "needs strace"
	status=0
	strace -f -qq -e trace=clock_nanosleep -e inject=clock_nanosleep:delay_exit=2000 -o .trace "$SSDASSAY" "$@" \
		> .out 2> .err < /dev/null || status=$?
	out=$(cat .out) err=$(cat .err)
}

check_of() {	# check_of NAME: its result and sentence
	result ".checks[] | select(.name == \"$1\") | .result + \": \" + .text"
}

@test "a noisy computer is told before the first step, once, and kept" {
	reads 300ms
	held_up run read.plan t.dat -o r.assay --progress none
	expect 0
	[ "$(grep -c '^ssdassay: warning: this computer is noisy now: of [0-9]* wake-ups' .err)" = 1 ]
	[ "$(query "select count(*) from event where kind = 'host_noise' and step = 0 and t_ns = 0
		and json_extract(data_json, '$.late') >= 3 and json_extract(data_json, '$.late') <= json_extract(data_json, '$.wakes')
		and json_extract(data_json, '$.longest_ns') >= 1000000")" = 1 ]
	[[ $(check_of host_not_noisy) == failed:*"before the first step"*"wake-ups of a thread that watches the computer came late"* ]]
	ssd report r.assay -o r.html
	expect 0
	grep -q 'This computer was \(noisy already before the first step\|too noisy for claims\)' r.html
	# with --progress json as an object, before the first step's
	rm r.assay
	held_up run read.plan t.dat -o r.assay --progress json
	expect 0
	jq -es '(map(has("warning") and (.warning | startswith("this computer is noisy now"))) | index(true)) as $told
		| (map(has("step")) | index(true)) as $step | $told != null and $told < ($step // 1000)' .err > .parsed
}

@test "a noisy computer is told by check, and not where all drives are simulated" {
	reads 300ms
	held_up check read.plan t.dat
	expect 0
	expect_out "warning: this computer is noisy now: of 300 wake-ups"
	held_up check read.plan sim:theory,shrink=64 --allow-unwritten
	expect 0
	[[ $out != *noisy* ]]
	held_up run read.plan sim:theory,shrink=64 --allow-unwritten -o r.assay --progress none
	expect 0
	[[ $err != *noisy* ]]
	[ "$(query "select count(*) from event where kind = 'host_noise'")" = 0 ]
	[[ $(check_of host_not_noisy) == not_applicable:* ]]
}
