#include "cli/interrupt.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = interrupted + 1;
}

const volatile sig_atomic_t *interrupt_count(void)
{
	return &interrupted;
}

void interrupt_catch(void)
{
	struct sigaction action = { .sa_handler = on_signal };	/* no SA_RESTART: waits end at once */

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}
