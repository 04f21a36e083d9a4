#include "layer/review.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const gt_sample_facts *gt_review_facts(const gt_build *build) {
  return build->review ? build->facts[0] : NULL;
}

/* True if the finding was reported at this position by a message that begins with `layer`, "layer 'NAME'". */
static bool is_reported(const gt_diagnostics *diagnostics, gt_finding finding, gt_position at,
                        const char *layer) {
  for (int i = 0; i < diagnostics->count; i++) {
    const gt_diagnostic *d = &diagnostics->items[i];
    if (d->finding == finding && d->at.line == at.line && d->at.column == at.column &&
        d->at.line_text == at.line_text && !strncmp(d->message, layer, strlen(layer)))
      return true;
  }
  return false;
}

static gt_diagnostic *add_finding(gt_build *build, gt_finding finding, gt_position at, const char *text) {
  const gt_review *review = build->review;
  const char *layer = gt_arena_printf(build->arena, "layer '%s'", build->name);
  if (!review || (review->phase > 1 && is_reported(build->diagnostics, finding, at, layer)))
    return GT_NEW(build->arena, gt_diagnostic);
  const char *where = review->phase > 1 ? gt_arena_printf(build->arena, " of phase %d", review->phase) : "";
  return gt_finding_at(build->diagnostics, finding, at, "%s%s %s", layer, where, text);
}

gt_diagnostic *gt_review_add_finding(gt_build *build, gt_finding finding, const char *key, const char *format,
                                     ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return add_finding(build, finding, gt_build_position(build, key), text);
}

void gt_review_norm(gt_build *build, int64_t values, bool over_batch, const char *help) {
  const gt_review *review = build->review;
  if (!review) return;
  const char *text = NULL;
  if (values == 1)
    text = "normalizes over one value, which is its own mean: its output is the same whatever the sample is";
  else if (over_batch && values / review->rows * review->last_rows == 1)
    text = "normalizes one value per channel in the last batch of an epoch, which has one sample: its output "
           "there is the same whatever the sample is";
  if (!text) return;
  const gt_position at =
      over_batch && review->rows_at.line ? review->rows_at : gt_build_position(build, NULL);
  add_finding(build, GT_FINDING_single_value_norm, at, text)->help = help;
}

void gt_review_order(gt_build *build, const char *key, const char *help) {
  if (!build->review || !build->review->next_tokens) return;
  gt_review_add_finding(
      build, GT_FINDING_looks_ahead, key,
      "sees later places of the text, and the target of each place is the token after it: the model can "
      "copy its targets")
      ->help = help;
}

void gt_review_bits(gt_build *build, const gt_id *input) {
  gt_review *review = build->review;
  if (!review || review->not_bits || gt_node_at(build->graph, input[0])->bits) return;
  review->not_bits = true;
  gt_review_add_finding(
      build, GT_FINDING_not_bits, NULL,
      "reads numbers other than 0 and 1 from %s: the results reported for the circuit are those of "
      "polynomials, which no circuit computes",
      gt_build_input_text(build, input, 0))
      ->help = "a layer `threshold: [0.5]` before it makes bits, with levels that suit the data";
}

bool gt_is_channels_first(gt_shape s) {
  return s.rank == 3 && (s.dim[0] == 1 || s.dim[0] == 3 || s.dim[0] == 4) && s.dim[1] == s.dim[2] &&
         s.dim[1] > s.dim[0] && s.dim[2] > 4;
}

const char *gt_channels_first_hint(gt_shape images) {
  gt_shape sample = {.rank = images.rank - 1};
  for (int d = 0; d < sample.rank; d++) sample.dim[d] = images.dim[d + 1];
  return gt_is_channels_first(sample) ? "; channels come last: [height, width, channels]" : "";
}

void gt_review_picture(gt_build *build, const gt_id *input) {
  const gt_sample_facts *facts = gt_review_facts(build);
  const gt_shape x = gt_node_at(build->graph, input[0])->shape;
  if (!facts || x.rank != 4 || !gt_is_channels_first(facts->sample)) return;
  for (int d = 0; d < 3; d++)
    if (x.dim[d + 1] != facts->sample.dim[d]) return; /* an earlier layer has permuted the axes */
  gt_review_add_finding(build, GT_FINDING_channels_first, NULL,
                        "reads the data's [%lld, %lld, %lld] as %lld row%s, %lld columns and %lld channels",
                        (long long)x.dim[1], (long long)x.dim[2], (long long)x.dim[3], (long long)x.dim[1],
                        x.dim[1] == 1 ? "" : "s", (long long)x.dim[2], (long long)x.dim[3])
      ->help = "if channels come first in the data, a first layer `permute: [2, 3, 1]` puts them last";
}
