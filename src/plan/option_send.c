#include <linux/fs.h>
#include <string.h>
#include "plan/option.h"

#define CPU_NUMBER_MAX 65535
#define MEMORY_NODE_MAX 63

const char *engine_stand_in(const char *name)
{
	static const char *const names[] = { "pvsync", "pvsync2", "vsync", NULL };

	for (const char *const *known = names; *known; known++)
		if (!strcmp(*known, name))
			return "psync";
	return NULL;
}

/* Of fio's other engines none is near to one of ours: no guess is made. */
static bool engine_refused(const struct value *value)
{
	static const char *const names[] = {
		 "posixaio", "mmap", "splice", "sg", "libzbc", "libblkio", "net", "cpuio", "rados", "rbd",
		"http", "gfapi", "libhdfs", "libpmem", "dev-dax", "windowsaio", "solarisaio", "guasi",
		"nbd", "libiscsi", "xnvme", "filecreate", "filestat", "filedelete", "exec", "e4defrag",
		"falloc", "ftruncate", "mtd", "pmemblk", "nfs", "dircreate", "dirstat", NULL
	};

	for (const char *const *name = names; *name; name++)
		if (span_is(value_span(value), *name))
			return true;
	return false;
}

int parse_engine(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "io_uring", "libaio",       "psync", "sync",
					     "null",     "io_uring_cmd", NULL };
	static const enum load_engine engines[] = {
		ENGINE_URING, ENGINE_AIO, ENGINE_PSYNC, ENGINE_SYNC, ENGINE_NULL, ENGINE_URING_CMD
	};
	uint32_t index;
	int error;

	if (value->dialect == PLAN_FIO && engine_stand_in(value->text)) {
		load->engine = ENGINE_PSYNC;
		return 0;
	}
	if (engine_refused(value))
		return value_fault(value, value->text,
				   "%s is not supported: io_uring, libaio, psync, sync, null and "
				   "io_uring_cmd are", value->text);
	error = value_word(value, value_span(value), names, &index);
	if (!error)
		load->engine = engines[index];
	return error;
}

int parse_buffered(const struct value *value, struct plan_instance *instance, struct load *load)
{
	bool flag;
	int error = value_flag(value, &flag);

	if (!error)
		load->direct = !flag;
	return error;
}

/* hipri, sqthread_poll, fixedbufs, registerfiles, hugepage: named in the plan, so the engine must not go on
 * without. */
int parse_engine_flag(const struct value *value, struct plan_instance *instance, struct load *load)
{
	bool flag;
	int error = value_flag(value, &flag);

	if (error)
		return error;
	*(bool *)((char *)load + value->option->offset) = flag;
	load->engine_options_named |= flag;
	return 0;
}

static int cpu_exists(const struct value *value, const char *at, uint64_t cpu)
{
	if (!value->cpu_count || cpu < value->cpu_count)
		return 0;
	return value_fault(value, at, "CPU %llu does not exist: this machine has 0 to %u",
			   (unsigned long long)cpu, value->cpu_count - 1);
}

int parse_sqpoll_cpu(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t cpu;
	int error = value_u64(value, value_span(value), 0, CPU_NUMBER_MAX, &cpu);

	if (!error)
		error = cpu_exists(value, value_span(value).at, cpu);
	if (!error)
		load->sqpoll_cpu = (int32_t)cpu;
	return error;
}

/* "0-3,8" */
static int nodes_parse(const struct value *value, struct span rest, uint64_t *ret_nodes)
{
	struct span part;
	uint64_t from, to;
	int error = 0;

	while (!error && span_next(&rest, ',', &part)) {
		struct span whole = part, low;

		span_next(&part, '-', &low);
		error = value_u64(value, low, 0, MEMORY_NODE_MAX, &from);
		to = from;
		if (!error && span_next(&part, '-', &low))
			error = value_u64(value, low, 0, MEMORY_NODE_MAX, &to);
		if (!error && from > to)
			error = value_fault(value, whole.at, "the range of nodes is upside down");
		for (uint64_t node = from; !error && node <= to; node++)
			*ret_nodes |= 1ull << node;
	}
	return error;
}

int parse_numa(const struct value *value, struct plan_instance *instance, struct load *load)
{
	load->numa_nodes = 0;
	return span_is(value_span(value), "all") ? 0
						 : nodes_parse(value, value_span(value), &load->numa_nodes);
}

