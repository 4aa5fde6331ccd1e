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
sync_file_range=write:8 only fsync=, fdatasync= and end_fsync= are supported
bs_unaligned=1 multiples of the smallest block, or of blockalign=
buffer_pattern='file' a file's contents are not supported
buffer_pattern=0x 0x needs digits behind it
buffer_pattern="abc a text stands between two "
prioclass=5 it can be 0, 1, 2, 3, none, realtime
prio=8 7
thred=1 thred is not known; did you mean thread?
verifi=md5 verifi is not known; did you mean verify?
fdata_sync=1 fdata_sync is not known; did you mean fdatasync?
iodepht=8 iodepht is not known; did you mean iodepth?
nrfiles=4 a load addresses one target
verify=md5 not read back
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
	printf '%s\n' nrfiles=1 write_barrier=0 verify=0 zonemode=none kb_base=1024 iomem_align=4k dedupe_mode=repeat >> one.fio
	ssd check one.fio
	expect 0
	expect_err "one.fio:6:1: nrfiles=1 has no effect here" "one.fio:10:1: kb_base=1024 has no effect here"
	ssd check one.fio --strict
	expect 2
	sed -i s/iomem_align=4k/iomem_align=2m/ one.fio
	ssd check one.fio
	expect 2
	expect_err "one.fio:11:1: iomem_align is not supported"
}

@test "end_fsync and fsync_on_close: one fsync a worker when all writes are done, within the time that is measured" {
	local option
	for option in end_fsync=1 fsync_on_close=1 end_fsync; do
		for engine in psync io_uring libaio; do
			printf '[a]\nfilename=e.dat\nrw=randrw\nbs=4k\nsize=256k\nnumjobs=2\niodepth=4\nioengine=%s\n%s\n' "$engine" $option > one.fio
			run_plan one.fio
			expect 0
			[ "$(result '.steps[-1].loads[0] | .fsync.ios')" = 2 ]
			[ "$(result '.steps[-1].loads[0] | .read.ios + .write.ios')" = 128 ]
			# none of the fsyncs begins before its worker's I/Os have ended
			[ "$(query "select count(*) from outlier i join outlier s using (step, worker) where s.op = 4 and i.op < 2
				and i.submit_ns + i.service_ns > s.submit_ns")" = 0 ]
			sums_agree
		done
	done
	# with a time: the fsync comes behind it and is not cut off, and the time that is measured holds it
	printf '[a]\nfilename=e.dat\nrw=write\nbs=64k\nsize=8m\nruntime=500ms\ntime_based\nend_fsync=1\n' > one.fio
	run_plan one.fio
	expect 0
	[ "$(result '.steps[-1].loads[0] | .fsync.ios')" = 1 ]
	[ "$(query "select o.submit_ns >= 500000000 and o.submit_ns + o.service_ns <= s.duration_ns
		from outlier o join step s on s.id = o.step where o.op = 4")" = 1 ]
	printf '[a]\nfilename=e.dat\nrw=read\nsize=64k\nend_fsync=1\n' > one.fio
	ssd check one.fio
	expect 0
	expect_err "one.fio:5:1: end_fsync has no effect here: it needs an rw that writes"
}

@test "number_ios: no worker sends more, whatever the size and the time are" {
	printf '[a]\nfilename=e.dat\nrw=randwrite\nbs=4k-16k\nsize=1m\nnumjobs=3\nfsync=2\nnumber_ios=7\n' > one.fio
	run_plan one.fio
	expect 0
	[ "$(result '.steps[-1].loads[0] | [.write.ios, .fsync.ios] | join(" ")')" = "21 9" ]
	printf 'runtime=100\ntime_based\n' >> one.fio
	run_plan one.fio
	expect 0
	[ "$(result '.steps[-1].loads[0].write.ios')" = 21 ]
	printf 'number_ios=100000000\nruntime=0\ntime_based=0\n' >> one.fio	# the size is done first
	run_plan one.fio
	expect 0
	[ "$(result '.steps[-1].loads[0].write.bytes')" = 3145728 ]
}

# blocks_written FILE BLOCK: the numbers of its blocks that hold anything but zeroes.
blocks_written() {
	xxd -p -c "$2" "$1" | grep -n '[1-9a-f]' | cut -d: -f1
}

