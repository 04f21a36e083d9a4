/* The word tokenizer: tokens are runs of letters and digits (with apostrophes inside) and single other
 * visible characters, separated by white space or invisible characters. The vocabulary is <pad>, <unk> and
 * the most frequent tokens of the training text; among equally frequent tokens the first to occur. */
#include "base/memory.h"
#include "base/text.h"
#include "base/unicode.h"
#include "tokens/tokens.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ids of the tokens that every vocabulary has, and their number. */
enum { PAD, UNKNOWN, FIXED };
static const char *const fixed[FIXED] = {"<pad>", "<unk>"};

typedef struct word {
  const uint8_t *text;
  uint32_t length;
  int32_t id; /* in a vocabulary: the token's id; while learning: rank by first occurrence */
  uint64_t hash;
  int64_t count; /* occurrences in the text */
} word;

typedef struct words {    /* a hash table with open addressing */
  word *item;             /* [capacity]; text NULL: unused */
  size_t capacity, count; /* capacity: a power of two */
} words;

/* --- tokens of a text --- */

typedef struct scan {
  const gt_text_view *text;
  bool lower;
  size_t at;               /* offset of the next byte to read */
  uint8_t *token;          /* the last token found, on the heap */
  size_t length, capacity; /* of `token` */
} scan;

/* Reads the code point at offset `at`. Returns its length in bytes; 0 at the end of the text. */
static size_t read_at(const gt_text_view *text, size_t at, uint32_t *code) {
  *code = 0;
  return at < text->size ? gt_utf8_read(text->data + at, text->size - at, code) : 0;
}

static bool is_apostrophe(uint32_t code) { return code == '\'' || code == 0x2019; }

static bool is_space(uint32_t code) {
  return code == ' ' || code == 0xA0 || code == 0x3000 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x202F || code == 0x205F || code == 0x1680 || gt_is_invisible(code);
}

static void append(scan *s, uint32_t code) {
  if (s->length + 4 > s->capacity) s->token = gt_realloc(s->token, s->capacity = 2 * s->capacity + 64);
  s->length += gt_utf8_write(s->lower ? gt_lower_case(code) : code, s->token + s->length);
}

/* Stores the next token in s->token; false at the end of the text. */
static bool next_token(scan *s) {
  uint32_t code, after;
  size_t used = read_at(s->text, s->at, &code);
  while (used && is_space(code)) used = read_at(s->text, s->at += used, &code);
  if (!used) return false;
  s->length = 0;
  append(s, code);
  s->at += used;
  if (!gt_is_word_character(code)) return true;
  while ((used = read_at(s->text, s->at, &code))) {
    const bool inside =
        is_apostrophe(code) && read_at(s->text, s->at + used, &after) && gt_is_word_character(after);
    if (!inside && !gt_is_word_character(code)) break;
    append(s, code);
    s->at += used;
  }
  return true;
}

/* --- the table --- */

/* The entry of this text, or the unused one where it belongs. */
static word *find(const words *table, const uint8_t *text, size_t length, uint64_t hash) {
  for (size_t i = hash & (table->capacity - 1);; i = (i + 1) & (table->capacity - 1)) {
    word *w = &table->item[i];
    if (!w->text || (w->hash == hash && w->length == length && !memcmp(w->text, text, length))) return w;
  }
}

static void grow(words *table) {
  const words old = *table;
  table->capacity = old.capacity ? 2 * old.capacity : 1024;
  table->item = gt_alloc(table->capacity * sizeof *table->item);
  for (size_t i = 0; i < old.capacity; i++) {
    const word *w = &old.item[i];
    if (w->text) *find(table, w->text, w->length, w->hash) = *w;
  }
  free(old.item);
}

