/* Symbolic fit: `symbolic:` of a phase replaces, at its start, edges of a KAN by functions
 * (kan/symbolic_edges.h) whose constants this phase and later ones train.
 *    phases:
 *      - steps: 200
 *      - {steps: 200, symbolic: {edges: auto, minimum_r2: 0.99}}
 * The chosen functions are then listed in `symbolic:` of the layers' settings: in the configs of these
 * phases, in the final model, and in a note of checkpoints. */
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "kan/symbolic_edges.h"
#include "model/model.h"
#include "train/config/change.h"
#include "train/config/config.h"
#include "train/run/sink.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SAMPLES = 2000, MAX_REPORTED = 16 }; /* limits: training samples for the fit; edges in a message */

/* --- reading --- */

typedef struct symbolic_settings {
  double minimum_r2, weight_simple;
  gt_strings library;
  const gt_spec *edges;
  bool together;
  const bool *allowed; /* functions of the library */
  const gt_symbolic_edges_request *request;
  int requests;
} symbolic_settings;

static const gt_field fields[] = {
    GT_ROW(symbolic_settings, edges, GT_FIELD_NODE, .definition = "plain",
           .help = "edges to replace: auto (all edges), or a list of [layer, input, output] or, "
                   "regardless of R2, [layer, input, output, function] (default: auto)"),
    GT_ROW(symbolic_settings, minimum_r2, GT_FIELD_FLOAT, .fallback = "0.99", .min = 0, .max = 1,
           .help = "keep an edge unless a function explains this fraction of its variance (R2)"),
    GT_ROW(symbolic_settings, library, GT_FIELD_STRINGS,
           .help = "functions to choose from (default: all that `gtrain explain --help` lists)"),
    GT_ROW(symbolic_settings, weight_simple, GT_FIELD_FLOAT, .fallback = "0.5", .min = 0, .max = 1,
           .help = "weight w of simplicity: among functions that explain enough, minimize w * "
                   "complexity + (1 - w) * log2(1 - R2)"),
    GT_ROW(symbolic_settings, together, GT_FIELD_BOOL, .fallback = "false",
           .help = "choose the functions jointly, by the error on the samples, as `gtrain explain` "
                   "does (at most 200 edges)"),
    {.name = NULL},
};
static const gt_schema schema = {.name = "symbolic",
                                 .help = "replacement of KAN edges by symbolic functions at the start of a "
                                         "phase",
                                 .fields = fields,
                                 .shorthand = "edges"};

static void report_unknown_function(gt_diagnostics *diagnostics, gt_position at, const char *name) {
  gt_diagnostic *d = gt_error_at(diagnostics, at, "there is no function '%s' in the library", name);
  d->expected = gt_arena_printf(diagnostics->arena, "one of %s", gt_symbol_names(diagnostics->arena));
  d->suggestion = gt_symbol_nearest(name);
}

static const bool *read_library(const gt_strings *library, gt_arena *arena, gt_diagnostics *diagnostics) {
  bool *allowed = GT_NEW_N(arena, bool, gt_symbol_count());
  for (int i = 0; i < gt_symbol_count(); i++) {
    allowed[i] = !library->count;
    for (int k = 0; k < library->count; k++) allowed[i] |= !strcmp(library->items[k], gt_symbol_at(i)->name);
  }
  for (int k = 0; k < library->count; k++)
    if (!gt_symbol_find(library->items[k]))
      report_unknown_function(diagnostics, library->at[k], library->items[k]);
  return allowed;
}

/* Reads one edge. Indices are checked against the widths in the config; pruning in an earlier phase may make
 * the network narrower. */
