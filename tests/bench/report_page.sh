#!/bin/sh
# The page of ten drives with 5000 s each: its size, the time to write it, and the time until it is shown in Chromium, against
# an empty page. Runs simulated drives in virtual time when no run files are given (several minutes).
#   tests/bench/report_page.sh SSDASSAY [RUN.assay]...
set -eu
ssdassay=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ $# -eq 0 ]; then
	cat >"$folder/ten.plan" <<'PLAN'
[global]
title=Ten drives
bs=64k
[write]
rw=randwrite
iodepth=1
runtime=5000s
PLAN
	for drive in sn850 p3700 840pro intel750 m8peg shannon tlc-consumer qlc-consumer tlc-datacenter sata-tlc; do
		"$ssdassay" run "$folder/ten.plan" "sim:$drive,shrink=64" -o "$folder/$drive.assay" --progress none >/dev/null
		set -- "$@" "$folder/$drive.assay"
	done
fi
now() { date +%s%N; }

begin=$(now)
"$ssdassay" report "$@" -o "$folder/page.html"
echo "runs: $#"
echo "page: $(stat -c %s "$folder/page.html") bytes (3000000 allowed), written in $((($(now) - begin) / 1000000)) ms"
[ "$(stat -c %s "$folder/page.html")" -lt 3000000 ] || { echo "too large" >&2; exit 1; }

command -v chromium >/dev/null || { echo "chromium is not installed: not opened"; exit 0; }
printf '<!DOCTYPE html><title>empty</title>' >"$folder/empty.html"
# When the page is there: its load event, by the page's own clock, and the second frame after it. A picture is asked
# for because a browser that is asked for none may end before it draws.
opened() {
	for _ in 1 2 3 4 5; do
		chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
			--user-data-dir="$folder/profile" --enable-logging=stderr --window-size=1280,900 \
			--screenshot="$folder/page.png" "file://$1" 2>&1 >/dev/null |
			sed -n 's/.*opened in \([0-9]*\) ms.*/\1/p' | head -n 1
	done | sort -n | sed -n 3p
}
timed() {	# a copy of the page that tells when it was drawn
	sed "s/script-src 'unsafe-inline'; //; s/default-src 'none'; /default-src 'none'; script-src 'unsafe-inline'; /" "$1" >"$2"
	cat >>"$2" <<'SCRIPT'
<script>addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(() =>
	console.log("opened in " + Math.round(performance.now()) + " ms"))));</script>
SCRIPT
}
timed "$folder/empty.html" "$folder/empty-timed.html"
timed "$folder/page.html" "$folder/page-timed.html"
empty=$(opened "$folder/empty-timed.html")
page=$(opened "$folder/page-timed.html")
[ -n "$empty" ] && [ -n "$page" ] || { echo "chromium didn't tell when it drew the page" >&2; exit 1; }
echo "opened in chromium: $page ms, an empty page $empty ms: $((page - empty)) ms (1000 allowed; median of five)"
[ $((page - empty)) -lt 1000 ]
