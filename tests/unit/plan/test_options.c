/* Each option's effect on struct load, in both dialects where it stands in both. */
#include "fixture.h"
#include <linux/fs.h>

struct row {
	const char *lines;
	bool (*holds)(const struct load *load);
	enum { BOTH, PLAN_ONLY, FIO_ONLY } where;
};

#define HOLDS(name, condition) static bool name(const struct load *l) { return condition; }
#define NEAR(a, b) ((a) - (b) < 1e-12 && (b) - (a) < 1e-12)
#define BS(direction, low, high)                                                                             \
	(l->sizes[direction].count == 1 && l->sizes[direction].part[0].bytes_min == (low) &&                 \
	 l->sizes[direction].part[0].bytes_max == (high))

HOLDS(is_read, l->rw == LOAD_READ)
HOLDS(is_write, l->rw == LOAD_WRITE)
HOLDS(is_rw, l->rw == LOAD_RW && NEAR(l->read_share, 0.5))
HOLDS(is_randread, l->rw == LOAD_RANDREAD)
HOLDS(is_randwrite, l->rw == LOAD_RANDWRITE)
HOLDS(is_randrw, l->rw == LOAD_RANDRW)
HOLDS(is_trim, l->rw == LOAD_TRIM)
HOLDS(is_randtrim, l->rw == LOAD_RANDTRIM)
HOLDS(mix_70, NEAR(l->read_share, 0.7))
HOLDS(mix_100, NEAR(l->read_share, 1))
HOLDS(bs_standard, BS(0, 4096, 4096) && BS(1, 4096, 4096) && BS(2, 4096, 4096))
HOLDS(bs_4k, BS(0, 4096, 4096))
HOLDS(bs_64k, BS(0, 65536, 65536) && BS(1, 65536, 65536) && BS(2, 65536, 65536))
HOLDS(bs_two, BS(0, 8192, 8192) && BS(1, 32768, 32768) && BS(2, 32768, 32768))
HOLDS(bs_three, BS(0, 8192, 8192) && BS(1, 32768, 32768) && BS(2, 1 << 20, 1 << 20))
HOLDS(bs_read_only, BS(0, 8192, 8192) && BS(1, 4096, 4096) && BS(2, 4096, 4096))
HOLDS(bs_write_only, BS(0, 4096, 4096) && BS(1, 8192, 8192) && BS(2, 8192, 8192))
HOLDS(bs_two_closed, BS(0, 8192, 8192) && BS(1, 32768, 32768) && BS(2, 4096, 4096))
HOLDS(bs_range, BS(0, 4096, 65536) && BS(1, 4096, 65536))
HOLDS(bs_range_two, BS(0, 1024, 4096) && BS(1, 2048, 8192))
HOLDS(bs_range_one, BS(0, 4096, 65536))
HOLDS(bs_528, BS(0, 528, 528))
HOLDS(split, l->sizes[0].count == 2 && l->sizes[0].part[0].bytes_min == 4096 &&
		     NEAR(l->sizes[0].part[0].share, 0.6) && l->sizes[0].part[1].bytes_max == 65536 &&
		     NEAR(l->sizes[0].part[1].share, 0.4) && l->sizes[1].count == 2)
HOLDS(split_open, l->sizes[0].count == 3 && NEAR(l->sizes[0].part[1].share, 0.25) &&
      NEAR(l->sizes[0].part[2].share, 0.25))
HOLDS(split_two, l->sizes[0].count == 2 && l->sizes[1].count == 1 && l->sizes[1].part[0].bytes_min == 8192 &&
      l->sizes[2].count == 1)
