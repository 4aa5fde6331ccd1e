/* interrupt: the user's wish to stop, the one thing that a signal handler can reach. */
#pragma once
#include <signal.h>

/* How often SIGINT, SIGTERM or SIGHUP came since interrupt_catch. */
const volatile sig_atomic_t *interrupt_count(void);
/* From here on they are counted, but for SIGTERM and SIGHUP where they were ignored (nohup); a
 * terminal's stop (Ctrl-Z) does nothing. Before it they end the program at once, which also frees it from a device
 * that hangs while it is looked at: a handler would not. */
void interrupt_catch(void);