/* "bind:0-3,8": the kernel's numbers of the policies are the places in the list. */
int parse_memory_policy(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "default", "prefer", "bind", "interleave", "local", NULL };
	struct span rest = value_span(value), kind;
	uint64_t nodes = 0;
	uint32_t index;
	int error;

	span_next(&rest, ':', &kind);
	error = value_word(value, kind, names, &index);
	if (!error)
		error = nodes_parse(value, rest, &nodes);
	if (!error && (index >= 1 && index <= 3) != (nodes != 0))
		error = value_fault(value, value->text,
				    nodes ? "%s takes no nodes" : "%s needs its nodes, as in bind:0-3",
				    names[index]);
	if (!error && index == 1 && (nodes & (nodes - 1)))
		error = value_fault(value, value->text, "one node only can be preferred");
	if (error)
		return error;
	load->memory_policy = index;
	load->memory_nodes = nodes;
	return 0;
}

int parse_memory(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "malloc", "shm", "mmap", "shmhuge", "mmaphuge", NULL };
	struct span rest = value_span(value), kind;
	uint32_t index;
	int error;

	span_next(&rest, ':', &kind);
	error = value_word(value, kind, names, &index);
	if (!error && rest.at)
		error = value_fault(value, rest.at, "memory from a file is not supported");
	if (!error)
		load->huge_pages = index >= 3;
	return error;
}

static int cpu_add(const struct value *value, struct span span, uint64_t from, uint64_t to, struct load *load)
{
	int error = cpu_exists(value, span.at, to);

	if (from > to)
		return value_fault(value, span.at, "the CPU range is upside down");
	if (error)
		return error;
	for (uint64_t cpu = from; cpu <= to; cpu++) {
		if (load->cpu_count == LOAD_CPUS)
			return value_fault(value, span.at, "more than %d CPUs", LOAD_CPUS);
		load->cpu[load->cpu_count++] = (uint16_t)cpu;
	}
	return 0;
}

/* "0-3,8" */
int parse_cpus(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span rest = value_span(value), part, low, high;
	uint64_t from, to;
	int error;

	load->cpu_count = 0;
	while (span_next(&rest, ',', &part)) {
		struct span whole = part;

		span_next(&part, '-', &low);
		high = low;
		span_next(&part, '-', &high);
		error = value_u64(value, low, 0, CPU_NUMBER_MAX, &from);
		if (!error)
			error = value_u64(value, high, 0, CPU_NUMBER_MAX, &to);
		if (!error)
			error = cpu_add(value, whole, from, to, load);
		if (error)
			return error;
	}
	return 0;
}

int parse_cpumask(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span span = value_span(value);
	uint64_t mask;
	int error = value_u64(value, span, 1, UINT64_MAX, &mask);

	load->cpu_count = 0;
	for (uint64_t cpu = 0; !error && cpu < 64; cpu++)
		if (mask >> cpu & 1)
			error = cpu_add(value, span, cpu, cpu, load);
	return error;
}

int parse_cpus_policy(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "shared", "split", NULL };
	uint32_t index;
	int error = value_word(value, value_span(value), names, &index);

	if (!error)
		load->cpus_split = index == 1;
	return error;
}

int parse_sync(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "none", "0", "sync", "1", "dsync", NULL };
	static const uint64_t flags[] = { 0, 0, RWF_SYNC, RWF_SYNC, RWF_DSYNC };
	uint32_t index = 2;
	int error = 0;

	if (value->has_text)
		error = value_word(value, value_span(value), names, &index);
	if (!error)
		load->sync_flags = (load->sync_flags & ~(uint64_t)(RWF_SYNC | RWF_DSYNC)) | flags[index];
	return error;
}

/* nowait, uncached, atomic. The last two are newer than some systems' headers. */
int parse_transfer_flag(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const struct { const char *name; uint64_t bit; } flags[] = {
		{ "nowait", RWF_NOWAIT }, { "atomic", 0x40 }, { "uncached", 0x80 },
	};
	bool given;
	int error = value_flag(value, &given);

	for (uint32_t i = 0; !error && i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!strcmp(value->option->name, flags[i].name))
			load->sync_flags = given ? load->sync_flags | flags[i].bit
						 : load->sync_flags & ~flags[i].bit;
	return error;
}

int parse_nonvectored(const struct value *value, struct plan_instance *instance, struct load *load)
{
	bool flag;
	int error = value_flag(value, &flag);

	if (!error)
		load->vectored = !flag;
	return error;
}

int parse_command_type(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "nvme", NULL };
	uint32_t index;

	return value_word(value, value_span(value), names, &index);
}

int parse_prio(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t level;
	int error = value_u64(value, value_span(value), 0, 7, &level);

	if (error)
		return error;
	load->prio_level = (uint16_t)level;
	load->prio_named = true;
	return 0;
}

/* The number, as fio has it, or the class by the name that ionice(1) gives it. */
int parse_prioclass(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = {
		"0", "1", "2", "3", "none", "realtime", "best-effort", "idle", NULL
	};
	uint32_t index;
	int error = value_word(value, value_span(value), names, &index);

	if (!error)
		load->prio_class = (uint16_t)(index % 4);
	return error;
}
