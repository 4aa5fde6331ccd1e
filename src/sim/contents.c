#include "sim/contents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/geometry.h"

int sim_contents_init(struct sim_contents *contents, uint64_t physical_pages)
{
	contents->count = physical_pages;
	contents->failed = false;
	contents->pages = calloc(physical_pages, sizeof(*contents->pages));
	return contents->pages ? 0 : -ENOMEM;
}

void sim_contents_release(struct sim_contents *contents)
{
	for (uint64_t i = 0; contents->pages && i < contents->count; i++)
		free(contents->pages[i]);
	free(contents->pages);
	memset(contents, 0, sizeof(*contents));
}

static const uint8_t *page_at(const struct sim_contents *contents, uint32_t physical)
{
	return physical == SIM_NOWHERE ? NULL : contents->pages[physical];
}

/* Memory for the page, its bytes undefined. */
static uint8_t *page_make(struct sim_contents *contents, uint32_t physical)
{
	uint8_t **page = &contents->pages[physical];

	if (!*page)
		*page = malloc(SIM_PAGE_BYTES);
	if (!*page)
		contents->failed = true;
	return *page;
}

void sim_contents_copy(struct sim_contents *contents, uint32_t from, uint32_t to)
{
	const uint8_t *source = page_at(contents, from);
	uint8_t *page = page_make(contents, to);

	if (!page)
		return;
	if (source)
		memcpy(page, source, SIM_PAGE_BYTES);
	else
		memset(page, 0, SIM_PAGE_BYTES);
}

void sim_contents_write(struct sim_contents *contents, uint32_t physical, uint32_t before, uint32_t start,
			const void *data, uint32_t bytes)
{
	uint8_t *page;

	if (bytes < SIM_PAGE_BYTES)
		sim_contents_copy(contents, before, physical);
	page = page_make(contents, physical);
	if (!page)
		return;
	if (data)
		memcpy(page + start, data, bytes);
	else
		memset(page + start, 0, bytes);
}

void sim_contents_read(const struct sim_contents *contents, uint32_t physical, uint32_t start, void *data,
		       uint32_t bytes)
{
	const uint8_t *page = page_at(contents, physical);

	if (page)
		memcpy(data, page + start, bytes);
	else
		memset(data, 0, bytes);
}
