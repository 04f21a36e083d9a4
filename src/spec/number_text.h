/* Hints for text that is not a number where one is needed. A suggestion follows from the text; no digit is
 * guessed. */
#ifndef GT_SPEC_NUMBER_TEXT_H
#define GT_SPEC_NUMBER_TEXT_H
#include "spec/hint.h"

/* whole: an integer is needed. The hint is empty if the text suggests no number. */
gt_hint gt_number_hint(gt_arena *arena, const char *text, bool whole);
#endif
