/* word: marks the words that sentences are made with (saying_word() in base/saying.h) where they are not
 * written as the format of a sentence, so that a test finds them and asks for their translations. */
#pragma once

#define SAID_WORD(literal) literal
