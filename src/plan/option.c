#include "base/nearest.h"
#include "plan/option.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "plan/name.h"

/* When an option makes a difference: asked of the finished load. */

static bool is_mixed(const struct load *load)
{
	return load->rw == LOAD_RW || load->rw == LOAD_RANDRW;
}

static bool is_random(const struct load *load)
{
	return load_rw_random(load->rw);
}

static bool writes(const struct load *load)
{
	return load->rw == LOAD_WRITE || load->rw == LOAD_RANDWRITE || is_mixed(load);
}

static bool has_map(const struct load *load)
{
	return is_random(load) && load->random_map;
}

static bool is_synchronous(const struct load *load)
{
	return load->engine == ENGINE_PSYNC || load->engine == ENGINE_SYNC;
}

static bool keeps_depth(const struct load *load)
{
	return !is_synchronous(load) || load->iodepth == 1;
}

static bool is_batched(const struct load *load)
{
	return !is_synchronous(load);
}

static bool is_uring(const struct load *load)
{
	return load->engine == ENGINE_BEST || load->engine == ENGINE_URING ||
	       load->engine == ENGINE_URING_CMD;
}

static bool is_command(const struct load *load)
{
	return load->engine == ENGINE_URING_CMD;
}

static bool polls_queue(const struct load *load)
{
	return is_uring(load) && load->sqpoll;
}

static bool polls(const struct load *load)
{
	return is_uring(load) && load->iopoll;
}

/* A vector instead of a buffer, and the flags of preadv2(2) and pwritev2(2). */
static bool has_vectors(const struct load *load)
{
	return load->engine == ENGINE_BEST || load->engine == ENGINE_URING || load->engine == ENGINE_AIO ||
	       load->engine == ENGINE_PSYNC;
}

static bool writes_atomically(const struct load *load)
{
	return has_vectors(load) && writes(load) && load->direct;
}

static bool is_buffered(const struct load *load)
{
	return has_vectors(load) && !load->direct;
}

static bool can_poll(const struct load *load)
{
	return is_uring(load) && load->direct;
}

/* The idle class has no levels. */
static bool has_levels(const struct load *load)
{
	return load->prio_class != LOAD_PRIO_IDLE;
}

static bool has_cpus(const struct load *load)
{
	return load->cpu_count > 0;
}

static bool repeats_places(const struct load *load)
{
	return load->rw_each > 1;
}

static bool compresses(const struct load *load)
{
	return writes(load) && load->compress_share > 0;
}

static bool thinks(const struct load *load)
{
	return load->thinktime_ns > 0;
}

static bool has_rate(const struct load *load)
{
	return load->arrival_rate > 0;
}

/* time_based=0 says what is so anyway. */
static bool has_end(const struct load *load)
{
	return !load->time_based_alone;
}

static bool has_workers(const struct load *load)
{
	return load->numjobs > 1;
}

#define LOADS (WHERE_LOADS | WHERE_FIO)
#define RANGES (WHERE_RANGES | WHERE_FIO)
#define ALL_FIO (WHERE_ANY | WHERE_FIO)
#define KIND(kind) (1u << STEP_##kind)
#define FIELD(field) offsetof(struct load, field)
#define MIXED "needs rw=rw or rw=randrw"
#define RANDOM "needs a random rw"
#define WRITES "needs an rw that writes"
#define DEPTH "needs an ioengine that keeps several I/Os in flight (io_uring, libaio)"
#define URING "needs ioengine=io_uring"
#define VECTORS "needs ioengine=io_uring, libaio or psync"

