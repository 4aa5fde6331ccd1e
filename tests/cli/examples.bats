#!/usr/bin/env bats
# The results in examples/ are what the program says today: one procedure of seconds is run again in full and compared word by word.

load common

setup() { cli_start; }
teardown() { cli_stop; }

examples() { echo "$BATS_TEST_DIRNAME/../../examples"; }

# Everything that `make` needs lies where it looks for it, so that the tree is not written to.
copy_examples() {
	mkdir copy
	cp -r "$(examples)" copy/examples
	export RUNS=$PWD/runs
}

@test "a procedure that is run again gives the example's text" {
	copy_examples
	rm copy/examples/results/disk-hdd-raid0.txt
	copy/examples/make "$SSDASSAY" disk-hdd-raid0
	diff "$(examples)/results/disk-hdd-raid0.txt" copy/examples/results/disk-hdd-raid0.txt
	# its rows of the table are the committed ones
	diff <(grep "RAID 0" "$(examples)/PUBLISHED.md") <(grep "RAID 0" copy/examples/PUBLISHED.md)
}

@test "each procedure has its result, each result its procedure, and the table names no run that is missing" {
	for name in $(sed -n 's/^\([a-z0-9][^ ]*\) .*/\1/p' "$(examples)/procedures"); do
		[ -s "$(examples)/results/$name.txt" ] || { echo "no result of $name"; return 1; }
	done
	for file in "$(examples)"/results/*.txt; do
		name=$(basename "$file" .txt)
		case $name in loop-* | spare-compared) continue ;; esac
		grep -q "^$name " "$(examples)/procedures" || { echo "no procedure of $name"; return 1; }
	done
	refute grep "not run" "$(examples)/PUBLISHED.md"
}

@test "the plans of all procedures are in order" {
	while read -r name plan drive rest; do
		case $name in '#'* | '') continue ;; esac
		[ ! -e "$(examples)/../$plan" ] || plan=$(examples)/../$plan
		set -- $rest
		ssd check "$plan" "$drive" "${@//,/ }"
		expect 0
	done < "$(examples)/procedures"
}