HOLDS(size_4g, l->size.unit == AMOUNT_BYTES && l->size.bytes == 4ull << 30)
HOLDS(size_half, l->size.unit == AMOUNT_SHARE && NEAR(l->size.share, 0.5) && l->size.bytes == 0)
HOLDS(size_min, l->size.unit == AMOUNT_SHARE && NEAR(l->size.share, 0.0625) && l->size.bytes == 64ull << 30)
HOLDS(offset_1m, l->offset.unit == AMOUNT_BYTES && l->offset.bytes == 1 << 20)
HOLDS(offset_0, l->offset.unit == AMOUNT_BYTES && l->offset.bytes == 0)
HOLDS(offset_share, l->offset.unit == AMOUNT_SHARE && NEAR(l->offset.share, 0.25))
HOLDS(offset_goes_on, l->offset_continue && l->offset.unit == AMOUNT_UNSET)
HOLDS(increment, l->offset_increment.bytes == 1 << 30)
HOLDS(io_size, l->io_size.bytes == 1 << 20)
HOLDS(io_size_share, l->io_size.unit == AMOUNT_SHARE && NEAR(l->io_size.share, 2.5))
HOLDS(file_moved, l->size.bytes == 8 << 20 && l->io_size.bytes == 2 << 20)
HOLDS(file_whole, l->size.bytes == 8 << 20 && l->io_size.unit == AMOUNT_UNSET)
HOLDS(range, l->range_from.unit == AMOUNT_SHARE && l->range_from.share == 0 &&
		     NEAR(l->range_to.share, 0.75) && l->range_segments == 0)
HOLDS(range_bytes, l->range_from.bytes == 1 << 20 && l->range_to.bytes == 2 << 20)
HOLDS(segments, NEAR(l->range_to.share, 0.75) && l->range_segments == 2048)
HOLDS(no_map, !l->random_map)
HOLDS(has_map, l->random_map)
HOLDS(lfsr, l->generator_lfsr && l->random_map)
HOLDS(no_lfsr, !l->generator_lfsr)
HOLDS(seed_42, l->seed == 42)
HOLDS(repeats, l->seed_repeat)
HOLDS(no_repeat, !l->seed_repeat)
HOLDS(zipf, l->distribution == DISTRIBUTION_ZIPF && NEAR(l->distribution_theta, 1.2) &&
		    l->distribution_center < 0 && !l->random_map)
HOLDS(zipf_standard, NEAR(l->distribution_theta, 1.1))
HOLDS(zipf_center, NEAR(l->distribution_theta, 1.2) && NEAR(l->distribution_center, 0.5))
HOLDS(pareto, l->distribution == DISTRIBUTION_PARETO && NEAR(l->distribution_theta, 0.2))
HOLDS(normal, l->distribution == DISTRIBUTION_NORMAL && NEAR(l->distribution_theta, 20))
HOLDS(zoned, l->distribution == DISTRIBUTION_ZONED && l->zone_count == 4 &&
		     NEAR(l->zone[0].access_share, 0.6) && NEAR(l->zone[0].size_share, 0.1) &&
		     NEAR(l->zone[3].access_share, 0.02) && NEAR(l->zone[3].size_share, 0.4))
HOLDS(zoned_tiny, l->zone_count == 2 && NEAR(l->zone[0].access_share, 0.99) &&
			  NEAR(l->zone[0].size_share, 1e-6) && NEAR(l->zone[1].size_share, 1 - 1e-6))
HOLDS(zoned_open,
      l->zone_count == 3 && NEAR(l->zone[2].access_share, 0.2) && NEAR(l->zone[2].size_share, 0.8))
HOLDS(random_half, NEAR(l->percentage_random[0], 0.5) && NEAR(l->percentage_random[2], 0.5) && !l->random_map)
HOLDS(random_three, NEAR(l->percentage_random[0], 1) && NEAR(l->percentage_random[1], 0.5) &&
      l->percentage_random[2] == 0)
