/* Self-check of runs whose targets were tested side by side: what do they share? */
#include <stdio.h>
#include <string.h>
#include "assay/check.h"

bool evidence_together(const struct evidence *evidence)
{
	for (uint32_t i = 0; i < evidence->event_count; i++)
		if (!strcmp(evidence->events[i].kind, "together"))
			return true;
	return false;
}

static const char *word_of(const json_t *facts, const char *key)
{
	const char *word = json_string_value(json_object_get(facts, key));

	return word ? word : "";
}

/* The disk of a partition; else the device itself. */
static const char *disk_of(const json_t *facts)
{
	const char *parent = word_of(facts, "parent");

	return parent[0] ? parent : word_of(facts, "name");
}

/* The nearest PCIe device that both are behind; NULL = none is known. *ret_own: it is the controller of one
 * of them. */
static const char *bridge_of(const json_t *a, const json_t *b, bool *ret_own)
{
	const json_t *mine = json_object_get(a, "links"), *other = json_object_get(b, "links");

	for (size_t i = 0; i < json_array_size(mine); i++)
		for (size_t k = 0; k < json_array_size(other); k++) {
			const char *address = word_of(json_array_get(mine, i), "address");

			if (!address[0] || strcmp(address, word_of(json_array_get(other, k), "address")) != 0)
				continue;
			*ret_own = !i || !k;
			return address;
		}
	return NULL;
}

/* What two targets share, as a sentence; nothing = nothing that is known. */
static void pair_say(const json_t *a, const json_t *b, const char *name, const char *other,
		     struct saying *shared)
{
	bool own = false;
	const char *bridge = bridge_of(a, b, &own);

	if (disk_of(a)[0] && !strcmp(disk_of(a), disk_of(b)))
		saying_add(shared,
			   "Side by side %s and %s are both on %s: each held up the other. They share the "
			   "host's processors, too.",
			   name, other, disk_of(a));
	else if (bridge)
		saying_add(shared,
			   own ? "Side by side %s and %s are behind one controller, %s: each held up the "
				 "other. They share the host's processors, too."
			       : "Side by side %s and %s are behind one PCIe bridge, %s: each held up the "
				 "other. They share the host's processors, too.",
			   name, other, bridge);
}

/* The first pair that shares something. */
static void shared_find(const struct evidence *evidence, struct saying *shared)
{
	for (uint32_t i = 0; i < evidence->drive_count && !shared->pieces; i++)
		for (uint32_t k = 0; k < i && !shared->pieces; k++) {
			json_t *a = drive_facts_of(&evidence->drives[k], false),
			       *b = drive_facts_of(&evidence->drives[i], false);

			pair_say(a, b, evidence->drives[k].name, evidence->drives[i].name, shared);
			json_decref(a);
			json_decref(b);
		}
}

int check_apart(const struct evidence *evidence)
{
	struct saying shared = { 0 };

	if (!evidence_together(evidence))
		return check_put(evidence, "targets_apart", CHECK_NOT_APPLICABLE,
				 "One target was tested at a time.");
	if (evidence_virtual(evidence))
		return check_put(evidence, "targets_apart", CHECK_NOT_APPLICABLE,
				 "Simulated drives share nothing: each has a time of its own.");
	shared_find(evidence, &shared);
	if (shared.pieces)
		return check_put(evidence, "targets_apart", CHECK_FAILED, "%p", &shared);
	return check_put(evidence, "targets_apart", CHECK_PASSED,
			 "The %u targets shared the host's processors and memory, and no drive, controller "
			 "or PCIe bridge that is known: their sums are limited by the host.",
			 evidence->drive_count);
}
