#!/usr/bin/env bats
# What the documents say is what the program does.
#   ROOT the source tree, BUILD the build folder, MEASURE examples/measure.c built

load common

setup() {
	cli_start
	mkdir bin
	ln -s "$SSDASSAY" bin/ssdassay
	ln -s "$ROOT/examples" examples
	PATH="$RIG/bin:$PATH"
	commands > .commands
	[ "$(wc -l < .commands)" -ge 9 ]	# else the loops below would pass without a turn
}

teardown() { cli_stop; }

commands() {
	"$SSDASSAY" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# Lines that begin with "ssdassay" in the fenced blocks of a document, but those that name a device or /mnt/.
examples_of() {
	awk '/^```/ { inside = !inside; next } inside && /^ssdassay / && !/ \/(dev|mnt)\// { print }' "$1"
}

run_examples() {
	local line count=0
	while read -r line; do
		bash -c "$line" > .out 2> .err < /dev/null || {
			echo "exit code $?: $line"
			tail -n 5 .out .err
			return 1
		}
		count=$((count + 1))
	done < <(examples_of "$1")
	[ "$count" -ge "$2" ] || {
		echo "only $count examples found"
		return 1
	}
}

@test "the examples of README.md run" {
	run_examples "$ROOT/README.md" 10
}

@test "the examples of the man page run" {
	run_examples "$ROOT/docs/man/ssdassay.1.scd" 2
}

@test "every command and every option of it stand in its section of the man page" {
	local command option section
	for command in $(cat .commands); do
		section=$(awk -v head="## $command" '/^#/ { inside = $0 == head } inside' "$ROOT/docs/man/ssdassay.1.scd")
		[[ $section == *"*ssdassay $command*"* ]] || {
			echo "no section about $command"
			return 1
		}
		for option in $("$SSDASSAY" "$command" --help | sed -n 's/^ *\(-[a-z], \)*\(--[a-z-]*\).*/\2/p'); do
			[ "$option" != --help ] || continue
			[[ $section == *"*$option*"* ]] || {
				echo "$command $option is missing"
				return 1
			}
		done
	done
}

@test "the man page names no option that its command does not have" {
	local command option
	for command in $(cat .commands); do
		"$SSDASSAY" "$command" --help > .help
		for option in $(awk -v head="## $command" '/^#/ { inside = $0 == head } inside' "$ROOT/docs/man/ssdassay.1.scd" |
			grep -o -- '\*--[a-z-]*' | tr -d '*' | sort -u); do
			grep -q -- "$option" .help || {
				echo "$command has no $option"
				return 1
			}
		done
	done
}

@test "the man pages are formatted without a warning and hold every plan option" {
	local page name
	[ -f "$BUILD/docs/ssdassay.1" ] || skip "built without scdoc"
	command -v man > /dev/null || skip "no man(1)"
	for page in ssdassay.1 ssdassay-plan.5; do
		MANWIDTH=100 man --warnings -l "$BUILD/docs/$page" > "$page" 2> .err
		[ ! -s .err ] || {
			cat .err
			return 1
		}
	done
	for name in $("$SSDASSAY" plans --options | sed -n '/^$/q; s/^\([a-z_]*\) .*/\1/p'); do
		grep -q "^ *$name (" ssdassay-plan.5 || {
			echo "$name is missing"
			return 1
		}
	done
}

@test "the option table of docs/PLANS.md is the program's own" {
	"$SSDASSAY" plans --options > wanted
	awk '/^## Every option/ { here = 1 } here && /^```/ { inside = !inside; next } here && inside' \
		"$ROOT/docs/PLANS.md" > written
	diff -u wanted written
}

@test "README.md lists every built-in plan with its summary" {
	"$SSDASSAY" plans | sed 's/^\([^ ]*\) *\(.*\)/| `\1` | \2 |/' > wanted
	grep '^| `[a-z-]*` | ' "$ROOT/README.md" > written
	diff -u wanted written
}

@test "README.md shows what the program says about its first example and about open loops" {
	local name
	for name in depth open-loop; do
		"$SSDASSAY" run "$ROOT/examples/$name.plan" sim:tlc-consumer,shrink=64 -o $name.assay --progress none > said 2> /dev/null
		awk -v head="^$name  complete " '/^```/ { inside = 0 } $0 ~ head { inside = 1 } inside' "$ROOT/README.md" |
			sed '1s/  [0-9-]*T[0-9:]*Z  /  DATE  /' > shown
		sed '1s/  [0-9-]*T[0-9:]*Z  /  DATE  /' said | diff -u shown -
	done
}

@test "README.md shows examples/open-loop.plan as it is" {
	awk '/^```ini/ { inside = 1; next } /^```/ { inside = 0 } inside' "$ROOT/README.md" | diff -u examples/open-loop.plan -
}

@test "the plans of examples/ have no mistakes" {
	local plan
	for plan in examples/*.plan examples/*.fio; do
		ssd check "$plan" sim:tlc-consumer,shrink=64
		expect 0
		[ -z "$err" ] || {
			both_show
			return 1
		}
	done
}

@test "CHANGELOG.md names every command" {
	local command
	for command in $(cat .commands); do
		grep -q "\`$command\`" "$ROOT/CHANGELOG.md" || {
			echo "$command is missing"
			return 1
		}
	done
}

@test "docs/ARCHITECTURE.md has a row for every room" {
	local room
	for room in "$ROOT"/src/*/; do
		grep -q "^| \`$(basename "$room")\` |" "$ROOT/docs/ARCHITECTURE.md" || {
			echo "$room is missing"
			return 1
		}
	done
}

@test "every link inside the repository leads to a file" {
	local document link broken=0
	for document in "$ROOT"/*.md $(find "$ROOT/docs" -name '*.md'); do
		for link in $(grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*:' | sort -u); do
			[ -e "$(dirname "$document")/$link" ] || {
				echo "$document: $link"
				broken=1
			}
		done
	done
	[ "$broken" -eq 0 ]
}

@test "the completion scripts have no mistakes of syntax" {
	"$SSDASSAY" completion bash > c.bash
	bash -n c.bash
	"$SSDASSAY" completion zsh > c.zsh
	! command -v zsh > /dev/null || zsh -n c.zsh
	"$SSDASSAY" completion fish > c.fish
	! command -v fish > /dev/null || fish --no-execute c.fish
}

@test "bash completes commands, options, plans and choices" {
	"$SSDASSAY" completion bash > c.bash
	cat > try.bash <<'BASH'
complete() { :; }
. ./c.bash
try() {	# what is typed, word by word; the last one is completed
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
	COMP_POINT=${#COMP_LINE}
	_ssdassay
	echo "${COMPREPLY[*]}"
}
compopt() { :; }
try ssdassay rep
try ssdassay run --allow-u
try ssdassay run double
try ssdassay run quick --progress j
try ssdassay completion f
try ssdassay --v
try ssdassay export r.assay --format f
try ssdassay sim tlc-c
try ssdassay run quick si
COMP_WORDBREAKS=' ='
try ssdassay run quick sim:tlc-c
COMP_WORDBREAKS=$' :='	# as a shell that one types in has it: it splits at colons
COMP_WORDS=(ssdassay run quick sim : tlc-c) COMP_CWORD=5 COMP_LINE="ssdassay run quick sim:tlc-c" COMP_POINT=28
_ssdassay
echo "${COMPREPLY[*]}"
COMP_WORDS=(ssdassay check 'my\ p') COMP_CWORD=2 COMP_LINE='ssdassay check my\ p' COMP_POINT=20
_ssdassay
printf '[%s]' "${COMPREPLY[@]}"
echo
BASH
	touch "my plan.plan" "my plot.plan"
	bash try.bash > got
	diff -u - got <<'WANTED'
report
--allow-unwritten
double-fill
json
fish
--version
fio-json
tlc-consumer
sim:
sim:tlc-consumer
tlc-consumer
[my plan.plan][my plot.plan]
WANTED
}

# As many as there are, so that no list here goes stale.
@test "each shell completes every option of each command" {
	"$SSDASSAY" completion zsh > c.zsh
	"$SSDASSAY" completion fish > c.fish
	"$SSDASSAY" completion bash > c.bash
	printf '%s\n' 'complete() { :; }' '. ./c.bash' 'COMP_WORDS=(ssdassay "$1" "$2") COMP_CWORD=2' _ssdassay \
		'echo " ${COMPREPLY[*]} "' > try.bash
	count=0
	for name in $("$SSDASSAY" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		"$SSDASSAY" "$name" --help > help
		for option in $(grep -oE '^  (-[a-z], |    )--[a-z-]+' help | grep -oE '[-]-[a-z-]+'); do
			[ "$option" != --help ] || continue
			[[ $(bash try.bash "$name" "$option") == *" $option "* ]] || { echo "bash: $name $option"; return 1; }
			grep -q "seen_subcommand_from $name' -l ${option#--} " c.fish || { echo "fish: $name $option"; return 1; }
			sed -n "/^	$name) _arguments/,/;;\$/p" c.zsh | grep -q -e "'\*\?$option\[" || { echo "zsh: $name $option"; return 1; }
			count=$((count + 1))
		done
	done
	[ "$count" -gt 25 ]
}

@test "the example program of the library measures, shows, and reports mistakes and refusals" {
	"$MEASURE" sim:tlc-consumer,shrink=64 m.assay > shown 2> said
	grep -q '^read .* read ' shown
	grep -q 'of 2: read' said
	ssd show m.assay
	expect 0
	[ "$out" = "$(cat shown)" ]

	status=0
	"$MEASURE" sim:nonsense n.assay > shown 2> said || status=$?
	[ "$status" -eq 2 ]
	grep -q 'no simulated drive "nonsense"' said
	[ ! -e n.assay ]

	echo mine > precious
	status=0
	"$MEASURE" "$RIG/precious" n.assay > shown 2> said || status=$?
	[ "$status" -eq 3 ]
	[ "$(cat precious)" = mine ]
}

@test "meson install puts everything where it belongs, and a program builds against it" {
	local file pc
	[ -f "$BUILD/build.ninja" ] || skip "no build folder"
	command -v pkg-config > /dev/null || skip "no pkg-config"
	DESTDIR="$RIG/root" meson install -C "$BUILD" --no-rebuild > .out 2>&1 || {
		cat .out
		return 1
	}
	for file in bin/ssdassay include/ssdassay.h share/bash-completion/completions/ssdassay \
		share/zsh/site-functions/_ssdassay share/fish/vendor_completions.d/ssdassay.fish; do
		[ -s "root/usr/local/$file" ] || {
			echo "$file is missing"
			return 1
		}
	done
	if [ -f "$BUILD/docs/ssdassay.1" ]; then
		[ -s root/usr/local/share/man/man1/ssdassay.1 ]
		[ -s root/usr/local/share/man/man5/ssdassay-plan.5 ]
	fi
	root/usr/local/bin/ssdassay --version | diff - <("$SSDASSAY" --version)
	pc=$(dirname "$(find root -name ssdassay.pc)")
	# shellcheck disable=SC2046 # words on purpose
	cc -Wall -Wextra -Werror examples/measure.c -o measure \
		$(PKG_CONFIG_SYSROOT_DIR="$RIG/root" PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs ssdassay)
	LD_LIBRARY_PATH=$(dirname "$pc") ./measure sim:theory m.assay > shown 2> said
	grep -q '^read ' shown
}

# A plan with one step of this kind.
kind_plan() {
	printf '[step]\nkind=%s\n' "$1"
	case $1 in
	mkfs) echo fs=ext4 ;;
	app) echo command=true ;;
	replay) echo trace=x ;;
	esac
}

not_yet() {
	sed -n '/^## What it does not do yet/,/^## Read on/p' "$ROOT/README.md" | grep -o '`kind=[a-z]*`' | tr -d '`'
}

@test "README.md says which kinds of steps are refused, exactly" {
	local kind
	for kind in load fill purge idle mkfs app replay powercut; do
		kind_plan "$kind" > kind.plan
		ssd check kind.plan sim:theory --allow-commands
		[[ $err != *"cannot be carried out by this version yet"* ]] || echo "kind=$kind"
	done > refused
	not_yet > listed
	diff -u refused listed
}

@test "docs/METHOD.md explains every self-check that a run ends with" {
	local name
	ssd run examples/depth.plan sim:theory,shrink=64 --scale 0.1 -o r.assay --progress none
	expect 0
	result '.checks[].name' > names
	[ "$(wc -l < names)" -ge 9 ]
	while read -r name; do
		grep -q "\`$name\`" "$ROOT/docs/METHOD.md" || {
			echo "$name is missing"
			return 1
		}
	done < names
}