HOLDS(fsync_32, l->fsync_every == 32)
HOLDS(fdatasync_1, l->fdatasync_every == 1)
HOLDS(sync_all, l->sync_flags == RWF_SYNC)
HOLDS(sync_data, l->sync_flags == RWF_DSYNC)
HOLDS(sync_none, l->sync_flags == 0)
HOLDS(nowait, l->sync_flags == RWF_NOWAIT)
HOLDS(nowait_dsync, l->sync_flags == (RWF_NOWAIT | RWF_DSYNC))
HOLDS(uncached, l->sync_flags == 0x80)
HOLDS(atomic, l->sync_flags == 0x40)
HOLDS(vectored, l->vectored)
HOLDS(not_vectored, !l->vectored)
HOLDS(hybrid, l->iopoll && l->hybrid_poll && l->engine_options_named)
HOLDS(memory_bind, l->memory_policy == 2 && l->memory_nodes == 0x10b)
HOLDS(memory_prefer, l->memory_policy == 1 && l->memory_nodes == 4)
HOLDS(memory_local, l->memory_policy == 4 && l->memory_nodes == 0)
HOLDS(memory_default, l->memory_policy == 0 && l->memory_nodes == 0)
HOLDS(refill, l->refill_buffers)
HOLDS(compress, NEAR(l->compress_share, 0.3) && l->compress_chunk_bytes == 512)
HOLDS(dedupe, NEAR(l->dedupe_share, 0.25))
HOLDS(zeros, l->zero_buffers)
HOLDS(holes, l->rw == LOAD_WRITE && l->rw_skip == 4096)
HOLDS(backwards, l->rw == LOAD_READ && l->rw_skip == -8192)
HOLDS(eight, l->rw == LOAD_RANDREAD && l->rw_each == 8 && !l->rw_identical)
HOLDS(eight_alike, l->rw == LOAD_RANDWRITE && l->rw_each == 8 && l->rw_identical)
HOLDS(synced_last, l->end_fsync)
HOLDS(few, l->number_ios == 5000000000)
HOLDS(aligned, l->align_bytes[0] == 4096 && l->align_bytes[1] == 512 && l->align_bytes[2] == 512 && !l->random_map)
HOLDS(pattern, l->pattern_bytes == 8 && !memcmp(l->pattern, "\xde\xad" "ab cd", 7) && l->pattern[7] == 12)
HOLDS(first, load_ioprio(l) == (1 << 13 | 3))
HOLDS(best_effort, load_ioprio(l) == (2 << 13 | 7))
HOLDS(idle_class, load_ioprio(l) == 3 << 13)
HOLDS(no_class, load_ioprio(l) == 0)
HOLDS(engine_best, l->engine == ENGINE_BEST)
HOLDS(engine_uring, l->engine == ENGINE_URING)
HOLDS(engine_aio, l->engine == ENGINE_AIO)
HOLDS(engine_psync, l->engine == ENGINE_PSYNC)
HOLDS(engine_sync, l->engine == ENGINE_SYNC)
HOLDS(engine_null, l->engine == ENGINE_NULL)
HOLDS(engine_command, l->engine == ENGINE_URING_CMD)
HOLDS(direct, l->direct)
HOLDS(buffered, !l->direct)
HOLDS(depth_32, l->iodepth == 32)
HOLDS(depth_1, l->iodepth == 1)
HOLDS(batch, l->batch_submit == 16 && l->batch_complete_min == 4 && l->batch_complete_max == 32)
HOLDS(no_batch, l->batch_submit == 0 && l->batch_complete_min == 0 && l->batch_complete_max == 0)
HOLDS(jobs_16, l->numjobs == 16)
HOLDS(polls, l->iopoll && l->engine_options_named)
HOLDS(sqpoll, l->sqpoll && l->sqpoll_cpu == 3 && l->engine_options_named)
HOLDS(fixed_standard, l->fixed_buffers && l->fixed_files && !l->engine_options_named && l->sqpoll_cpu == -1)
HOLDS(fixed_named, l->fixed_buffers && l->fixed_files && l->engine_options_named)
HOLDS(fixed_off, !l->fixed_buffers && !l->fixed_files && !l->engine_options_named)
HOLDS(huge, l->huge_pages)
HOLDS(numa, l->numa_nodes == 2)
HOLDS(numas, l->numa_nodes == 0xb)
HOLDS(no_numa, l->numa_nodes == 0)
HOLDS(cpus, l->cpu_count == 3 && l->cpu[0] == 0 && l->cpu[1] == 1 && l->cpu[2] == 3 && !l->cpus_split)
HOLDS(cpus_split, l->cpu_count == 2 && l->cpus_split)
HOLDS(cpumask, l->cpu_count == 2 && l->cpu[0] == 0 && l->cpu[1] == 2)
HOLDS(closed, l->arrival == ARRIVAL_CLOSED && l->arrival_rate == 0)
HOLDS(constant, l->arrival == ARRIVAL_CONSTANT && NEAR(l->arrival_rate, 5000))
HOLDS(rate_alone, l->arrival == ARRIVAL_POISSON && NEAR(l->arrival_rate, 300))
HOLDS(poisson_k, l->arrival == ARRIVAL_POISSON && NEAR(l->arrival_rate, 5000))
HOLDS(rate_bytes,
      l->rate_bytes[0] == 1 << 20 && l->arrival == ARRIVAL_CONSTANT && NEAR(l->arrival_rate, 2 * 256))