static bool read_edge(const gt_spec *item, const gt_model *model, gt_symbolic_edges_request *request,
                      gt_diagnostics *diagnostics) {
  static const char expected[] = "[layer, input, output] or [layer, input, output, function], such as "
                                 "[kan1, 0, 0, sin]";
  int64_t from, to;
  if (item->kind != GT_SPEC_SEQUENCE || item->count < 3 || item->count > 4 ||
      item->child[0]->kind != GT_SPEC_SCALAR || !gt_spec_int(item->child[1], &from) ||
      !gt_spec_int(item->child[2], &to))
    return gt_refuse(diagnostics, item->at, expected, "this is not an edge");
  const char **names = GT_NEW_N(diagnostics->arena, const char *, model->layers);
  /* request->layer becomes the index of the layer with this name, or model->layers if there is none. */
  for (int l = request->layer = 0; l < model->layers; l++) {
    names[l] = model->layer[l].name;
    if (strcmp(names[l], item->child[0]->scalar)) request->layer += request->layer == l;
  }
  if (request->layer == model->layers) {
    gt_error_at(diagnostics, item->child[0]->at, "there is no layer '%s'", item->child[0]->scalar)
        ->suggestion = gt_nearest(item->child[0]->scalar, names, (size_t)model->layers);
    return false;
  }
  const char *name = gt_arena_printf(diagnostics->arena, "%s.coefficients", names[request->layer]);
  const gt_shape shape = gt_store_find(model->store, name)->shape;
  const int64_t inputs = shape.dim[0] * shape.dim[2], outputs = shape.dim[3];
  if (from < 0 || from >= inputs)
    gt_refuse(diagnostics, item->child[1]->at,
              gt_arena_printf(diagnostics->arena, "a number from 0 to %lld", (long long)inputs - 1),
              "the layer has no such input");
  if (to < 0 || to >= outputs)
    gt_refuse(diagnostics, item->child[2]->at,
              gt_arena_printf(diagnostics->arena, "a number from 0 to %lld", (long long)outputs - 1),
              "the layer has no such output");
  request->from = (int)from;
  request->to = (int)to;
  return true;
}

static void read_edges(symbolic_settings *settings, gt_arena *arena, const gt_model *model,
                       gt_diagnostics *diagnostics) {
  const gt_spec *edges = settings->edges;
  if (gt_spec_is_null(edges)) return;
  if (edges->kind == GT_SPEC_SCALAR && !strcmp(edges->scalar, "auto")) return;
  if (edges->kind != GT_SPEC_SEQUENCE || !edges->count) {
    gt_refuse(diagnostics, edges->at, "auto, or a list such as [[kan1, 0, 0], [kan1, 1, 0, sin]]",
              "this is not a list of edges");
    return;
  }
  gt_symbolic_edges_request *request = GT_NEW_N(arena, gt_symbolic_edges_request, edges->count);
  for (int e = 0; e < edges->count; e++) {
    const gt_spec *item = edges->child[e];
    if (!read_edge(item, model, &request[e], diagnostics) || item->count < 4) continue;
    const char *name = item->child[3]->kind == GT_SPEC_SCALAR ? item->child[3]->scalar : "";
    request[e].symbol = gt_symbol_find(name);
    if (!request[e].symbol) report_unknown_function(diagnostics, item->child[3]->at, name);
  }
  settings->request = request;
  settings->requests = edges->count;
}

static const void *read(const gt_config *phase, const gt_spec *node, const gt_model *model, gt_arena *arena,
                        gt_diagnostics *diagnostics) {
  const int errors = diagnostics->errors;
  for (int l = 0; l < model->layers; l++) {
    const char *obstacle = gt_kan_network_obstacle(model, l);
    const char *type = model->layer[l].type->name;
    if (strcmp(type, "kan"))
      gt_error_at(diagnostics, node->at, "'symbolic' needs a model of KAN layers: layer '%s' is of type '%s'",
                  model->layer[l].name, type);
    else if (obstacle)
      gt_error_at(diagnostics, node->at, "the edges cannot become functions: layer '%s' (%s) %s",
                  model->layer[l].name, type, obstacle);
    else if (!gt_kan_settings(arena, phase->root, l, model->layers))
      gt_error_at(diagnostics, node->at,
                  "'symbolic' needs a model that lists every KAN layer as an entry of its own");
    if (diagnostics->errors > errors) return NULL;
  }
  symbolic_settings *settings = GT_NEW(arena, symbolic_settings);
  if (!gt_schema_read(&schema, settings, NULL, NULL, node, node->at, "in 'symbolic'", arena, diagnostics))
    return NULL;
  settings->allowed = read_library(&settings->library, arena, diagnostics);
  read_edges(settings, arena, model, diagnostics);
  return settings;
}

