/* Stands in for libFuzzer where there is none: runs every file of the folders or files named, then
 * `mutations` seeded changes of them, through the target it is linked with. A target that disagrees aborts.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/random.h"

#define SAMPLES_MAX 512
#define BYTES_MAX 65536
#define GROWTH_MAX 256		/* bytes a mutation may add */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct sample {
	uint8_t *data;
	size_t bytes;
};

struct replay {
	struct sample samples[SAMPLES_MAX];
	uint32_t count;
	struct random random;
};

static int file_add(struct replay *replay, const char *path)
{
	struct sample *sample = &replay->samples[replay->count];
	FILE *file = replay->count < SAMPLES_MAX ? fopen(path, "r") : NULL;

	if (!file)
		return -1;
	sample->data = malloc(BYTES_MAX);
	if (!sample->data)
		abort();
	sample->bytes = fread(sample->data, 1, BYTES_MAX, file);
	replay->count++;
	return fclose(file);
}

static int folder_add(struct replay *replay, const char *path)
{
	struct dirent **entries;
	const int count =
		scandir(path, &entries, NULL, alphasort);	/* sorted: the same mutations everywhere */
	char name[4096];
	int status = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && file_add(replay, name))
			status = -1;
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

static int path_add(struct replay *replay, const char *path)
{
	struct stat facts;

	if (stat(path, &facts))
		return -1;
	return S_ISDIR(facts.st_mode) ? folder_add(replay, path) : file_add(replay, path);
}

/* Up to `count` bytes of some sample put in at `at`. */
static size_t splice(struct replay *replay, uint8_t *data, size_t bytes, size_t at, size_t count)
{
	const struct sample *other = &replay->samples[random_below(&replay->random, replay->count)];

	if (count > other->bytes)
		count = other->bytes;
	memmove(data + at + count, data + at, bytes - at);
	memcpy(data + at, other->data + random_below(&replay->random, other->bytes - count + 1), count);
	return bytes + count;
}

/* One byte replaced, some removed, or a piece of another sample put in. */
static size_t edit(struct replay *replay, uint8_t *data, size_t bytes)
{
	static const char letters[] = "\n[]=:/@%.*,; -09kme{}\"";
	const size_t at = random_below(&replay->random, bytes);
	size_t count = 1 + random_below(&replay->random, 24);

	switch (random_below(&replay->random, 4)) {
	case 0:
		data[at] = (uint8_t)random_u64(&replay->random);
		return bytes;
	case 1:
		data[at] = (uint8_t)letters[random_below(&replay->random, sizeof(letters) - 1)];
		return bytes;
	case 2:
		count = count > bytes - at ? bytes - at : count;
		memmove(data + at, data + at + count, bytes - at - count);
		return bytes - count;
	default:
		return splice(replay, data, bytes, at, count);
	}
}

static void mutation_run(struct replay *replay)
{
	const struct sample *sample = &replay->samples[random_below(&replay->random, replay->count)];
	uint8_t *data = malloc(sample->bytes + GROWTH_MAX), *exact;
	size_t bytes = sample->bytes;

	if (!data)
		abort();
	memcpy(data, sample->data, bytes);
	for (uint64_t edits = 1 + random_below(&replay->random, 6); edits && bytes; edits--)
		bytes = edit(replay, data, bytes);
	exact = malloc(bytes + !bytes);	/* exactly as large: a sanitizer then sees reads beyond the end */
	if (!exact)
		abort();
	memcpy(exact, data, bytes);
	LLVMFuzzerTestOneInput(exact, bytes);
	free(exact);
	free(data);
}

int main(int argc, char **argv)
{
	static struct replay replay;
	const long mutations = argc > 2 ? atol(argv[1]) : -1;

	if (mutations < 0) {
		fprintf(stderr, "usage: %s MUTATIONS FILE-OR-FOLDER...\n", argv[0]);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (path_add(&replay, argv[i])) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 2;
		}
	for (uint32_t i = 0; i < replay.count; i++)
		LLVMFuzzerTestOneInput(replay.samples[i].data, replay.samples[i].bytes);
	random_init(&replay.random, 20240229, 0);
	for (long i = 0; i < mutations && replay.count; i++)
		mutation_run(&replay);
	printf("%u files, %ld mutations\n", replay.count, mutations);
	for (uint32_t i = 0; i < replay.count; i++)
		free(replay.samples[i].data);
	return replay.count ? 0 : 2;
}
