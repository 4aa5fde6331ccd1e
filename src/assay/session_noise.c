/* Before the first step: is this computer so noisy that the slowest I/Os of a fast drive will be its own? It is
 * listened to beside the examination of the targets, so that a quiet one costs a run no time. */
#include "assay/session.h"

#include <inttypes.h>
#include <stdio.h>
#include "drive/drive_sim.h"

#define WAKES_MAX 100u	/* takes as many milliseconds, and so long only when it is not sure */

void session_noise_listen(struct session *session)
{
	const struct assay_request *request = session->request;
	const bool own = request->target_count > 0;
	const uint32_t count = own ? request->target_count : request->plan->target_count;
	const char *const *names = own ? request->targets : request->plan->targets;

	for (uint32_t i = 0; i < count; i++)
		if (!drive_sim_is(names[i])) {
			hiccup_ear_open(&session->ear, WAKES_MAX);
			return;
		}
}

void session_noise_warn(struct session *session)
{
	const struct assay_request *request = session->request;
	struct saying saying = { 0 };

	hiccup_ear_close(&session->ear, EAR_CLEAR);
	if (!session->ear.noise.noisy || !request->warning)
		return;
	hiccup_noise_say(&session->ear.noise, &saying);
	request->warning(request->context, saying_text(&saying));
	saying_release(&saying);
}

int session_noise_put(struct session *session)
{
	const struct hiccup_noise *noise = &session->ear.noise;
	struct saying saying = { 0 };
	char json[120];
	struct event_record event = { .t_ns = session->resume.elapsed_ns, .kind = "host_noise", .data_json = json };

	if (!noise->noisy)
		return 0;
	hiccup_noise_say(noise, &saying);
	snprintf(json, sizeof(json), "{\"wakes\":%u,\"late\":%u,\"longest_ns\":%" PRIu64 "}", noise->wakes,
		 noise->late, noise->longest_ns);
	return session_event_put(session, &event, &saying);
}