/* --- fit --- */

/* "R² 0.82", or if little is missing "1 - R² 2e-08" */
static const char *fit_text(gt_arena *arena, const gt_edge_fit *fit) {
  return fit->r2 < 0.995 ? gt_arena_printf(arena, "R² %.2g", fit->r2)
                         : gt_arena_printf(arena, "1 - R² %.2g", 1 - fit->r2);
}

/* "kan1: 2 of 3 edges replaced by functions: 0 -> 0 is sin (1 - R² 2e-08), 1 -> 0 is x^2 (1 - R² 5e-09)" and
 * "no function fits 1 of 3 edges of kan1 (best: sigmoid, R² 0.82); splines kept" */
static void report_layer(const gt_change_run *run, const gt_kan_layer *layer, const gt_edge_fit *tried) {
  gt_arena *arena = run->arena;
  const gt_edge_fit *best = NULL; /* of the splines that are kept */
  gt_list functions = gt_list_open(arena, MAX_REPORTED);
  int edges = 0, symbolic = 0, kept = 0;
  for (int e = 0; e < layer->inputs * layer->outputs; e++) {
    const int from = e / layer->outputs, to = e % layer->outputs;
    const bool is_function = gt_kan_edge_function(layer, from, to) != NULL;
    edges += layer->edge[e];
    symbolic += is_function;
    if (!tried[e].symbol) continue;
    kept += !is_function;
    if (!is_function && isfinite(tried[e].r2) && (!best || tried[e].r2 > best->r2)) best = &tried[e];
    if (is_function)
      gt_list_add(&functions, "%d -> %d is %s (%s)", from, to, tried[e].symbol->name,
                  fit_text(arena, &tried[e]));
  }
  if (symbolic || !kept)
    gt_sinks_message(run->sinks, "%s: %d of %d edges replaced by functions%s%s", layer->name, symbolic, edges,
                     functions.count ? ": " : "", gt_list_text(&functions, ", …"));
  if (kept)
    gt_sinks_message(
        run->sinks, "no function fits %d of %d edges of %s%s; splines kept", kept, edges, layer->name,
        best ? gt_arena_printf(arena, " (best: %s, %s)", best->symbol->name, fit_text(arena, best)) : "");
}

static void warn_of_pruned_edges(const gt_kan_network *network, const symbolic_settings *settings) {
  for (int w = 0; w < settings->requests; w++) {
    const gt_symbolic_edges_request *request = &settings->request[w];
    const gt_kan_layer *l = &network->layer[request->layer];
    const bool exists = request->from < l->inputs && request->to < l->outputs;
    if (!exists || !l->edge[request->from * l->outputs + request->to])
      gt_warn("edge %d -> %d of '%s' has been pruned and cannot become a function", request->from,
              request->to, l->name);
  }
}

/* Chooses the functions of all edges jointly. If this is impossible, it warns; the functions are then chosen
 * edge by edge. They are fitted to the targets, or to the network's outputs if the loss does not train these
 * to equal the targets. scaled: the inputs of the trace, [samples, inputs]. */
