/* option: the one table of what may stand in a plan: name, where, how it is read, when it makes a
 * difference. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "plan/plan.h"
#include "plan/value.h"

/* Where an option may stand: the step kinds of .plan files by bit (1 << STEP_...), and .fio files. */
#define WHERE_FIO	(1u << 16)
#define WHERE_LOADS	(1u << STEP_LOAD | 1u << STEP_FILL)
#define WHERE_RANGES	(WHERE_LOADS | 1u << STEP_PURGE | 1u << STEP_MKFS)
#define WHERE_ANY	0xffffu
#define WHERE_PLAN	0xffffu

enum option_flags {
	OPTION_OWN = 1 << 0,	/* the step's own: not inherited from [global], [class] or groups */
	OPTION_WORK = 1 << 1,	/* what a load does: kind=fill and kind=idle don't take it from [global] */
	OPTION_FIXED = 1 << 2,	/* read once, not per point: no sweep */
	OPTION_REPEAT = 1 << 3,	/* may stand several times in a section (.plan) */
	OPTION_LITERAL = 1 << 4,	/* free text: @ means nothing in it */
	OPTION_GLOBAL = 1 << 5,	/* only in [global] */
	OPTION_SIZE = 1 << 6,	/* its value is a size: shown in bytes */
	OPTION_TEXT = 1 << 7,	/* may stand in [global] too, where it speaks of the plan */
};

/* Options that say the same thing in different ways: the innermost one wins, two in one section
 * contradict. */
enum option_slot { SLOT_OWN, SLOT_SIZES, SLOT_MIX, SLOT_DIRECT, SLOT_ARRIVAL, SLOT_CPUS, SLOT_COUNT };

struct option {
	const char *name;
	const char *aliases;	/* separated by spaces; NULL = none */
	uint32_t where;
	uint32_t flags;
	enum option_slot slot;
	/* NULL = OPTION_FIXED */
	int (*parse)(const struct value *value, struct plan_instance *instance, struct load *load);
	uint32_t offset;	/* of the field that the shared parse functions fill */
	uint64_t min, max;
	bool (*effect)(const struct load *load);	/* makes a difference here; NULL = always */
	const char *effect_text;	/* "needs ..." */
	const char *help;
};

/* Names of fio that do nothing here, and names that are refused with a reason. */
struct option_reason {
	const char *names;	/* separated by spaces */
	const char *reason;
};

extern const struct option option_table[];
extern const uint32_t option_count;
extern const struct option_reason option_no_effect[], option_refused[];	/* end with names NULL */

const struct option *option_find(const char *name);		/* by name or alias; NULL */
const struct option *option_named(const char *name);		/* the same, for names that must exist */
const char *option_reason_find(const struct option_reason *reasons, const char *name);	/* NULL = not there */
/* A name that is refused: does this value ask for nothing ("0", "none", nrfiles=1, dedupe_mode=repeat)?
 * `value` may be NULL. */
bool option_is_off(const char *name, const char *value);
#define OPTION_NAME 48
/* The nearest name that may stand in such a file (in .fio files also those without effect and those that
 * are refused: what they are is said when they are spelt right); false = none is near. */
bool option_nearest(const char *name, bool fio, char nearest[OPTION_NAME]);
static inline uint32_t option_index(const struct option *option) { return (uint32_t)(option - option_table); }
/* The same number for options that exclude each other. */
static inline uint32_t option_slot_index(const struct option *option)
{
	return option->slot == SLOT_OWN ? SLOT_COUNT + option_index(option) : (uint32_t)option->slot;
}
#define OPTION_MAX 176		/* options, and slots above */

/* Shared parse functions: fill the field at option->offset of the load. */
int option_parse_flag(const struct value *value, struct plan_instance *instance, struct load *load);
int option_parse_u32(const struct value *value, struct plan_instance *instance, struct load *load);
int option_parse_u64(const struct value *value, struct plan_instance *instance, struct load *load);
/* uint32_t */
int option_parse_size(const struct value *value, struct plan_instance *instance, struct load *load);
int option_parse_percent(const struct value *value, struct plan_instance *instance, struct load *load);
int option_parse_amount(const struct value *value, struct plan_instance *instance, struct load *load);
/* may be 0 */
int option_parse_offset(const struct value *value, struct plan_instance *instance, struct load *load);
/* scaled */
int option_parse_seconds(const struct value *value, struct plan_instance *instance, struct load *load);
int option_parse_micros(const struct value *value, struct plan_instance *instance, struct load *load);

/* option_work.c: which I/O */
int parse_rw(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_rw_sequencer(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_rwmixread(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_rwmixwrite(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_norandommap(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_generator(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_randseed(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_distribution(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_percentage_random(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_offset(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_filesize(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_io_size(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_range(const struct value *value, struct plan_instance *instance, struct load *load);

/* option_data.c: what is written */
int parse_buffer_pattern(const struct value *value, struct plan_instance *instance, struct load *load);

/* option_size.c: block sizes */
int parse_bs(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_bssplit(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_blockalign(const struct value *value, struct plan_instance *instance, struct load *load);

/* option_send.c: how it is sent */
/* The engine of ours that does what this engine of fio does; NULL = none. */
const char *engine_stand_in(const char *name);
int parse_engine(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_buffered(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_engine_flag(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_sqpoll_cpu(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_numa(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_memory_policy(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_nonvectored(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_transfer_flag(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_memory(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_cpus(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_cpumask(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_cpus_policy(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_sync(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_prio(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_prioclass(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_command_type(const struct value *value, struct plan_instance *instance, struct load *load);

/* option_time.c: when and how long */
int parse_arrival(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_rate(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_rate_iops(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_rate_process(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_runtime(const struct value *value, struct plan_instance *instance, struct load *load);

/* option_step.c: what the step is */
int parse_until(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_max(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_duty(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_give_up(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_interval(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_fs(const struct value *value, struct plan_instance *instance, struct load *load);
int parse_write_cache(const struct value *value, struct plan_instance *instance, struct load *load);
