#include "kan/network.h"
#include "data/column.h"
#include "base/memory.h"
#include "layer/kan/kan_host.h"
#include "layer/kan/kan_symbolic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double silu(double x) { return x / (1 + exp(-x)); }
static double identity(double x) { return x; }
static double relu(double x) { return x > 0 ? x : 0; }
static double gelu(double x) { return 0.5 * x * erfc(-x * 0.70710678118654752440); }

static const struct {
  const char *name;
  double (*value)(double x);
} branches[] = {{"silu", silu}, {"identity", identity}, {"relu", relu}, {"gelu", gelu}, {"tanh", tanh}};

typedef struct reader {
  gt_kan_network *out;
  const gt_model *model;
  const gt_state_dict *dict;
  const char *path;
  gt_error *error;
} reader;

static bool refuse(const reader *r, const gt_model_layer *layer, const char *why) {
  const char *type = layer->type->name;
  if (!strcmp(type, "kan"))
    return gt_fail(r->error, GT_ERR_DATA, "%s: formulas need a plain chain of KAN layers; '%s' %s", r->path,
                   layer->name, why);
  /* Abbreviations without a vowel are spelled out when read: an lstm. */
  const bool an = strchr("aeiou", *type) || !strpbrk(type, "aeiou");
  return gt_fail(r->error, GT_ERR_DATA, "%s: formulas need a model made of KAN layers; '%s' is %s %s layer",
                 r->path, layer->name, an ? "an" : "a", type);
}

static const gt_slot *find(const reader *r, const char *layer, const char *name) {
  return gt_store_find(r->model->store, gt_arena_printf(&r->out->arena, "%s.%s", layer, name));
}
static const float *values_of(const reader *r, const gt_slot *slot) {
  return slot ? gt_state_dict_slot(r->dict, slot) : NULL;
}

/* Returns the index of an element of a tensor [blocks, functions, inputs of a block, outputs]. */
static size_t element_index(const gt_kan_layer *l, int functions, int i, int function, int o) {
  const int block = (int)l->basis.block;
  return (((size_t)(i / block) * (size_t)functions + (size_t)function) * (size_t)block +
          (size_t)(i % block)) *
             (size_t)l->outputs +
         (size_t)o;
}

/* Reads a tensor [rows, inputs] into l->positions, from index `first` of each input on, `repeats` times. If
 * the layer has no such tensor, the values are those of its grid: start + k step. */
static void read_rows(const reader *r, gt_kan_layer *l, const char *name, uint32_t first, uint32_t repeats,
                      double start, double step) {
  const gt_slot *slot = find(r, l->name, name);
  const float *values = values_of(r, slot);
  const uint32_t rows = slot ? (uint32_t)slot->shape.dim[0] : l->basis.terms,
                 all = gt_kan_parameter_rows(&l->basis);
  for (uint32_t k = 0; k < rows * repeats && first + k < all; k++)
    for (int i = 0; i < l->inputs; i++)
      l->positions[(size_t)i * all + first + k] =
          values ? (double)values[(size_t)(k % rows) * (size_t)l->inputs + (size_t)i] : start + k * step;
}

static void read_positions(const reader *r, gt_kan_layer *l, double width) {
  const gt_kan_attribute *a = &l->basis;
  const uint32_t positions = gt_kan_parameter_rows(a);
  if (!positions) return;
  l->positions = gt_arena_alloc_n(&r->out->arena, (size_t)l->inputs * positions, sizeof *l->positions);
  if (a->basis == GT_BASIS_KNOTS) {
    read_rows(r, l, "knots", 0, 1, 0, 0);
  } else if (a->basis == GT_BASIS_FOURIER) {
    read_rows(r, l, "frequencies", a->terms, 2, 0, 0);
  } else {
    read_rows(r, l, "centres", 0, 1, (double)a->low, 1 / (double)a->inverse);
    read_rows(r, l, "scales", a->terms, 1, width > 0 ? 1 / width : (double)a->inverse, 0);
  }
}

