#!/usr/bin/env bats
# The common options of fio's documentation in job files: they run, or what is not supported is named with its place.

load common

setup() { cli_start; }

teardown() { cli_stop; }

@test "rates, think time, bssplit, zipf, several files, ramp time and stonewalls" {
	plan mixed.fio <<'END'
[global]
ioengine=libaio
size=8m
runtime=1
time_based
group_reporting
ramp_time=200ms
[rate]
filename=a.dat:b.dat
rw=randrw
rwmixread=70
bssplit=4k/60:8k/30:64k/10
iodepth=16
rate_iops=500,200
numjobs=2
[think]
stonewall
filename=a.dat
rw=randread
bs=4k
thinktime=1000
thinktime_blocks=4
thinktime_spin=100
[zipf]
stonewall
filename=a.dat
rw=randread
bs=4k
random_distribution=zipf:1.2
norandommap
iodepth=4
END
	run_plan mixed.fio
	expect 0
	expect_err "mixed.fio:9:10: each of the 2 files has its own queue"
	[ "$(result '[.steps[].name] | unique | join(" ")')" = "prepare rate think zipf" ]
	rate=$(result '.steps[] | select(.name == "rate") | .loads[0] | .read.iops + .write.iops')
	near "$rate" 1400 0.08
	[ "$(result '.steps[] | select(.name == "think") | .loads[0].read.iops | . > 200 and . < 4100')" = true ]
	[ "$(query "select sum(errors) from total")" = 0 ]
}

@test "the synchronous engines, offset_increment and wait_for_previous" {
	plan sync.fio <<'END'
[global]
bs=64k
size=4m
filename=c.dat
offset_increment=4m
numjobs=4
[write]
rw=write
ioengine=sync
[read]
stonewall
rw=read
ioengine=pvsync2
[again]
wait_for_previous
rw=read
ioengine=vsync
END
	run_plan sync.fio
	expect 0
	expect_err "sync.fio:13:10: ioengine=pvsync2: psync sends these I/Os here"
	[ "$(result '[.steps[].loads[0] | .read.bytes + .write.bytes] | unique | join(" ")')" = 16777216 ]
	[ "$(result '[.steps[].loads[0].engine] | join(" ")')" = "sync psync psync" ]
	# workers of ioengine=sync share the file: a seek of one must not move the write of another
	[ "$(stat -c %s c.dat)" = 16777216 ]
}

@test "io_uring's options, distributions, data, CPUs, loops and a name for all" {
	plan many.fio <<'END'
[global]
name=a name for all jobs
filename=${DISKFILE}
size=8m
bs=4k
runtime=300ms
time_based=1
[uring]
ioengine=io_uring
registerfiles
fixedbufs=1
iodepth=32
iodepth_batch_submit=8
iodepth_batch_complete_min=1
iodepth_batch_complete_max=8
rw=randread
random_generator=tausworthe64
randseed=42
percentile_list=50:99:99.9
write_bw_log=x
[normal]
stonewall
rw=randwrite
random_distribution=normal:20
fsync=32
refill_buffers
buffer_compress_percentage=50
dedupe_percentage=30
[pareto]
stonewall
rw=randread
random_distribution=pareto:0.2
cpus_allowed=0
[zoned]
stonewall
rw=randread
random_distribution=zoned:60/10:30/20:8/30:2/40
END
	DISKFILE=d.dat run_plan many.fio
	expect 0
	expect_err "many.fio:2:1: name has no effect here" "percentile_list has no effect here" "write_bw_log has no effect here"
	[ "$(result '[.steps[].name] | join(" ")')" = "prepare uring normal pareto zoned" ]
	[ "$(result '.steps[2].loads[0].fsync.ios > 0')" = true ]
	ssd run many.fio -o s.assay
	expect 2
	expect_err "many.fio:3:10: the environment variable DISKFILE is not set"
}

@test "what is not supported is named, with the line and what to do" {
	while read -r option says; do
		printf '[a]\nfilename=e.dat\nrw=randread\nbs=4k\n%s\n' "$option" > one.fio
		ssd check one.fio
		expect 2
		expect_err "one.fio:5:" "$says"
	done <<'END'
ioengine=mmap mmap is not supported: io_uring, libaio
ioengine=posixaio posixaio is not supported
nice=5 nice(1)
end_fsync=1 only fsync= and fdatasync= are supported
nrfiles=4 a load addresses one target
verify=md5 powercut
latency_target=1ms expect= or search=
zonemode=zbd zoned devices
rate_min=1m expect= or search=
ratemin=1m expect= or search=
hostname=h an option of an ioengine that is not supported
filesize=4k-1m files of several sizes are not supported
thinktime=1x is no time
END
}

@test "filesize: the file holds that much, and size is how much is moved" {
	printf '[a]\nfilename=e.dat\nrw=randwrite\nbs=4k\nfilesize=1m\nsize=256k\n' > one.fio
	run_plan one.fio
	expect 0
	[ "$(stat -c %s e.dat)" = 1048576 ]
	[ "$(result '.steps[-1].loads[0].write.bytes')" = 262144 ]
	sed -i /^size/d one.fio
	run_plan one.fio
	expect 0
	[ "$(result '.steps[-1].loads[0].write.bytes')" = 1048576 ]
}

@test "what is refused may be switched off by name, as it is here anyway" {
	printf '[a]\nfilename=e.dat\nrw=randread\nbs=4k\nsize=64k\n' > one.fio
	printf '%s\n' nrfiles=1 end_fsync=0 verify=0 zonemode=none kb_base=1024 >> one.fio
	ssd check one.fio
	expect 0
	expect_err "one.fio:6:1: nrfiles=1 has no effect here" "one.fio:10:1: kb_base=1024 has no effect here"
	ssd check one.fio --strict
	expect 2
}