const struct option option_table[] = {
/* what the step is */
{ "kind", NULL, WHERE_PLAN, OPTION_OWN | OPTION_FIXED,
  .help = "what the step does: load, fill, purge, idle, group, mkfs, app, replay, powercut, note" },
{ "in", NULL, WHERE_PLAN, OPTION_OWN | OPTION_FIXED, .help = "the group that the step belongs to" },
{ "with", NULL, WHERE_LOADS, OPTION_OWN | OPTION_FIXED, .help = "the step that it runs together with" },
{ "on", NULL, WHERE_LOADS, OPTION_OWN | OPTION_FIXED,
  .help = "the kind=mkfs step whose file system is used" },
{ "title", NULL, WHERE_PLAN, OPTION_TEXT | OPTION_OWN | OPTION_FIXED | OPTION_LITERAL,
  .help = "words for the report" },
{ "text", NULL, KIND(NOTE), OPTION_OWN | OPTION_FIXED | OPTION_LITERAL,
  .help = "the words of a kind=note step" },
{ "report", NULL, WHERE_PLAN, OPTION_GLOBAL | OPTION_FIXED | OPTION_LITERAL,
  .help = "which report section the plan wants" },
{ "description", NULL, ALL_FIO, OPTION_TEXT | OPTION_OWN | OPTION_FIXED | OPTION_LITERAL,
  .help = "words about the job" },
{ "name", NULL, WHERE_FIO, OPTION_OWN | OPTION_FIXED | OPTION_LITERAL,
  .help = "the job's name instead of its section's" },
{ "stonewall", "wait_for_previous", WHERE_FIO, OPTION_FIXED, .help = "start when all jobs above have ended" },
{ "wait_for", NULL, WHERE_FIO, OPTION_OWN | OPTION_FIXED | OPTION_LITERAL,
  .help = "start when this job has ended; it must be the only one that runs then" },
{ "filename", NULL, LOADS | WHERE_RANGES, OPTION_FIXED | OPTION_LITERAL | OPTION_REPEAT,
  .help = "the target when none is given on the command line" },
{ "directory", NULL, LOADS | WHERE_RANGES, OPTION_FIXED | OPTION_LITERAL,
  .help = "where the target file lies or is made" },
{ "repeat", NULL, WHERE_ANY & ~(KIND(GROUP) | KIND(NOTE)), OPTION_OWN | OPTION_FIXED,
  .help = "how often the whole step is measured" },
{ "track", NULL, KIND(GROUP), OPTION_OWN | OPTION_FIXED | OPTION_REPEAT,
  .help = "which point and figure of a step must be steady: STEP[bs=4k] iops" },
{ "expect", NULL, WHERE_LOADS, OPTION_FIXED | OPTION_REPEAT, .help = "a criterion: read.response.p99.9<1ms" },
{ "search", NULL, KIND(LOAD), OPTION_OWN | OPTION_FIXED,
  .help = "find the highest open-loop rate that meets this" },
{ "method", NULL, KIND(PURGE), OPTION_OWN | OPTION_FIXED,
  .help = "how to purge: auto (best), trim, format, sanitize, secure_erase, punch, none" },
{ "command", NULL, KIND(APP), OPTION_OWN | OPTION_FIXED | OPTION_LITERAL,
  .help = "what a kind=app step runs" },
{ "trace", NULL, KIND(REPLAY), OPTION_OWN | OPTION_FIXED | OPTION_LITERAL,
  .help = "what a kind=replay step plays" },
{ "fs", NULL, KIND(MKFS), 0, .parse = parse_fs, .help = "file system: raw, ext4, xfs, btrfs, ntfs" },
{ "write_cache", NULL, WHERE_LOADS | KIND(PURGE), 0, .parse = parse_write_cache,
  .help = "switch the drive's write cache before the step: on, off" },
{ "until", NULL, WHERE_LOADS | KIND(GROUP) | KIND(IDLE), OPTION_OWN | OPTION_WORK, .parse = parse_until,
  .help = "when it ends: steady, snia, snia:1m/31m, written:2x, time:1h, drop:30%; of an idle step: cool" },
{ "max", NULL, WHERE_LOADS | KIND(GROUP) | KIND(IDLE), OPTION_OWN | OPTION_WORK, .parse = parse_max,
  .help = "the limit if until is never met; a bare number is rounds" },
{ "duty", NULL, KIND(LOAD), OPTION_OWN | OPTION_WORK, .parse = parse_duty,
  .help = "load and idle in turns: 5s/10s*360" },
{ "interval", NULL, WHERE_LOADS, 0, .parse = parse_interval, .help = "length of a slice of the series" },
{ "give_up", NULL, WHERE_LOADS | KIND(PURGE), 0, .parse = parse_give_up,
  .help = "the step fails when a target is silent for so long in its middle: 10m; 0 = never" },

/* which I/O */
{ "rw", "readwrite", LOADS, OPTION_WORK, .parse = parse_rw,
  .help = "read, write, rw, randread, randwrite, randrw, trim, randtrim; "
	  "read:8k leaves 8k out after each, read:-16k goes back, randread:8 sends eight for each place" },
{ "rw_sequencer", NULL, LOADS, OPTION_WORK, .parse = parse_rw_sequencer, .effect = repeats_places,
  .effect_text = "needs an rw like randread:8",
  .help = "the I/Os for one place: sequential, or identical" },
{ "rwmixread", NULL, LOADS, OPTION_WORK, SLOT_MIX, parse_rwmixread, .effect = is_mixed, .effect_text = MIXED,
  .help = "percent of reads" },
{ "rwmixwrite", NULL, LOADS, OPTION_WORK, SLOT_MIX, parse_rwmixwrite,
  .effect = is_mixed, .effect_text = MIXED,
  .help = "percent of writes" },
{ "bs", "blocksize bsrange blocksize_range", LOADS, OPTION_WORK | OPTION_SIZE, SLOT_SIZES, parse_bs,
  .help = "block size, for read, write and trim: 4k or 4k,64k,1m; a range: 4k-64k" },
{ "bssplit", NULL, LOADS, OPTION_WORK, SLOT_SIZES, parse_bssplit,
  .help = "shares of block sizes: 4k/60:64k/40" },
{ "size", NULL, RANGES, OPTION_SIZE, .parse = option_parse_amount, .offset = FIELD(size),
  .help = "how much of the target is addressed: 4g, 75%, min(6.25%,64g)" },
{ "filesize", NULL, WHERE_FIO, OPTION_SIZE, .parse = parse_filesize,
  .help = "how large the file is; size= is then how much each worker moves" },
{ "offset", "fileoffset", RANGES, OPTION_SIZE, .parse = parse_offset,
  .help = "where it starts; continue: where the last sequential load stopped" },
{ "offset_increment", NULL, LOADS, OPTION_SIZE,
  .parse = option_parse_offset, .offset = FIELD(offset_increment),
  .effect = has_workers, .effect_text = "needs numjobs above 1",
  .help = "further start of each next worker" },
{ "io_size", "io_limit", LOADS, OPTION_WORK | OPTION_SIZE,
  .parse = parse_io_size,
  .help = "how much each worker moves in all" },
{ "number_ios", NULL, LOADS, OPTION_WORK,
  .parse = option_parse_u64, .offset = FIELD(number_ios), .max = UINT64_MAX,
  .help = "I/Os that each worker sends at most, times loops; 0 = no limit" },
{ "range", NULL, WHERE_RANGES, 0, .parse = parse_range,
  .help = "part of the target: 0%..75%; 75%/2048 = as so many random segments" },
{ "norandommap", NULL, LOADS, OPTION_WORK, .parse = parse_norandommap,
  .effect = is_random, .effect_text = RANDOM,
  .help = "draw random offsets with replacement instead of every block once" },
{ "blockalign", "ba", LOADS, OPTION_WORK | OPTION_SIZE, .parse = parse_blockalign, .effect = is_random,
  .effect_text = RANDOM,
  .help = "random offsets are multiples of it, for read, write and trim; unset: of the smallest block" },
{ "random_generator", NULL, LOADS, OPTION_WORK, .parse = parse_generator, .effect = has_map,
  .effect_text = "needs a random rw and norandommap=0", .help = "tausworthe64; lfsr: a map without memory" },
{ "randseed", NULL, LOADS, 0, .parse = parse_randseed, .help = "the same seed gives the same I/O" },
{ "randrepeat", "allrandrepeat", LOADS, 0, .parse = option_parse_flag, .offset = FIELD(seed_repeat),
  .help = "the same I/O in every run (the standard); 0: another seed each time" },
{ "random_distribution", NULL, LOADS, OPTION_WORK, .parse = parse_distribution, .effect = is_random,
  .effect_text = RANDOM, .help = "random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:60/10:40/90" },
{ "percentage_random", NULL, LOADS, OPTION_WORK, .parse = parse_percentage_random, .effect = is_random,
  .effect_text = RANDOM, .help = "percent of random offsets, the rest is sequential" },
{ "fsync", NULL, LOADS, OPTION_WORK,
  .parse = option_parse_u32, .offset = FIELD(fsync_every), .max = UINT32_MAX,
  .effect = writes, .effect_text = WRITES, .help = "fsync after so many writes; 0 = never" },
{ "fdatasync", NULL, LOADS, OPTION_WORK, .parse = option_parse_u32, .offset = FIELD(fdatasync_every),
  .max = UINT32_MAX, .effect = writes, .effect_text = WRITES,
  .help = "fdatasync after so many writes; 0 = never" },
{ "end_fsync", NULL, LOADS, OPTION_WORK, .parse = option_parse_flag, .offset = FIELD(end_fsync),
  .effect = writes, .effect_text = WRITES,
  .help = "fsync when all else is done, within the time that is measured" },
{ "fsync_on_close", NULL, LOADS, OPTION_WORK, .parse = option_parse_flag, .offset = FIELD(fsync_on_close),
  .effect = writes, .effect_text = WRITES, .help = "the same: a target is closed once, at the end" },
{ "sync", NULL, LOADS, OPTION_WORK, .parse = parse_sync, .effect = writes, .effect_text = WRITES,
  .help = "every write waits for the medium: none, sync, dsync" },

/* data */
{ "refill_buffers", NULL, LOADS, 0, .parse = option_parse_flag, .offset = FIELD(refill_buffers),
  .effect = writes,
  .effect_text = WRITES, .help = "new data for every write" },
{ "buffer_compress_percentage", NULL, LOADS, 0,
  .parse = option_parse_percent, .offset = FIELD(compress_share),
  .effect = writes, .effect_text = WRITES, .help = "how far the data can be compressed" },
{ "buffer_compress_chunk", NULL, LOADS, OPTION_SIZE,
  .parse = option_parse_size, .offset = FIELD(compress_chunk_bytes),
  .effect = compresses, .effect_text = "needs buffer_compress_percentage",
  .help = "unit of the compressible part" },
{ "dedupe_percentage", NULL, LOADS, 0, .parse = option_parse_percent, .offset = FIELD(dedupe_share),
  .effect = writes, .effect_text = WRITES, .help = "how many buffers repeat earlier ones" },
{ "zero_buffers", NULL, LOADS, 0, .parse = option_parse_flag, .offset = FIELD(zero_buffers), .effect = writes,
  .effect_text = WRITES, .help = "write zeros" },
{ "buffer_pattern", NULL, LOADS, OPTION_LITERAL, .parse = parse_buffer_pattern,
  .effect = writes, .effect_text = WRITES,
  .help = "write these bytes again and again: 0xdeadface, \"text\", 255, or several in a row" },

/* how it is sent */
{ "ioengine", NULL, LOADS, 0, .parse = parse_engine,
  .help = "io_uring, libaio, psync, sync, null, io_uring_cmd; unset: the best that works" },
{ "direct", NULL, LOADS, 0, SLOT_DIRECT, option_parse_flag, .offset = FIELD(direct),
  .help = "bypass the page cache" },
{ "buffered", NULL, LOADS, 0, SLOT_DIRECT, parse_buffered, .help = "the opposite of direct" },
{ "iodepth", NULL, LOADS, OPTION_WORK,
  .parse = option_parse_u32, .offset = FIELD(iodepth), .min = 1, .max = 65535,
  .effect = keeps_depth, .effect_text = DEPTH, .help = "I/Os in flight per worker" },
{ "iodepth_batch_submit", "iodepth_batch", LOADS, OPTION_WORK,
  .parse = option_parse_u32, .offset = FIELD(batch_submit),
  .min = 1, .max = 65535, .effect = is_batched, .effect_text = DEPTH, .help = "I/Os handed over at once" },
{ "iodepth_batch_complete_min", "iodepth_batch_complete", LOADS, OPTION_WORK, .parse = option_parse_u32,
  .offset = FIELD(batch_complete_min), .max = 65535, .effect = is_batched, .effect_text = DEPTH,
  .help = "completions waited for at once" },
{ "iodepth_batch_complete_max", NULL, LOADS, OPTION_WORK, .parse = option_parse_u32,
  .offset = FIELD(batch_complete_max), .min = 1, .max = 65535, .effect = is_batched, .effect_text = DEPTH,
  .help = "completions taken at once" },
{ "numjobs", NULL, LOADS, OPTION_WORK,
  .parse = option_parse_u32, .offset = FIELD(numjobs), .min = 1, .max = 4096,
  .help = "workers, each with its own queue" },
{ "hipri", "iopoll", LOADS, 0, .parse = parse_engine_flag, .offset = FIELD(iopoll), .effect = can_poll,
  .effect_text = "needs ioengine=io_uring and direct=1", .help = "poll for completions" },
{ "hybrid_poll", NULL, WHERE_LOADS, 0, .parse = parse_engine_flag, .offset = FIELD(hybrid_poll),
  .effect = polls, .effect_text = "needs hipri=1", .help = "sleep for half the usual time before polling" },
{ "sqthread_poll", NULL, LOADS, 0, .parse = parse_engine_flag, .offset = FIELD(sqpoll), .effect = is_uring,
  .effect_text = URING, .help = "a kernel thread takes the submissions" },
{ "sqthread_poll_cpu", NULL, LOADS, 0, .parse = parse_sqpoll_cpu, .effect = polls_queue,
  .effect_text = "needs sqthread_poll=1", .help = "the CPU of that kernel thread" },
{ "fixedbufs", NULL, LOADS, 0, .parse = parse_engine_flag, .offset = FIELD(fixed_buffers), .effect = is_uring,
  .effect_text = URING, .help = "registered buffers; 1: refuse to go on without" },
{ "registerfiles", NULL, LOADS, 0, .parse = parse_engine_flag, .offset = FIELD(fixed_files),
  .effect = is_uring,
  .effect_text = URING, .help = "registered files; 1: refuse to go on without" },
{ "vectored", NULL, WHERE_LOADS, 0, .parse = option_parse_flag, .offset = FIELD(vectored),
  .effect = has_vectors, .effect_text = VECTORS,
  .help = "each I/O as a vector of one buffer (readv, writev)" },
{ "nonvectored", NULL, LOADS, 0, .parse = parse_nonvectored, .effect = has_vectors, .effect_text = VECTORS,
  .help = "0: the same as vectored=1" },
{ "nowait", NULL, LOADS, OPTION_WORK, .parse = parse_transfer_flag,
  .effect = has_vectors, .effect_text = VECTORS,
  .help = "an I/O that would have to wait fails instead" },
{ "uncached", NULL, LOADS, OPTION_WORK, .parse = parse_transfer_flag, .effect = is_buffered,
  .effect_text = VECTORS " and direct=0",
  .help = "through the page cache, and out of it again (Linux 6.14)" },
{ "atomic", NULL, LOADS, OPTION_WORK, .parse = parse_transfer_flag, .effect = writes_atomically,
  .effect_text = VECTORS ", direct=1 and an rw that writes",
  .help = "each write whole or not at all; refused where the target can't" },
{ "hugepage", NULL, WHERE_LOADS, 0, .parse = parse_engine_flag, .offset = FIELD(huge_pages),
  .help = "buffers in huge pages" },
{ "mem", "iomem", LOADS, 0, .parse = parse_memory,
  .help = "buffers from: malloc, shm, mmap, shmhuge, mmaphuge" },
{ "numa_cpu_nodes", "numa_node", LOADS, 0, .parse = parse_numa,
  .help = "the NUMA nodes of workers and buffers: 0-1,3" },
{ "numa_mem_policy", NULL, LOADS, 0, .parse = parse_memory_policy,
  .help = "where buffers lie: default, local, prefer:NODE, bind:NODES, interleave:NODES" },
{ "cpus_allowed", NULL, LOADS, 0, SLOT_CPUS, parse_cpus, .help = "CPUs of the workers: 0-3,8" },
{ "cpumask", NULL, LOADS, 0, SLOT_CPUS, parse_cpumask, .help = "the same as a bit mask" },
{ "cpus_allowed_policy", NULL, LOADS, 0, .parse = parse_cpus_policy, .effect = has_cpus,
  .effect_text = "needs cpus_allowed", .help = "shared: any of them; split: one each" },
{ "prio", NULL, LOADS, 0, .parse = parse_prio, .effect = has_levels, .effect_text = "needs prioclass 1 or 2",
  .help = "I/O priority of the workers, 0 (first) to 7; without prioclass: best-effort" },
{ "prioclass", NULL, LOADS, 0, .parse = parse_prioclass,
  .help = "its class: 0 none, 1 realtime, 2 best-effort, 3 idle" },
{ "cmd_type", NULL, LOADS, 0, .parse = parse_command_type, .effect = is_command,
  .effect_text = "needs ioengine=io_uring_cmd", .help = "nvme" },

/* when, and how long */
{ "arrival", NULL, WHERE_LOADS, OPTION_WORK, SLOT_ARRIVAL, parse_arrival,
  .help = "closed, constant:RATE, poisson:RATE or RATE (poisson); RATE may be 60%@STEP" },
{ "rate", NULL, LOADS, OPTION_WORK, SLOT_ARRIVAL, parse_rate,
  .effect = has_rate, .effect_text = "needs an rw of the direction it limits",
  .help = "bytes per second of each worker" },
{ "rate_iops", NULL, LOADS, OPTION_WORK, SLOT_ARRIVAL, parse_rate_iops,
  .effect = has_rate, .effect_text = "needs an rw of the direction it limits",
  .help = "I/O per second of each worker" },
{ "rate_process", NULL, LOADS, OPTION_WORK, .parse = parse_rate_process, .effect = has_rate,
  .effect_text = "needs rate or rate_iops", .help = "linear or poisson" },
{ "thinktime", NULL, LOADS, OPTION_WORK, .parse = option_parse_micros, .offset = FIELD(thinktime_ns),
  .help = "pause after I/Os, in us" },
{ "thinktime_blocks", NULL, LOADS, OPTION_WORK, .parse = option_parse_u32, .offset = FIELD(thinktime_blocks),
  .min = 1, .max = UINT32_MAX, .effect = thinks, .effect_text = "needs thinktime",
  .help = "I/Os between two pauses" },
{ "thinktime_spin", NULL, LOADS, OPTION_WORK,
  .parse = option_parse_micros, .offset = FIELD(thinktime_spin_ns),
  .effect = thinks, .effect_text = "needs thinktime", .help = "how much of the pause the CPU spins, in us" },
{ "runtime", "timeout", LOADS | KIND(IDLE), OPTION_WORK, .parse = parse_runtime, .help = "how long it runs" },
{ "time_based", NULL, LOADS, OPTION_WORK, .parse = option_parse_flag, .offset = FIELD(time_based),
  .effect = has_end, .effect_text = "needs runtime", .help = "start over when the size is done" },
{ "ramp_time", NULL, LOADS, OPTION_WORK, .parse = option_parse_seconds, .offset = FIELD(ramp_ns),
  .help = "runs before the measurement starts" },
{ "startdelay", NULL, LOADS, OPTION_WORK, .parse = option_parse_seconds, .offset = FIELD(startdelay_ns),
  .help = "waits before it starts" },
{ "loops", NULL, LOADS, OPTION_WORK,
  .parse = option_parse_u32, .offset = FIELD(loops), .min = 1, .max = 1000000,
  .help = "how often the size is done" },
{ "group_reporting", NULL, LOADS, 0, .parse = option_parse_flag, .offset = FIELD(group_reporting),
  .help = "one result for all workers (they are always kept together here)" },
};
const uint32_t option_count = sizeof(option_table) / sizeof(*option_table);
static_assert(sizeof(option_table) / sizeof(*option_table) + SLOT_COUNT <= OPTION_MAX, "raise OPTION_MAX");

