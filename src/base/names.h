/* gt_names: which number belongs to a text, found without looking through all of them: a hash table in an
 * arena. Texts are not copied and must live as long. A zeroed one with its arena set is empty. Owner: the
 * arena. */
#ifndef GT_BASE_NAMES_H
#define GT_BASE_NAMES_H
#include "base/arena.h"

typedef struct gt_names {
  gt_arena *arena;
  struct gt_name *slot;
  size_t slots, count;
} gt_names;

int gt_names_find(const gt_names *names, const char *text); /* -1: none */
/* The number the text has already, or else the one given, which it has from now on. */
int gt_names_add(gt_names *names, const char *text, int number);
#endif
