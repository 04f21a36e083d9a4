#include "train/net/samples.h"
#include "data/column.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/one_hot.h"
#include "op/slice_rows.h"
#include "op/window.h"
#include "tokens/tokens.h"
#include <string.h>

/* The shape of a tensor's variable. ring: as in gt_samples. */
static gt_shape shape_of(const gt_tensor *tensor, int64_t ring) {
  const gt_tensor all = ring ? *tensor : gt_tensor_as_rows(tensor);
  gt_shape shape = {.rank = all.rank};
  for (int d = 0; d < all.rank; d++) shape.dim[d] = all.dim[d];
  if (!ring) return shape;
  shape.dim[0] = ring;
  shape.dim[1] += gt_tensor_is_text(tensor); /* the targets read the token after the window of text */
  return shape;
}

static gt_dtype dtype_of(const gt_tensor *tensor) {
  if (tensor->narrow) return GT_U8;
  return tensor->element == GT_ELEMENT_U8 ? GT_U8 : tensor->element == GT_ELEMENT_I32 ? GT_I32 : GT_F32;
}

static gt_id read_variable(gt_graph *graph, const char *name, gt_shape shape, gt_dtype dtype) {
  return gt_variable_read(graph, gt_graph_variable(graph, name, shape, dtype, false));
}

/* Reads a variable with a tensor's samples or, if samples are windows of a series or text, with the rows from
 * which they are cut. ring: as in gt_samples. */
static gt_id read_tensor(const gt_tensor *tensor, int64_t ring, gt_graph *graph, const char *name) {
  const gt_shape shape = shape_of(tensor, ring);
  const uint32_t variable = gt_graph_variable(graph, name, shape, dtype_of(tensor), false);
  if (tensor->bits) gt_graph_mark_bits(graph, variable);
  if (ring) gt_graph_mark_streamed(graph, variable);
  return gt_variable_read(graph, variable);
}

static const char *variable_of(gt_arena *arena, const char *begin, const gt_input *input) {
  return strcmp(input->name, GT_INPUT_NAME) ? gt_arena_printf(arena, "%s.%s", begin, input->name) : begin;
}

const char *gt_samples_variable(const gt_samples *samples, gt_sample_role role, int of, gt_arena *arena) {
  return gt_split_variable(samples->data, samples->ring ? "window" : "data", samples->part, role, of, arena);
}

/* The one-hot encoding of an input (op/one_hot.h); NULL if the values of a sample are its features. */
static const int32_t *one_hot_of(const gt_input *input) {
  return input->table ? input->table->one_hot : NULL;
}

static gt_id read_scaling(const gt_input *input, gt_arena *arena, gt_graph *graph) {
  if (!input->scaling.count) return GT_NONE;
  return read_variable(graph, variable_of(arena, "data.scaling", input), gt_shape_2(3, input->scaling.count),
                       GT_F32);
}

/* Sets the attributes `even` (a magnitude for a single scale, gt_op.even) and `bytes` for samples that are
 * bytes, from their scaling. */
static void set_byte_forms(const gt_tensor *tensor, const gt_scaling *scaling,
                           gt_batch_attribute *attribute) {
  static const float plain[] = {0, 1, 0};
  const float *v = scaling->count ? scaling->values : plain;
  const int64_t period = scaling->count ? scaling->count : 1;
  const bool known = tensor->element == GT_ELEMENT_U8 && v;
  attribute->even = known ? gt_batch_even_bytes(v, period) : 0;
  attribute->bytes = known && period == 1 ? gt_batch_byte_form(v[0], v[1], v[2]) : (gt_byte_form){0};
}

static gt_id read_samples(const gt_samples *samples, gt_sample_role role, int of, gt_arena *arena,
                          gt_graph *graph) {
  gt_tensor tensor = *gt_split_tensor(samples->split, role, of);
  if (role == GT_SAMPLE_INPUT)
    tensor.bits &=
        !one_hot_of(&samples->data->input[of]); /* tensor.bits is about the features, not the codes */
  return read_tensor(&tensor, samples->ring, graph, gt_samples_variable(samples, role, of, arena));
}

/* The features of a batch of stored values, [B, stored] or, for windows, [B, rows, stored]. */
static gt_id encode(const gt_samples *samples, int index, gt_arena *arena, gt_graph *graph, gt_id batch) {
  const gt_input *input = &samples->data->input[index];
  if (!one_hot_of(input) || batch == GT_NONE) return batch;
  gt_shape shape = gt_node_at(graph, batch)->shape;
  const gt_id features = read_variable(graph, variable_of(arena, "data.one_hot", input),
                                       gt_shape_2(2, input->table->features), GT_I32);
  const bool bits = gt_split_input(samples->split, index)->bits && !input->scaling.count;
  if (shape.rank == 2) return gt_one_hot(graph, batch, features, bits);
  const gt_id rows = gt_reshape(graph, batch, gt_shape_2(-1, input->table->stored));
  shape.dim[shape.rank - 1] = input->table->features;
  return gt_reshape(graph, gt_one_hot(graph, rows, features, bits), shape);
}

