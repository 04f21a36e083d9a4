#include "train/prune.h"
#include "kan/narrow.h"
#include "model/model.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 2000 };

static const gt_field fields[] = {
    GT_ROW(gt_prune_config, node, GT_FIELD_FLOAT, .fallback = "1e-2", .min = 0, .max = 1e9,
           .help = "remove hidden nodes whose strongest incoming or outgoing edge scores at most this"),
    GT_ROW(gt_prune_config, edge, GT_FIELD_FLOAT, .fallback = "3e-2", .min = 0, .max = 1e9,
           .help = "remove edges that score at most this"),
    GT_ROW(gt_prune_config, nodes, GT_FIELD_INT, .fallback = "0", .min = 0, .max = INT32_MAX,
           .help = "keep at most this many nodes per hidden layer, the best ones; 0: no limit"),
    {.name = NULL},
};
const gt_schema gt_prune_schema = {
    .name = "prune", .help = "pruning of a KAN at the start of a phase", .fields = fields};

void gt_prune_read(gt_config *phase, gt_arena *arena, const gt_spec *node, const gt_model *model,
                   gt_diagnostics *diagnostics) {
  if (!gt_schema_read(&gt_prune_schema, &phase->prune, NULL, NULL, node, node->at, "in 'prune'", arena,
                      diagnostics))
    return;
  phase->prunes = true;
  for (int i = 0; i < model->layers; i++)
    if (strcmp(model->layer[i].type->name, "kan"))
      gt_error_at(diagnostics, node->at, "layer '%s' is no KAN layer: only these are pruned",
                  model->layer[i].name);
}

/* The configs of phases `first` on. */
static bool narrow_phases(gt_run *run, int64_t first, const int *widths, int layers,
                          const gt_kan_snapping *snapping, gt_error *error) {
  for (int64_t p = first; p < run->base->phases; p++) {
    gt_config *phase = &run->base->phase[p];
    gt_arena *arena = &run->session.arena;
    if (!gt_kan_narrow_config(arena, phase->root, widths, layers, snapping, &phase->diagnostics))
      return gt_fail(error, GT_ERR_CONFIG, "%s", phase->diagnostics.items[0].message);
    phase->resolved = gt_config_resolve(phase, arena);
  }
  return true;
}

static void report(gt_run *run, const gt_kan_network *network, const gt_kan_scores *scores,
                   const gt_kan_kept *kept) {
  for (int l = 0; l < network->layers; l++) {
    const gt_kan_layer *layer = &network->layer[l];
    const char *nodes = "";
    for (int o = 0; o < layer->outputs && o < 16; o++)
      nodes = gt_arena_printf(&run->session.arena, "%s%s%.3g%s", nodes, o ? ", " : "", scores->node[l + 1][o],
                              kept->node[l + 1][o] ? "" : " (goes)");
    gt_sinks_say(&run->sinks, "pruned '%s': %d of %d nodes and %d of %d edges stay; its nodes score %s%s",
                 layer->name, gt_kan_kept_nodes(kept, network, l), layer->outputs,
                 gt_kan_kept_edges(kept, network, l), layer->inputs * layer->outputs, nodes,
                 layer->outputs > 16 ? ", …" : "");
  }
}

/* What samples of the training data tell of the network, and what stays. */
static bool choose(gt_run *run, const gt_kan_network *network, const gt_prune_config *limits,
                   gt_kan_kept *kept, gt_error *error) {
  const gt_dataset *data = &run->config->dataset;
  gt_kan_trace trace;
  gt_kan_scores scores;
  int64_t samples;
  double *x = gt_kan_samples(&data->input[0], &data->train.input[0], gt_kan_network_inputs(network),
                             MOST_SAMPLES, &samples, error);
  if (!x) return false;
  gt_kan_trace_run(&trace, network, x, samples);
  gt_kan_scores_find(&scores, network, &trace);
  gt_kan_choose(kept, network, &scores, (gt_kan_limits){limits->node, limits->edge, (int)limits->nodes});
  report(run, network, &scores, kept);
  gt_kan_scores_finish(&scores);
  gt_kan_trace_finish(&trace);
  free(x);
  return true;
}

/* The values in a model of the phase that is over, but for its widths. */
static bool narrow_values(gt_run *run, const gt_kan_network *network, const gt_kan_kept *kept,
                          const int *widths, const gt_kan_snapping *snapping, gt_image *held,
                          gt_error *error) {
  gt_arena *arena = &run->generation;
  gt_config narrow = *run->config;
  narrow.root = gt_spec_copy(arena, run->config->root);
  gt_diagnostics_init(&narrow.diagnostics, arena);
  const gt_model *model =
      gt_kan_narrow_config(arena, narrow.root, widths, network->layers, snapping, &narrow.diagnostics)
          ? gt_config_build_model(&narrow, arena, &narrow.diagnostics)
          : NULL;
  if (!model)
    return gt_fail(error, GT_ERR_CONFIG, "cannot be pruned: %s", narrow.diagnostics.items[0].message);
  gt_image image;
  gt_kan_narrow_image(&image, model->store, held, network, kept, snapping, run->state.draw);
  gt_image_finish(held);
  *held = image;
  return true;
}

bool gt_prune(gt_run *run, gt_image *held, gt_error *error) {
  const int64_t next = run->state.phase + 1;
  gt_kan_network network;
  gt_kan_kept kept = {0};
  if (!gt_run_keep_weights(run, "unpruned.bin", (gt_model_results){0}, error) ||
      !gt_kan_network_read(&network, run->net->model, held, run->base->path, error))
    return false;
  int *widths = gt_arena_alloc_n(&run->generation, (size_t)network.layers, sizeof *widths);
  bool ok = choose(run, &network, &run->base->phase[next].prune, &kept, error);
  gt_kan_snapping *snapping = gt_arena_alloc_n(&run->generation, (size_t)network.layers, sizeof *snapping);
  for (int l = 0; ok && l < network.layers; l++) {
    widths[l] = gt_kan_kept_nodes(&kept, &network, l);
    snapping[l] = gt_kan_snapping_of(&run->generation, &network, l, &kept);
  }
  ok = ok && narrow_values(run, &network, &kept, widths, snapping, held, error) &&
       narrow_phases(run, next, widths, network.layers, snapping, error);
  gt_kan_kept_finish(&kept);
  gt_kan_network_finish(&network);
  return ok;
}

bool gt_prune_resume(gt_run *run, const gt_container *checkpoint, gt_error *error) {
  const gt_config *base = run->base;
  int64_t first = run->state.phase < base->phases ? run->state.phase : base->phases - 1;
  while (first >= 0 && !base->phase[first].prunes) first--;
  if (first < 0) return true;
  gt_config *phase = &base->phase[first];
  gt_arena *arena = &run->session.arena;
  const gt_model *model = gt_config_build_model(phase, arena, &phase->diagnostics);
  if (!model) return gt_fail(error, GT_ERR_CONFIG, "%s", phase->diagnostics.items[0].message);
  int *widths = gt_arena_alloc_n(arena, (size_t)model->layers, sizeof *widths);
  for (int l = 0; l < model->layers; l++) {
    const gt_stored *mask =
        gt_container_tensor(checkpoint, gt_arena_printf(arena, "%s.mask", model->layer[l].name));
    if (!mask || mask->shape.rank != 4)
      return gt_fail(error, GT_ERR_DATA, "the checkpoint is of a phase that prunes, and has no mask of '%s'",
                     model->layer[l].name);
    widths[l] = (int)mask->shape.dim[3];
  }
  return narrow_phases(run, first, widths, model->layers, NULL, error);
}