static void read_values(const reader *r, gt_kan_layer *l) {
  gt_arena *arena = &r->out->arena;
  const size_t edges = (size_t)l->inputs * (size_t)l->outputs, outputs = (size_t)l->outputs;
  const int terms = (int)l->basis.terms, functions = terms + (int)l->basis.base;
  const float *c = values_of(r, find(r, l->name, "coefficients"));
  const float *scale = values_of(r, find(r, l->name, "spline_scale"));
  const float *mask = values_of(r, find(r, l->name, "mask"));
  const float *weight = values_of(r, find(r, l->name, "base_weight"));
  const float *bias = values_of(r, find(r, l->name, "bias"));
  l->coefficient = gt_arena_alloc_n(arena, edges * (size_t)functions, sizeof *l->coefficient);
  l->edge = gt_arena_alloc_n(arena, edges, sizeof *l->edge);
  l->base_weight = weight ? gt_arena_alloc_n(arena, edges, sizeof *l->base_weight) : NULL;
  l->bias = bias ? gt_arena_alloc_n(arena, outputs, sizeof *l->bias) : NULL;
  for (size_t o = 0; bias && o < outputs; o++) l->bias[o] = (double)bias[o];
  for (int i = 0; i < l->inputs; i++)
    for (int o = 0; o < l->outputs; o++) {
      const size_t e = (size_t)i * outputs + (size_t)o, mask_index = element_index(l, 1, i, 0, o);
      const double mask_value = mask ? (double)mask[mask_index] : 1;
      l->edge[e] = mask_value != 0;
      for (int f = 0; f < functions; f++)
        l->coefficient[e * (size_t)functions + (size_t)f] =
            mask_value * (double)c[element_index(l, functions, i, f, o)] *
            (scale && f < terms ? (double)scale[mask_index] : 1);
      if (weight) l->base_weight[e] = mask_value * (double)weight[e];
    }
}

static bool read_symbolic_edges(const reader *r, gt_kan_layer *l, const gt_model_layer *layer) {
  const float *value[GT_KAN_SYMBOLIC_VALUES];
  const gt_kan_symbolic *form = NULL;
  for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++) {
    const gt_slot *slot = find(r, l->name, gt_kan_symbolic_names[k]);
    value[k] = values_of(r, slot);
    form = slot ? slot->form : NULL;
  }
  if (!form) return true;
  l->symbolic_edge =
      gt_arena_alloc_n(&r->out->arena, (size_t)l->inputs * (size_t)l->outputs, sizeof *l->symbolic_edge);
  for (int e = 0; e < form->edges; e++) {
    const size_t edge = (size_t)form->edge[e].from * (size_t)l->outputs + (size_t)form->edge[e].to;
    l->symbolic_edge[edge] = (gt_edge_fit){.symbol = form->edge[e].function,
                                           .a = (double)value[GT_KAN_SCALE_IN][e],
                                           .b = (double)value[GT_KAN_SHIFT_IN][e],
                                           .c = (double)value[GT_KAN_SCALE_OUT][e],
                                           .d = (double)value[GT_KAN_SHIFT_OUT][e],
                                           .r2 = 1};
    l->edge[edge] = true;
    if (!l->symbolic_edge[edge].symbol) return refuse(r, layer, "has functions that the library lacks");
  }
  return true;
}

const char *gt_kan_network_obstacle(const gt_model *model, int index) {
  const gt_model_layer *layer = &model->layer[index];
  if (strcmp(layer->type->name, "kan")) return "is not a KAN layer";
  if (index && strcmp(layer->input[0], layer[-1].name)) return "does not read the layer before it";
  if (layer->output.rank != 2) return "has inputs with several axes";
  if (!strcmp(gt_kan_branch_settings_of(layer->config).norm, "layer_norm"))
    return "has a layer norm, which mixes its inputs, so no edge has a function of its own";
  return NULL;
}

static bool read_layer(const reader *r, int index) {
  const gt_model_layer *layer = &r->model->layer[index];
  gt_kan_layer *l = &r->out->layer[index];
  const char *reason = gt_kan_network_obstacle(r->model, index);
  if (reason) return refuse(r, layer, reason);
  const gt_slot *slot = find(r, layer->name, "coefficients");
  const gt_kan_branch_settings settings = gt_kan_branch_settings_of(layer->config);
  if (!slot || !slot->form) return refuse(r, layer, "has no coefficients");
  l->name = gt_arena_strdup(&r->out->arena, layer->name);
  l->inputs = (int)(slot->shape.dim[0] * slot->shape.dim[2]);
  l->outputs = (int)slot->shape.dim[3];
  l->basis = *(const gt_kan_attribute *)slot->form;
  l->squashed = !strcmp(settings.norm, "tanh");
  for (size_t b = 0; b < sizeof branches / sizeof *branches; b++)
    if (!l->basis.base && !strcmp(branches[b].name, settings.base)) l->base = branches[b].value;
  read_positions(r, l, settings.width);
  read_values(r, l);
  return read_symbolic_edges(r, l, layer);
}

bool gt_kan_network_read(gt_kan_network *network, const gt_model *model, const gt_state_dict *dict,
                         const char *path, gt_error *error) {
  const reader r = {network, model, dict, path, error};
  *network = (gt_kan_network){.layers = model->layers};
  gt_arena_init(&network->arena);
  network->layer = gt_arena_alloc_n(&network->arena, (size_t)model->layers + 1, sizeof *network->layer);
  bool ok = true;
  for (int i = 0; i < model->layers && ok; i++) ok = read_layer(&r, i);
  if (!ok) gt_kan_network_finish(network);
  return ok;
}

