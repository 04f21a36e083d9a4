/* CSV: writes tensors, such as predictions. */
#include "base/memory.h"
#include "base/names.h"
#include "base/output.h"
#include "data/table/csv.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
  char *items;
  size_t count, capacity;
} writer;

/* Returns where the next bytes are written; at least `size` of them fit. */
static char *make_room(writer *w, size_t size) {
  if (w->capacity - w->count < size) {
    w->capacity = 2 * w->capacity + size;
    w->items = gt_realloc(w->items, w->capacity);
  }
  return w->items + w->count;
}

static void put(writer *w, char c) {
  *make_room(w, 1) = c;
  w->count++;
}

/* Writes a name or another text, in quotes if needed. */
static void put_text(writer *w, const char *text) {
  const bool quoted = strpbrk(text, "\",\r\n") || *text == ' ' || *text == '\t';
  if (quoted) put(w, '"');
  for (; *text; text++) {
    if (*text == '"') put(w, '"');
    put(w, *text);
  }
  if (quoted) put(w, '"');
}

/* Nine significant digits restore every float exactly. The locale's decimal comma is replaced by a point. */
static void put_number(writer *w, const gt_tensor *tensor, size_t i) {
  enum { MAX_LENGTH = 32 };
  char *at = make_room(w, MAX_LENGTH);
  int n = 0;
  switch (tensor->element) {
  case GT_ELEMENT_U8: n = snprintf(at, MAX_LENGTH, "%d", ((const uint8_t *)tensor->data)[i]); break;
  case GT_ELEMENT_I32: n = snprintf(at, MAX_LENGTH, "%" PRId32, ((const int32_t *)tensor->data)[i]); break;
  case GT_ELEMENT_F32: n = snprintf(at, MAX_LENGTH, "%.9g", (double)((const float *)tensor->data)[i]); break;
  }
  for (int k = 0; k < n; k++)
    if (at[k] == ',') at[k] = '.';
  w->count += (size_t)n;
}

static void put_header(writer *w, const char *const *names, size_t columns, const gt_text_column *text,
                       int texts) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_names known = {.arena = &arena};
  for (int t = 0; t < texts; t++) put_text(w, gt_names_add_unique(&known, text[t].name)), put(w, ',');
  for (size_t c = 0; c < columns; c++) {
    const char *name = names ? names[c] : gt_arena_printf(&arena, "output%zu", c);
    put_text(w, gt_names_add_unique(&known, name));
    put(w, c + 1 < columns ? ',' : '\n');
  }
  gt_arena_finish(&arena);
}

bool gt_data_write_csv(const char *path, const gt_tensor *tensor, const char *const *names,
                       const gt_text_column *text, int texts, gt_error *error) {
  writer w = {0};
  const size_t columns = (size_t)gt_tensor_features(tensor), rows = (size_t)tensor->dim[0];
  if (names || texts) put_header(&w, names, columns, text, texts);
  for (size_t r = 0; r < rows; r++) {
    for (int t = 0; t < texts; t++) put_text(&w, text[t].cell[r]), put(&w, ',');
    for (size_t c = 0; c < columns; c++) {
      put_number(&w, tensor, r * columns + c);
      put(&w, c + 1 < columns ? ',' : '\n');
    }
  }
  const gt_span piece = {w.items, w.count};
  const bool ok = gt_write_output(path, &piece, 1, error);
  free(w.items);
  return ok;
}
