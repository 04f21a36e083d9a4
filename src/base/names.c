#include "base/names.h"
#include "base/text.h"
#include <ctype.h>
#include <string.h>

typedef struct gt_name {
  const char *text;
  int number;
} name;

/* The text's slot, or the empty slot where it belongs. At most half of the slots are used. */
static name *slot_of(const gt_names *names, const char *text) {
  size_t i = (size_t)gt_hash(GT_HASH_START, text, strlen(text)) & (names->slots - 1);
  while (names->slot[i].text && strcmp(names->slot[i].text, text)) i = (i + 1) & (names->slots - 1);
  return &names->slot[i];
}

static void grow(gt_names *names) {
  const gt_names old = *names;
  names->slots = old.slots ? 2 * old.slots : 64;
  names->slot = GT_NEW_N(names->arena, name, names->slots);
  for (size_t i = 0; i < old.slots; i++)
    if (old.slot[i].text) *slot_of(names, old.slot[i].text) = old.slot[i];
}

int gt_names_find(const gt_names *names, const char *text) {
  if (!names->slots) return -1;
  const name *found = slot_of(names, text);
  return found->text ? found->number : -1;
}

int gt_names_add(gt_names *names, const char *text, int number) {
  if (2 * (names->count + 1) > names->slots) grow(names);
  name *found = slot_of(names, text);
  if (found->text) return found->number;
  *found = (name){text, number};
  names->count++;
  return number;
}

const char *gt_names_add_unique(gt_names *names, const char *text) {
  const char *unique = text;
  for (int n = 1; gt_names_find(names, unique) >= 0; n++)
    unique = gt_arena_printf(names->arena, "%s.%d", text, n);
  gt_names_add(names, unique, (int)names->count);
  return unique;
}

bool gt_is_name(const char *text) {
  bool valid = isalpha((unsigned char)text[0]) || text[0] == '_';
  for (const char *c = text; *c; c++) valid &= isalnum((unsigned char)*c) || *c == '_' || *c == '-';
  return valid;
}
