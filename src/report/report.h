/* report: tells what stored runs say, as JSON, text, CSV and HTML. Always from a run file, never from a live
 * run.
 *
 * Every form is rendered from one model (report/model.h), so no two of them can disagree. A run that is
 * running, failed, refused or was interrupted is reported like a finished one, and says what it is.
 *
 * The store is borrowed; it must have been opened for reading and must not be closed during the call. Output
 * is appended to `out` (UTF-8; strings from the run file that aren't valid UTF-8 get U+FFFD). Nothing is
 * printed. All return 0, -ENOMEM, or the -errno of the store or of writing, with `fault` (may be NULL)
 * filled. Not thread-safe for one store. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "base/text.h"
#include "store/store.h"

/* `show --json`: one document, unique keys, finite numbers, null where there is no number. Format:
 * docs/formats/show-json.md. */
int report_json(struct store *store, struct text *out, struct fault *fault);

/* `show`: a heading, one table line per step and direction, findings as sentences, failed checks. */
struct report_layout {
	bool color;		/* ANSI colours and weights */
	uint32_t width; /* columns of the terminal; 0 = not a terminal: nothing is wrapped or shortened */
};
int report_text(struct store *store, const struct report_layout *layout, struct text *out,
		struct fault *fault);

/* `export --format csv`: series.csv, outliers.csv, telemetry.csv, results.csv, windows.csv (RFC 4180, CRLF,
 * header line), created or replaced in the open directory `directory`. A failure leaves no half-written
 * file under these names. */
int report_csv(struct store *store, int directory, struct fault *fault);

/* `export --format fio-json`: one document in the shape of fio 3's JSON (json+). */
int report_fio_json(struct store *store, struct text *out, struct fault *fault);

/* `export --format hdr`: HdrHistogram logs (format 1.3, V2 histograms) in the open directory `directory`, one
 * for each load, kind of I/O and time (service, and response and lateness of open loops), a line per
 * interval, tagged with the kind of I/O. Intervals of a run-up are left out. */
int report_hdr(struct store *store, int directory, struct fault *fault);

/* `compare`: verdicts on every point that `count` (2..64) runs have in common; `names` as given by the user.
 * With a layout as text, without (NULL) as one JSON document. */
int report_compare(struct store *const *runs, uint32_t count, const char *const *names,
		   const struct report_layout *layout, struct text *out, struct fault *fault);

/* `report`: one self-contained HTML page for one or several runs: no network, charts without JavaScript. */
enum report_language { REPORT_ENGLISH, REPORT_CHINESE_SIMPLIFIED, REPORT_CHINESE_TRADITIONAL };
/* "en", "zh-Hans", "zh-Hant"; 0 or -EINVAL. */
int report_language_parse(const char *name, enum report_language *ret_language);

struct report_options {
	enum report_language language;
	const char *const
		*names; /* what to call each run (its file's name), `count` of them; NULL = plan and drive */
};
int report_html(struct store *const *runs, uint32_t count, const struct report_options *options,
		struct text *out, struct fault *fault);