const struct option_reason option_no_effect[] = {
	{ "write_bw_log write_lat_log write_iops_log write_hist_log log_avg_msec log_hist_msec "
	  "log_hist_coarseness log_max_value log_offset log_prio log_compression "
	  "log_compression_cpus log_store_compressed log_unix_epoch log_alternate_epoch "
	  "log_alternate_epoch_clock_id log_entries per_job_logs hist_log_msec bwavgtime "
	  "iopsavgtime",
	  "every interval with its full histogram is in the run file" },
	{ "disable_lat disable_clat disable_slat disable_bw disable_bw_measurement gtod_reduce "
	  "gtod_cpu clocksource clat_percentiles lat_percentiles slat_percentiles percentile_list "
	  "significant_figures unified_rw_reporting disk_util block_error_percentiles stats "
	  "unit_base new_group",
	  "everything is recorded, and the report chooses what to show" },
	{ "thread threads", "workers are always threads" },
	{ "softrandommap", "a random map that doesn't fit into memory is refused, not left out" },
	{ "scramble_buffers", "data never repeats unless dedupe_percentage says so" },
	{ "invalidate fadvise_hint", "the page cache is left as it is; direct=1 measures the drive" },
	{ "create_serialize create_fsync create_on_open allow_file_create fallocate overwrite "
	  "file_append",
	  "files are made and filled in a step of their own" },
	{ "allow_mounted_write", "a mounted device is always refused" },
	{ "unique_filename filename_format file_service_type openfiles",
	  "all workers use the target as it is" },
	{ "io_submit_mode", "with a rate I/Os are sent when they are due, whether others have ended or not" },
	{ "userspace_reap use_os_rand rand_seed_os iodepth_low",
	  "the engine does what is fastest" },
	{ "error_dump continue_on_error ignore_error",
	  "every error is counted and kept, and the load goes on" },
	{ "unlink unlink_each_loop", "files that ssdassay made stay until you remove them" },
	{ NULL, NULL },
};

