#!/usr/bin/env bats
# Every command's words, help, exit codes and the two outputs.

load common

setup() { cli_start; }
teardown() { cli_stop; }

@test "without a command the usage goes to stderr and the exit code is 2" {
	ssd
	expect 2
	[ -z "$out" ]
	expect_err "Usage: ssdassay COMMAND"
}

@test "--help, -h and help list every command on stdout" {
	local word command
	for word in --help -h help; do
		ssd "$word"
		expect 0
		[ -z "$err" ]
		for command in run check show report export plans drives sim completion; do
			expect_out "  $command "
		done
	done
}

@test "--help of each command names its usage and options, on stdout, whatever else is given" {
	local command
	for command in $("$SSDASSAY" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		ssd "$command" --help
		expect 0
		[ -z "$err" ]
		expect_out "ssdassay $command - " "Usage: ssdassay $command" "-h, --help"
		[ "$("$SSDASSAY" help "$command")" = "$out" ]
	done
	ssd help rnu
	expect 2
	expect_err "unknown command 'rnu'; did you mean 'run'?"
	ssd run --help quick /dev/null -o x
	expect 0
	expect_out "--destroy ID" "--scale F" "--wipe-signatures" "--overwrite" "--allow-unwritten" "--allow-commands" \
		"--strict" "--progress STYLE" "-o, --output RUN" "--set KEY=VALUE" "130 interrupted"
	[ ! -e x ]
}

@test "no --help line is longer than 120 columns" {
	local command
	for command in run check show report export plans drives sim completion; do
		"$SSDASSAY" "$command" --help | awk 'length > 120 { print; bad = 1 } END { exit bad }'
	done
}

@test "--version prints one line" {
	ssd --version
	expect 0
	[[ $out =~ ^ssdassay\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "F17 an unknown command is named with the nearest one" {
	ssd rnu
	expect 2
	[ -z "$out" ]
	expect_err "unknown command 'rnu'" "did you mean 'run'?"
	ssd xyzzyx
	expect 2
	expect_err "unknown command 'xyzzyx'" "--help"
}

@test "F17 an unknown option is named with the nearest one, wherever it stands" {
	ssd run quick sim:tlc-consumer --ouput r.assay
	expect 2
	expect_err "unknown option --ouput" "did you mean --output?"
	ssd run --xyzzyx quick sim:tlc-consumer
	expect 2
	expect_err "unknown option --xyzzyx" "ssdassay run --help"
	ssd show -z
	expect 2
	expect_err "unknown option -z"
	[ -z "$(ls)" ]
}

@test "F17 an option given twice, without its value, or with one it does not take, is an error" {
	ssd run quick sim:tlc-consumer -o a -o b
	expect 2
	expect_err "--output was given twice"
	ssd run quick sim:tlc-consumer -o
	expect 2
	expect_err "--output needs a value"
	ssd show --json=yes r
	expect 2
	expect_err "--json takes no value"
	[ -z "$(ls)" ]
}

@test "too few and too many words are errors that show the usage" {
	local command
	for command in run check show report export completion; do
		ssd "$command"
		expect 2
		expect_err "ssdassay: $command: " "usage: ssdassay $command"
	done
	for command in "show a b" "plans a b" "drives a" "sim a b" "completion bash zsh" "export a b"; do
		ssd $command
		expect 2
		expect_err "is too much"
	done
}

@test "-- ends the options, --name=value and -ovalue work" {
	plan ./-odd.plan <<-PLAN
		[w]
		rw=write
		size=64k
	PLAN
	ssd run --progress=none -or.assay -- -odd.plan sim:tlc-consumer
	expect 0
	[ -s r.assay ]
}

@test "plans lists every built-in with a summary, and prints each as it can be run" {
	local name
	ssd plans
	expect 0
	[ -z "$err" ]
	for name in quick card steady mixed; do
		expect_out "$name "
	done
	for name in $("$SSDASSAY" plans | awk '{ print $1 }'); do
		"$SSDASSAY" plans "$name" > "$name.plan"
		[ "$("$SSDASSAY" plans "$name" | head -c 1)" = "#" ]
		ssd check "$name.plan" sim:tlc-consumer
		[ "$status" -eq 0 ] || [[ $err == *"cannot be carried out by this version"* ]]
	done
	ssd plans quikc
	expect 2
	expect_err "no built-in plan 'quikc'; did you mean 'quick'?"
	ssd plans nothing-like-it
	expect 2
	expect_err "no built-in plan 'nothing-like-it'; 'ssdassay plans' lists them"
}

@test "check says how much of the drive each step wears" {
	printf '%s\n' '[a]' rw=write bs=1m until=written:3x '[b]' rw=randread bs=4k runtime=1s > wear.plan
	ssd check wear.plan sim:tlc-consumer,shrink=64
	expect 0
	[[ $out =~ measurements\ +written\ +read\ +wear\ +time ]]
	[[ $out =~ a\ +load\ +1\ +23.4\ GB\ +-\ +3.00x\  ]]
	[[ $out =~ b\ +load\ +1\ +-\ +[0-9.]+\ .B\ +-\  ]]
}

@test "a plan that does not exist is named with the nearest built-in" {
	ssd run quikc sim:tlc-consumer
	expect 2
	expect_err "no plan 'quikc'; did you mean 'quick'?"
	ssd check nothere.plan sim:tlc-consumer
	expect 2
	expect_err "nothere.plan" "No such file"
	ssd check / sim:tlc-consumer
	expect 2
	expect_err "/"
}

@test "sim lists the profiles; with a name its parameters" {
	ssd sim
	expect 0
	expect_out "tlc-consumer"
	ssd sim tlc-consumer
	expect 0
	[ -n "$out" ]
	[ -z "$err" ]
	ssd sim tlc-consumre
	expect 2
	expect_err "tlc-consumre" "tlc-consumer"
}

@test "drives prints text, or one JSON document" {
	ssd drives
	expect 0
	ssd drives --json
	expect 0
	[ -z "$err" ]
	jq -e . .out > .parsed
}

@test "completion scripts of bash and the others know every command and built-in plan" {
	local shell name
	for shell in bash zsh fish; do
		ssd completion $shell
		expect 0
		[ -z "$err" ]
		for name in run check show report export plans drives sim completion quick card steady mixed; do
			expect_out "$name"
		done
		expect_out "destroy"
	done
	"$SSDASSAY" completion bash | bash -n
	ssd completion tcsh
	expect 2
	expect_err "tcsh" "bash, zsh and fish"
}

@test "bash completes commands, plans and options" {
	"$SSDASSAY" completion bash > complete.bash
	source ./complete.bash
	COMP_WORDS=(ssdassay ru) COMP_CWORD=1
	_ssdassay || true	# compgen says 1 when nothing fits
	[ "${COMPREPLY[*]}" = "run" ]
	COMP_WORDS=(ssdassay run car) COMP_CWORD=2
	_ssdassay || true	# compgen says 1 when nothing fits
	[[ " ${COMPREPLY[*]} " == *" card "* ]]
	COMP_WORDS=(ssdassay run card x --dest) COMP_CWORD=4
	_ssdassay || true	# compgen says 1 when nothing fits
	[ "${COMPREPLY[*]}" = "--destroy" ]
}

@test "show, report and export say what is wrong with a file that is no run" {
	local file
	echo "not a run" > text
	: > empty
	head -c 100000 /dev/urandom > noise
	sqlite3 other.db "create table t(a)"
	for file in text empty noise other.db / nothere ""; do
		for command in "show" "show --json" "report -o page.html" "export --format csv"; do
			ssd $command "$file"
			[ "$status" -eq 2 ]
			[ -z "$out" ]
			[ "$(wc -l < .err)" -eq 1 ]
		done
	done
	[ ! -e page.html ]
	[ ! -e series.csv ]
}

@test "export and report name what they need" {
	ssd export r.assay
	expect 2
	expect_err "which format" "csv" "json"
	ssd export r.assay --format xml
	expect 2
	expect_err "xml"
	ssd report r.assay
	expect 2
	expect_err "-o FILE.html"
	ssd report r.assay -o x.html --lang tlh
	expect 2
	expect_err "tlh" "zh-Hans"
}

@test "stdout that cannot be written is a failure and not silence" {
	[ -w /dev/full ] || skip "no /dev/full"
	local code
	for words in "plans" "--help" "drives" "sim" "completion bash"; do
		code=0
		"$SSDASSAY" $words > /dev/full 2> .err || code=$?
		[ "$code" -eq 4 ]
		grep -q "standard output" .err
	done
}

@test "a reader that goes away does not kill the program with a signal" {
	set -o pipefail
	local code=0
	"$SSDASSAY" plans card 2> .err | true || code=$?
	[ "$code" -ne 141 ]
}
