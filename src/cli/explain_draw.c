#include "cli/explain_model.h"
#include "base/log.h"
#include "base/output.h"
#include "base/stream.h"
#include "base/text.h"
#include "kan/formula_text.h"
#include "kan/picture.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_NOTE_LENGTH = 72 /* of a formula under its drawing */, MAX_NAME_WIDTH = 8 /* of an input */ };

/* Numbers of nodes per layer: "[2, 5, 1]". */
static const char *shape_of(const gt_kan_network *network, gt_arena *arena) {
  const char *text = gt_arena_printf(arena, "[%d", gt_kan_network_inputs(network));
  for (int l = 0; l < network->layers; l++)
    text = gt_arena_printf(arena, "%s, %d", text, network->layer[l].outputs);
  return gt_arena_printf(arena, "%s]", text);
}

/* The split whose error is reported. */
static const gt_explained_split *reported_split(const gt_explained *e) {
  return e->test.samples ? &e->test : &e->train;
}

/* Short names of the inputs, as in formulas. */
static const char *const *names_of(const gt_explained *e, gt_arena *arena) {
  const int inputs = gt_kan_network_inputs(&e->network);
  const char *const *columns = gt_input_feature_names(&e->config.dataset.input[0]);
  const char **names = GT_NEW_N(arena, const char *, inputs);
  if (columns) columns = gt_formula_names(arena, columns, inputs);
  for (int i = 0; i < inputs; i++)
    names[i] = columns ? gt_text_prefix(arena, columns[i], MAX_NAME_WIDTH) : gt_arena_printf(arena, "x%d", i);
  return names;
}

static gt_panel panel_of(const gt_explained *e, gt_arena *arena) {
  return (gt_panel){.title = shape_of(&e->network, arena),
                    .error =
                        gt_arena_printf(arena, "rmse %.2g", gt_explained_network_error(e, reported_split(e))),
                    .network = &e->network,
                    .trace = &e->trace,
                    .scores = &e->scores,
                    .input = names_of(e, arena)};
}

static const char *note_of(const gt_explained *e, gt_arena *arena) {
  const char *text = gt_symbolic_text(&e->symbolic, 0, GT_FORMULA_PLAIN, arena);
  const bool more = gt_kan_network_outputs(&e->network) > 1;
  if (strlen(text) <= MAX_NOTE_LENGTH)
    return gt_arena_printf(arena, "%s = %s%s", more ? "y0" : "y", text, more ? ", ..." : "");
  return gt_arena_printf(arena, "%s = %.*s...", more ? "y0" : "y", (int)MAX_NOTE_LENGTH - 3, text);
}

/* Fills a panel for each network, and one for the formula of the last network. Returns their number. */
static int fill_panels(const gt_explained *models, int count, gt_panel *panel, gt_arena *arena) {
  const gt_explained *last = &models[count - 1];
  for (int i = 0; i < count; i++) panel[i] = panel_of(&models[i], arena);
  if (!last->has_formula) return count;
  panel[count] = panel[count - 1];
  double *low = GT_NEW_N(arena, double, last->symbolic.edges),
         *high = GT_NEW_N(arena, double, last->symbolic.edges);
  gt_symbolic_ranges(&last->symbolic, last->train.x, last->train.samples, low, high);
  panel[count].symbolic = &last->symbolic;
  panel[count].low = low;
  panel[count].high = high;
  panel[count].title = "as a formula";
  panel[count].error =
      gt_arena_printf(arena, "rmse %.2g", gt_explained_formula_error(last, reported_split(last)));
  panel[count].note = note_of(last, arena);
  return count + 1;
}

static bool write_svg(const gt_panels *panels, int width, int height, const char *path, gt_error *error) {
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  gt_draw_svg(gt_panels_draw, panels, width, height, stream);
  fclose(stream);
  const bool ok = gt_write_output(path, &(gt_span){text.items, text.count}, 1, error);
  free(text.items);
  return ok;
}

static bool write_png(const gt_panels *panels, int width, int height, const char *path, gt_error *error) {
  gt_picture picture = gt_draw_pixels(gt_panels_draw, panels, width, height);
  const bool ok = gt_png_write(path, &picture, error);
  gt_picture_finish(&picture);
  return ok;
}

bool gt_explained_draw(const gt_explained *models, int count, const char *svg, const char *png,
                       gt_error *error) {
  gt_arena arena;
  int width, height;
  if (!svg && !png) return true;
  gt_arena_init(&arena);
  gt_panel *panel = GT_NEW_N(&arena, gt_panel, count + 1);
  const gt_panels panels = {panel, fill_panels(models, count, panel, &arena)};
  const bool ok = gt_panels_size(&panels, &width, &height, error) &&
                  (!svg || write_svg(&panels, width, height, svg, error)) &&
                  (!png || write_png(&panels, width, height, png, error));
  gt_arena_finish(&arena);
  if (ok)
    gt_info("drawing written to %s%s%s", gt_output_name(svg ? svg : png), svg && png ? " and " : "",
            svg && png ? gt_output_name(png) : "");
  return ok;
}
