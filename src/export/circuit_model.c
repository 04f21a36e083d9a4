#include "export/circuit_model.h"
#include "base/memory.h"
#include "layer/review.h"
#include "model/forward.h"
#include "op/core.h"
#include "train/eval/model_use.h"
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  gt_model_circuit *out;
  const gt_model_file *file;
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_model *model;
  gt_shape input; /* shape of the model's input, with a batch of 1 */
  /* Signals of the model's input, and of the output of each layer; empty: not bits of the circuit. */
  gt_signals inputs, *value;
  gt_error *error;
} reader;

/* Builds the model with a batch of 1, for the shapes and settings of its layers. */
static bool build(reader *r) {
  const gt_input *s = &r->file->signature.input[0];
  int64_t shape[GT_DATA_MAX_RANK];
  gt_diagnostics_init(&r->diagnostics, &r->arena);
  if (r->file->signature.targets > 1)
    return gt_fail(r->error, GT_ERR_DATA,
                   "%s: only models with a single target can be exported as a circuit; this one has %d",
                   r->file->path, r->file->signature.targets);
  if (r->file->signature.inputs > 1 || s->element == GT_ELEMENT_I32)
    return gt_fail(r->error, GT_ERR_DATA,
                   "%s: only models with one input, of bits, can be exported as a circuit", r->file->path);
  r->input = (gt_shape){.rank = s->rank + 1, .dim = {1}};
  gt_input_network_shape(s, shape);
  for (int d = 0; d < s->rank && d + 1 < GT_MAX_RANK; d++) r->input.dim[d + 1] = shape[d];
  const gt_spec *root =
      gt_spec_parse(&r->arena, r->file->path, r->file->config, strlen(r->file->config), &r->diagnostics);
  gt_config_silence(root, &r->diagnostics);
  if (root && r->input.rank <= GT_MAX_RANK) {
    gt_graph *graph = gt_graph_create(&r->arena);
    const uint32_t variable = gt_graph_variable(graph, "input", r->input, GT_F32, false);
    if (!s->range.columns || (s->range.bits && !s->scaling.count)) gt_graph_mark_bits(graph, variable);
    const gt_model_input input = {s->name, gt_variable_read(graph, variable)};
    const gt_sample_facts *no_facts[] = {NULL};
    gt_review review = {.rows = 1, .last_rows = 1, .input = no_facts};
    gt_forward forward = {.root = root,
                          .inputs = {1, &input},
                          .clock = gt_model_idle_clock(graph), /* for layers that draw random bits */
                          .weight = GT_NONE,
                          .targets = 1,
                          .target = {{.targets = GT_NONE}},
                          .mode = {.hard = true, .review = &review}};
    if (gt_forward_build(&forward, &r->arena, graph, &r->diagnostics)) r->model = forward.model;
    if (r->model) gt_diagnostics_print(&r->diagnostics, stderr);
  }
  if (r->model)
    return gt_store_match(r->model->store, &r->file->container, r->file->path, GT_WEIGHT_ROLES, r->error);
  return gt_fail(r->error, GT_ERR_DATA, "%s: its model cannot be built by this version of gtrain: %s",
                 r->file->path,
                 r->diagnostics.count ? r->diagnostics.items[0].message : "its config cannot be read");
}

/* The index of a layer; -1: the name is that of the model's input. */
static int find_layer(const reader *r, const char *name) {
  for (int i = 0; i < r->model->layers; i++)
    if (!strcmp(r->model->layer[i].name, name)) return i;
  return -1;
}

static gt_signals *signals_of(reader *r, int layer) { return layer < 0 ? &r->inputs : &r->value[layer]; }

static bool reads_gates(const reader *r, const gt_model_layer *layer) {
  for (int k = 0; k < layer->input_count; k++) {
    const int from = find_layer(r, layer->input[k]);
    if (from >= 0 && r->value[from].count) return true;
  }
  return false;
}

static bool add_layer(reader *r, int index) {
  const gt_model_layer *layer = &r->model->layer[index];
  const int from = find_layer(r, layer->input[0]);
  gt_layer_circuit c = {.circuit = &r->out->circuit,
                        .automaton = &r->out->automaton,
                        .name = layer->name,
                        .type = layer->type->name,
                        .input = from < 0 ? r->input : r->model->layer[from].output,
                        .output = layer->output,
                        .source = signals_of(r, from),
                        .value = &r->value[index],
                        .last = index == r->model->layers - 1,
                        .file = &r->file->container,
                        .path = r->file->path,
                        .arena = &r->arena,
                        .error = r->error};
  if (r->out->automaton.is_automaton) return gt_layer_circuit_fail(&c, "comes after an automaton");
  if (layer->type->circuit) return layer->type->circuit(&c, layer->config);
  return !reads_gates(r, layer) || gt_layer_circuit_fail(&c, "comes after gates but has no gates");
}

static bool add_layers(reader *r) {
  const int layers = r->model->layers;
  bool ok = true;
  r->value = gt_arena_alloc_n(&r->arena, (size_t)layers, sizeof *r->value);
  for (int i = 0; i < layers && ok; i++) ok = add_layer(r, i);
  const gt_signals *last = &r->value[layers - 1];
  for (size_t i = 0; i < last->count && ok; i++) gt_circuit_add_output(&r->out->circuit, last->items[i]);
  if (ok && !r->out->automaton.is_automaton && !r->out->circuit.gates.count)
    ok = gt_fail(r->error, GT_ERR_DATA,
                 "%s has no logic layer: only logic models can be exported or simulated", r->file->path);
  if (ok && !r->out->automaton.is_automaton && !last->count) {
    const gt_model_layer *layer = &r->model->layer[layers - 1];
    ok = gt_fail(r->error, GT_ERR_DATA,
                 "%s: not a circuit of logic gates: layer '%s' (%s) does not output bits of gates",
                 r->file->path, layer->name, layer->type->name);
  }
  for (int i = 0; i < layers; i++) free(r->value[i].items);
  free(r->inputs.items);
  return ok;
}

bool gt_model_circuit_read(gt_model_circuit *out, const gt_model_file *file, gt_error *error) {
  reader r = {.out = out, .file = file, .error = error};
  *out = (gt_model_circuit){0};
  gt_arena_init(&r.arena);
  const bool ok = build(&r) && add_layers(&r);
  gt_arena_finish(&r.arena);
  if (!ok) gt_model_circuit_finish(out);
  return ok;
}

void gt_model_circuit_simplify(gt_model_circuit *circuit) {
  gt_circuit *from = circuit->automaton.is_automaton ? &circuit->automaton.ca.cell : &circuit->circuit,
             simple;
  gt_circuit_simplify(from, &simple);
  gt_circuit_finish(from);
  *from = simple;
}

void gt_model_circuit_finish(gt_model_circuit *circuit) {
  gt_circuit_ca_finish(&circuit->automaton.ca);
  gt_circuit_finish(&circuit->circuit);
  *circuit = (gt_model_circuit){0};
}

const gt_circuit *gt_model_circuit_of(const gt_model_circuit *circuit) {
  return circuit->automaton.is_automaton ? &circuit->automaton.ca.cell : &circuit->circuit;
}
