/* What is told of I/Os that failed or fell short: each load's own, out of one list of outliers of the whole
 * run. */
#include <errno.h>
#include <string.h>
#include "assay/io_reason.h"
#include "made_run.h"

static void load_add(struct made_run *made, uint64_t step, uint32_t load, const char *name, uint64_t errors)
{
	struct step_record record = made->step;
	struct load_record other = made->load;

	record.id = step;
	record.name = name;
	other.step = step;
	other.load = load;
	other.name = name;
	made->total->op[IO_READ].errors = errors;
	assert_int_equal(store_put_step(made->store, &record), 0);
	assert_int_equal(store_put_load(made->store, &other), 0);
}

static void outlier_add(struct made_run *made, uint64_t step, uint32_t load, int32_t result, uint64_t offset)
{
	const struct logged_io io = {
		.load = (uint16_t)load, .bytes = 4096, .result = result, .offset = offset, .service_ns = 20000000,
		.flags = result < 0 ? LOGGED_ERROR : result < 4096 ? LOGGED_SHORT : 0,
	};

	assert_int_equal(store_put_outliers(made->store, step, &io, 1), 0);
}

/* Is there one finding of that kind and step, with these words? */
static void says(struct made_run *made, const char *kind, uint64_t step, const char *words)
{
	const struct finding_record *findings;
	uint32_t count, told = 0;

	assert_int_equal(store_findings(made->store, &findings, &count), 0);
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(findings[i].kind, kind) || findings[i].step_id != step)
			continue;
		told++;
		if (!words || !strstr(findings[i].text, words))
			fail_msg("%s of step %d: \"%s\"", kind, (int)step, findings[i].text);
	}
	assert_int_equal(told, words ? 1 : 0);
}

static void each_load_is_told_its_own_failures(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made_run_write(&made);
	load_add(&made, 2, 0, "b", 3);
	load_add(&made, 3, 0, "c", 1);
	outlier_add(&made, 1, 0, 4096, 0);		/* slow only */
	outlier_add(&made, 2, 0, -EIO, 8192);
	outlier_add(&made, 3, 0, -ENODATA, 77824);
	outlier_add(&made, 2, 0, -EIO, 4096);
	outlier_add(&made, 3, 0, 512, 12288);
	outlier_add(&made, 2, 0, 4096, 1 << 20);
	outlier_add(&made, 9, 0, -EIO, 0);		/* of no step that is there */
	made_run_conclude(&made, NULL);
	says(&made, "io_errors", 1, NULL);
	says(&made, "io_errors", 2, "3 I/Os of step 'b' failed: I/O error (EIO); at offsets 4096 to 8192; the first are in the list");
	says(&made, "io_errors", 3, "1 I/O of step 'c' failed: media error: the drive cannot read it (ENODATA); at offset 77824; it is");
	says(&made, "short_ios", 2, NULL);
	says(&made, "short_ios", 3, "1 I/O of step 'c' moved less than was asked, 512 of 4096 bytes at offset 12288");
	made_run_release(&made);
}

/* What a Chinese page would say in the kernel's English: only codes that an I/O hardly ever has. */
static void reasons_are_in_words_of_the_program(void **state)
{
	static const int words_of[] = { EIO, ENODATA, EREMOTEIO, EILSEQ, ETIMEDOUT, ECANCELED, ENODEV, ENXIO, ENOLINK, EBADE,
					ENOSPC, EROFS, EOPNOTSUPP, EINVAL, EPERM, EAGAIN, ENOMEM };
	struct saying saying = { 0 };

	for (size_t i = 0; i < sizeof(words_of) / sizeof(*words_of); i++) {
		const char *text = saying_text(io_reason_say(words_of[i], &saying));

		if (strstr(text, "errno") || !strstr(text, strerrorname_np(words_of[i])))
			fail_msg("%s", text);
		saying_release(&saying);
	}
	assert_string_equal(saying_text(io_reason_say(ENOSPC, &saying)), "no space left (ENOSPC)");
	saying_release(&saying);
	assert_string_equal(saying_text(io_reason_say(EBADMSG, &saying)), "Bad message (errno 74)");
	saying_release(&saying);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_load_is_told_its_own_failures),
		cmocka_unit_test(reasons_are_in_words_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