/* The entry of this text. If there is none, adds one with a copy of the text. */
static word *find_or_add(words *table, const uint8_t *text, size_t length, gt_arena *arena) {
  if (2 * table->count >= table->capacity) grow(table);
  const uint64_t hash = gt_hash(GT_HASH_START, text, length);
  word *w = find(table, text, length, hash);
  if (w->text) return w;
  *w = (word){gt_arena_copy(arena, text, length), (uint32_t)length, (int32_t)table->count++, hash, 0};
  return w;
}

/* --- vocabulary --- */

static bool restore(gt_vocabulary *vocabulary, gt_arena *arena) {
  words *table = GT_NEW(arena, words), built = {0};
  if (vocabulary->size <= FIXED) return false; /* at least one word is needed to generate text */
  bool ok = true;
  for (int32_t i = 0; i < vocabulary->size && ok; i++) {
    const gt_token *token = &vocabulary->token[i];
    if (i < FIXED) {
      ok = token->length == strlen(fixed[i]) && !memcmp(token->text, fixed[i], token->length);
      continue;
    }
    word *w = find_or_add(&built, token->text, token->length, arena);
    ok = !w->count++; /* false if an earlier token has the same text */
    w->id = i;
  }
  if (!built.capacity) grow(&built);
  *table = built;
  table->item = gt_arena_copy(arena, built.item, built.capacity * sizeof *built.item);
  free(built.item);
  vocabulary->lookup = table;
  vocabulary->unknown = UNKNOWN;
  return ok;
}

static int by_frequency(const void *a, const void *b) {
  const word *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return (x->id > y->id) - (x->id < y->id);
}

/* Moves the words to the front of the table, sorted by frequency; the table is no hash table after this. */
static void sort_words(words *table) {
  size_t to = 0;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->item[i].text) table->item[to++] = table->item[i];
  qsort(table->item, to, sizeof *table->item, by_frequency);
}

static bool learn(gt_vocabulary *vocabulary, gt_vocabulary_options options, const gt_text_view *text,
                  gt_arena *arena, gt_error *error) {
  words table = {0};
  scan s = {.text = text, .lower = options.lower};
  while (next_token(&s)) find_or_add(&table, s.token, s.length, arena)->count++;
  free(s.token);
  if (!table.count) return gt_fail(error, GT_ERR_DATA, "%s holds no words", text->name);
  sort_words(&table);
  const int64_t limit = options.size ? options.size : GT_VOCABULARY_MAX;
  const int64_t size = (int64_t)table.count + FIXED < limit ? (int64_t)table.count + FIXED : limit;
  gt_token *token = GT_NEW_N(arena, gt_token, size);
  for (int64_t i = 0; i < size; i++)
    token[i] = i < FIXED ? (gt_token){(const uint8_t *)fixed[i], (uint32_t)strlen(fixed[i])}
                         : (gt_token){table.item[i - FIXED].text, table.item[i - FIXED].length};
  free(table.item);
  vocabulary->token = token;
  vocabulary->size = (int32_t)size;
  return restore(vocabulary, arena);
}

static bool encode(const gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out, gt_error *error) {
  const words *table = vocabulary->lookup;
  scan s = {.text = text, .lower = vocabulary->lower};
  (void)error;
  while (next_token(&s)) {
    const word *w = find(table, s.token, s.length, gt_hash(GT_HASH_START, s.token, s.length));
    gt_ids_push(vocabulary, out, w->text ? w->id : UNKNOWN);
  }
  free(s.token);
  return true;
}

/* There is no space before closing punctuation, or after opening brackets. */
static bool needs_space(const gt_vocabulary *vocabulary, int32_t before, int32_t id) {
  const gt_token *token = &vocabulary->token[id], *last = &vocabulary->token[before];
  if (token->length == 1 && strchr(".,;:!?)]}'%", *token->text)) return false;
  return last->length != 1 || !strchr("([{", *last->text);
}

GT_DEFINE(tokenizer, word) = {.name = "word",
                              .help = "the most frequent words and punctuation marks of the training text",
                              .is_trained = true,
                              .learn = learn,
                              .restore = restore,
                              .encode = encode,
                              .needs_space = needs_space};