const struct option_reason option_refused[] = {
	{ "verify do_verify verifysort verify_interval verify_offset verify_pattern verify_fatal "
	  "verify_dump verify_async verify_async_cpus verify_backlog verify_backlog_batch "
	  "verify_only verify_state_save verify_state_load verify_sort verifysort_nr "
	  "trim_percentage trim_verify_zero trim_backlog trim_backlog_batch experimental_verify",
	  "data that was written is not read back and compared" },
	{ "exec_prerun exec_postrun", "it runs commands; use a kind=app step in a .plan file" },
	{ "write_iolog read_iolog read_iolog_chunked replay_no_stall replay_redirect replay_scale "
	  "replay_align replay_skip replay_time_scale merge_blktrace_file merge_blktrace_scalars "
	  "merge_blktrace_iters",
	  "traces are neither recorded nor played by this version" },
	{ "zonemode zonesize zonerange zoneskip zonecapacity read_beyond_wp max_open_zones "
	  "job_max_open_zones ignore_zone_limits zone_reset_threshold zone_reset_frequency",
	  "zoned devices are not supported" },
	{ "latency_target latency_window latency_percentile latency_run max_latency rate_min ratemin "
	  "rate_iops_min",
	  "criteria are written as expect= or search= in a .plan file" },
	{ "steadystate steadystate_duration steadystate_ramp_time steadystate_check_interval ss "
	  "ss_dur ss_ramp",
	  "steady state is written as until=snia or until=steady in a .plan file" },
	{ "dedupe_mode dedupe_working_set_percentage dedupe_global",
	  "data is random, or as buffer_compress_percentage and dedupe_percentage say" },
	{ "sync_file_range write_barrier", "only fsync=, fdatasync= and end_fsync= are supported" },
	{ "nrfiles nr_files opendir fill_device fill_fs lockfile file_size_range",
	  "a load addresses one target: name it with filename= and its part with size= and offset=" },
	{ "bs_unaligned bs_is_seq_rand offset_align",
	  "offsets are multiples of the smallest block, or of blockalign=" },
	{ "flow flow_id flow_watermark flow_sleep thinktime_blocks_type "
	  "thinktime_iotime rate_cycle rate_ignore_thinktime serialize_overlap "
	  "read_only",
	  "this way of ordering I/O is not supported" },
	{ "force_async hipri_percentage cmdprio_percentage cmdprio_class cmdprio "
	  "cmdprio_bssplit write_hint md_per_io_size pi_act apptag",
	  "this way of sending I/O is not supported" },
	{ "nice", "processes keep the priority that the program was started with: use nice(1)" },
	{ "hostname port protocol listen nodelay net_fill verb bindname serverip interface ttl "
	  "window_size mss busy_wait_polling direct_write_to_pmem volume brick clustername clientname "
	  "rbdname pool busy_poll touch_objects cpuload cpuchunks cpumode exit_on_io_done https "
	  "http_host http_user http_pass http_s3_region http_s3_key http_s3_keyid "
	  "http_s3_sse_customer_key http_s3_sse_customer_algorithm http_s3_storage_class "
	  "http_swift_auth_token http_mode http_verbose nfs_url skip_bad uri chunk_size namenode "
	  "hdfsdirectory single_instance hdfs_use_direct svc cont object_class program arguments "
	  "grace_time std_redirect donorname inplace gpu_dev_ids cuda_io libblkio_driver libblkio_path "
	  "libblkio_pre_connect_props libblkio_num_entries libblkio_queue_size readfua writefua "
	  "sg_write_mode stat_type xnvme_async xnvme_sync xnvme_admin xnvme_dev_nsid",
	  "it is an option of an ioengine that is not supported" },
	{ "lockmem cgroup cgroup_weight cgroup_nodelete uid gid ioscheduler profile kb_base "
	  "pre_read hugepage-size iomem_align mem_align odirect create_only opts exitall "
	  "exitall_on_error exit_what",
	  "there is nothing like it here" },
	{ NULL, NULL },
};

