#include "assay/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"

#define QUEUE_MAX 512u		/* messages */
#define TALLIES 12u		/* large: lent to messages and taken back */
#define COMMIT_EVERY_NS 400000000ull

enum message_kind { MESSAGE_STEP, MESSAGE_LOAD, MESSAGE_INTERVAL, MESSAGE_OUTLIERS, MESSAGE_SAMPLES,
		    MESSAGE_TELEMETRY, MESSAGE_EVENT };

struct message {
	struct message *next;
	enum message_kind kind;
	struct tally *tally;		/* from the pool, or NULL */
	uint64_t step;
	uint32_t count;
	union {
		struct step_record as_step;
		struct load_record as_load;
		struct interval_record as_interval;
		struct event_record as_event;
	};
	char data[];			/* strings and rows */
};

struct writer {
	struct store *store;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct message *first, *last;
	uint32_t queued;
	uint64_t given, taken, committed;	/* messages, ever */
	uint64_t urgent;			/* writer_sync: so many are to be committed at once */
	struct tally *pool[TALLIES];
	uint32_t pool_count;
	bool finish, running;
	int error;
};

/* -- the thread -- */

static int message_write(struct store *store, const struct message *message)
{
	switch (message->kind) {
	case MESSAGE_STEP:
		return store_put_step(store, &message->as_step);
	case MESSAGE_LOAD:
		return store_put_load(store, &message->as_load);
	case MESSAGE_INTERVAL:
		return store_put_interval(store, &message->as_interval);
	case MESSAGE_OUTLIERS:
		return store_put_outliers(store, message->step, (const struct logged_io *)message->data,
					  message->count);
	case MESSAGE_SAMPLES:
		return store_put_samples(store, message->step, (const struct logged_io *)message->data,
					 message->count);
	case MESSAGE_TELEMETRY:
		return store_put_telemetry(store, (const struct telemetry_record *)message->data,
					   message->count);
	case MESSAGE_EVENT:
		return store_put_event(store, &message->as_event);
	}
	return -EINVAL;
}

/* The next message; NULL when the queue is empty after the wait, or finished. */
static struct message *message_pop(struct writer *writer, bool *ret_finish)
{
	struct message *message;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += COMMIT_EVERY_NS / 2;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&writer->mutex);
	if (!writer->first && !writer->finish && writer->urgent <= writer->committed)
		pthread_cond_timedwait(&writer->changed, &writer->mutex, &until);
	message = writer->first;
	if (message) {
		writer->first = message->next;
		if (!writer->first)
			writer->last = NULL;
		writer->queued--;
		writer->taken++;
	}
	*ret_finish = !message && writer->finish;
	pthread_mutex_unlock(&writer->mutex);
	return message;
}

static void message_done(struct writer *writer, struct message *message, int error)
{
	if (message && message->tally)
		tally_clear(message->tally);
	pthread_mutex_lock(&writer->mutex);
	if (message && message->tally)
		writer->pool[writer->pool_count++] = message->tally;
	if (error && !writer->error)
		writer->error = error;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->mutex);
	free(message);
}

static bool commit_is_due(struct writer *writer, bool finish, uint64_t committed_ns)
{
	bool urgent;

	pthread_mutex_lock(&writer->mutex);
	urgent = writer->urgent > writer->committed && writer->taken >= writer->urgent;
	pthread_mutex_unlock(&writer->mutex);
	return finish || urgent || clock_monotonic_ns() - committed_ns >= COMMIT_EVERY_NS;
}

static void commit_note(struct writer *writer, int error)
{
	pthread_mutex_lock(&writer->mutex);
	if (error && !writer->error)
		writer->error = error;
	writer->committed = writer->taken;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->mutex);
}

static void *writer_main(void *argument)
{
	struct writer *writer = argument;
	uint64_t committed_ns = clock_monotonic_ns();
	bool finish = false, dirty = false;
	int error = 0;

	while (!finish) {
		struct message *message = message_pop(writer, &finish);

		if (message) {
			if (!error)
				error = message_write(writer->store, message);
			message_done(writer, message, error);
			dirty = true;
		}
		if (dirty && !error && commit_is_due(writer, finish, committed_ns)) {
			error = store_commit(writer->store);
			if (!error)
				error = store_flush(writer->store);	/* once: the run has begun */
			committed_ns = clock_monotonic_ns();
			dirty = false;
			commit_note(writer, error);
		}
	}
	return NULL;
}

