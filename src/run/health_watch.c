#include "run/health_watch.h"

#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include "base/clock.h"

#define EVERY_NS 1000000000ull
#define WAIT_SLICE_NS 5000000

static void pause_ns(uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	nanosleep(&time, NULL);
}

static void link_take(dev_t dev, struct health_look *look)
{
	struct drive_link link[DRIVE_LINKS_MAX];
	bool any = drive_links(NULL, dev, link) > 0;

	look->link_speed = any ? link[0].speed_now : NAN;
	look->link_width = any ? link[0].width_now : DRIVE_UNKNOWN;
}

static bool tells_nothing(const struct health_look *look)
{
	return isnan(look->health.temperature_c) && look->health.host_write_bytes == DRIVE_UNKNOWN &&
	       isnan(look->link_speed);
}

static void look_publish(struct health_look *shared, const struct health_look *look)
{
	uint32_t sequence = __atomic_load_n(&shared->sequence, __ATOMIC_RELAXED);

	__atomic_store_n(&shared->sequence, sequence + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	shared->nothing = look->nothing;
	shared->taken_ns = look->taken_ns;
	shared->health = look->health;
	shared->link_speed = look->link_speed;
	shared->link_width = look->link_width;
	__atomic_store_n(&shared->sequence, sequence + 2, __ATOMIC_RELEASE);
}

static int watch_main(void *context)
{
	struct health_watch *watch = context;
	struct health_look look = { .health = *watch->last };
	/* not all zero: from an earlier watch */
	bool again = look.health.nand_log || look.health.temperature_c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	do {
		uint64_t start = clock_monotonic_ns(), took;

		look.nothing = again ? drive_health_again(NULL, watch->dev, &look.health)
				     : drive_health(NULL, watch->dev, &look.health);
		again = true;
		link_take(watch->dev, &look);
		look.nothing = look.nothing || tells_nothing(&look);
		look.taken_ns = clock_monotonic_ns();
		look_publish(watch->look, &look);
		took = clock_monotonic_ns() - start;
		if (!look.nothing && took < EVERY_NS)
			pause_ns(EVERY_NS - took);
	} while (!look.nothing);
	return 0;
}

void health_watch_start(struct health_watch *watch, dev_t dev, struct drive_health *last)
{
	*watch = (struct health_watch){ .dev = dev, .last = last };
	if (!dev)
		return;
	watch->look =
		mmap(NULL, sizeof(*watch->look), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (watch->look == MAP_FAILED) {
		watch->look = NULL;
	} else if (child_start(&watch->child, watch_main, watch)) {
		watch->child.pid = 0;
		health_watch_stop(watch);
	}
}

void health_watch_stop(struct health_watch *watch)
{
	if (!watch->look)
		return;
	if (watch->child.pid > 0)
		child_abandon(&watch->child);
	munmap(watch->look, sizeof(*watch->look));
	watch->look = NULL;
}

bool health_watch_take(struct health_watch *watch, struct health_look *ret_look)
{
	uint32_t before, after;

	if (!watch->look)
		return false;
	before = __atomic_load_n(&watch->look->sequence, __ATOMIC_ACQUIRE);
	if (!before || (before & 1) || before == watch->seen)
		return false;
	*ret_look = *watch->look;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	after = __atomic_load_n(&watch->look->sequence, __ATOMIC_ACQUIRE);
	if (after != before)
		return false;	/* the next tick */
	watch->seen = before;
	*watch->last = ret_look->health;
	return !ret_look->nothing;
}

void health_watch_wait(struct health_watch *watch, int timeout_ms)
{
	for (int waited = 0; watch->look && waited < timeout_ms; waited += WAIT_SLICE_NS / 1000000) {
		uint32_t sequence = __atomic_load_n(&watch->look->sequence, __ATOMIC_ACQUIRE);

		if (sequence && !(sequence & 1))
			return;
		pause_ns(WAIT_SLICE_NS);
	}
}