/* (value - center) * scale + shift, as gt_batch computes it. */
static gt_id scale_values(gt_graph *graph, gt_id batch, gt_id scaling) {
  if (scaling == GT_NONE || batch == GT_NONE) return batch;
  const gt_shape shape = gt_node_at(graph, batch)->shape;
  const int64_t period = gt_node_at(graph, scaling)->shape.dim[1];
  gt_id row[3];
  for (int i = 0; i < 3; i++) row[i] = gt_view(graph, scaling, i * period, gt_shape_2(1, period));
  const gt_id rows = gt_reshape(graph, batch, gt_shape_2(-1, period)),
              scaled = gt_mul(graph, gt_sub(graph, rows, row[0]), row[1]);
  return gt_reshape(graph, gt_add(graph, scaled, row[2]), shape);
}

/* The samples by class, for a balanced order of resident samples; otherwise GT_NONE. */
static gt_id read_members(gt_graph *graph, const gt_batch_attribute *attribute) {
  if (!attribute->classes || attribute->window) return GT_NONE;
  return read_variable(graph, GT_MEMBERS_VARIABLE, gt_shape_1(gt_batch_member_count(attribute)), GT_I32);
}

static gt_id draw_samples(gt_graph *graph, gt_id data, gt_id clock, gt_id scaling,
                          gt_batch_attribute attribute) {
  return gt_batch_balanced(graph, data, clock, scaling, read_members(graph, &attribute), attribute);
}

/* A batch of windows of a series, scaled. Windows are streamed, or cut from the rows on the device; the same
 * instructions scale both, so that results do not differ. */
static gt_id draw_series_windows(const gt_samples *samples, const gt_tensor *tensor, gt_arena *arena,
                                 gt_graph *graph, gt_id data, gt_id clock, gt_id scaling,
                                 gt_batch_attribute attribute) {
  if (samples->ring)
    return scale_values(graph, draw_samples(graph, data, clock, GT_NONE, attribute), scaling);
  const gt_id start = gt_samples_read(samples, GT_SAMPLE_START, 0, arena, graph, clock, attribute);
  return scale_values(graph, gt_slice_rows(graph, data, start, tensor->begin, tensor->dim[1]), scaling);
}

/* A batch of windows of a text. */
static gt_id draw_text_windows(gt_graph *graph, const gt_tensor *tensor, gt_id data, gt_id clock,
                               gt_batch_attribute attribute) {
  attribute.even = 0, attribute.bytes = (gt_byte_form){0};
  return gt_window(graph, data, clock, read_members(graph, &attribute),
                   (gt_window_attribute){attribute, tensor->dim[1], tensor->stride, tensor->begin});
}

gt_id gt_samples_read(const gt_samples *samples, gt_sample_role role, int of, gt_arena *arena,
                      gt_graph *graph, gt_id clock, gt_batch_attribute attribute) {
  const gt_tensor *tensor = gt_split_tensor(samples->split, role, of);
  if (!tensor->rank) return GT_NONE;
  if (gt_tensor_is_text(tensor))
    return draw_text_windows(graph, tensor, read_samples(samples, GT_SAMPLE_INPUT, 0, arena, graph), clock,
                             attribute);
  return draw_samples(graph, read_samples(samples, role, of, arena, graph), clock, GT_NONE, attribute);
}

bool gt_members_upload(const int32_t *members, const gt_batch_attribute *order, gt_buffers *buffers,
                       gt_error *error) {
  const uint64_t size = (uint64_t)gt_batch_member_count(order) * sizeof *members;
  return !members || gt_buffers_upload(buffers, GT_MEMBERS_VARIABLE, 0, members, size, error);
}

gt_id gt_crop_batch(const gt_input *input, gt_graph *graph, gt_id batch) {
  return input->crop[0] ? gt_center_crop(graph, batch, input->crop[0], input->crop[1]) : batch;
}

static gt_id draw_input(const gt_samples *samples, int index, gt_arena *arena, gt_graph *graph, gt_id clock,
                        gt_batch_attribute attribute) {
  const gt_input *input = &samples->data->input[index];
  const gt_tensor *tensor = gt_split_input(samples->split, index);
  const gt_id scaling = read_scaling(input, arena, graph),
              data = read_samples(samples, GT_SAMPLE_INPUT, index, arena, graph);
  if (gt_tensor_is_text(tensor)) return draw_text_windows(graph, tensor, data, clock, attribute);
  set_byte_forms(tensor, &input->scaling, &attribute);
  const gt_id batch =
      tensor->start ? draw_series_windows(samples, tensor, arena, graph, data, clock, scaling, attribute)
                    : draw_samples(graph, data, clock, scaling, attribute);
  return encode(samples, index, arena, graph, gt_crop_batch(input, graph, batch));
}