/* -- the producer -- */

static int pool_fill(struct writer *writer)
{
	for (uint32_t i = 0; i < TALLIES; i++) {
		struct tally *tally = calloc(1, sizeof(*tally));

		if (!tally)
			return -ENOMEM;
		tally_clear(tally);
		writer->pool[writer->pool_count++] = tally;
	}
	return 0;
}

int writer_new(struct store *store, struct writer **ret_writer)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	pthread_condattr_t steady;
	int error;

	if (!writer)
		return -ENOMEM;
	writer->store = store;
	pthread_mutex_init(&writer->mutex, NULL);
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);	/* whatever is done to the wall clock */
	pthread_cond_init(&writer->changed, &steady);
	pthread_condattr_destroy(&steady);
	error = pool_fill(writer);
	if (!error)
		error = -pthread_create(&writer->thread, NULL, writer_main, writer);
	if (error) {
		writer_free(writer);
		return error;
	}
	writer->running = true;
	*ret_writer = writer;
	return 0;
}

int writer_finish(struct writer *writer)
{
	if (!writer->running)
		return writer->error;
	pthread_mutex_lock(&writer->mutex);
	writer->finish = true;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->mutex);
	pthread_join(writer->thread, NULL);
	writer->running = false;
	return writer->error;
}

int writer_sync(struct writer *writer)
{
	int error;

	pthread_mutex_lock(&writer->mutex);
	writer->urgent = writer->given;
	pthread_cond_broadcast(&writer->changed);
	while (writer->running && writer->committed < writer->urgent && !writer->error)
		pthread_cond_wait(&writer->changed, &writer->mutex);
	error = writer->error;
	pthread_mutex_unlock(&writer->mutex);
	return error;
}

struct writer *writer_free(struct writer *writer)
{
	if (!writer)
		return NULL;
	writer_finish(writer);
	while (writer->pool_count)
		free(writer->pool[--writer->pool_count]);
	pthread_mutex_destroy(&writer->mutex);
	pthread_cond_destroy(&writer->changed);
	free(writer);
	return NULL;
}

static int message_push(struct writer *writer, struct message *message)
{
	int error;

	pthread_mutex_lock(&writer->mutex);
	while (writer->queued >= QUEUE_MAX && !writer->error)
		pthread_cond_wait(&writer->changed, &writer->mutex);
	error = writer->error;
	if (!error) {
		if (writer->last)
			writer->last->next = message;
		else
			writer->first = message;
		writer->last = message;
		writer->queued++;
		writer->given++;
		pthread_cond_broadcast(&writer->changed);
	} else if (message->tally) {
		tally_clear(message->tally);
		writer->pool[writer->pool_count++] = message->tally;
	}
	pthread_mutex_unlock(&writer->mutex);
	if (error)
		free(message);
	return error;
}

static struct tally *tally_borrow(struct writer *writer, const struct tally *copied)
{
	struct tally *tally;

	pthread_mutex_lock(&writer->mutex);
	while (!writer->pool_count)
		pthread_cond_wait(&writer->changed, &writer->mutex);
	tally = writer->pool[--writer->pool_count];
	pthread_mutex_unlock(&writer->mutex);
	tally_add(tally, copied);
	tally->start_ns = copied->start_ns;
	tally->end_ns = copied->end_ns;
	tally->spans = copied->spans;
	tally->in_flight_ns = copied->in_flight_ns;
	return tally;
}

static struct message *message_new(enum message_kind kind, size_t data_bytes)
{
	struct message *message = calloc(1, sizeof(*message) + data_bytes);

	if (message)
		message->kind = kind;
	return message;
}

static size_t string_bytes(const char *string)
{
	return string ? strlen(string) + 1 : 0;
}

