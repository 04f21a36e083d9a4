/* CSV: copies columns to input tensors. */
#include "base/count.h"
#include "base/memory.h"
#include "base/names.h"
#include "data/column.h"
#include "data/table/table.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Number of columns of a file that the input reads. */
static int64_t columns_of(const gt_input *input) {
  return input->table ? input->table->count : gt_input_features(input);
}

/* Adds the columns of one input; a column that an earlier input also reads is listed only once. */
static void add_input(gt_csv_inputs *all, const gt_input *input, gt_names *seen, const char **names,
                      bool *whole, gt_arena *arena) {
  const int64_t columns = columns_of(input);
  int32_t *place = GT_NEW_N(arena, int32_t, columns);
  for (int64_t f = 0; f < columns; f++) {
    const char *name = input->table ? input->table->column[f].name : names ? input->columns[f] : NULL;
    place[f] = names ? gt_names_add(seen, name, all->count) : all->count;
    whole[place[f]] |= input->element == GT_ELEMENT_I32;
    if (place[f] < all->count) continue;
    if (names) names[all->count] = name;
    all->count++;
  }
  all->place[all->inputs] = place;
  all->columns[all->inputs++] = columns;
}

gt_csv_inputs gt_csv_inputs_of(const gt_input *input, int inputs, gt_arena *arena) {
  gt_csv_inputs all = {0};
  gt_names seen = {.arena = arena};
  int64_t most = 0;
  bool named = true;
  for (int k = 0; k < inputs; k++) {
    /* No file can have this many columns; the error message needs only the count. */
    if (columns_of(&input[k]) > GT_CSV_MAX_COLUMNS)
      return (gt_csv_inputs){.count = (int)gt_min_i64(columns_of(&input[k]), INT_MAX)};
    most += columns_of(&input[k]);
    named &= input[k].columns != NULL;
  }
  const char **names = named ? GT_NEW_N(arena, const char *, most) : NULL;
  bool *whole = GT_NEW_N(arena, bool, most);
  for (int k = 0; k < inputs; k++) add_input(&all, &input[k], &seen, names, whole, arena);
  all.names = names;
  all.whole = whole;
  return all;
}

static bool copy_columns(const gt_table_file *file, const gt_typed_use *use, gt_tensor *out) {
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {(int64_t)file->rows, gt_typed_raw(use)}};
  if (!gt_tensor_alloc(out, file->csv.path, file->csv.error)) return false;
  float *to = out->data;
  for (size_t row = 0; row < file->rows; row++)
    for (int64_t f = 0; f < use->columns; f++) {
      const gt_typed_column *column = &use->table->item[use->place[f]];
      const float *from = file->values + row * (size_t)file->width + column->place;
      for (int i = 0; i < gt_column_raw(&column->column); i++) *to++ = from[i];
    }
  return true;
}

bool gt_csv_move_inputs(gt_table_file *file, const gt_csv_inputs *inputs, const gt_input *input,
                        const gt_typed_table *typed, gt_tensor *out) {
  const bool is_whole_table = inputs->inputs == 1 && inputs->columns[0] == file->inputs;
  if (is_whole_table) {
    out[0] = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {(int64_t)file->rows, file->width}};
    out[0].data = file->values;
    file->values = NULL;
  }
  for (int k = 0; k < inputs->inputs; k++) {
    const gt_typed_use use = {typed, inputs->place[k], inputs->columns[k]};
    if (!is_whole_table && !copy_columns(file, &use, &out[k])) return false;
    if (input[k].element == GT_ELEMENT_I32 && gt_typed_is_plain(&use) &&
        !gt_data_to_integers(file->csv.path, &out[k], file->csv.error))
      return false;
  }
  return true;
}
