/* phrases: what the page says, in its languages. An English phrase is its own key; simplified and traditional Chinese are
 * two written translations, not one conversion. A test renders in each language and fails when a phrase is missing. */
#include <errno.h>
#include <string.h>
#include "report/page.h"

struct phrase {
	const char *english, *simplified, *traditional;
};

static const struct phrase phrases[] = {
	{ "Table", "表格", "表格" },
};

const char *say(struct page *page, const char *english)
{
	if (page->language == REPORT_ENGLISH)
		return english;
	for (uint32_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++)
		if (strcmp(phrases[i].english, english) == 0)
			return page->language == REPORT_CHINESE_SIMPLIFIED ? phrases[i].simplified :
									     phrases[i].traditional;
	page->untranslated++;
	return english;
}

int report_language_parse(const char *name, enum report_language *ret_language)
{
	static const char *const names[] = { "en", "zh-Hans", "zh-Hant" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret_language = (enum report_language)i;
			return 0;
		}
	}
	return -EINVAL;
}
