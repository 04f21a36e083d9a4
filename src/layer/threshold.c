/* threshold: converts numbers to bits, one per level: 1 if the value is above the level. With several levels,
 * the bits of a value are adjacent on the last axis, so they are bit planes of an image with channels
 * last. */
#include "base/order.h"
#include "base/text.h"
#include "layer/layer.h"
#include "layer/review.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <stdlib.h>

enum { MAX_LEVELS = 1024, MAX_SHOWN = 4 /* levels in a message */ };

typedef struct threshold_config {
  gt_floats levels;
} threshold_config;

static const gt_field fields[] = {
    GT_ROW(threshold_config, levels, GT_FIELD_FLOATS,
           .help = "one output bit per level: 1 if the value is above it", .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};

/* Warns of levels outside the values of the training samples: their bits are always the same. */
static void review_levels(gt_build *build, const threshold_config *c) {
  const gt_sample_facts *facts = gt_review_facts(build);
  double low, high;
  gt_list outside = gt_list_open(build->arena, MAX_SHOWN);
  if (!facts || !facts->range(facts, &low, &high)) return;
  for (int i = 0; i < c->levels.count; i++) {
    const double level = (double)(float)c->levels.items[i];
    if (!(level >= low && level < high)) gt_list_add(&outside, "%g", c->levels.items[i]);
  }
  if (!outside.count) return;
  const bool all = outside.count == c->levels.count;
  gt_diagnostic *item = gt_review_add_finding(
      build, GT_FINDING_no_effect, "levels",
      "compares values that go from %.4g to %.4g in the training samples with the level%s %s: %s bits never change",
      low, high, outside.count == 1 ? "" : "s", gt_list_text(&outside, ", …"),
      all                  ? "its"
      : outside.count == 1 ? "this level's"
                           : "these levels'");
  item->help = gt_arena_printf(
      build->arena, "levels between %.4g and %.4g: values are compared after data.normalize", low, high);
  if (all) item->reason = item->message;
}

/* Warns of two levels within the range of the training samples with no value between them: their bits are
 * always equal. */
static void review_equal_bits(gt_build *build, const threshold_config *c) {
  const gt_sample_facts *facts = gt_review_facts(build);
  double low, high;
  if (!facts || !facts->range(facts, &low, &high)) return;
  double *level = GT_NEW_N(build->arena, double, c->levels.count);
  bool *used = GT_NEW_N(build->arena, bool, c->levels.count);
  int count = 0, equal = 0, first = 0;
  for (int i = 0; i < c->levels.count; i++) {
    const double x = (double)(float)c->levels.items[i];
    if (x >= low && x < high) level[count++] = x; /* others: review_levels */
  }
  qsort(level, (size_t)count, sizeof *level, gt_order_doubles);
  facts->separate(facts, level, count, used);
  for (int k = count - 1; k > 0; k--)
    if (!used[k]) first = k, equal++;
  if (!equal) return;
  gt_review_add_finding(
      build, GT_FINDING_no_effect, "levels",
      "has levels between which no value of the training samples lies, so that their bits are "
      "always equal: %.4g and %.4g%s",
      level[first - 1], level[first],
      equal > 1 ? gt_arena_printf(build->arena, ", and %d more pair%s", equal - 1, equal == 2 ? "" : "s")
                : "")
      ->help = gt_arena_printf(build->arena,
                               "levels with values between them: values go from %.4g to %.4g after "
                               "data.normalize",
                               low, high);
}

static gt_id build_threshold(gt_build *build, const void *config, const gt_id *input) {
  const threshold_config *c = config;
  gt_graph *graph = build->graph;
  gt_id bits[MAX_LEVELS];
  gt_shape shape = gt_node_at(graph, input[0])->shape;
  if (!c->levels.count || c->levels.count > MAX_LEVELS)
    return gt_build_error(build, "levels", "needs 1 to %d levels, not %d", MAX_LEVELS, c->levels.count);
  if (shape.rank < 2 || shape.rank == GT_MAX_RANK)
    return gt_build_error(build, NULL, "cannot read %s", gt_build_input_text(build, input, 0));
  review_levels(build, c);
  review_equal_bits(build, c);
  for (int i = 0; i < c->levels.count; i++)
    bits[i] = gt_less(graph, gt_constant(graph, c->levels.items[i]), input[0]);
  if (c->levels.count == 1) return bits[0];
  gt_shape with_level_axis = shape;
  with_level_axis.dim[with_level_axis.rank++] = 1;
  for (int i = 0; i < c->levels.count; i++) bits[i] = gt_reshape(graph, bits[i], with_level_axis);
  shape.dim[shape.rank - 1] *= c->levels.count;
  return gt_reshape(graph, gt_concatenate(graph, bits, c->levels.count, -1), shape);
}

GT_DEFINE(layer, threshold) = {.name = "threshold",
                               .help = "bits of values: 1 if above a level, one bit per level",
                               .schema = GT_SCHEMA("threshold", "bits of values", fields, "levels"),
                               .config_size = sizeof(threshold_config),
                               .family = GT_LAYER_GATES,
                               .build = build_threshold};
