/* gt_names: maps texts to numbers with a hash table in an arena. Texts are not copied and must outlive the
 * map. A struct that is zero except for `arena` is an empty map. Owner: the arena. */
#ifndef GT_BASE_NAMES_H
#define GT_BASE_NAMES_H
#include "base/arena.h"
#include <stdbool.h>

typedef struct gt_names {
  gt_arena *arena;
  struct gt_name *slot;
  size_t slots, count;
} gt_names;

/* True if the text can be a name in a config: a letter or '_', then letters, digits, '_' or '-'. */
bool gt_is_name(const char *text);
#define GT_NAME_RULE "a letter or '_', then letters, digits, '_' or '-'"

int gt_names_find(const gt_names *names, const char *text); /* its number; -1: not in the map */
/* Returns the text's number if it is in the map; otherwise adds it with the given number and returns that. */
int gt_names_add(gt_names *names, const char *text, int number);
/* Adds the text or, if it was added before, the first of TEXT.1, TEXT.2, … that was not, as pandas names
 * repeated columns. Returns the name that was added. */
const char *gt_names_add_unique(gt_names *names, const char *text);
#endif
