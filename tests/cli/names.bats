#!/usr/bin/env bats
# Names with every kind of character: as targets, directories, run files, steps. No separator inside a name has a meaning.

load common

setup() {
	cli_start
	plan w.plan <<-PLAN
		[w]
		rw=write
		bs=4k
		size=64k
	PLAN
}

teardown() { cli_stop; }

# The name goes in, is made as it is, and comes out of every document as it is.
survives() {
	run_plan w.plan "$1"
	expect 0
	[ -f "$1" ]
	[ "$(stat -c %s -- "$1")" = 65536 ]
	"$SSDASSAY" show --json r.assay > doc.json
	jq -e . doc.json > /dev/null
	[ "$(jq -j '.drives[0].target' doc.json | xxd -p)" = "$(printf %s "$1" | xxd -p)" ] ||
		[ "$(jq -j '.drives[0].target' doc.json | xxd -p)" = "$(printf %s "$(realpath -- "$1")" | xxd -p)" ]
	ssd show r.assay
	expect 0
	ssd report r.assay -o page.html
	expect 0
	rm -- "$1"
}

@test "E18 names with colon, percent, blank, comma and signs are one name" {
	local name
	for name in x:y.dat :lead "50% of it" "%s%n%d" "a b  c" "a,b,size=3" "sim-like,x=1" 'back\slash' 'dollar$HOME' '*?[' \
		"; rm -rf x" '#hash' "=" "-dash" "@at" "~" "a&b<c>d"; do
		case $name in
			-*) name="./$name" ;;
		esac
		survives "$name"
		[ "$(ls)" = "$(printf 'doc.json\npage.html\nr.assay\nw.plan')" ]
	done
}

@test "D04 tabs, newlines, quotes and controls in a name stay valid JSON" {
	local name
	for name in $'a\tb' $'a\nb' $'a\rb' 'say "hi"' "it's" $'bell\a' $'esc\e[31mred' $'\x01\x1f\x7f'; do
		survives "$name"
	done
}

@test "UTF-8 names" {
	local name
	for name in "é" "файл" "驱动器" "😀" "e"$'\u0301' $'\u202eright-to-left'; do
		survives "$name"
	done
}

@test "a name that is not UTF-8 is measured, and the documents stay valid" {
	local name=$'latin\xe9\xff'
	run_plan w.plan "$name"
	expect 0
	[ -f "$name" ]
	"$SSDASSAY" show --json r.assay > doc.json
	jq -e . doc.json > /dev/null
	iconv -f utf-8 -t utf-8 doc.json > /dev/null
	ssd report r.assay -o page.html
	expect 0
	iconv -f utf-8 -t utf-8 page.html > /dev/null
}

@test "a name of 255 bytes, and a path of many" {
	survives "$(printf 'n%.0s' $(seq 255))"
	ssd run w.plan "$(printf 'n%.0s' $(seq 256))" -o r2.assay
	expect 4
	expect_err "long"
	ssd run w.plan "$(printf 'n/%.0s' $(seq 3000))x" -o r2.assay
	[ "$status" -eq 4 ] || [ "$status" -eq 2 ]
	[ ! -e r2.assay ]
}

@test "control characters of a name do not reach the terminal" {
	run_plan w.plan $'esc\e[31mred'
	expect 0
	[[ $out != *$'\e'* ]]
	[[ $err != *$'\e'* ]]
	ssd check w.plan $'none\e[31m/x'
	[[ $out$err != *$'\e'* ]]
	ssd $'com\e[31mmand'
	[[ $err != *$'\e'* ]]
}

@test "directories with odd names: a file is made there and removed" {
	local name
	for name in "a:b" "c d%20" "é" $'t\tn'; do
		mkdir "$name"
		run_plan w.plan "$name/"
		expect 0
		[ -z "$(ls "$name")" ]
		rmdir "$name"
	done
}

@test "run files with odd names" {
	local name
	for name in "r:1.assay" "50% %s.assay" "é 😀.assay" $'n\nl.assay' "?mode=memory.assay" "file:x.assay" "#x.assay"; do
		ssd run w.plan sim:tlc-consumer -o "$name" --progress none
		expect 0
		[ -s "$name" ]
		ssd show --json "$name"
		expect 0
		jq -e . .out > .parsed
		rm -- "$name"
	done
	[ "$(ls -A | grep -v '^\.')" = w.plan ]
}

@test "D04 section names with any character come out of every document as they went in" {
	local name
	for name in "two words" "50%" "a:b" 'say "hi"' "é😀" $'tab\there' "<b>bold</b>" "a,b" "'); drop table step; --"; do
		printf '[%s]\nrw=write\nsize=64k\n' "$name" > n.plan
		run_plan n.plan sim:tlc-consumer
		expect 0
		"$SSDASSAY" show --json r.assay > doc.json
		[ "$(jq -j '.steps[0].name' doc.json)" = "$name" ]
		[ "$(jq -j '.steps[0].loads[0].name' doc.json)" = "$name" ]
		"$SSDASSAY" export r.assay --format csv -o csv
		[ "$(wc -l < csv/results.csv)" -ge 2 ]
		"$SSDASSAY" report r.assay -o page.html
		refute grep -q '<b>bold' page.html
		rm -r csv
	done
}

@test "titles and texts of a plan are shown as they are, and never as markup or format" {
	printf '[n]\nrw=write\nsize=64k\ntitle=<script>alert(1)</script> %%s %%n "q" é\n' > n.plan
	run_plan n.plan sim:tlc-consumer
	expect 0
	[ "$(result '.steps[0].title')" = '<script>alert(1)</script> %s %n "q" é' ]
	ssd report r.assay -o page.html
	refute grep -q '<script>alert' page.html
}