@test "blockalign: random offsets are multiples of it, smaller or larger than the block" {
	printf '[a]\nfilename=e.dat\nrw=randwrite\nbs=512\nfilesize=1m\nsize=2m\nblockalign=4k\nbuffer_pattern=0xff\nzero_buffers=0\n' > one.fio
	head -c 1m /dev/zero > e.dat
	run_plan one.fio --overwrite
	expect 0
	# 4096 writes to 256 places: the first 512 bytes of each 4 KiB, and nothing else
	[ "$(blocks_written e.dat 512 | awk '$1 % 8 != 1' | wc -l)" = 0 ]
	[ "$(blocks_written e.dat 512 | wc -l)" = 256 ]
	printf '[a]\nfilename=e.dat\nrw=randwrite\nbs=4k\nfilesize=1m\nsize=32k\nba=512\nbuffer_pattern=0xff\n' > one.fio
	head -c 1m /dev/zero > e.dat
	run_plan one.fio --overwrite
	expect 0
	# eight writes of eight sectors; were they at multiples of 4 KiB, they would begin there
	blocks_written e.dat 512 | awk 'NR == 1 || $1 != before + 1 { off += ($1 - 1) % 8 != 0 } { before = $1 } END { exit !(off >= 3) }'
	printf '[a]\nfilename=e.dat\nrw=write\nbs=4k\nsize=64k\nblockalign=8k\n' > one.fio
	ssd check one.fio
	expect_err "one.fio:6:1: blockalign has no effect here: it needs a random rw"
	printf '[a]\nrw=randread\nbs=512\nba=1k,x\nsize=64k\n' > one.fio
	ssd check one.fio e.dat
	expect 2
	printf '[a]\nrw=randread\nbs=4k\nblockalign=700\nsize=64k\n' > one.fio
	ssd check one.fio sim:theory
	expect 2
	expect_err "blockalign: 700 bytes is not a multiple of the target's block"
}

# The bytes are those that fio 3.33 writes.
@test "buffer_pattern: what is written is the pattern, from the beginning of each block" {
	while read -r pattern bytes; do
		printf '[a]\nfilename=p.dat\nrw=write\nbs=512\nsize=4k\niodepth=4\nbuffer_pattern=%s\n' "$pattern" > one.fio
		rm -f p.dat
		run_plan one.fio
		expect 0
		[ "$(xxd -p -c 512 p.dat | cut -c 1-20 | sort | uniq -c | awk '{ print $1, $2 }')" = "8 $bytes" ]
	done <<-'END'
		0xdeadface deadfacedeadfacedead
		0xabc 0abc0abc0abc0abc0abc
		12345 39303930393039303930
		-12 f4fffffff4fffffff4ff
		"abcd" 61626364616263646162
		0xde"ab"-12 de6162f4ffffffde6162
		65535 ffffffffffffffffffff
		256 00010001000100010001
		0 00000000000000000000
	END
	# in mixed loads too, where reads have buffers of their own
	printf '[a]\nfilename=p.dat\nrw=randrw\nbs=512\nsize=64k\nloops=8\niodepth=4\nbuffer_pattern="abc"\n' > one.fio
	run_plan one.fio
	expect 0
	[ "$(xxd -p -c 512 p.dat | grep -c '^616263616263')" -gt 100 ]
	# with a share to compress it stands where zeroes would
	printf '[a]\nfilename=p.dat\nrw=write\nbs=4k\nsize=1m\nbuffer_pattern=0xabcd\nbuffer_compress_percentage=75\n' > one.fio
	run_plan one.fio
	expect 0
	[ "$(xxd -p -c 4096 p.dat | cut -c 2049- | sort -u | tr -d '\n')" = "$(printf 'abcd%.0s' {1..1536})" ]
	[ "$(xxd -p -c 4096 p.dat | cut -c 1-2048 | sort -u | wc -l)" = 256 ]
	printf '[a]\nfilename=p.dat\nrw=write\nsize=1m\nbuffer_pattern=0xab\nzero_buffers\n' > one.fio
	ssd check one.fio
	expect 2
	expect_err "one.fio:5:1: buffer_pattern contradicts zero_buffers in line 6"
}

# priorities: what ionice(1) says of the threads of the measuring process.
priorities() {
	for task in $(pgrep -P "$PID" | sed 's|.*|/proc/&/task/*|'); do
		ionice -p "${task##*/}" 2> /dev/null
	done | sort | uniq -c | awk '{ $1 = $1; print }'
}

