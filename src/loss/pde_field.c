#include "loss/pde_field.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <string.h>

/* --- names ---------------------------------------------------------------------------------------------- */

/* Splits the text into names of inputs, and appends their numbers. One name may be the prefix of another, so
 * it tries every split. */
static bool read_axes(const gt_pde_names *names, const char *text, size_t length, gt_pde_derivative *out) {
  if (!length) return out->order > 0;
  const int order = out->order;
  for (int k = 0; k < names->axes; k++) {
    const size_t n = strlen(names->name[k]);
    if (n > length || memcmp(names->name[k], text, n) != 0) continue;
    if (order < GT_PDE_MAX_ORDER) out->axis[order] = k;
    out->order = order < GT_PDE_MAX_ORDER ? order + 1 : GT_PDE_MAX_ORDER + 1;
    if (read_axes(names, text + n, length - n, out)) return true;
    out->order = order;
  }
  return false;
}

static void sort(gt_pde_derivative *d) {
  for (int i = 1; i < d->order; i++)
    for (int j = i; j > 0 && d->axis[j - 1] > d->axis[j]; j--) {
      const int axis = d->axis[j];
      d->axis[j] = d->axis[j - 1];
      d->axis[j - 1] = axis;
    }
}

bool gt_pde_read_derivative(const gt_pde_names *names, const char *text, size_t length,
                            gt_pde_derivative *out) {
  const char *underscore = memchr(text, '_', length);
  if (!underscore) return false;
  const size_t before = (size_t)(underscore - text), after = length - before - 1;
  for (int k = 0; k < names->outputs; k++) {
    const char *output = names->name[names->axes + k];
    if (strlen(output) != before || memcmp(output, text, before) != 0) continue;
    *out = (gt_pde_derivative){.output = k};
    if (!read_axes(names, underscore + 1, after, out)) return false;
    if (out->order <= GT_PDE_MAX_ORDER) sort(out);
    return true;
  }
  return false;
}

/* "x, y and t" for names first … first + count - 1 */
static const char *list(const gt_pde_names *names, int first, int count, gt_arena *arena) {
  const char *text = names->name[first];
  for (int i = 1; i < count; i++)
    text = gt_arena_printf(arena, "%s%s%s", text, i + 1 < count ? ", " : " and ", names->name[first + i]);
  return text;
}

static bool is_letter_of_input(const gt_pde_names *names, char c) {
  for (int k = 0; k < names->axes; k++)
    if (strchr(names->name[k], c)) return true;
  return false;
}

/* The text read as a derivative: an unknown output, or an unknown input ("t" of u_t and u_xtt); else "". */
typedef struct wanted_names {
  const char *input, *output;
} wanted_names;

static wanted_names read_wanted(const gt_pde_names *names, const char *text, size_t length, gt_arena *arena) {
  const char *underscore = memchr(text, '_', length), *end = text + length;
  wanted_names wanted = {"", ""};
  if (!underscore || underscore == text) return wanted;
  const char *before = gt_arena_strndup(arena, text, (size_t)(underscore - text));
  for (int k = 0; k < names->axes + names->outputs; k++) {
    if (strcmp(names->name[k], before)) continue;
    if (k < names->axes) return wanted;
    const char *start = underscore + 1;
    while (start < end && (*start == '_' || is_letter_of_input(names, *start))) start++;
    size_t n = 0, same = 0;
    while (start + n < end && start[n] != '_' && !is_letter_of_input(names, start[n])) n++;
    while (same < n && start[same] == *start) same++;
    if (strstr(gt_arena_strndup(arena, underscore, (size_t)(end - underscore)), names->name[names->axes - 1]))
      return wanted; /* the new name would replace one that the text uses */
    wanted.input = gt_arena_strndup(arena, start, same == n && n ? 1 : n);
    return wanted;
  }
  wanted.output = before;
  return wanted;
}

