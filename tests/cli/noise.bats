#!/usr/bin/env bats
# A million random bytes as everything that is read: a line that says what is wrong and its exit code, never a crash. Seeded: the
# same bytes each time.

load common

setup() { cli_start; }
teardown() { cli_stop; }

# noise SEED [COUNT]: random bytes
noise() {
	perl -e 'srand(shift); print pack("C*", map { int rand 256 } 1 .. shift)' "$1" "${2:-1000000}"
}

# letters SEED [COUNT]: random bytes that no text file would be refused for at once
letters() {
	perl -e 'my @c = ("a".."z", 0..9, split(//, " =.,;:%/@#\"\x27{}[]()<>*+-_\n\n\t")); srand(shift);
		print map { $c[rand @c] } 1 .. shift' "$1" "${2:-1000000}"
}

# refused CODE ARG...: ends with CODE and a line on stderr that names the program
refused() {
	local code=$1
	shift
	ssd "$@"
	expect "$code"
	[ "$(wc -l < "$RIG/.err")" -ge 1 ]
	grep -q '^ssdassay: ' "$RIG/.err"
	refute env LC_ALL=C grep -q '[^[:print:][:space:]]' <(LC_ALL=C tr -d '\200-\377' < "$RIG/.err")
}

@test "random bytes as a plan" {
	local seed
	for seed in 1 2 3; do
		noise $seed > a.plan
		letters $seed > b.plan
		{ printf '[a]\nrw=read\nsize=1m\n'; letters $seed; } > c.plan
		{ printf '[a]\nrw=read\nsize=1m\n'; noise $seed; } > d.plan
		for name in a b c d; do
			refused 2 check $name.plan target.dat
			cp $name.plan $name.fio
			refused 2 check $name.fio target.dat
		done
	done
	for name in a b; do
		echo "include $name.plan" > i.fio
		refused 2 check i.fio target.dat
	done
	refused 2 run a.plan target.dat
	STDIN=b.plan refused 2 run - target.dat
	[ ! -e target.dat ]
	[ -z "$(find . -name '*.assay')" ]
}

@test "random bytes as a profile of a simulated drive" {
	local seed
	for seed in 1 2 3; do
		noise $seed > a.sim
		letters $seed > b.sim
		{ printf 'capacity_gb=1\n'; letters $seed; } > c.sim
		head -c 200000 a.sim > d.sim
		head -c 200000 b.sim > e.sim
		for name in a b c d e; do
			refused 2 check quick sim:./$name.sim
			refused 2 run quick sim:./$name.sim -o r.assay
			refused 2 sim ./$name.sim
		done
	done
}

@test "random bytes as a run file" {
	local seed
	printf '[a]\nrw=randread\nbs=4k\nsize=1m\nruntime=1\n' > p.plan
	ssd run p.plan sim:theory,shrink=256 --allow-unwritten -o good.assay --progress none
	expect 0
	for seed in 1 2 3; do
		noise $seed > a.assay
		{ printf 'SQLite format 3\0'; noise $seed; } > b.assay
		{ head -c 4096 good.assay; noise $seed; } > c.assay
		{ head -c 100 good.assay; noise $seed; } > d.assay
		for name in a b c d; do
			refused 2 show $name.assay
			refused 2 report $name.assay -o x.html
			refused 2 report good.assay $name.assay -o x.html
			refused 2 compare good.assay $name.assay
			refused 2 compare $name.assay good.assay
			for format in csv json fio-json hdr; do
				refused 2 export --format $format $name.assay -o out
			done
			cp $name.assay before
			refused 2 run --resume $name.assay
			refused 2 run p.plan sim:theory,shrink=256 --allow-unwritten -o $name.assay
			refused 2 import $name.assay -o r.assay
			cmp $name.assay before
		done
	done
	[ ! -e x.html ]
	[ ! -e r.assay ]
	[ -z "$(ls out 2> /dev/null)" ]
	# what is damaged in the middle is refused, or read as far as it goes: never a crash
	for seed in 1 2 3 4 5 6 7 8; do
		cp good.assay e.assay
		noise $seed 64 | dd of=e.assay bs=1 seek=$((seed * 3500)) conv=notrunc status=none
		for command in "show" "show --json" "report -o e.html" "compare good.assay" "export --format csv -o e.csv" \
			"export --format json -o e.json" "export --format fio-json -o e.fio" "export --format hdr -o e.hdr" \
			"run --resume"; do
			# shellcheck disable=SC2086 # words
			ssd $command e.assay
			[ "$status" -eq 0 ] || { [ "$status" -eq 2 ] && grep -q '^ssdassay: ' "$RIG/.err"; }
		done
		rm -rf e.*
	done
}

@test "random bytes as another tool's results" {
	local seed
	for seed in 1 2 3; do
		noise $seed > a.json
		letters $seed > b.json
		{ printf '{"fio version":"fio-3.33","jobs":['; letters $seed; } > c.json
		noise $seed > x_bw.1.log
		{ printf '1000, 5, 0, 0\n'; letters $seed; } > x_lat.1.log
		for name in a.json b.json c.json x_bw.1.log x_lat.1.log; do
			refused 2 import $name -o r.assay
			[ ! -e r.assay ]
		done
	done
}

@test "random bytes on standard input and as arguments" {
	noise 1 > a.plan
	STDIN=a.plan refused 2 check - target.dat
	refused 2 "$(noise 2 200 | tr -d '\0')"
	refused 2 check "$(noise 3 200 | tr -d '\0')" target.dat
	refused 4 check quick "sim:./$(noise 4 200 | tr -d '\0')"	# a file that is not there
	refused 2 check quick "sim:$(noise 4 200 | tr -d '\0./')"
	refused 2 check --set "$(noise 5 200 | tr -d '\0')" quick target.dat
}
