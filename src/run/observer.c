#include "run/observer.h"

#include <errno.h>
#include <stdlib.h>

int event_say(const struct run_observer *observer, struct event_record *event, struct saying *saying)
{
	char *said = saying_json(saying);
	int error = said ? saying->error : -ENOMEM;

	event->text = saying_text(saying);
	event->said_json = said;
	if (!error)
		error = observer->event(observer->context, event);
	free(said);
	saying_release(saying);
	return error;
}
