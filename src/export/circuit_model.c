#include "export/circuit_model.h"
#include "base/memory.h"
#include "model/model.h"
#include "op/core.h"
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  gt_model_circuit *out;
  const gt_model_file *file;
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_model *model;
  gt_shape input;    /* of the model, with a batch of 1 */
  gt_signals *value; /* signals of each layer's outputs; without items: not (yet) bits of the circuit */
  gt_error *error;
} reader;

static bool refuse(const reader *r, const gt_model_layer *layer, const char *why) {
  return gt_fail(r->error, GT_ERR_DATA, "%s: not a circuit of logic gates: layer '%s' (%s) %s", r->file->path,
                 layer->name, layer->type->name, why);
}

/* --- the model as layers --- */

static bool build(reader *r) {
  const gt_data_signature *s = &r->file->signature;
  gt_diagnostics_init(&r->diagnostics, &r->arena);
  r->input = (gt_shape){.rank = s->rank + 1, .dim = {1}};
  for (int d = 0; d < s->rank && d + 1 < GT_MAX_RANK; d++) r->input.dim[d + 1] = s->dim[d];
  const gt_spec *root =
      gt_spec_parse(&r->arena, r->file->path, r->file->config, strlen(r->file->config), &r->diagnostics);
  if (root && r->input.rank <= GT_MAX_RANK) {
    gt_graph *graph = gt_graph_create(&r->arena);
    const gt_id input = gt_variable_read(graph, gt_graph_variable(graph, "input", r->input, GT_F32, false));
    r->model = gt_model_build(&r->arena, graph, root, NULL, input, GT_NONE, (gt_model_mode){.hard = true},
                              &r->diagnostics);
  }
  if (r->model)
    return gt_store_match(r->model->store, &r->file->container, r->file->path, GT_WEIGHT_ROLES, r->error);
  return gt_fail(r->error, GT_ERR_DATA, "%s: its model cannot be built by this version of gtrain: %s",
                 r->file->path,
                 r->diagnostics.count ? r->diagnostics.items[0].message : "its config cannot be read");
}

static const gt_stored *tensor_of(const reader *r, const gt_model_layer *layer, const char *what) {
  char name[256];
  snprintf(name, sizeof name, "%s.%s", layer->name, what);
  return gt_container_tensor(&r->file->container, name);
}

/* The gates of a layer: functions, in the reader's arena, and its wiring of so many rows; false unless the
 * file has them. */
static bool gates_of(reader *r, const gt_model_layer *layer, int64_t rows, const gt_stored **wiring,
                     uint8_t **op) {
  const gt_stored *logits = tensor_of(r, layer, "logits");
  *wiring = tensor_of(r, layer, "wiring");
  if (!logits || !*wiring || (*wiring)->dtype != GT_I32 || (*wiring)->shape.rank != 2 ||
      (*wiring)->shape.dim[0] != rows || logits->dtype != GT_F32 || logits->shape.rank != 2 ||
      logits->shape.dim[1] != GT_GATE_OPS)
    return refuse(r, layer, "has no fitting wiring in the file");
  const size_t gates = (size_t)logits->shape.dim[0];
  *op = gt_arena_alloc_n(&r->arena, gates + 1, sizeof **op);
  gt_circuit_choose(logits->data, gates, *op);
  return true;
}

/* A setting of a layer, by the layer's own schema. */
static const void *setting(const gt_model_layer *layer, const char *name) {
  for (const gt_field *f = layer->type->schema->fields; f->name; f++)
    if (!strcmp(f->name, name)) return (const char *)layer->config + f->offset;
  return NULL;
}

/* --- dense and convolutional models --- */

static int index_of(const reader *r, const char *name) {
  for (int i = 0; i < r->model->layers; i++)
    if (!strcmp(r->model->layer[i].name, name)) return i;
  return -1;
}

static void all_inputs(gt_signals *value, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) *GT_PUSH(value) = i;
}