HOLDS(rate_two, l->rate_bytes[0] == 1 << 20 && l->rate_bytes[1] == 500 << 10 && l->rate_bytes[2] == 500 << 10)
HOLDS(rate_write, l->rate_bytes[0] == 0 && l->rate_bytes[1] == 500 << 10)
HOLDS(rate_ios, l->rate_ios[0] == 100 && l->arrival == ARRIVAL_POISSON && NEAR(l->arrival_rate, 100))
HOLDS(rate_mixed,
      l->arrival == ARRIVAL_CONSTANT && NEAR(l->arrival_rate, 125)) /* 80 % reads: 100 reads need 125 */
HOLDS(rate_both, NEAR(l->arrival_rate, 1000) && NEAR(l->read_share, 0.9))	/* the rates decide, not rwmixread */
HOLDS(rate_split, NEAR(l->arrival_rate, 1000))			/* I/Os don't depend on the mix of sizes */
HOLDS(rate_split_bytes, NEAR(l->arrival_rate, 100))		/* bytes do, by their mean */
HOLDS(think, l->thinktime_ns == 500000 && l->thinktime_blocks == 8 && l->thinktime_spin_ns == 100000)
HOLDS(think_none, l->thinktime_ns == 0 && l->thinktime_blocks == 1)
HOLDS(runtime_5m, l->runtime_ns == 300000000000ull)
HOLDS(runtime_plan, l->runtime_ns == 30000000000ull && l->time_based)
HOLDS(runtime_ms, l->runtime_ns == 250000000ull)
HOLDS(runtime_fio, l->runtime_ns == 30000000000ull && !l->time_based)
HOLDS(time_based, l->runtime_ns == 30000000000ull && l->time_based)
HOLDS(runtime_none, l->runtime_ns == 0 && !l->time_based)
HOLDS(ramp, l->ramp_ns == 10000000000ull && l->startdelay_ns == 2000000000ull)
HOLDS(loops, l->loops == 3)
HOLDS(grouped, l->group_reporting)
HOLDS(named, !strcmp(l->name, "other"))