/* Multiplies all edges to one output by a factor. */
static void multiply_edges(gt_kan_layer *l, int output, double factor) {
  const size_t functions = l->basis.terms + l->basis.base;
  for (int i = 0; i < l->inputs; i++) {
    const size_t e = (size_t)i * (size_t)l->outputs + (size_t)output;
    for (size_t f = 0; f < functions; f++) l->coefficient[e * functions + f] *= factor;
    if (l->base_weight) l->base_weight[e] *= factor;
    if (!l->symbolic_edge) continue;
    l->symbolic_edge[e].c *= factor;
    l->symbolic_edge[e].d *= factor;
  }
}

void gt_kan_network_unscale(gt_kan_network *network, const gt_target_scaling *scaling) {
  gt_kan_layer *l = &network->layer[network->layers - 1];
  if (!scaling->count) return;
  if (!l->bias) l->bias = GT_NEW_N(&network->arena, double, l->outputs);
  for (int o = 0; o < l->outputs; o++) {
    const double mean = (double)scaling->values[o], deviation = (double)scaling->values[scaling->count + o];
    multiply_edges(l, o, deviation);
    l->bias[o] = l->bias[o] * deviation + mean;
  }
}

void gt_kan_network_finish(gt_kan_network *network) {
  gt_arena_finish(&network->arena);
  *network = (gt_kan_network){0};
}

int gt_kan_network_inputs(const gt_kan_network *network) { return network->layer[0].inputs; }
int gt_kan_network_outputs(const gt_kan_network *network) {
  return network->layer[network->layers - 1].outputs;
}

int gt_kan_network_edges(const gt_kan_network *network) {
  int count = 0;
  for (int l = 0; l < network->layers; l++)
    for (int e = 0; e < network->layer[l].inputs * network->layer[l].outputs; e++)
      count += network->layer[l].edge[e];
  return count;
}

/* --- evaluation --- */

/* Writes the values of the basis functions of an input at x to `to` [functions]; returns that of the base
 * branch. */
static double functions_at(const gt_kan_layer *l, int input, double x, double *to) {
  const double u = l->squashed ? tanh(x) : x;
  const double *positions =
      l->positions ? l->positions + (size_t)input * gt_kan_parameter_rows(&l->basis) : NULL;
  gt_kan_functions(&l->basis, positions, u, to);
  if (l->basis.base) to[l->basis.terms] = silu(x);
  return l->base ? l->base(x) : 0;
}

static double edge_at(const gt_kan_layer *l, size_t edge, double x, const double *functions, double base) {
  const size_t count = l->basis.terms + l->basis.base;
  const gt_edge_fit *fit = l->symbolic_edge ? &l->symbolic_edge[edge] : NULL;
  if (fit && fit->symbol) return fit->c * gt_symbol_value(fit->symbol, fit->a * x + fit->b) + fit->d;
  double sum = l->base_weight ? l->base_weight[edge] * base : 0;
  for (size_t f = 0; f < count; f++) sum += l->coefficient[edge * count + f] * functions[f];
  return sum;
}

const gt_edge_fit *gt_kan_edge_function(const gt_kan_layer *layer, int input, int output) {
  const gt_edge_fit *fit =
      layer->symbolic_edge ? &layer->symbolic_edge[input * layer->outputs + output] : NULL;
  return fit && fit->symbol ? fit : NULL;
}

void gt_kan_edge_values(const gt_kan_layer *layer, int input, int output, const double *x, int64_t count,
                        double *y) {
  double *functions = gt_alloc((layer->basis.terms + 1) * sizeof *functions);
  const size_t edge = (size_t)input * (size_t)layer->outputs + (size_t)output;
  for (int64_t k = 0; k < count; k++) {
    const double base = functions_at(layer, input, x[k], functions);
    y[k] = edge_at(layer, edge, x[k], functions, base);
  }
  free(functions);
}

/* Value f of a sample; with a scaling, (value - center) * scale + shift (gt_scaling). */
static double sample_value(const gt_tensor *tensor, int64_t sample, int64_t f, const gt_scaling *scaling) {
  const int64_t period = scaling ? scaling->count : 0;
  const void *values = gt_tensor_sample(tensor, sample);
  const double value =
      tensor->element == GT_ELEMENT_U8 ? ((const uint8_t *)values)[f] : (double)((const float *)values)[f];
  if (!period) return value;
  const float *center = scaling->values + f % period;
  return (value - (double)center[0]) * (double)center[period] + (double)center[2 * period];
}