const struct option *option_find(const char *name)
{
	for (uint32_t i = 0; i < option_count; i++) {
		const struct option *option = &option_table[i];

		if (!strcmp(option->name, name) || (option->aliases && name_in_list(name, option->aliases)))
			return option;
	}
	return NULL;
}

const struct option *option_named(const char *name)
{
	const struct option *option = option_find(name);

	assert(option);
	return option;
}

const char *option_reason_find(const struct option_reason *reasons, const char *name)
{
	for (; reasons->names; reasons++)
		if (name_in_list(name, reasons->names))
			return reasons->reason;
	return NULL;
}

bool option_is_off(const char *name, const char *value)
{
	if (!value)
		return false;
	if (!strcmp(name, "nrfiles") || !strcmp(name, "nr_files"))
		return !strcmp(value, "1");
	if (!strcmp(name, "kb_base"))
		return !strcmp(value, "1024");
	if (!strcmp(name, "iomem_align") || !strcmp(name, "mem_align"))	/* buffers begin with a page */
		return name_in_list(value, "0 512 1024 2048 4096 512b 1k 2k 4k");
	if (!strcmp(name, "dedupe_mode"))
		return !strcmp(value, "repeat");
	if (!strcmp(name, "uid") || !strcmp(name, "gid"))	/* 0 is something */
		return false;
	return !strcmp(value, "0") || !strcmp(value, "none");
}