static const struct row rows[] = {
	{ "", is_read },
	{ "rw=read\n", is_read },
	{ "rw=write\n", is_write },
	{ "rw=rw\n", is_rw },
	{ "readwrite=readwrite\n", is_rw },
	{ "rw=randread\n", is_randread },
	{ "rw=randwrite\n", is_randwrite },
	{ "rw=randrw\n", is_randrw },
	{ "rw=trim\n", is_trim },
	{ "rw=randtrim\n", is_randtrim },
	{ "rw=rw\nrwmixread=70\n", mix_70 },
	{ "rw=rw\nrwmixwrite=30\n", mix_70 },
	{ "rw=randrw\nrwmixread=100\n", mix_100 },
	{ "", bs_standard },
	{ "bs=4k\n", bs_4k },
	{ "bs=4K\n", bs_4k },
	{ "bs=4096\n", bs_4k },
	{ "bs=4KiB\n", bs_4k, PLAN_ONLY },
	{ "bs = 4k ; usual\n", bs_4k },
	{ "blocksize=64k\n", bs_64k },
	{ "bs=8k,32k\n", bs_two },
	{ "bs=8k,32k,1m\n", bs_three },
	{ "bs=8k,\n", bs_read_only },
	{ "bs=,8k\n", bs_write_only },
	{ "bs=8k,32k,\n", bs_two_closed },
	{ "bsrange=4k-64k\n", bs_range_one },
	{ "bs=4k-64k\n", bs_range },
	{ "bsrange=4k:64k\n", bs_range },
	{ "bsrange=64k-4k\n", bs_range, FIO_ONLY },
	{ "runtime=250msec\n", runtime_ms },
	{ "blocksize_range=1k-4k,2k-8k\n", bs_range_two },
	{ "bs=528\n", bs_528 },
	{ "bssplit=4k/60:64k/40\n", split },
	{ "bssplit=4k/60%:64k/40%\n", split },
	{ "bssplit=4k/50:8k/:16k\n", split_open },
	{ "bssplit=4k/50:64k/50,8k/100\n", split_two },
	{ "size=4g\n", size_4g },
	{ "size=50%\n", size_half },
	{ "size=min(6.25%,64g)\n", size_min },
	{ "offset=1m\n", offset_1m },
	{ "offset=0\n", offset_0 },
	{ "offset=25%\n", offset_share },
	{ "offset=continue\n", offset_goes_on, PLAN_ONLY },
	{ "numjobs=2\noffset_increment=1g\n", increment },
	{ "io_size=1m\n", io_size },
	{ "io_limit=1m\n", io_size },
	{ "io_size=250%\n", io_size_share },
	{ "filesize=8m\nsize=2m\n", file_moved, FIO_ONLY },
	{ "size=4m\nio_size=2m\nfilesize=8m\n", file_moved, FIO_ONLY },
	{ "filesize=8m\n", file_whole, FIO_ONLY },
	{ "fileoffset=1m\n", offset_1m },
	{ "range=0%..75%\n", range, PLAN_ONLY },
	{ "range=1m..2m\n", range_bytes, PLAN_ONLY },
	{ "range=75%/2048\n", segments, PLAN_ONLY },
	{ "rw=randread\n", no_map, PLAN_ONLY },
	{ "rw=randread\n", has_map, FIO_ONLY },
	{ "rw=randread\nnorandommap\n", no_map },
	{ "rw=randread\nnorandommap=0\n", has_map },
	{ "rw=randread\nnorandommap=1\n", no_map },
	{ "rw=randread\nnorandommap=0\nrandom_generator=lfsr\n", lfsr },
	{ "rw=randread\nnorandommap=0\nrandom_generator=tausworthe64\n", no_lfsr },
	{ "randseed=42\n", seed_42 },
	{ "", repeats },
	{ "randrepeat=1\n", repeats },
	{ "randrepeat=0\n", no_repeat },
	{ "allrandrepeat=0\n", no_repeat },
	{ "rw=randread\nrandom_distribution=random\n", is_randread },
	{ "rw=randread\nrandom_distribution=zipf:1.2\n", zipf },
	{ "rw=randread\nrandom_distribution=zipf\n", zipf_standard },
	{ "rw=randread\nrandom_distribution=zipf:1.2:0.5\n", zipf_center },
	{ "rw=randread\nrandom_distribution=pareto:0.2\n", pareto },
	{ "rw=randread\nrandom_distribution=normal:20\n", normal },
	{ "rw=randread\nrandom_distribution=zoned:60/10:30/20:8/30:2/40\n", zoned },
	{ "rw=randread\nrandom_distribution=zoned:99/0.0001:1/\n", zoned_tiny },
	{ "rw=randread\nrandom_distribution=zoned:50/5:30/15:20/\n", zoned_open },
	{ "rw=randread\nrandom_distribution=zoned:50/5:30/15:/\n", zoned_open },
	{ "rw=randread\npercentage_random=50\n", random_half },
	{ "rw=randrw\npercentage_random=100,50,0\n", random_three },
	{ "rw=write\nfsync=32\n", fsync_32 },
	{ "rw=randwrite\nfdatasync=1\n", fdatasync_1 },
	{ "rw=write\nsync=1\n", sync_all },
	{ "rw=write\nsync=sync\n", sync_all },
	{ "rw=write\nsync=dsync\n", sync_data },
	{ "rw=write\nsync=none\n", sync_none },
	{ "rw=write\nrefill_buffers\n", refill },
	{ "rw=write\nbuffer_compress_percentage=30\nbuffer_compress_chunk=512\n", compress },
	{ "rw=write\ndedupe_percentage=25\n", dedupe },
	{ "rw=write\nzero_buffers\n", zeros },
	{ "rw=write:4k\n", holes },
	{ "rw=read:-8k\n", backwards },
	{ "rw=randread:8\n", eight },
	{ "rw=randwrite:8\nrw_sequencer=identical\n", eight_alike },
	{ "rw=write\nend_fsync=1\n", synced_last },
	{ "rw=write\nfsync_on_close=1\nend_fsync=0\n", synced_last },
	{ "number_ios=5000000000\n", few },
	{ "rw=randrw\nblockalign=4k,512\n", aligned },
	{ "rw=write\nbuffer_pattern=0xdead\"ab cd\"12\n", pattern },
	{ "prio=3\nprioclass=1\n", first },
	{ "prio=7\n", best_effort },
	{ "prioclass=idle\n", idle_class },
	{ "prioclass=0\n", no_class },
	{ "", engine_best },
	{ "ioengine=io_uring\n", engine_uring },
	{ "ioengine=libaio\n", engine_aio },
	{ "ioengine=psync\n", engine_psync },
	{ "ioengine=sync\n", engine_sync },
	{ "ioengine=null\n", engine_null },
	{ "ioengine=io_uring_cmd\ncmd_type=nvme\n", engine_command },
	{ "", buffered, FIO_ONLY },
	{ "", direct, PLAN_ONLY },
	{ "direct=0\n", buffered },
	{ "direct=1\n", direct },
	{ "direct\n", direct },
	{ "buffered=0\n", direct },
	{ "buffered=1\n", buffered },
	{ "", depth_1 },
	{ "iodepth=32\n", depth_32 },
	{ "ioengine=psync\niodepth=1\n", depth_1 },
	{ "", no_batch },
	{ "iodepth=32\niodepth_batch_submit=16\niodepth_batch_complete_min=4\niodepth_batch_complete_max="
	  "32\n",
	  batch },
	{ "iodepth=32\niodepth_batch=16\niodepth_batch_complete=4\niodepth_batch_complete_max=32\n", batch },
	{ "numjobs=16\n", jobs_16 },
	{ "ioengine=io_uring\ndirect=1\nhipri\n", polls },
	{ "direct=1\niopoll=1\n", polls },
	{ "sqthread_poll\nsqthread_poll_cpu=3\n", sqpoll },
	{ "hipri\ndirect=1\nhybrid_poll=1\n", hybrid, PLAN_ONLY },
	{ "nowait=1\n", nowait },
	{ "rw=write\nnowait=1\nsync=dsync\n", nowait_dsync },
	{ "rw=write\nsync=dsync\nnowait\natomic=0\n", nowait_dsync },
	{ "nowait=0\n", sync_none },
	{ "direct=0\nuncached=1\n", uncached },
	{ "direct=1\nrw=randwrite\natomic=1\n", atomic },
	{ "vectored=1\n", vectored, PLAN_ONLY },
	{ "nonvectored=0\n", vectored },
	{ "nonvectored=1\n", not_vectored },
	{ "numa_mem_policy=bind:0-1,3,8\n", memory_bind },
	{ "numa_mem_policy=prefer:2\n", memory_prefer },
	{ "numa_mem_policy=local\n", memory_local },
	{ "numa_mem_policy=default\n", memory_default },
	{ "", fixed_standard },
	{ "fixedbufs\nregisterfiles=1\n", fixed_named },
	{ "fixedbufs=0\nregisterfiles=0\n", fixed_off },
	{ "hugepage=1\n", huge, PLAN_ONLY },
	{ "mem=mmaphuge\n", huge },
	{ "iomem=shmhuge\n", huge },
	{ "numa_cpu_nodes=1\n", numa },
	{ "numa_node=1\n", numa },
	{ "numa_cpu_nodes=0-1,3\n", numas },
	{ "numa_cpu_nodes=all\n", no_numa },
	{ "", no_numa },
	{ "cpus_allowed=0-1,3\n", cpus },
	{ "cpus_allowed=0,1\ncpus_allowed_policy=split\n", cpus_split },
	{ "cpumask=5\n", cpumask },
	{ "", closed },
	{ "arrival=closed\n", closed, PLAN_ONLY },
	{ "arrival=constant:5000\n", constant, PLAN_ONLY },
	{ "arrival=300\n", rate_alone, PLAN_ONLY },
	{ "arrival=poisson:5k\n", poisson_k, PLAN_ONLY },
	{ "numjobs=2\nrate=1m\n", rate_bytes },
	{ "rw=rw\nrate=1m,500k\n", rate_two },
	{ "rw=write\nrate=,500k\n", rate_write },
	{ "rate_iops=100\nrate_process=poisson\n", rate_ios },
	{ "rw=randrw\nrwmixread=80\nrate_iops=100\n", rate_mixed },
	{ "rw=randrw\nrwmixread=50\nrate_iops=900,100\n", rate_both },
	{ "rw=randread\nbssplit=8k/90:16k/10\nrate_iops=1000\n", rate_split },
	{ "rw=randread\nbssplit=8k/90:16k/10\nrate=880k\n", rate_split_bytes },
	{ "thinktime=500\nthinktime_blocks=8\nthinktime_spin=100\n", think },
	{ "", think_none },
	{ "runtime=5m\n", runtime_5m },
	{ "timeout=300\n", runtime_5m },
	{ "runtime=30\n", runtime_plan, PLAN_ONLY },
	{ "runtime=250ms\n", runtime_ms },
	{ "runtime=30s\n", runtime_fio, FIO_ONLY },
	{ "runtime=30\ntime_based\n", time_based },
	{ "time_based=0\n", runtime_none },
	{ "", runtime_none },
	{ "runtime=0\n", runtime_none, FIO_ONLY },
	{ "runtime=60\nramp_time=10\nstartdelay=2\n", ramp },
	{ "loops=3\n", loops },
	{ "group_reporting\n", grouped },
	{ "name=other\n", named, FIO_ONLY },
};