/* The source of a logic layer; the first one's becomes the circuit's inputs. */
static bool find_source(reader *r, const gt_model_layer *layer, gt_signals *source, gt_signals *inputs) {
  const int from = index_of(r, layer->input[0]);
  gt_circuit *circuit = &r->out->circuit;
  if (from >= 0 && r->value[from].count) {
    *source = r->value[from];
    return true;
  }
  if (circuit->inputs) return refuse(r, layer, "reads values that are not those of other gates");
  const int64_t count = gt_shape_count(from < 0 ? r->input : r->model->layer[from].output);
  if (count < 1 || count >= GT_CIRCUIT_MOST_SIGNALS) return refuse(r, layer, "has too many inputs");
  gt_circuit_init(circuit, (uint32_t)count);
  all_inputs(from < 0 ? inputs : &r->value[from], (uint32_t)count);
  *source = from < 0 ? *inputs : r->value[from];
  return true;
}

static bool add_logic(reader *r, int index, gt_signals *inputs) {
  const gt_model_layer *layer = &r->model->layer[index];
  const gt_stored *wiring = NULL;
  gt_signals source = {0};
  uint8_t *op = NULL;
  if (!find_source(r, layer, &source, inputs) || !gates_of(r, layer, 2, &wiring, &op)) return false;
  const uint32_t gates = (uint32_t)wiring->shape.dim[1];
  const int32_t *a = wiring->data;
  gt_signals *to = &r->value[index];
  to->items = gt_alloc(((size_t)gates + 1) * sizeof *to->items);
  to->count = to->capacity = gates;
  const gt_circuit_layer one = {gates, a, a + gates, op};
  const bool fits = tensor_of(r, layer, "logits")->shape.dim[0] == gates;
  const bool ok = fits && gt_circuit_add_layer(&r->out->circuit, &one, source.items, (uint32_t)source.count,
                                               to->items, r->error);
  return ok || refuse(r, layer, "has a wiring that does not fit");
}

/* A whole number among a convolution's settings. */
static uint32_t number(const gt_model_layer *layer, const char *name) {
  const int64_t *value = setting(layer, name);
  return value ? (uint32_t)*value : 0;
}

/* What the model says of a convolution; false unless the file's tensors fit. */
static bool read_convolution(reader *r, int index, gt_circuit_convolution *c) {
  const gt_model_layer *layer = &r->model->layer[index];
  const int from = index_of(r, layer->input[0]);
  const gt_shape x = from < 0 ? r->input : r->model->layer[from].output, y = layer->output;
  const gt_stored *wiring;
  uint8_t *op;
  if (!gates_of(r, layer, y.dim[3], &wiring, &op)) return false;
  *c = (gt_circuit_convolution){.height = (uint32_t)x.dim[1],
                                .width = (uint32_t)x.dim[2],
                                .channels = (uint32_t)x.dim[3],
                                .field = number(layer, "kernel"),
                                .stride = number(layer, "stride"),
                                .padding = number(layer, "padding"),
                                .pool = number(layer, "pool"),
                                .rows = (uint32_t)y.dim[1],
                                .columns = (uint32_t)y.dim[2],
                                .kernels = (uint32_t)y.dim[3],
                                .depth = number(layer, "depth")};
  const int64_t leaves = INT64_C(1) << c->depth, gates = y.dim[3] * (leaves - 1);
  if (wiring->shape.dim[1] != leaves || tensor_of(r, layer, "logits")->shape.dim[0] != gates)
    return refuse(r, layer, "has no fitting wiring in the file");
  c->op = op;
  c->leaf = wiring->data;
  return true;
}

static bool add_convolution(reader *r, int index, gt_signals *inputs) {
  const gt_model_layer *layer = &r->model->layer[index];
  gt_circuit_convolution c;
  gt_signals source = {0}, *to = &r->value[index];
  if (!find_source(r, layer, &source, inputs) || !read_convolution(r, index, &c)) return false;
  to->count = to->capacity = (size_t)gt_shape_count(layer->output);
  to->items = gt_alloc((to->count + 1) * sizeof *to->items);
  return gt_circuit_add_convolution(&r->out->circuit, &c, source.items, to->items, r->error) ||
         refuse(r, layer, "has a wiring that does not fit");
}