/* Keeps in `nearest` the nearer one of what is there and the words of the list; of equally near ones the
 * first. */
static void nearest_of_list(const char *name, const char *list, char nearest[OPTION_NAME])
{
	char word[OPTION_NAME];
	const char *const both[] = { nearest, word };

	for (size_t bytes; list && *list; list += bytes + (list[bytes] == ' ')) {
		bytes = strcspn(list, " ");
		snprintf(word, sizeof(word), "%.*s", (int)bytes, list);
		if (nearest_name(name, both, 2) == word)
			memcpy(nearest, word, sizeof(word));
	}
}

bool option_nearest(const char *name, bool fio, char nearest[OPTION_NAME])
{
	nearest[0] = '\0';
	for (uint32_t i = 0; i < option_count; i++) {
		if (!(option_table[i].where & (fio ? WHERE_FIO : WHERE_PLAN)))
			continue;
		nearest_of_list(name, option_table[i].name, nearest);
		if (fio)
			nearest_of_list(name, option_table[i].aliases, nearest);
	}
	for (const struct option_reason *reason = option_no_effect; fio && reason->names; reason++)
		nearest_of_list(name, reason->names, nearest);
	for (const struct option_reason *reason = option_refused; fio && reason->names; reason++)
		nearest_of_list(name, reason->names, nearest);
	return nearest[0];
}