@test "prio and prioclass: the workers have that I/O priority" {
	local engine
	while read -r options says; do
		for engine in psync io_uring; do
			printf '[a]\nfilename=e.dat\nrw=randread\nbs=4k\nsize=1m\nioengine=%s\nnumjobs=2\nruntime=10m\ntime_based\n' "$engine" > one.fio
			tr , '\n' <<< "$options" >> one.fio
			rm -f r.assay*
			background run one.fio -o r.assay --progress none
			until_shows "select count(*) >= 1 from series where step = (select id from step where name = 'a')"
			priorities
			priorities | grep -qx "2 $says"
			kill -INT "$PID"
			ended
			expect 130
		done
	done <<-'END'
		prioclass=2,prio=7 best-effort: prio 7
		prio=3 best-effort: prio 3
		prioclass=idle idle
	END
	printf '[a]\nfilename=e.dat\nrw=randread\nbs=4k\nsize=1m\nprioclass=idle\nprio=3\n' > one.fio
	ssd check one.fio
	expect 0
	expect_err "one.fio:7:1: prio has no effect here: it needs prioclass 1 or 2"
	[ "$(id -u)" = 0 ] && command -v setpriv > /dev/null || skip "not root: the realtime class is refused to everyone"
	printf '[a]\nrw=randread\nbs=4k\nsize=1m\nprioclass=1\n' > one.fio
	chmod 777 . e.dat
	setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$SSDASSAY" run one.fio e.dat --overwrite -o s.assay --progress none \
		> .out 2> .err || status=$?
	err=$(cat .err)
	[ "$status" = 4 ]
	expect_err "load 'a': prioclass=1 prio=0 is not allowed: Operation not permitted"
}

@test "wait_for: a job starts when the one it names has ended, where that is what a stonewall does" {
	cat > wait.fio <<-'END'
		[global]
		filename=w.dat
		size=1m
		bs=64k
		[writer]
		rw=write
		[reader]
		wait_for=writer
		rw=read
		[other]
		wait_for=writer
		rw=randread
		[last]
		stonewall
		wait_for=reader
		rw=write
	END
	run_plan wait.fio
	expect 0
	[ "$(result '[.steps[] | .name + ":" + ([.loads[].name] | join("+"))] | join(" ")')" = "writer:writer reader:reader+other last:last" ]
	sed -i '/^\[other\]/,/^rw/{/wait_for/d}' wait.fio	# in fio it would run beside writer
	ssd check wait.fio
	expect 2
	expect_err "wait.fio:10:" "wait_for is supported where all jobs that run wait for the same one"
	sed -i 's/wait_for=writer/wait_for=nobody/' wait.fio
	ssd check wait.fio
	expect 2
	expect_err "wait.fio:8:10: wait_for: no step called \"nobody\" stands above"
}

@test "rw with a number: sequential I/O with holes, and several I/Os for each random place" {
	printf '[a]\nfilename=h.dat\nrw=write:4k\nbs=4k\nsize=64k\nbuffer_pattern=0xff\n' > one.fio
	head -c 64k /dev/zero > h.dat
	run_plan one.fio --overwrite
	expect 0
	[ "$(result '.steps[-1].loads[0].write.ios')" = 16 ]
	[ "$(blocks_written h.dat 4096 | tr '\n' ' ')" = "1 3 5 7 9 11 13 15 " ]
	[ "$(result '.steps[-1].values.rw')" = write:4096 ]
	printf '[a]\nfilename=h.dat\nrw=write:-16k\nbs=8k\nsize=64k\nnumber_ios=3\nbuffer_pattern=0xff\n' > one.fio
	head -c 64k /dev/zero > h.dat
	run_plan one.fio --overwrite
	expect 0
	[ "$(blocks_written h.dat 8192 | tr '\n' ' ')" = "1 6 7 " ]
	printf '[a]\nfilename=h.dat\nrw=randwrite:4\nbs=4k\nsize=1m\nnumber_ios=4\nbuffer_pattern=0xff\n' > one.fio
	head -c 1m /dev/zero > h.dat
	run_plan one.fio --overwrite
	expect 0
	[ "$(blocks_written h.dat 4096 | awk 'NR > 1 && $1 != before + 1 { off++ } { before = $1 } END { print NR, off + 0 }')" = "4 0" ]
	printf 'rw_sequencer=identical\n' >> one.fio
	head -c 1m /dev/zero > h.dat
	run_plan one.fio --overwrite
	expect 0
	[ "$(blocks_written h.dat 4096 | wc -l)" = 1 ]
	printf '[a]\nrw=read:700\nbs=4k\n' > one.fio
	ssd check one.fio sim:theory
	expect 2
	expect_err "rw: it goes on by 700 bytes"
}
