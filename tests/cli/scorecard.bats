#!/usr/bin/env bats
# The five numbers, against closed forms on the simulated drive that has no jitter and no fit.

load common

setup() { cli_start; }
teardown() { cli_stop; }

number() { jq -r "[.findings[] | select(.kind == \"scorecard\")][0].data | $1" <<< "$out"; }

card_plan() {	# card_plan RUNTIME: of the single reads; more steps on standard input
	plan card.plan <<END
[fill]
rw=write
bs=128k
iodepth=32
until=written:1x
interval=10ms

[rest]
kind=idle
runtime=2s

[one]
rw=randread
bs=4k
iodepth=1
runtime=$1
$(cat)
END
}

@test "floor, sustained write, single reads and stalls are what the arithmetic says" {
	card_plan 5s <<'END'

[slow]
rw=randwrite
bs=4k
iodepth=1
thinktime=2ms
until=steady
max=time:6000s
END
	ssd run card.plan sim:theory,shrink=16 -o r.assay --progress none
	ssd show r.assay --json
	[ "$(number .scored)" = true ]
	# 16 dies program 2 planes of 16 KiB in 300 us
	near "$(number .sustained_write.value)" "$(awk 'BEGIN { print 16 * 2 * 16384 / 300e-6 }')" 0.005
	# tR 50 us, 5 us fixed, 1 us command, 4 KiB at 1000 MB/s on the channel and at 3000 MB/s on the link
	near "$(number .read_p99_99.value)" "$(awk 'BEGIN { print 50000 + 5000 + 1000 + 4096 + 4096 / 3 }')" 0.005
	[ "$(number .read_p99_99.step)" = one ]
	# without jitter no read tells anything of the next one: each counts
	[ "$(number .read_p99_99.effective)" = "$(jq '[.steps[] | select(.name == "one")][0].loads[0].read.service_ns.n' <<< "$out")" ]
	# one write each 2 ms and what it takes: 5 us fixed, 1 us command, the link; whole I/Os of a second
	near "$(number .floor_iops.value)" "$(awk 'BEGIN { print 1 / (2e-3 + 6e-6 + 4096 / 3e9) }')" 0.003
	[ "$(number .stalls.ge_100ms)" = 0 ]
	[ "$(number .stalls.longest_ns)" = 0 ]
	# what no step measured is said, not guessed
	[ "$(number .iops_at_p99_9_1ms)" = null ]
	expect_out "IOPS with p99.9 within 1 ms not measured"
	ssd report r.assay -o r.html
	grep -q '<h3>Scorecard</h3>' r.html
	grep -q 'not measured' r.html
}

@test "a scaled run is not scored" {
	card_plan 50s < /dev/null
	ssd run card.plan sim:theory,shrink=4 -o r.assay --progress none --scale 0.5
	ssd show r.assay --json
	[ "$(number .scored)" = false ]
	ssd report r.assay -o r.html
	grep -q '<h3>Scorecard (not scored)</h3>' r.html
}

@test "a run whose checks failed is not scored, and says which one" {
	card_plan 5s < /dev/null
	ssd run card.plan sim:theory,shrink=16,error_rate=0.0001 -o r.assay --progress none
	ssd show r.assay --json
	[ "$(number .scored)" = false ]
	expect_out "not scored, as the check no_io_errors failed"
}

@test "the speed of sequential writes to a drive in disorder is not its sustained one" {
	plan disorder.plan <<END
[disorder]
rw=randwrite
bs=4k
iodepth=32
until=written:1x
[fill]
rw=write
bs=128k
iodepth=32
until=written:1x
interval=10ms
[one]
rw=randread
bs=4k
iodepth=1
runtime=50s
[write]
rw=randwrite
bs=4k
iodepth=32
runtime=5s
END
	ssd run disorder.plan sim:theory,shrink=16 -o r.assay --progress none
	ssd show r.assay --json
	[ "$(jq '[.findings[] | select(.kind == "sustained_write")] | length' <<< "$out")" = 1 ]
	[ -z "$(jq -r '.findings[] | select(.kind == "scorecard") | .text' <<< "$out")" ]
}
