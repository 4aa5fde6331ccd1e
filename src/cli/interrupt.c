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

/* nohup and the like have it ignored, and so it stays. */
static void catch_unless_ignored(int number, const struct sigaction *action)
{
	struct sigaction before;

	if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(number, action, NULL);
}

void interrupt_catch(void)
{
	struct sigaction action = { .sa_handler = on_signal };	/* no SA_RESTART: waits end at once */

	/* A measurement has no pause: one of ours would be told as the drive's standstill. */
	sigaction(SIGTSTP, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	/* Shells without job control ignore it for everything they start in the background, where no Ctrl-C
	 * comes: one that comes all the same is meant. */
	sigaction(SIGINT, &action, NULL);
	catch_unless_ignored(SIGTERM, &action);
	catch_unless_ignored(SIGHUP, &action);
}