const char *gt_pde_names_help(const gt_pde_names *names, const char *unknown, size_t length,
                              gt_arena *arena) {
  const wanted_names wanted = read_wanted(names, unknown, length, arena);
  const char *output = names->name[names->axes], *last = names->name[names->axes - 1];
  const char *text =
      gt_arena_printf(arena, "the input%s %s and the output%s %s", names->axes == 1 ? " is" : "s are",
                      list(names, 0, names->axes, arena), names->outputs == 1 ? " is" : "s are",
                      list(names, names->axes, names->outputs, arena));
  if (*wanted.input && names->axes < 4) { /* as in inputs: [x, t] */
    const char *items = "";
    for (int k = 0; k + 1 < names->axes; k++) items = gt_arena_printf(arena, "%s%s, ", items, names->name[k]);
    return gt_arena_printf(arena, "%s; to rename them, set `inputs: [%s%s]` in the loss", text, items,
                           wanted.input);
  }
  if (*wanted.output && names->outputs == 1)
    return gt_arena_printf(arena, "%s; to rename them, set `outputs: [%s]` in the loss", text, wanted.output);
  return gt_arena_printf(
      arena, "%s; derivatives are written %s_%s and %s_%s%s; `inputs` and `outputs` of the loss rename them",
      text, output, names->name[0], output, names->name[0], last);
}

/* --- values --------------------------------------------------------------------------------------------- */

static int64_t columns_of(const gt_graph *graph, gt_id x) { return gt_node_at(graph, x)->shape.dim[1]; }
static int64_t rows_of(const gt_graph *graph, gt_id x) { return gt_node_at(graph, x)->shape.dim[0]; }

void gt_pde_field_init(gt_pde_field *field, gt_graph *graph, const gt_pde_names *names, gt_id points,
                       gt_id output) {
  *field = (gt_pde_field){.graph = graph, .names = names, .points = points, .failed = GT_NONE};
  field->output = gt_reshape(graph, output, gt_shape_2(rows_of(graph, points), -1));
}

void gt_pde_field_finish(gt_pde_field *field) {
  for (int k = 0; k < GT_PDE_MAX_AXES; k++) gt_tangents_destroy(field->along[k]);
}

/* [rows, inputs]: 1 in the column of the axis, 0 elsewhere. */
static gt_id direction(gt_graph *graph, gt_id points, int axis) {
  const int64_t rows = rows_of(graph, points), n = columns_of(graph, points);
  const int64_t before[2] = {0, axis}, after[2] = {0, n - 1 - axis};
  const gt_id ones = gt_expand(graph, gt_constant(graph, 1), gt_shape_2(rows, 1));
  return n == 1 ? ones : gt_pad(graph, ones, before, after, 0);
}

static gt_id column(gt_graph *graph, gt_id x, int k) {
  const int64_t start[2] = {0, k}, stop[2] = {rows_of(graph, x), k + 1};
  const gt_id one = columns_of(graph, x) == 1 ? x : gt_shrink(graph, x, start, stop);
  return gt_reshape(graph, one, gt_shape_1(stop[0]));
}

/* A derivative of all outputs, [rows, outputs], by one input after another: derivatives that begin with the
 * same inputs share nodes. GT_NONE: it is 0, or field->failed is set. */
static gt_id derive(gt_pde_field *field, const gt_pde_derivative *d) {
  gt_id value = field->output;
  for (int i = 0; i < d->order && value != GT_NONE; i++) {
    const int axis = d->axis[i];
    if (!field->along[axis])
      field->along[axis] =
          gt_tangents_create(field->graph, field->points, direction(field->graph, field->points, axis), axis);
    value = gt_tangent(field->along[axis], value, &field->failed);
  }
  return value;
}

gt_id gt_pde_value(gt_pde_field *field, int name, int64_t first, int64_t count) {
  const gt_pde_names *names = field->names;
  gt_graph *graph = field->graph;
  gt_id value;
  if (name < names->axes) {
    value = column(graph, field->points, name);
  } else if (name < names->axes + names->outputs) {
    value = column(graph, field->output, name - names->axes);
  } else {
    const gt_id all = derive(field, &names->derivative[name]);
    if (field->failed != GT_NONE) return GT_NONE;
    if (all == GT_NONE) return gt_expand(graph, gt_constant(graph, 0), gt_shape_1(count));
    value = column(graph, all, names->derivative[name].output);
  }
  return gt_view(graph, value, first, gt_shape_1(count));
}

bool gt_pde_is_zero(gt_pde_field *field, const gt_pde_derivative *d) {
  return derive(field, d) == GT_NONE && field->failed == GT_NONE;
}
