/* The fuzzer's corpus and seeded mutations of it, as a plain test: nothing crashes, hangs or fails without
 * words. */
#include "fixture.h"
#include <dirent.h>
#include "base/random.h"

#define FILES_MAX 512
#define MUTATIONS 6000
#define BYTES_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct sample {
	uint8_t *data;
	size_t bytes;
};
static struct sample samples[FILES_MAX];
static uint32_t sample_count;

static int read_corpus(void **state)
{
	char path[4096];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/fuzz/corpus/plan", getenv("SSDASSAY_TESTS"));
	folder = opendir(path);
	if (!folder)
		return -1;
	while ((entry = readdir(folder))) {
		struct sample *sample = &samples[sample_count];
		char file_path[8192];
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		if (sample_count == FILES_MAX)
			return -1;	/* one would not be run */
		snprintf(file_path, sizeof(file_path), "%s/%s", path, entry->d_name);
		file = fopen(file_path, "r");
		sample->data = malloc(BYTES_MAX);
		sample->bytes = fread(sample->data, 1, BYTES_MAX, file);
		fclose(file);
		sample_count++;
	}
	closedir(folder);
	return sample_count ? 0 : -1;
}

static int free_corpus(void **state)
{
	for (uint32_t i = 0; i < sample_count; i++)
		free(samples[i].data);
	return 0;
}

static void the_corpus_runs(void **state)
{
	assert_true(sample_count >= 20);
	for (uint32_t i = 0; i < sample_count; i++)
		assert_int_equal(LLVMFuzzerTestOneInput(samples[i].data, samples[i].bytes), 0);
}

/* A few bytes changed, removed, doubled, or a piece of another sample put in. */
static size_t mutate(struct random *random, uint8_t *data, size_t bytes)
{
	static const char letters[] = "\n[]=:/@%.*,; -09kmrx{$";

	for (uint64_t edits = 1 + random_below(random, 6); edits && bytes; edits--) {
		size_t at = random_below(random, bytes), count = 1 + random_below(random, 12);
		const struct sample *other = &samples[random_below(random, sample_count)];

		count = count > bytes - at ? bytes - at : count;
		switch (random_below(random, 4)) {
		case 0:
			data[at] = (uint8_t)random_u64(random);
			break;
		case 1:
			data[at] = (uint8_t)letters[random_below(random, sizeof(letters) - 1)];
			break;
		case 2:
			memmove(data + at, data + at + count, bytes - at - count);
			bytes -= count;
			break;
		default:
			count = random_below(random, 40);
			count = count > other->bytes ? other->bytes : count;
			count = count > BYTES_MAX - bytes ? BYTES_MAX - bytes : count;
			memmove(data + at + count, data + at, bytes - at);
			memcpy(data + at, other->data + random_below(random, other->bytes - count + 1),
			       count);
			bytes += count;
		}
	}
	return bytes;
}

static void mutations_run(void **state)
{
	struct random random;
	uint8_t data[BYTES_MAX];

	random_init(&random, 20240229, 0);
	for (int i = 0; i < MUTATIONS; i++) {
		const struct sample *sample = &samples[random_below(&random, sample_count)];
		size_t bytes;

		memcpy(data, sample->data, sample->bytes);
		bytes = mutate(&random, data, sample->bytes);
		assert_int_equal(LLVMFuzzerTestOneInput(data, bytes), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpus_runs),
		cmocka_unit_test(mutations_run),
	};

	return cmocka_run_group_tests(tests, read_corpus, free_corpus);
}