/* Layers that give the bits they get, in the same order. */
static bool passes(const char *type) { return !strcmp(type, "flatten") || !strcmp(type, "reshape"); }

static bool add_other(reader *r, int index) {
  const gt_model_layer *layer = &r->model->layer[index];
  for (int k = 0; k < layer->input_count; k++) {
    const int from = index_of(r, layer->input[k]);
    if (from < 0 || !r->value[from].count) continue; /* before the gates */
    if (!strcmp(layer->type->name, "group_sum") && index == r->model->layers - 1) {
      r->out->circuit.groups = (uint32_t)layer->output.dim[1];
    } else if (!passes(layer->type->name)) {
      return refuse(r, layer, "comes after gates and is none");
    }
    for (size_t i = 0; i < r->value[from].count; i++) *GT_PUSH(&r->value[index]) = r->value[from].items[i];
  }
  return true;
}

static bool read_dense(reader *r) {
  const int layers = r->model->layers;
  gt_signals inputs = {0};
  bool ok = true;
  r->value = gt_arena_alloc_n(&r->arena, (size_t)layers, sizeof *r->value);
  for (int i = 0; i < layers && ok; i++) {
    const char *type = r->model->layer[i].type->name;
    ok = !strcmp(type, "logic")          ? add_logic(r, i, &inputs)
         : !strcmp(type, "logic_conv2d") ? add_convolution(r, i, &inputs)
                                         : add_other(r, i);
  }
  const gt_signals *last = &r->value[layers - 1];
  for (size_t i = 0; i < last->count && ok; i++) gt_circuit_output(&r->out->circuit, last->items[i]);
  if (ok && !r->out->circuit.gates.count)
    ok = gt_fail(r->error, GT_ERR_DATA, "%s has no logic layer: only circuits of gates can be exported",
                 r->file->path);
  if (ok && !last->count) ok = refuse(r, &r->model->layer[layers - 1], "does not give the bits of gates");
  for (int i = 0; i < layers; i++) free(r->value[i].items);
  free(inputs.items);
  return ok;
}

/* --- automata --- */

typedef struct ca_settings {
  const int64_t *kernels, *steps, *outputs;
  const gt_ints *perception, *update;
  const bool *periodic;
  const double *fire_rate;
} ca_settings;

static bool read_settings(reader *r, int index, ca_settings *s) {
  const gt_model_layer *layer = &r->model->layer[index];
  s->kernels = setting(layer, "kernels");
  s->perception = setting(layer, "perception");
  s->update = setting(layer, "update");
  s->periodic = setting(layer, "periodic");
  s->steps = setting(layer, "steps");
  s->outputs = setting(layer, "outputs");
  s->fire_rate = setting(layer, "fire_rate");
  return (s->kernels && s->perception && s->update && s->periodic && s->steps && s->outputs &&
          s->fire_rate) ||
         refuse(r, layer, "has other settings");
}

/* Layers of the widths, of `kernels` each, from where *gate and *wire stand. */
static gt_circuit_layer *ca_layers(reader *r, const gt_ints *widths, int64_t kernels, const uint8_t *op,
                                   const gt_stored *wiring, int64_t *gate, int64_t *wire) {
  gt_circuit_layer *layer = GT_NEW_N(&r->arena, gt_circuit_layer, widths->count + 1);
  const int32_t *a = wiring->data, *b = a + wiring->shape.dim[1];
  for (int i = 0; i < widths->count; i++) {
    layer[i] = (gt_circuit_layer){(uint32_t)widths->items[i], a + *wire, b + *wire, op + *gate};
    *gate += kernels * widths->items[i];
    *wire += widths->items[i];
  }
  return layer;
}

static int64_t total(const gt_ints *widths) {
  int64_t sum = 0;
  for (int i = 0; i < widths->count; i++) sum += widths->items[i];
  return sum;
}