static bool choose_together(const gt_change_run *run, gt_kan_network *network, const gt_kan_trace *trace,
                            const double *scaled, gt_symbolic_edges_options *options, gt_error *error) {
  const gt_dataset *data = &run->config->dataset;
  const int inputs = gt_kan_network_inputs(network), outputs = gt_kan_network_outputs(network);
  const gt_tensor *targets = gt_train_target(data, 0);
  const bool to_targets =
      gt_loss_regresses_targets(run->config->loss[0]) && gt_tensor_features(targets) == outputs;
  int64_t samples = trace->samples;
  gt_error why = {0};
  double *x =
      gt_kan_samples(&data->input[0], false, gt_train_input(data, 0), inputs, MAX_SAMPLES, &samples, error);
  double *y = !x           ? NULL
              : to_targets ? gt_kan_samples(NULL, false, targets, outputs, MAX_SAMPLES, &samples, error)
                           : gt_alloc((size_t)(samples * outputs) * sizeof *y + 1);
  for (int64_t k = 0; y && k < samples * outputs; k++)
    y[k] = to_targets ? gt_target_scaled(&data->target[0].scaling, k % outputs, y[k])
                      : trace->node[network->layers][k % outputs * samples + k / outputs];
  if (y) {
    gt_symbolic_data all = gt_symbolic_data_of(x, y, samples, inputs, outputs);
    all.names = gt_input_feature_names(&data->input[0]);
    if (!to_targets) gt_symbolic_set_fits_network(&all);
    if (!gt_kan_choose_functions_jointly(network, scaled, &all, options, &network->arena, &why))
      gt_warn("functions are chosen edge by edge: %s", why.message);
  }
  const bool ok = y != NULL;
  free(x);
  free(y);
  return ok;
}

/* Fits functions to the edges on samples of the training data, and chooses which edges become functions. */
static bool choose_functions(const gt_change_run *run, gt_kan_network *network,
                             const symbolic_settings *settings, gt_error *error) {
  const gt_dataset *data = &run->config->dataset;
  gt_symbolic_edges_options options = {settings->minimum_r2, settings->weight_simple,
                                       settings->allowed,    settings->request,
                                       settings->requests,   (int)run->config->train.threads};
  gt_edge_fit **tried = GT_NEW_N(&network->arena, gt_edge_fit *, network->layers);
  gt_kan_trace trace;
  int64_t samples;
  double *x = gt_kan_samples(&data->input[0], true, gt_train_input(data, 0), gt_kan_network_inputs(network),
                             MAX_SAMPLES, &samples, error);
  if (!x) return false;
  for (int l = 0; l < network->layers; l++)
    tried[l] = gt_arena_alloc_n(&network->arena,
                                (size_t)network->layer[l].inputs * (size_t)network->layer[l].outputs,
                                sizeof **tried);
  warn_of_pruned_edges(network, settings);
  gt_kan_trace_run(&trace, network, x, samples);
  const bool ok = !settings->together || choose_together(run, network, &trace, x, &options, error);
  if (ok) gt_kan_fit_symbolic_edges(network, &trace, &options, tried);
  for (int l = 0; ok && l < network->layers; l++) report_layer(run, &network->layer[l], tried[l]);
  gt_kan_trace_finish(&trace);
  free(x);
  return ok;
}

/* Writes the symbolic edges of each layer into the configs of phases from `first` on. lists: a map from layer
 * names to the values of `symbolic:`. */
static bool set_phases(gt_config *base, int64_t first, const gt_spec *lists, gt_arena *arena,
                       gt_error *error) {
  for (int64_t p = first; p < base->phases; p++) {
    gt_config *phase = &base->phase[p];
    for (int l = 0; l < lists->count; l++)
      if (!gt_kan_set_symbolic(arena, phase->root, l, lists->count, lists->child[l]))
        return gt_fail(error, GT_ERR_CONFIG,
                       "phase %lld has other layers, so its edges cannot become functions", (long long)p + 1);
    phase->resolved = gt_config_resolve(phase, arena);
  }
  return true;
}

/* Replaces the values by those of a model with the config of the phase that has ended, but in which the
 * chosen edges are functions. */