static void every_option_sets_its_field(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int dialect = PLAN_NATIVE; dialect <= PLAN_FIO; dialect++) {
			const struct row *row = &rows[i];
			struct load load;
			char text[512];

			if ((row->where == PLAN_ONLY && dialect == PLAN_FIO) ||
			    (row->where == FIO_ONLY && dialect == PLAN_NATIVE))
				continue;
			if (row->holds == named) {
				struct plan *plan;
				struct plan_instance *instance;

				snprintf(text, sizeof(text), "[a]\n%s", row->lines);
				plan = plan_of(PLAN_FIO, text);
				instance = instance_of(plan, "other", 0, 0);
				assert_true(named(&instance->loads[0]));
				free(instance);
				plan_free(plan);
				continue;
			}
			load = load_of((enum plan_dialect)dialect, row->lines);
			if (!row->holds(&load))
				fail_msg("row %zu, %s: %s", i, dialect == PLAN_FIO ? ".fio" : ".plan",
					 row->lines);
		}
}

/* A name that is in the table but in no row above would be an option without a test. */
static void every_option_of_a_load_stands_in_a_test(void **state)
{
	static const char *const elsewhere = "kind in with on title text report description name stonewall wait_for "
					     "filename directory repeat track expect search method "
					     "command trace fs write_cache until max duty interval give_up ";
	struct plan_option option;

	for (uint32_t i = 0; plan_option_at(i, &option); i++) {
		char line[128], word[128];
		bool found = false;

		if (option.state != PLAN_OPTION_LIVE)
			continue;
		snprintf(word, sizeof(word), "%s ", option.name);
		snprintf(line, sizeof(line), "%s", option.name);
		found = strstr(elsewhere, word) != NULL;
		for (size_t row = 0; row < sizeof(rows) / sizeof(*rows) && !found; row++) {
			const char *at = rows[row].lines;

			for (; *at && !found; at += strcspn(at, "\n") + 1)
				found = !strncmp(at, line, strlen(line)) && strchr("=\n ", at[strlen(line)]);
		}
		if (!found)
			fail_msg("%s has no row", option.name);
	}
}