static bool read_automaton(reader *r, int index) {
  const gt_model_layer *layer = &r->model->layer[index];
  const gt_stored *wiring = NULL;
  ca_settings s = {0};
  uint8_t *op = NULL;
  int64_t gate = 0, wire = 0;
  if (index != r->model->layers - 1)
    return refuse(r, &r->model->layer[index + 1], "comes after an automaton");
  if (!read_settings(r, index, &s) || !gates_of(r, layer, 2, &wiring, &op)) return false;
  const int64_t wires = total(s.perception) + total(s.update);
  const int64_t gates = total(s.perception) * *s.kernels + total(s.update);
  bool ok = wiring->shape.dim[1] == wires && tensor_of(r, layer, "logits")->shape.dim[0] == gates;
  if (!ok) refuse(r, layer, "has a wiring that does not fit");
  if (ok) {
    const gt_circuit_layer *perception = ca_layers(r, s.perception, *s.kernels, op, wiring, &gate, &wire);
    const gt_ca_parts parts = {.channels = (uint32_t)s.update->items[s.update->count - 1],
                               .kernels = (uint32_t)*s.kernels,
                               .periodic = *s.periodic,
                               .perception = perception,
                               .update = ca_layers(r, s.update, 1, op, wiring, &gate, &wire),
                               .perception_layers = s.perception->count,
                               .update_layers = s.update->count};
    r->out->automaton = true;
    r->out->height = layer->output.dim[1];
    r->out->width = layer->output.dim[2];
    r->out->steps = *s.steps;
    r->out->outputs = *s.outputs ? *s.outputs : parts.channels;
    r->out->fire_rate = *s.fire_rate;
    ok = gt_circuit_ca_build(&r->out->ca, &parts, r->error);
  }
  return ok;
}

bool gt_model_circuit_read(gt_model_circuit *out, const gt_model_file *file, gt_error *error) {
  reader r = {.out = out, .file = file, .error = error};
  *out = (gt_model_circuit){0};
  gt_arena_init(&r.arena);
  bool ok = build(&r);
  int automaton = -1;
  for (int i = 0; ok && i < r.model->layers; i++)
    if (!strcmp(r.model->layer[i].type->name, "logic_ca")) automaton = i;
  if (ok) ok = automaton >= 0 ? read_automaton(&r, automaton) : read_dense(&r);
  gt_arena_finish(&r.arena);
  if (!ok) gt_model_circuit_finish(out);
  return ok;
}

void gt_model_circuit_simplify(gt_model_circuit *circuit) {
  gt_circuit *from = circuit->automaton ? &circuit->ca.cell : &circuit->circuit, simple;
  gt_circuit_simplify(from, &simple);
  gt_circuit_finish(from);
  *from = simple;
}

void gt_model_circuit_finish(gt_model_circuit *circuit) {
  gt_circuit_ca_finish(&circuit->ca);
  gt_circuit_finish(&circuit->circuit);
  *circuit = (gt_model_circuit){0};
}

const gt_circuit *gt_model_circuit_of(const gt_model_circuit *circuit) {
  return circuit->automaton ? &circuit->ca.cell : &circuit->circuit;
}

bool gt_container_gates(const gt_container *file, int index, const char **name, gt_circuit_report *report) {
  for (int i = 0; i < file->tensors; i++) {
    const gt_stored *logits = &file->tensor[i];
    const char *dot = strrchr(logits->name, '.');
    char wiring[256];
    if (!dot || strcmp(dot, ".logits") || logits->dtype != GT_F32 || logits->shape.rank != 2 ||
        logits->shape.dim[1] != GT_GATE_OPS)
      continue;
    snprintf(wiring, sizeof wiring, "%.*s.wiring", (int)(dot - logits->name), logits->name);
    if (!gt_container_tensor(file, wiring) || index-- > 0) continue;
    const size_t gates = (size_t)logits->shape.dim[0];
    uint8_t *op = gt_alloc(gates + 1);
    gt_circuit_choose(logits->data, gates, op);
    *report = (gt_circuit_report){.gates = gates};
    for (size_t g = 0; g < gates; g++) report->histogram[op[g]]++;
    report->active = gates - report->histogram[GT_GATE_A] - report->histogram[GT_GATE_B];
    free(op);
    *name = logits->name;
    return true;
  }
  return false;
}
