/* "Did you mean": the known name most similar to an unknown word. A wrong suggestion is worse than none, so
 * the result is NULL in doubt. Distance: Damerau-Levenshtein (restricted: a transposed pair is not edited
 * again), ignoring case, '_', '-' and spaces; an edit of the first letter counts twice. */
#include "base/count.h"
#include "base/text.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64 /* maximum number of letters in a name */ };

typedef struct folded {
  char text[LONGEST + 1];
  size_t length; /* 0: empty, or too long to be a name */
} folded;

static folded fold(const char *text) {
  folded f = {.length = 0};
  for (; *text; text++) {
    if (strchr("_- ", *text)) continue;
    if (f.length == LONGEST) return (folded){.length = 0};
    f.text[f.length++] = (char)tolower((unsigned char)*text);
  }
  f.text[f.length] = 0;
  return f;
}

/* Only the last three rows of the table are kept. Its edges start at j + 1: the first letter counts twice. */
static size_t distance(const folded *a, const folded *b) {
  size_t row[3][LONGEST + 1] = {{0}};
  for (size_t j = 1; j <= b->length; j++) row[0][j] = j + 1;
  for (size_t i = 1; i <= a->length; i++) {
    size_t *current = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    const char *x = a->text + i - 1;
    current[0] = i + 1;
    for (size_t j = 1; j <= b->length; j++) {
      const char *y = b->text + j - 1;
      const size_t cost = *x == *y ? 0 : i == 1 && j == 1 ? 2 : 1;
      current[j] = gt_min_i64(gt_min_i64(above[j] + 1, current[j - 1] + 1), above[j - 1] + cost);
      if (i > 1 && j > 1 && x[0] == y[-1] && x[-1] == y[0])
        current[j] = gt_min_i64(current[j], before[j - 2] + 1);
    }
  }
  return row[a->length % 3][b->length];
}

size_t gt_word_distance(const char *a, const char *b) {
  const folded x = fold(a), y = fold(b);
  return x.length && y.length ? distance(&x, &y) : LONGEST;
}

/* The largest distance that a typo explains, for the number of letters of the longer word; more than half of
 * the letters must be unchanged. */
static size_t max_distance(size_t letters) {
  return letters <= 2 ? 0 : letters <= 5 ? 1 : letters <= 8 ? 2 : letters <= 12 ? 3 : 4;
}

/* True if the digits differ: `conv2d` is not a typo of `conv3d`, nor `expp` of `exp2`. A word without digits
 * may be short for a candidate with digits: `linear` for `linear1`. */
static bool digits_differ(const folded *word, const folded *candidate) {
  static const char digits[] = "0123456789";
  const char *a = strpbrk(word->text, digits), *b = strpbrk(candidate->text, digits);
  if (!a) return b && word->length == candidate->length;
  while (a && b && *a == *b) a = strpbrk(a + 1, digits), b = strpbrk(b + 1, digits);
  return a || b;
}

/* True for pairs that are similar in letters but opposite in meaning. */
static bool is_opposite(const folded *word, const folded *candidate) {
  static const char *const pairs[][2] = {
      {"min", "max"},      {"avg", "max"},         {"low", "high"},         {"start", "stop"},
      {"start", "end"},    {"first", "last"},      {"best", "last"},        {"before", "after"},
      {"train", "test"},   {"hard", "soft"},       {"upsample", "down"},    {"upscale", "down"},
      {"input", "output"}, {"encoder", "decoder"}, {"horizontal", "verti"}, {"source", "target"},
  };
  for (size_t i = 0; i < 2 * sizeof pairs / sizeof *pairs; i++) {
    const char *one = pairs[i / 2][i % 2], *other = pairs[i / 2][1 - i % 2];
    if (strstr(word->text, one) && strstr(candidate->text, other) && !strstr(word->text, other)) return true;
  }
  return false;
}

static bool is_number(const char *word) {
  return word[strcspn(word, "0123456789")] && !word[strspn(word, "0123456789.,+-_eE")];
}

static size_t common_prefix(const folded *a, const folded *b) {
  size_t n = 0;
  while (a->text[n] && a->text[n] == b->text[n]) n++;
  return n;
}

/* True if they differ only in how often a letter is repeated: 'adamm' and 'adam'. */
static bool differ_by_repeats(const folded *a, const folded *b) {
  size_t i = 0, j = 0;
  while (i < a->length && j < b->length && a->text[i] == b->text[j]) {
    const char letter = a->text[i];
    while (a->text[i] == letter) i++;
    while (b->text[j] == letter) j++;
  }
  return i == a->length && j == b->length;
}

/* Decides between candidates at the same distance. In order of weight: they differ only in repeated letters,
 * they have the same length (a transposition), they have more equal letters at the start. */
static size_t similarity(const folded *word, const folded *candidate) {
  return (differ_by_repeats(word, candidate)  ? 2 * LONGEST
          : word->length == candidate->length ? LONGEST
                                              : 0) +
         common_prefix(word, candidate);
}

/* Finds the candidate that the word is a typo of; *tie: another one is equally likely. */
static const char *find_typo(const folded *word, const char *const *candidates, size_t count, bool *tie) {
  const char *best = NULL;
  size_t best_distance = LONGEST, best_similarity = 0;
  for (size_t i = 0; i < count; i++) {
    const folded other = fold(candidates[i]);
    if (!other.length || digits_differ(word, &other) || is_opposite(word, &other)) continue;
    const size_t d = distance(word, &other), similar = similarity(word, &other);
    if (d > max_distance(gt_max_i64(word->length, other.length)) || d > best_distance) continue;
    if (d == best_distance && similar < best_similarity) continue;
    *tie = d == best_distance && similar == best_similarity && strcmp(best, candidates[i]) != 0;
    best = candidates[i], best_distance = d, best_similarity = similar;
  }
  return best;
}

/* The only candidate that starts with the word, or that the word starts with. */
static const char *find_longer_form(const folded *word, const char *const *candidates, size_t count) {
  const char *best = NULL;
  for (size_t i = 0; i < count; i++) {
    const folded other = fold(candidates[i]);
    const size_t shorter = gt_min_i64(word->length, other.length);
    if (shorter < 3 || common_prefix(word, &other) < shorter) continue;
    if (best || is_opposite(word, &other) || digits_differ(word, &other)) return NULL;
    best = candidates[i];
  }
  const folded found = fold(best ? best : "");
  const bool shares_most =
      2 * gt_min_i64(word->length, found.length) > gt_max_i64(word->length, found.length);
  return best && shares_most ? best : NULL;
}

const char *gt_nearest(const char *word, const char *const *candidates, size_t count) {
  const folded f = fold(word);
  bool tie = false;
  if (!f.length || is_number(word)) return NULL;
  const char *typo = find_typo(&f, candidates, count, &tie);
  if (typo) return tie ? NULL : typo;
  return find_longer_form(&f, candidates, count);
}