static void options_have_help_and_reasons(void **state)
{
	struct plan_option option;
	uint32_t states[3] = { 0 };

	for (uint32_t i = 0; plan_option_at(i, &option); i++) {
		assert_true(option.help && *option.help && *option.name);
		assert_true(option.in_plan || option.in_fio);
		states[option.state]++;
	}
	assert_true(states[PLAN_OPTION_LIVE] > 60 && states[PLAN_OPTION_NO_EFFECT] > 5 &&
		    states[PLAN_OPTION_UNSUPPORTED] > 5);
}

static void the_seed_belongs_to_the_name_and_the_plan(void **state)
{
	struct load first = load_of(PLAN_NATIVE, "rw=randread\n"), second = load_of(PLAN_NATIVE, "rw="
												 "randwrite"
												 "\n");
	struct plan *plan = plan_of(PLAN_NATIVE, "[global]\nrw=read\n[b]\n");
	struct plan_instance *instance = instance_of(plan, "b", 0, 0);

	assert_true(first.seed == second.seed);
	assert_true(first.seed != instance->loads[0].seed);
	free(instance);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_sets_its_field),
		cmocka_unit_test(every_option_of_a_load_stands_in_a_test),
		cmocka_unit_test(options_have_help_and_reasons),
		cmocka_unit_test(the_seed_belongs_to_the_name_and_the_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
