#include "store/abandoned.h"
#include <string.h>
#include "base/text.h"

#define BOOT_ID_KEY "\"boot_id\":\""
#define BOOT_ID_BYTES 36u

/* Was it written by this machine, and since this machine was started? */
static bool is_of_this_boot(const struct run_record *run)
{
	const char *stored = run->options_json ? strstr(run->options_json, BOOT_ID_KEY) : NULL;
	struct text now = { 0 };
	bool same = false;

	if (!stored || text_read_file(&now, "/proc/sys/kernel/random/boot_id", 64) ||
	    now.bytes < BOOT_ID_BYTES) {
		text_release(&now);
		return false;
	}
	same = !strncmp(stored + strlen(BOOT_ID_KEY), now.data, BOOT_ID_BYTES);
	text_release(&now);
	return same;
}

void run_abandoned(struct run_record *run)
{
	run->status = RUN_INTERRUPTED;
	run->status_text = is_of_this_boot(run)
		? "it stopped without its end being written: it was killed, or the disk of the run file was full; "
		  "'ssdassay run --resume' goes on with it"
		: "it stopped without its end being written: the machine was switched off or started again, it was killed, "
		  "or the disk of the run file was full; 'ssdassay run --resume' goes on with it";
}
