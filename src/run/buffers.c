#include "run/buffers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (2ull << 20)
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25	/* Linux 6.1 */
#endif

static char *map(uint64_t bytes, int flags)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* At a multiple of a huge page, so that each of them can be one. */
static char *map_aligned(uint64_t bytes)
{
	char *at = map(bytes + HUGE_PAGE, 0);
	uint64_t before;

	if (!at)
		return NULL;
	before = (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
	if (before)
		munmap(at, before);
	munmap(at + before + bytes, HUGE_PAGE - before);
	return at + before;
}

/* Ordinary pages that the kernel joins at once: 0 or -errno. */
static int collapse(char *at, uint64_t bytes)
{
	madvise(at, bytes, MADV_HUGEPAGE);
	memset(at, 0, bytes);
	return madvise(at, bytes, MADV_COLLAPSE) ? -errno : 0;
}

static int map_huge(struct buffers *buffers, struct fault *fault)
{
	int error;

	buffers->at = map(buffers->bytes, MAP_HUGETLB | MAP_POPULATE);
	if (buffers->at)
		return 0;
	buffers->at = map_aligned(buffers->bytes);
	if (!buffers->at)
		return fault_system(fault, -ENOMEM, "no memory for %llu bytes of I/O buffers",
				    (unsigned long long)buffers->bytes);
	error = collapse(buffers->at, buffers->bytes);
	if (!error)
		return 0;
	buffers_unmap(buffers);
	return fault_system(fault, error,
			    "no huge pages for the I/O buffers: none are reserved (vm.nr_hugepages), and "
			    "ordinary pages could not be joined to huge ones (%s)", strerror(-error));
}

int buffers_map(struct buffers *buffers, uint64_t bytes, bool huge_required, struct fault *fault)
{
	*buffers = (struct buffers){ 0 };
	if (!bytes)
		return 0;
	buffers->bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	if (huge_required)
		return map_huge(buffers, fault);
	buffers->at = map(buffers->bytes, 0);
	if (!buffers->at)
		return fault_system(fault, -ENOMEM, "no memory for %llu bytes of I/O buffers",
				    (unsigned long long)bytes);
	/* scattered pages would make the block layer split large requests, for it counts segments, and the
	 * kernel walk from page to page in registered buffers: 10 ns of each I/O */
	if (bytes >= HUGE_PAGE / 4)
		madvise(buffers->at, buffers->bytes, MADV_HUGEPAGE);
	return 0;
}

void buffers_unmap(struct buffers *buffers)
{
	if (buffers->at)
		munmap(buffers->at, buffers->bytes);
	*buffers = (struct buffers){ 0 };
}
