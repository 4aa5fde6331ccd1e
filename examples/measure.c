/* Measures a target with a plan of its own and prints the table and one figure.
 *
 *	cc measure.c $(pkg-config --cflags --libs ssdassay) -o measure
 *	./measure sim:tlc-consumer,shrink=64 /tmp/mine.assay
 */
#include <stdio.h>
#include <ssdassay.h>

static const char plan[] =
	"[fill]\n"
	"kind=fill\n"
	"size=10%\n"
	"until=written:1r\n"
	"[read]\n"
	"rw=randread\n"
	"bs=4k\n"
	"size=10%\n"
	"iodepth=16\n"
	"runtime=3s\n"
	"expect=read.p99<10ms\n";

static void progress(void *context, const struct ssdassay_progress *now)
{
	(void)context;
	fprintf(stderr, "%u of %u: %s", now->number, now->count, now->step);
	if (now->iops > 0)	/* NaN before the first interval is over */
		fprintf(stderr, ", %.0f IOPS", now->iops);
	fputc('\n', stderr);
}

static int run(const char *target, const char *run_path)
{
	const struct ssdassay_request request = {
		.plan = plan,
		.plan_name = "example",
		.targets = &target,
		.target_count = 1,
		.run_path = run_path,
		.progress = progress,
	};
	struct ssdassay_error error;
	enum ssdassay_status status = ssdassay_run(&request, &error);

	if (error.text[0])
		fprintf(stderr, "measure: %s\n", error.text);
	return status;
}

static int show(const char *run_path)
{
	struct ssdassay_error error;
	struct ssdassay_file *file;
	char *text;

	if (ssdassay_open(run_path, &file, &error) || ssdassay_text(file, &text, &error)) {
		fprintf(stderr, "measure: %s\n", error.text);
		return SSDASSAY_FAILED;
	}
	fputs(text, stdout);
	ssdassay_free(text);
	ssdassay_close(file);
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 3) {
		fprintf(stderr, "usage: measure TARGET RUN\n");
		return SSDASSAY_MISTAKE;
	}
	status = run(argv[1], argv[2]);
	if (status != SSDASSAY_MISTAKE && status != SSDASSAY_REFUSED)
		show(argv[2]);
	return status;
}
