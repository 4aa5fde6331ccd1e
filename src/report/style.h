/* style: the style sheet of the page: light, dark (prefers-color-scheme), paper, narrow screens; no fonts, no
 * pictures. */
#pragma once
extern const char page_style[];
