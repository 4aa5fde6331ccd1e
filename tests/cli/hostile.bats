#!/usr/bin/env bats
# Words that somebody else chose: a drive's model, a run file from elsewhere, a plan from a forum. They are shown as words: they
# drive no terminal, become no tag, no formula, no SQL. And what is made is made safely: modes, links, no network.

load common

setup() { cli_start; }
teardown() { cli_stop; }

ESC=$'\e[31m' CSI=$'\xc2\x9b31m' BAD=$'\xff\xc3('

# no byte of either output drives a terminal
quiet() {
	! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$RIG/.out" "$RIG/.err" || {
		echo "control characters in the output of: $*"
		cat -v "$RIG/.out" "$RIG/.err" | head -20
		return 1
	}
	iconv -f UTF-8 -t UTF-8 "$RIG/.out" "$RIG/.err" > /dev/null
}

# said ARG...: runs it; whatever it says, it is quiet
said() {
	ssd "$@"
	quiet "$@"
}

small_run() {	# NAME [PLAN-LINES]
	printf '[a]\nrw=randread\nbs=4k\nsize=1m\nruntime=1\n%s' "${2:-}" > p.plan
	ssd run p.plan sim:theory,shrink=256 --allow-unwritten -o "$1" --progress none
	expect 0
}

@test "words of the command line drive no terminal" {
	for word in "$ESC" "$CSI" "$BAD" $'a\rb' $'a\nssdassay: all is well'; do
		said "$word"
		expect 2
		said show "$word"
		said show "--$word"
		said check "$word" target.dat
		said check quick "sim:$word"
		said check quick "$word"
		said check --set "$word=1" quick sim:theory
		said run --destroy "$word" quick /dev/nonexistent
		said import "$word" -o r.assay
		said report "$word" -o x.html
		said compare "$word" "$word"
		said export --format csv "$word"
	done
}

@test "words of plans, profiles and other tools' files drive no terminal" {
	for word in "$ESC" "$CSI" "$BAD"; do
		printf '[a]\n%s=1\n' "$word" > a.plan
		said check a.plan target.dat
		expect 2
		printf '[%s]\nrw=read\nsize=1m\n' "$word" > a.plan
		said check a.plan target.dat
		printf '[a]\nrw=%s\nsize=1m\n' "$word" > a.plan
		said check a.plan target.dat
		expect 2
		printf '%s=1\n' "$word" > a.sim
		said check quick sim:./a.sim
		expect 2
		printf '1, 2, 3, %s\n' "$word" > x_bw.1.log
		said import x_bw.1.log -o r.assay
		expect 2
		printf '{"fio version":"%s","jobs":[{"jobname":"%s"}]}' "$word" "$word" > a.json
		said import a.json -o r.assay
		expect 2
	done
}

# Every word of a run file becomes $1.
spoil() {	# RUN WORD
	local columns="drive.name drive.model drive.serial drive.firmware drive.interface_name step.name step.group_name step.title
		step.note step.status_text load.name load.engine load.engine_note run.plan_name run.plan_title run.plan_report
		run.status_text run.plan_source run.version event.kind event.text finding.kind finding.text finding.unit
		self_check.name self_check.text" column
	for column in $columns; do
		echo "UPDATE ${column%.*} SET ${column#*.} = CAST(X'$(printf %s "$2" | xxd -p | tr -d '\n')' AS TEXT);"
	done | sqlite3 "$1"
}