static bool reason_at(const struct option_reason *reasons, uint32_t index, struct plan_option *ret_option)
{
	for (; reasons->names; reasons++) {
		if (index--)
			continue;
		ret_option->name = reasons->names;
		ret_option->help = reasons->reason;
		return true;
	}
	return false;
}

static uint32_t reason_count(const struct option_reason *reasons)
{
	uint32_t count = 0;

	while (reasons[count].names)
		count++;
	return count;
}

bool plan_option_at(uint32_t index, struct plan_option *ret_option)
{
	struct plan_option option = { .aliases = "", .in_fio = true };

	if (index < option_count) {
		const struct option *from = &option_table[index];

		*ret_option = (struct plan_option){
			from->name, from->aliases ? from->aliases : "", from->help,
			from->where & WHERE_PLAN, from->where & WHERE_FIO, PLAN_OPTION_LIVE
		};
		return true;
	}
	index -= option_count;
	option.state = PLAN_OPTION_NO_EFFECT;
	if (!reason_at(option_no_effect, index, &option)) {
		option.state = PLAN_OPTION_UNSUPPORTED;
		if (!reason_at(option_refused, index - reason_count(option_no_effect), &option))
			return false;
	}
	*ret_option = option;
	return true;
}

static void *field(const struct value *value, struct load *load)
{
	return (char *)load + value->option->offset;
}

