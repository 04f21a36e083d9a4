/* Pruning of a KAN: `prune:` of a phase removes, at its start, nodes and edges that contribute little to the
 * output (kan/scores.h).
 *    phases:
 *      - steps: 200
 *      - {steps: 200, prune: {node: 1.0e-2, edge: 3.0e-2}}
 * This phase and later ones have narrower layers: `units:` in their configs, and in the final model, are the
 * widths after pruning. A resumed run finds these widths from the shapes of the masks in its checkpoint. */
#include "base/text.h"
#include "kan/prune.h"
#include "model/model.h"
#include "train/config/change.h"
#include "train/config/config.h"
#include "train/run/sink.h"
#include <stdlib.h>
#include <string.h>

extern const gt_change_type gt_change_prune;

enum { MAX_SAMPLES = 2000 }; /* limit of the training samples by which edges are scored */

typedef struct prune_settings {
  double node, edge;
  int64_t nodes;
} prune_settings;

static const gt_field fields[] = {
    GT_ROW(prune_settings, node, GT_FIELD_FLOAT, .fallback = "1e-2", .min = 0, .max = 1e9,
           .help = "remove hidden nodes whose strongest incoming or outgoing edge scores at most this"),
    GT_ROW(prune_settings, edge, GT_FIELD_FLOAT, .fallback = "3e-2", .min = 0, .max = 1e9,
           .help = "remove edges that score at most this"),
    GT_ROW(prune_settings, nodes, GT_FIELD_INT, .fallback = "0", .min = 0, .max = INT32_MAX,
           .help = "keep at most this many nodes per hidden layer, the best ones; 0: no limit"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "prune", .help = "pruning of a KAN at the start of a phase", .fields = fields};

static const void *read(const gt_config *phase, const gt_spec *node, const gt_model *model, gt_arena *arena,
                        gt_diagnostics *diagnostics) {
  (void)phase;
  prune_settings *settings = GT_NEW(arena, prune_settings);
  if (!gt_schema_read(&schema, settings, NULL, NULL, node, node->at, "in 'prune'", arena, diagnostics))
    return NULL;
  for (int i = 0; i < model->layers; i++) {
    const char *type = model->layer[i].type->name;
    if (!strcmp(type, "kan")) continue;
    gt_error_at(diagnostics, node->at, "'prune' needs a model of KAN layers: layer '%s' is of type '%s'",
                model->layer[i].name, type);
    break; /* one error is enough */
  }
  return settings;
}

/* Sets the widths in the configs of phases from `first` on. */
static bool prune_phases(gt_config *base, int64_t first, const int *widths, int layers,
                         const gt_kan_edge_functions *functions, gt_arena *arena, gt_error *error) {
  for (int64_t p = first; p < base->phases; p++) {
    gt_config *phase = &base->phase[p];
    if (!gt_kan_prune_config(arena, phase->root, widths, layers, functions, &phase->diagnostics))
      return gt_fail(error, GT_ERR_CONFIG, "%s", phase->diagnostics.items[0].message);
    phase->resolved = gt_config_resolve(phase, arena);
  }
  return true;
}

static void report(const gt_change_run *run, const gt_kan_network *network, const gt_kan_scores *scores,
                   const gt_kan_kept *kept) {
  for (int l = 0; l < network->layers; l++) {
    const gt_kan_layer *layer = &network->layer[l];
    gt_list nodes = gt_list_open(run->arena, 16);
    for (int o = 0; o < layer->outputs; o++)
      gt_list_add(&nodes, "%.3g%s", scores->node[l + 1][o], kept->node[l + 1][o] ? "" : " (removed)");
    gt_sinks_message(run->sinks, "pruned '%s': kept %d of %d nodes and %d of %d edges; node scores %s",
                     layer->name, gt_kan_kept_nodes(kept, network, l), layer->outputs,
                     gt_kan_kept_edges(kept, network, l), layer->inputs * layer->outputs,
                     gt_list_text(&nodes, ", …"));
  }
}

/* Scores the network on samples of the training data and chooses what to keep. */
static bool choose_kept(const gt_change_run *run, const gt_kan_network *network, const prune_settings *limits,
                        gt_kan_kept *kept, gt_error *error) {
  const gt_dataset *data = &run->config->dataset;
  gt_kan_trace trace;
  gt_kan_scores scores;
  int64_t samples;
  double *x = gt_kan_samples(&data->input[0], true, gt_train_input(data, 0), gt_kan_network_inputs(network),
                             MAX_SAMPLES, &samples, error);
  if (!x) return false;
  gt_kan_trace_run(&trace, network, x, samples);
  gt_kan_scores_find(&scores, network, &trace);
  gt_kan_choose_kept(kept, network, &scores, (gt_kan_limits){limits->node, limits->edge, (int)limits->nodes});
  report(run, network, &scores, kept);
  gt_kan_scores_finish(&scores);
  gt_kan_trace_finish(&trace);
  free(x);
  return true;
}

/* Replaces the values by those of a narrower model, built from a copy of the config of the phase that has
 * ended. */
static bool prune_values(const gt_change_run *run, const gt_kan_network *network, const gt_kan_kept *kept,
                         const int *widths, const gt_kan_edge_functions *functions, gt_state_dict *values,
                         gt_error *error) {
  gt_arena *arena = run->generation;
  gt_config pruned = *run->config;
  pruned.root = gt_spec_copy(arena, run->config->root);
  gt_diagnostics_init(&pruned.diagnostics, arena);
  const gt_model *model =
      gt_kan_prune_config(arena, pruned.root, widths, network->layers, functions, &pruned.diagnostics)
          ? gt_config_build_model(&pruned, arena, &pruned.diagnostics)
          : NULL;
  if (!model)
    return gt_fail(error, GT_ERR_CONFIG, "the network cannot be pruned: %s",
                   pruned.diagnostics.items[0].message);
  gt_state_dict dict;
  gt_kan_prune_state_dict(&dict, model->store, values, network, kept, functions, run->draw);
  gt_state_dict_finish(values);
  *values = dict;
  return true;
}

static bool apply(const gt_change_run *run, const void *settings, gt_state_dict *values, gt_error *error) {
  gt_kan_network network;
  gt_kan_kept kept = {0};
  if (!gt_kan_network_read(&network, run->model, values, run->base->path, error)) return false;
  int *widths = gt_arena_alloc_n(run->generation, (size_t)network.layers, sizeof *widths);
  bool ok = choose_kept(run, &network, settings, &kept, error);
  gt_kan_edge_functions *functions =
      gt_arena_alloc_n(run->generation, (size_t)network.layers, sizeof *functions);
  for (int l = 0; ok && l < network.layers; l++) {
    widths[l] = gt_kan_kept_nodes(&kept, &network, l);
    functions[l] = gt_kan_edge_functions_of(run->generation, &network, l, &kept);
  }
  ok = ok && prune_values(run, &network, &kept, widths, functions, values, error) &&
       prune_phases(run->base, run->next, widths, network.layers, functions, run->arena, error);
  gt_kan_kept_finish(&kept);
  gt_kan_network_finish(&network);
  return ok;
}

/* Finds the widths from the shapes of the masks in the checkpoint. */
static bool resume(gt_config *base, int64_t checkpoint_phase, const gt_container *checkpoint,
                   const char *path, gt_arena *arena, gt_error *error) {
  (void)path;
  const int64_t first = gt_change_last(base, checkpoint_phase, &gt_change_prune);
  if (first < 0) return true;
  gt_config *phase = &base->phase[first];
  const gt_model *model = gt_config_build_model(phase, arena, &phase->diagnostics);
  if (!model) return gt_fail(error, GT_ERR_CONFIG, "%s", phase->diagnostics.items[0].message);
  int *widths = gt_arena_alloc_n(arena, (size_t)model->layers, sizeof *widths);
  for (int l = 0; l < model->layers; l++) {
    const gt_stored *mask =
        gt_container_tensor(checkpoint, gt_arena_printf(arena, "%s.mask", model->layer[l].name));
    if (!mask || mask->shape.rank != 4)
      return gt_fail(error, GT_ERR_DATA,
                     "the checkpoint is from a phase that prunes, but has no mask for '%s'",
                     model->layer[l].name);
    widths[l] = (int)mask->shape.dim[3];
  }
  return prune_phases(base, first, widths, model->layers, NULL, arena, error);
}

GT_DEFINE(change, prune) = {.name = "prune",
                            .backup_file = "unpruned.bin",
                            .too_early = "the first phase cannot prune: nothing has been trained yet",
                            .schema = &schema,
                            .read = read,
                            .apply = apply,
                            .resume = resume};