@test "words of a run file drive no terminal, become no tag, no formula" {
	local word page
	small_run good.assay
	for word in "$ESC$CSI$BAD" '<script>evil()</script><img src=x onerror=evil()>"'"'&amp;" "=HYPERLINK(\"evil\")" '+1' '-1' '@a' \
		$'a\rb\nc\td' "'); DROP TABLE run; --" '%n%s%x' '"},{"a":"'; do
		cp good.assay r.assay
		spoil r.assay "$word"
		said show r.assay
		expect 0
		said compare r.assay good.assay
		ssd show --json r.assay
		expect 0
		jq -e . "$RIG/.out" > /dev/null
		ssd report r.assay -o r.html
		expect 0
		refute grep -qE '<script>evil|<img src=x' r.html
		page=$(tr -d '\n\t' < r.html | LC_ALL=C grep -cP '[\x00-\x08\x0b-\x1f\x7f]') || true
		[ "$page" -eq 0 ]
		ssd export --format csv r.assay -o csv
		expect 0
		refute env LC_ALL=C grep -qP '(^|,)"?[=+@]' csv/*.csv
		refute env LC_ALL=C grep -qP '(^|,)"?-(?![0-9.]+(e[-+]?[0-9]+)?(,|\r?$))' csv/*.csv
		refute env LC_ALL=C grep -qP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]' csv/*.csv
		ssd export --format fio-json r.assay
		expect 0
		jq -e . "$RIG/.out" > /dev/null
		rm -rf csv
	done
}

@test "words go into the run file as values, not as SQL" {
	printf "[x'); DROP TABLE step; --]\ndescription=\"'; DELETE FROM run; --\nrw=randread\nbs=4k\nsize=1m\nruntime=1\n" > p.plan
	printf "model='); DROP TABLE drive; --\n" > d.sim
	cat >> d.sim <<< "capacity_gb=1"
	ssd run p.plan sim:./d.sim --allow-unwritten -o r.assay --progress none
	expect 0
	[ "$(query 'SELECT count(*) FROM step')" -ge 1 ]
	[ "$(query 'SELECT model FROM drive')" = "'); DROP TABLE drive; --" ]
	said show r.assay
	expect 0
	expect_out "DROP TABLE drive"
}

@test "run files, targets and pages are made with safe modes" {
	umask 022
	small_run r.assay
	[ "$(stat -c %a r.assay)" = 644 ]
	ssd report r.assay -o r.html
	[ "$(stat -c %a r.html)" = 644 ]
	printf '[a]\nrw=write\nbs=64k\nsize=1m\n' > w.plan
	ssd run w.plan target.dat -o w.assay --progress none
	[ -e target.dat ]
	[ "$(stat -c %a target.dat)" = 600 ]
	umask 077
	small_run private.assay
	[ "$(stat -c %a private.assay)" = 600 ]
	ssd report private.assay -o private.html
	[ "$(stat -c %a private.html)" = 600 ]
	[ -z "$(find . -name '.*.html.*' -o -name '*.new-*' -o -name '*-wal' -o -name '*-shm')" ]
}

@test "links that somebody put in the way are not followed" {
	small_run r.assay
	echo mine > mine
	ln -s "$PWD/mine" link.assay
	ln -s "$PWD/nothing" dangling.assay
	for name in link dangling; do
		ssd run p.plan sim:theory,shrink=256 --allow-unwritten -o $name.assay --progress none
		[ "$status" -eq 2 ] || [ "$status" -eq 4 ]
		expect_err "$name.assay exists"
	done
	[ ! -e nothing ]
	for name in -s -f; do
		sh -c "ln $name \"$PWD/mine\" .a.html.\$\$; exec \"$SSDASSAY\" report r.assay -o a.html"
		[ ! -L a.html ]
		grep -q "<html" a.html
		rm a.html
	done
	[ "$(cat mine)" = mine ]
	printf '[a]\nrw=write\nbs=64k\nsize=1m\n' > w.plan
	ln -s "$PWD/nothing" target.dat
	ssd run w.plan target.dat -o w.assay --progress none
	[ ! -e nothing ]
}

@test "the program has no way into a network" {
	command -v nm > /dev/null || skip "no nm (binutils)"
	[ -z "$(nm -D --undefined-only "$SSDASSAY" | grep -E ' (socket|connect|bind|listen|accept4?|getaddrinfo|gethostbyname|sendto|recvfrom)(@|$)')" ]
}