static bool convert_values(const gt_change_run *run, const gt_kan_network *network,
                           const gt_kan_edge_functions *functions, const gt_spec *lists,
                           gt_state_dict *values, gt_error *error) {
  gt_arena *arena = run->generation;
  gt_config config = *run->config;
  config.root = gt_spec_copy(arena, run->config->root);
  gt_diagnostics_init(&config.diagnostics, arena);
  for (int l = 0; l < lists->count; l++)
    gt_kan_set_symbolic(arena, config.root, l, lists->count, lists->child[l]);
  const gt_model *model = gt_config_build_model(&config, arena, &config.diagnostics);
  if (!model)
    return gt_fail(error, GT_ERR_CONFIG, "the edges cannot become functions: %s",
                   config.diagnostics.items[0].message);
  gt_state_dict dict;
  gt_state_dict_carry(&dict, model->store, values, run->draw);
  for (int l = 0; l < network->layers; l++)
    gt_kan_edge_functions_write(&functions[l], network->layer[l].name, &dict);
  gt_state_dict_finish(values);
  *values = dict;
  return true;
}

static bool apply(const gt_change_run *run, const void *settings, gt_state_dict *values, gt_error *error) {
  gt_arena *arena = run->arena;
  gt_kan_network network;
  if (!gt_kan_network_read(&network, run->model, values, run->base->path, error)) return false;
  gt_kan_edge_functions *functions = GT_NEW_N(&network.arena, gt_kan_edge_functions, network.layers);
  gt_spec *lists = gt_spec_new(arena, GT_SPEC_MAP);
  bool ok = choose_functions(run, &network, settings, error);
  for (int l = 0; ok && l < network.layers; l++) {
    functions[l] = gt_kan_edge_functions_of(&network.arena, &network, l, NULL);
    gt_spec_add(arena, lists, gt_arena_strdup(arena, network.layer[l].name),
                gt_kan_symbolic_setting(arena, &functions[l].symbolic));
  }
  ok = ok && convert_values(run, &network, functions, lists, values, error) &&
       set_phases(run->base, run->next, lists, arena, error);
  gt_kan_network_finish(&network);
  return ok;
}

/* --- checkpoints --- */

/* The functions of each layer as YAML: a map from layer names to the values of `symbolic:`. NULL if the model
 * has none. The config of a phase that pruned later does not suffice, because pruning renumbers edges. */
static const char *note(const gt_model *model, gt_arena *arena) {
  gt_spec *lists = gt_spec_new(arena, GT_SPEC_MAP);
  bool any = false;
  for (int l = 0; l < model->layers; l++) {
    const gt_slot *slot = gt_store_find(
        model->store, gt_arena_printf(arena, "%s.%s", model->layer[l].name, gt_kan_symbolic_names[0]));
    static const gt_kan_symbolic none;
    gt_spec_add(arena, lists, model->layer[l].name,
                gt_kan_symbolic_setting(arena, slot ? (const gt_kan_symbolic *)slot->form : &none));
    any = any || slot;
  }
  return any ? gt_spec_write(arena, lists) : NULL;
}

static bool resume(gt_config *base, int64_t checkpoint_phase, const gt_container *checkpoint,
                   const char *path, gt_arena *arena, gt_error *error) {
  const char *text = gt_container_metadata(checkpoint, schema.name);
  const int64_t first = gt_change_last(base, checkpoint_phase, NULL);
  gt_diagnostics diagnostics;
  if (first < 0 || !text) return true;
  gt_diagnostics_init(&diagnostics, arena);
  const gt_spec *lists = gt_spec_parse(arena, path, text, strlen(text), &diagnostics);
  if (!lists || diagnostics.errors || lists->kind != GT_SPEC_MAP)
    return gt_fail(error, GT_ERR_DATA, "%s: its list of symbolic edges cannot be read", path);
  return set_phases(base, first, lists, arena, error);
}

GT_DEFINE(change, symbolic) = {
    .name = "symbolic",
    .backup_file = "unsnapped.bin",
    .too_early = "the first phase cannot fit functions: nothing has been trained yet",
    .expected =
        "'symbolic' in a later phase, or symbolic: [[0, 0, sin]] in a layer if the function is known in "
        "advance",
    .schema = &schema,
    .read = read,
    .apply = apply,
    .note = note,
    .resume = resume};