gt_model_inputs gt_samples_batch(const gt_samples *samples, gt_arena *arena, gt_graph *graph, gt_id clock,
                                 gt_batch_attribute attribute) {
  const int inputs = samples->data->inputs;
  gt_model_input *items = GT_NEW_N(arena, gt_model_input, inputs);
  for (int k = 0; k < inputs; k++) {
    const gt_input *input = &samples->data->input[k];
    const int64_t vocabulary = input->vocabulary ? input->vocabulary->size : 0;
    items[k] = (gt_model_input){.name = input->name,
                                .node = draw_input(samples, k, arena, graph, clock, attribute),
                                .limit = vocabulary ? vocabulary : gt_split_input(samples->split, k)->limit,
                                .vocabulary = vocabulary};
    const gt_id lengths = gt_samples_read(samples, GT_SAMPLE_LENGTH, k, arena, graph, clock, attribute);
    if (lengths != GT_NONE) items[k].lengths = gt_arena_copy(arena, &lengths, sizeof lengths);
  }
  return (gt_model_inputs){inputs, items};
}

gt_model_inputs gt_samples_augmented(const gt_samples *samples, gt_arena *arena, gt_graph *graph, gt_id clock,
                                     gt_batch_attribute attribute, const gt_augment_plan *plan,
                                     gt_id *draws) {
  gt_model_input *item = GT_NEW(arena, gt_model_input);
  gt_augment_rule rule = plan->rule;
  rule.batch = attribute.batch;
  *draws = gt_augment_draw(graph, clock, &rule);
  const gt_input *input = &samples->data->input[0];
  const gt_id scaling = read_scaling(input, arena, graph),
              plain = gt_samples_read(samples, GT_SAMPLE_INPUT, 0, arena, graph, clock, attribute);
  *item = (gt_model_input){.name = input->name,
                           .node = gt_augment(graph, gt_center_crop(graph, plain, rule.height, rule.width),
                                              *draws, scaling, &plan->look)};
  return (gt_model_inputs){1, item};
}

/* "data.target_scaling", or "data.target_scaling.NAME" if there are several targets. */
static const char *target_scaling_of(const gt_data_target *target, gt_arena *arena) {
  return gt_arena_printf(arena, "data.target_scaling%s%s", target->name ? "." : "",
                         target->name ? target->name : "");
}

gt_id gt_target_scaling_read(const gt_data_target *target, gt_arena *arena, gt_graph *graph) {
  return read_variable(graph, target_scaling_of(target, arena), gt_shape_2(2, target->scaling.count), GT_F32);
}

bool gt_tensor_upload(const gt_tensor *tensor, const char *variable, gt_buffers *buffers, gt_error *error) {
  return gt_buffers_upload(buffers, variable, 0, tensor->data, gt_tensor_bytes(tensor), error);
}

static bool upload_tensors(const gt_samples *samples, gt_arena *arena, gt_buffers *buffers, gt_error *error) {
  bool ok = true;
  for (int i = 0; i < samples->split->items && ok; i++) {
    const gt_split_item *item = &samples->split->item[i];
    const char *variable = gt_samples_variable(samples, item->role, item->of, arena);
    if (item->tensor.data && gt_buffers_find(buffers, variable))
      ok = gt_tensor_upload(&item->tensor, variable, buffers, error);
  }
  return ok;
}

bool gt_samples_upload(const gt_samples *samples, gt_buffers *buffers, gt_error *error) {
  gt_arena arena;
  gt_arena_init(&arena);
  bool ok = samples->ring || upload_tensors(samples, &arena, buffers, error);
  for (int k = 0; k < samples->data->inputs && ok; k++) {
    const gt_input *input = &samples->data->input[k];
    const uint64_t size = 3 * (uint64_t)input->scaling.count * sizeof(float);
    ok = (!size || gt_buffers_upload(buffers, variable_of(&arena, "data.scaling", input), 0,
                                     input->scaling.values, size, error)) &&
         (!one_hot_of(input) ||
          gt_buffers_upload(buffers, variable_of(&arena, "data.one_hot", input), 0, one_hot_of(input),
                            2 * (uint64_t)input->table->features * sizeof(int32_t), error));
  }
  for (int k = 0; k < samples->data->targets && ok; k++) {
    const gt_target_scaling *scaling = &samples->data->target[k].scaling;
    const char *variable = target_scaling_of(&samples->data->target[k], &arena);
    const uint64_t size = 2 * (uint64_t)scaling->count * sizeof(float);
    if (size && gt_buffers_find(buffers, variable))
      ok = gt_buffers_upload(buffers, variable, 0, scaling->values, size, error);
  }
  gt_arena_finish(&arena);
  return ok;
}