int option_parse_flag(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return value_flag(value, field(value, load));
}

int option_parse_u32(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t number;
	int error = value_u64(value, value_span(value), value->option->min, value->option->max, &number);

	if (!error)
		*(uint32_t *)field(value, load) = (uint32_t)number;
	return error;
}

int option_parse_u64(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return value_u64(value, value_span(value), value->option->min, value->option->max,
			 field(value, load));
}

int option_parse_size(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t bytes;
	int error = value_size(value, value_span(value), &bytes);

	if (!error && (!bytes || bytes > 1u << 30))
		error = value_fault(value, value->text, "it must be above 0 and at most 1g");
	if (!error)
		*(uint32_t *)field(value, load) = (uint32_t)bytes;
	return error;
}

int option_parse_percent(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span span = value_span(value);
	double percent;
	int error;

	if (span.bytes && span.at[span.bytes - 1] == '%')
		span.bytes--;
	error = value_double(value, span, 0, 100, &percent);
	if (!error)
		*(double *)field(value, load) = percent / 100;
	return error;
}

int option_parse_amount(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return value_amount(value, value_span(value), false, field(value, load));
}

int option_parse_offset(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return value_amount(value, value_span(value), true, field(value, load));
}

int option_parse_seconds(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t ns;
	int error = value_time(value, value_span(value), 1000000000, &ns);

	if (!error)
		*(uint64_t *)field(value, load) = value_scale_ns(value, ns);
	return error;
}

int option_parse_micros(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return value_time(value, value_span(value), 1000, field(value, load));
}