double *gt_kan_samples(const gt_input *input, bool scaled, const gt_tensor *tensor, int inputs,
                       int64_t max_samples, int64_t *samples, gt_error *error) {
  const int32_t *one_hot = input && input->table ? input->table->one_hot : NULL;
  const int64_t features = one_hot ? input->table->features : gt_tensor_features(tensor),
                total = tensor->dim[0];
  const int64_t stride = total > max_samples ? (total + max_samples - 1) / max_samples : 1;
  if (features != inputs || tensor->element == GT_ELEMENT_I32) {
    gt_fail(error, GT_ERR_DATA, "each sample must have %d numbers, as the network reads them", inputs);
    return NULL;
  }
  *samples = (total + stride - 1) / stride;
  double *x = gt_alloc((size_t)(*samples * features) * sizeof *x + 1);
  for (int64_t k = 0; k < *samples; k++)
    for (int64_t f = 0; f < features; f++) {
      const int32_t code = one_hot ? one_hot[features + f] : -1;
      const double value =
          sample_value(tensor, k * stride, one_hot ? one_hot[f] : f, scaled ? &input->scaling : NULL);
      x[k * features + f] = code < 0 ? value : value == code;
    }
  return x;
}

/* --- traces --- */

static double deviation_of(double sum, double squares, int64_t count) {
  const double mean = sum / (double)count;
  return sqrt(fmax(0, squares / (double)count - mean * mean));
}

/* Adds the values of the edges of input i to the outputs of layer `index`, and finds their deviations. */
static void add_input(gt_kan_trace *t, const gt_kan_network *network, int index, int i, double *functions) {
  const gt_kan_layer *l = &network->layer[index];
  const int64_t n = t->samples;
  const double *x = t->node[index] + i * n;
  double *sums = gt_alloc(2 * (size_t)l->outputs * sizeof *sums), *squares = sums + l->outputs;
  for (int64_t k = 0; k < n; k++) {
    const double base = functions_at(l, i, x[k], functions);
    for (int o = 0; o < l->outputs; o++) {
      const size_t edge = (size_t)i * (size_t)l->outputs + (size_t)o;
      if (!l->edge[edge]) continue;
      const double y = edge_at(l, edge, x[k], functions, base);
      t->node[index + 1][o * n + k] += y;
      sums[o] += y;
      squares[o] += y * y;
    }
  }
  for (int o = 0; o < l->outputs; o++)
    t->deviation[index][(size_t)i * (size_t)l->outputs + (size_t)o] = deviation_of(sums[o], squares[o], n);
  free(sums);
}

static void measure_spread(gt_kan_trace *t, int index, int width) {
  t->spread[index] = GT_NEW_N(&t->arena, double, width);
  for (int w = 0; w < width; w++) {
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < t->samples; k++) {
      const double v = t->node[index][w * t->samples + k];
      sum += v;
      squares += v * v;
    }
    t->spread[index][w] = deviation_of(sum, squares, t->samples);
  }
}

void gt_kan_trace_run(gt_kan_trace *trace, const gt_kan_network *network, const double *x, int64_t samples) {
  const int layers = network->layers, inputs = gt_kan_network_inputs(network);
  *trace = (gt_kan_trace){.samples = samples};
  gt_arena *arena = &trace->arena;
  trace->node = GT_NEW_N(arena, double *, layers + 1);
  trace->spread = GT_NEW_N(arena, double *, layers + 1);
  trace->deviation = GT_NEW_N(arena, double *, layers);
  trace->node[0] = gt_arena_alloc_n(arena, (size_t)(inputs * samples), sizeof(double));
  for (int64_t k = 0; k < samples; k++)
    for (int i = 0; i < inputs; i++) trace->node[0][i * samples + k] = x[k * inputs + i];
  measure_spread(trace, 0, inputs);
  for (int index = 0; index < layers; index++) {
    const gt_kan_layer *l = &network->layer[index];
    double *functions = gt_alloc((l->basis.terms + 1) * sizeof *functions);
    trace->node[index + 1] = gt_arena_alloc_n(arena, (size_t)(l->outputs * samples), sizeof(double));
    trace->deviation[index] = GT_NEW_N(arena, double, l->inputs * l->outputs);
    for (int o = 0; l->bias && o < l->outputs; o++)
      for (int64_t k = 0; k < samples; k++) trace->node[index + 1][o * samples + k] = l->bias[o];
    for (int i = 0; i < l->inputs; i++) add_input(trace, network, index, i, functions);
    measure_spread(trace, index + 1, l->outputs);
    free(functions);
  }
}

void gt_kan_trace_finish(gt_kan_trace *trace) {
  gt_arena_finish(&trace->arena);
  *trace = (gt_kan_trace){0};
}