/* Copies a string into the message's data and points the field there. */
static void string_keep(const char **field, char **at)
{
	size_t bytes = string_bytes(*field);

	if (!bytes)
		return;
	memcpy(*at, *field, bytes);
	*field = *at;
	*at += bytes;
}

int writer_step(struct writer *writer, const struct step_record *step)
{
	struct message *message = message_new(MESSAGE_STEP,
		string_bytes(step->name) + string_bytes(step->group_name) + string_bytes(step->kind) +
		string_bytes(step->title) + string_bytes(step->note) + string_bytes(step->path) +
		string_bytes(step->values_json) + string_bytes(step->status_text) + string_bytes(step->steady_json));
	char *at;

	if (!message)
		return -ENOMEM;
	at = message->data;
	message->as_step = *step;
	string_keep(&message->as_step.name, &at);
	string_keep(&message->as_step.group_name, &at);
	string_keep(&message->as_step.kind, &at);
	string_keep(&message->as_step.title, &at);
	string_keep(&message->as_step.note, &at);
	string_keep(&message->as_step.path, &at);
	string_keep(&message->as_step.values_json, &at);
	string_keep(&message->as_step.status_text, &at);
	string_keep(&message->as_step.steady_json, &at);
	return message_push(writer, message);
}

int writer_load(struct writer *writer, const struct load_record *load)
{
	struct message *message = message_new(MESSAGE_LOAD,
		string_bytes(load->name) + string_bytes(load->engine) + string_bytes(load->engine_note) +
		string_bytes(load->facts_json));
	char *at;

	if (!message)
		return -ENOMEM;
	at = message->data;
	message->as_load = *load;
	string_keep(&message->as_load.name, &at);
	string_keep(&message->as_load.engine, &at);
	string_keep(&message->as_load.engine_note, &at);
	string_keep(&message->as_load.facts_json, &at);
	if (load->total)
		message->as_load.total = message->tally = tally_borrow(writer, load->total);
	return message_push(writer, message);
}

int writer_interval(struct writer *writer, const struct interval_record *interval)
{
	struct message *message = message_new(MESSAGE_INTERVAL, 0);

	if (!message)
		return -ENOMEM;
	message->as_interval = *interval;
	message->as_interval.tally = message->tally = tally_borrow(writer, interval->tally);
	return message_push(writer, message);
}

static int logged_push(struct writer *writer, enum message_kind kind, uint64_t step,
		       const struct logged_io *ios, uint32_t count)
{
	struct message *message = message_new(kind, count * sizeof(*ios));

	if (!message)
		return -ENOMEM;
	message->step = step;
	message->count = count;
	memcpy(message->data, ios, count * sizeof(*ios));
	return message_push(writer, message);
}

int writer_outliers(struct writer *writer, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	return logged_push(writer, MESSAGE_OUTLIERS, step, ios, count);
}

int writer_samples(struct writer *writer, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	return logged_push(writer, MESSAGE_SAMPLES, step, ios, count);
}

int writer_telemetry(struct writer *writer, const struct telemetry_record *rows, uint32_t count)
{
	struct message *message;
	size_t bytes = count * sizeof(*rows);
	char *at;

	for (uint32_t i = 0; i < count; i++)
		bytes += string_bytes(rows[i].name);
	message = message_new(MESSAGE_TELEMETRY, bytes);
	if (!message)
		return -ENOMEM;
	message->count = count;
	memcpy(message->data, rows, count * sizeof(*rows));
	at = message->data + count * sizeof(*rows);
	for (uint32_t i = 0; i < count; i++)
		string_keep(&((struct telemetry_record *)message->data)[i].name, &at);
	return message_push(writer, message);
}

int writer_event(struct writer *writer, const struct event_record *event)
{
	struct message *message = message_new(MESSAGE_EVENT,
		string_bytes(event->kind) + string_bytes(event->text) + string_bytes(event->data_json) +
		string_bytes(event->said_json));
	char *at;

	if (!message)
		return -ENOMEM;
	at = message->data;
	message->as_event = *event;
	string_keep(&message->as_event.kind, &at);
	string_keep(&message->as_event.text, &at);
	string_keep(&message->as_event.data_json, &at);
	string_keep(&message->as_event.said_json, &at);
	return message_push(writer, message);
}
