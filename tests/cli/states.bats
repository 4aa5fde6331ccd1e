#!/usr/bin/env bats
# In which state a drive was when a step began: by what the run had done to it before.

load common

setup() { cli_start; }
teardown() { cli_stop; }

states() {	# of all steps with a load: NAME:STATE[+idle]
	result '[.steps[] | select(.state) | "\(.name):\(.state.is)" + (if .state.idle_ns > 0 then "+idle" else "" end)] | join(" ")'
}

@test "what was done before a step is its drive's state: found, purged, filled, preconditioned, idle" {
	plan states.plan <<-END
	[global]
	bs=128k
	iodepth=32
	[found]
	rw=randread
	runtime=100ms
	[clean]
	kind=purge
	[part]
	rw=write
	until=written:0.3r
	[fill]
	kind=fill
	until=written:1r
	[read]
	rw=randread
	runtime=100ms
	[rest]
	kind=idle
	runtime=7s
	[rested]
	rw=randread
	runtime=100ms
	[wear]
	rw=randwrite
	until=written:0.5r
	[after]
	rw=randread
	runtime=100ms
	[fill-again]
	rw=write
	until=written:1r
	[last]
	rw=randread
	runtime=100ms
	END
	run_plan states.plan sim:sata-tlc,shrink=1024,precondition=sequential
	expect 0
	[ "$(states)" = "prepare:as_found found:filled part:purged fill:partly_written read:filled rested:filled+idle wear:filled after:preconditioned fill-again:preconditioned last:filled" ]
	[ "$(result '.steps[] | select(.name == "rested").state | "\(.idle_ns) \(.by) \(.purged)"')" = "7000000000 fill true" ]
	near "$(result '.steps[] | select(.name == "after").state.written')" 1.8 0.02
	expect_out "state of the drive when a step began:" "as found: 'prepare'" "purged, fresh: 'part'" "purged, then partly written: 'fill'" \
		"purged, then filled: 'read', 'wear', 'last'" "purged, then filled, after idle: 'rested'" "purged, then preconditioned: 'after', 'fill-again'"
	ssd report r.assay -o page.html
	expect 0
	[[ $(grep -F '<h3>after ' page.html) == *"purged, then preconditioned"* ]]
	[[ $(grep -F '<h3>rested ' page.html) == *"purged, then filled, after idle"* ]]
}

@test "a drive that was verified to be steady stays so while it is written at random, until it is filled" {
	plan steady.plan <<-END
	[global]
	rw=randwrite
	bs=4k
	iodepth=32
	[clean]
	kind=purge
	[settle]
	until=snia:1m/1m
	max=time:24h
	[mix]
	rw=randrw
	runtime=10s
	[write]
	rw=write
	bs=128k
	until=written:1r
	[end]
	runtime=1s
	END
	run_plan steady.plan sim:sata-tlc,shrink=512
	expect 0
	[ "$(result '.steps[] | select(.name == "settle").ended_by')" = snia ]
	[ "$(states)" = "settle:purged mix:steady write:steady end:filled" ]
	expect_out "began steady: 'mix', 'write'"
}

@test "rounds that met the rule leave a steady drive; those that did not, a preconditioned one" {
	plan rounds.plan <<-END
	[global]
	rw=randwrite
	bs=4k
	iodepth=32
	[clean]
	kind=purge
	[fill]
	kind=fill
	until=written:2r
	[rounds]
	kind=group
	until=snia
	max=25
	track=base iops
	[base]
	in=rounds
	runtime=20s
	[after]
	runtime=1s
	END
	run_plan rounds.plan sim:sata-tlc,shrink=512
	expect 0
	met=$(result '[.events[] | select(.kind == "steady").data.verdict] | last')
	[ "$met" = steady ]
	[ "$(result '.steps[] | select(.name == "after").state.is')" = steady ]
	[ "$(result '[.steps[] | select(.name == "base").state.is] | unique | join(" ")')" = "filled preconditioned" ]
	sed -i 's/max=25/max=2/' rounds.plan
	run_plan rounds.plan sim:sata-tlc,shrink=512
	expect 0
	[ "$(result '.steps[] | select(.name == "after").state.is')" = preconditioned ]
}

@test "each of several targets has its own state" {
	plan two.plan <<-END
	[fill]
	kind=fill
	until=written:1r
	[read]
	rw=randread
	runtime=100ms
	END
	for together in "" --together; do
		run_plan two.plan sim:theory,capacity_gb=1 sim:sata-tlc,shrink=1024 $together
		expect 0
		[ "$(states)" = "fill:as_found read:filled fill:as_found read:filled" ]
	done
}
