#include "sim/truth.h"

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>

enum field_type { FIELD_COUNT, FIELD_REAL };

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
};

#define COUNT(name) { #name, FIELD_COUNT, offsetof(struct sim_truth, name) }
#define REAL(name) { #name, FIELD_REAL, offsetof(struct sim_truth, name) }

static const struct field fields[] = {
	COUNT(host_pages),
	COUNT(read_pages),
	COUNT(trimmed_pages),
	COUNT(moved_pages),
	COUNT(folded_pages),
	COUNT(background_pages),
	COUNT(padded_pages),
	REAL(write_amplification),
	COUNT(slc_bytes),
	COUNT(slc_limit_bytes),
	COUNT(slc_exhausted),
	REAL(alpha_nominal),
	REAL(alpha_effective),
	COUNT(free_superblocks),
	COUNT(superblocks),
	COUNT(user_pages),
	COUNT(mapped_pages),
	COUNT(erases),
	REAL(temperature_c),
	REAL(hottest_c),
	COUNT(throttle_count),
	COUNT(throttled_ns),
	COUNT(first_throttle_ns),
	COUNT(map_misses),
	COUNT(map_hits),
	COUNT(buffer_hits),
	COUNT(retried_reads),
	COUNT(injected_errors),
	COUNT(injected_stalled),
	COUNT(injected_hang),
	COUNT(power_cuts),
	COUNT(lost_pages),
	COUNT(lost_flushed_pages),
	COUNT(damaged_pages),
	COUNT(shorn_pages),
	COUNT(rolled_back_pages),
	COUNT(dead),
};

double sim_truth_alpha(const struct sim_truth *before, const struct sim_truth *after)
{
	const double units = (double)(after->units - before->units);
	double mean_free, mean_mapped;

	if (units <= 0 || after->mapped_sum == before->mapped_sum)
		return 0;
	mean_free = (double)(after->free_sum - before->free_sum) / units;
	mean_mapped = (double)(after->mapped_sum - before->mapped_sum) / units;
	return ((double)after->superblocks - mean_free - 1) * (double)after->superblock_pages / mean_mapped;
}

double sim_truth_amplification(const struct sim_truth *before, const struct sim_truth *after)
{
	const double host = (double)(after->host_pages - before->host_pages);
	const double extra = (double)(after->moved_pages - before->moved_pages) +
			     (double)(after->padded_pages - before->padded_pages);

	return host > 0 ? 1 + extra / host : 0;
}

static json_t *field_json(const struct field *field, const struct sim_truth *truth)
{
	const char *at = (const char *)truth + field->offset;

	return field->type == FIELD_COUNT ? json_integer((json_int_t) * (const uint64_t *)at) :
					    json_real(*(const double *)at);
}

char *sim_truth_json(const struct sim_truth *truth, const char *profile, uint32_t shrink)
{
	json_t *object = json_object();
	char *text = NULL;
	bool failed = !object;

	failed = failed || json_object_set_new(object, "profile", json_string(profile)) ||
		 json_object_set_new(object, "shrink", json_integer(shrink));
	for (size_t i = 0; !failed && i < sizeof(fields) / sizeof(fields[0]); i++)
		failed = json_object_set_new(object, fields[i].name, field_json(&fields[i], truth));
	if (!failed)
		text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	return text;
}
