#include "model/model.h"
#include "model/read.h"
#include "op/core.h"
#include <string.h>

enum { MOST_VALUES = INT32_MAX };

/* One pass over the layers. The first goes into a graph of its own, only to learn the parameters and to find
 * errors; when all are known and have their places in the flat variable, the second emits the real nodes. */
typedef struct pass {
  gt_arena *arena;
  gt_graph *graph;
  const gt_model_read *read;
  gt_model *model;
  gt_id input, clock, flat; /* flat: GT_NONE in the first pass */
  gt_id *node;              /* in the second: of each parameter */
  int next;                 /* parameter to come */
  int64_t values;           /* of the parameters so far, with what lies between them */
  gt_model_mode mode;
  gt_diagnostics *diagnostics;
} pass;

/* What no value of a graph can have (op/check.h), found where it is asked for: a parameter's gradient or the
 * update of all parameters would only be refused later, where no line is known. */
static gt_id huge(const pass *p, gt_position at, const char *name, gt_shape shape) {
  char text[128];
  gt_error_at(p->diagnostics, at, "'%s' would have the shape %s", name, gt_shape_text(shape, text))
      ->expected = gt_arena_printf(p->diagnostics->arena, "at most %d values", MOST_VALUES);
  return GT_NONE;
}

static gt_id learn_parameter(pass *p, gt_build *build, const char *name, gt_shape shape,
                             const gt_init *init) {
  gt_parameters *list = &p->model->parameters;
  const char *full = gt_arena_printf(p->arena, "%s.%s", build->name, name);
  if (gt_shape_count(shape) > MOST_VALUES) return huge(p, build->at, full, shape);
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 16;
    gt_parameter *items = GT_NEW_N(p->arena, gt_parameter, list->capacity);
    if (list->count) memcpy(items, list->item, sizeof *items * (size_t)list->count);
    list->item = items;
  }
  gt_parameter *parameter = &list->item[list->count++];
  parameter->name = full;
  parameter->shape = shape;
  parameter->count = gt_shape_count(shape);
  parameter->init = init;
  const bool fit = p->values <= MOST_VALUES;
  p->values += parameter->count + GT_PARAMETER_ALIGN - 1; /* the most that a layout takes */
  if (fit && p->values > MOST_VALUES)
    gt_error_at(p->diagnostics, build->at, "with '%s' the model has too many parameters", full)->expected =
        gt_arena_printf(p->diagnostics->arena, "at most %d values in all", MOST_VALUES);
  return gt_variable_read(p->graph, gt_graph_variable(p->graph, parameter->name, shape, GT_F32, false));
}

static gt_id parameter(gt_build *build, const char *name, gt_shape shape, const gt_init *init) {
  pass *p = build->owner;
  if (p->flat == GT_NONE) return learn_parameter(p, build, name, shape, init);
  const gt_parameter *known = &p->model->parameters.item[p->next];
  p->node[p->next] = gt_view(p->graph, p->flat, known->offset, known->shape);
  return p->node[p->next++];
}

/* Listed in the second pass only, or each would be there twice. */
static gt_id constant(gt_build *build, const char *name, gt_shape shape, const int32_t *data,
                      const int32_t *limit) {
  pass *p = build->owner;
  gt_model *model = p->model;
  name = gt_arena_printf(p->arena, "%s.%s", build->name, name);
  if (p->flat != GT_NONE) {
    if (model->constants == model->constant_capacity) {
      model->constant_capacity = model->constant_capacity ? 2 * model->constant_capacity : 16;
      gt_model_constant *items = GT_NEW_N(p->arena, gt_model_constant, model->constant_capacity);
      if (model->constants) memcpy(items, model->constant, sizeof *items * (size_t)model->constants);
      model->constant = items;
    }
    model->constant[model->constants++] = (gt_model_constant){name, shape, data, limit};
  }
  return gt_variable_read(p->graph, gt_graph_variable(p->graph, name, shape, GT_I32, false));
}

/* The layer's output; GT_NONE after reporting, or silently if an input has none. */
static gt_id build_layer(pass *p, const gt_layer_read *layer, const gt_id *output) {
  gt_id *input = GT_NEW_N(p->arena, gt_id, layer->inputs);
  const char **names = GT_NEW_N(p->arena, const char *, layer->inputs);
  if (!layer->valid) return GT_NONE;
  for (int k = 0; k < layer->inputs; k++) {
    const int from = layer->input[k];
    input[k] = from < 0 ? p->input : output[from];
    names[k] = from < 0 ? "input" : p->read->layer[from].name;
    if (input[k] == GT_NONE) return GT_NONE;
  }
  gt_build build = {.graph = p->graph,
                    .arena = p->arena,
                    .diagnostics = p->diagnostics,
                    .type = layer->type,
                    .name = layer->name,
                    .input_name = names,
                    .at = layer->at,
                    .spec = layer->spec,
                    .training = p->mode.training,
                    .hard = p->mode.hard,
                    .bits = p->mode.bits ? p->input : GT_NONE,
                    .seed = p->mode.seed,
                    .clock = p->clock,
                    .parameter = parameter,
                    .constant = constant,
                    .owner = p};
  const int errors = p->diagnostics->errors;
  const gt_id out = layer->type->build(&build, layer->config, input, layer->inputs);
  p->model->has_hard |= build.has_hard;
  if (out == GT_NONE && p->diagnostics->errors == errors) {
    const bool told = p->graph->error.status != GT_OK;
    gt_error_at(p->diagnostics, layer->at, "%s",
                told ? p->graph->error.message : "this layer could not be built");
    p->graph->error = (gt_error){0};
  }
  if (out != GT_NONE && gt_shape_count(gt_node_at(p->graph, out)->shape) > MOST_VALUES)
    return huge(p, layer->at, layer->name, gt_node_at(p->graph, out)->shape);
  return out;
}

static void note_layer(pass *p, int index, gt_id out, int first_parameter) {
  const gt_layer_read *read = &p->read->layer[index];
  const char **names = GT_NEW_N(p->arena, const char *, read->inputs);
  for (int k = 0; k < read->inputs; k++)
    names[k] = read->input[k] < 0 ? "input" : p->read->layer[read->input[k]].name;
  gt_model_layer *layer = &p->model->layer[index];
  *layer = (gt_model_layer){.name = read->name,
                            .type = read->type,
                            .at = read->at,
                            .output = gt_node_at(p->graph, out)->shape,
                            .node = out,
                            .input_count = read->inputs,
                            .input = names};
  for (int k = first_parameter; k < p->next; k++) layer->parameters += p->model->parameters.item[k].count;
}

static gt_id run(pass *p) {
  gt_id *output = GT_NEW_N(p->arena, gt_id, p->read->layers);
  for (int i = 0; i < p->read->layers; i++) {
    const gt_layer_read *layer = &p->read->layer[i];
    const int first_parameter = p->next;
    const char *outer = gt_graph_scope(p->graph, gt_arena_strdup(p->graph->arena, layer->name));
    output[i] = build_layer(p, layer, output);
    gt_graph_scope(p->graph, outer);
    if (p->flat != GT_NONE && output[i] != GT_NONE) note_layer(p, i, output[i], first_parameter);
  }
  return output[p->read->layers - 1];
}

static bool learn(pass *p, const gt_graph *real) {
  gt_arena scratch;
  gt_arena_init(&scratch);
  pass first = *p;
  const gt_node *input = gt_node_at(real, p->input);
  gt_graph *graph = first.graph = gt_graph_create(&scratch);
  first.flat = GT_NONE;
  first.input = gt_variable_read(graph, gt_graph_variable(graph, "input", input->shape, input->dtype, false));
  first.clock = GT_NONE;
  if (p->mode.training) {
    const uint32_t state = gt_graph_variable(graph, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
    first.clock = gt_clock(graph, state, gt_graph_variable(graph, "table", gt_shape_2(1, 1), GT_F32, false));
  }
  run(&first);
  gt_arena_finish(&scratch);
  return !p->diagnostics->errors;
}

/* A layer that nothing reads costs time and trains nothing; it is most likely a forgotten `from:`. */
static void warn_unused(const gt_model_read *read, gt_diagnostics *diagnostics) {
  bool *used = GT_NEW_N(diagnostics->arena, bool, read->layers);
  for (int i = 0; i < read->layers; i++)
    for (int k = 0; k < read->layer[i].inputs; k++)
      if (read->layer[i].input[k] >= 0) used[read->layer[i].input[k]] = true;
  for (int i = 0; i < read->layers - 1; i++)
    if (!used[i])
      gt_warning_at(diagnostics, read->layer[i].at, "the output of layer '%s' is never used",
                    read->layer[i].name);
}

gt_model *gt_model_build(gt_arena *arena, gt_graph *graph, const gt_spec *root, const gt_optim *optim,
                         gt_id input, gt_id clock, gt_model_mode mode, gt_diagnostics *diagnostics) {
  const int errors = diagnostics->errors;
  gt_model_read read;
  if (!gt_model_read_spec(&read, arena, root, diagnostics)) return NULL;
  gt_model *model = GT_NEW(arena, gt_model);
  model->input = input;
  model->layers = read.layers;
  model->layer = GT_NEW_N(arena, gt_model_layer, read.layers);
  pass p = {.arena = arena,
            .graph = graph,
            .read = &read,
            .model = model,
            .input = input,
            .clock = clock,
            .mode = mode,
            .diagnostics = diagnostics};
  learn(&p, graph);
  if (diagnostics->errors > errors) return NULL;
  gt_parameters *parameters = &model->parameters;
  gt_parameters_layout(parameters, optim, arena);
  if (!gt_parameters_check_groups(parameters, optim, diagnostics)) return NULL;
  warn_unused(&read, diagnostics);

  model->node = p.node = GT_NEW_N(arena, gt_id, parameters->count);
  p.flat = input; /* never read where there are no parameters, but it marks the second pass */
  if (parameters->total)
    p.flat = gt_variable_read(graph, gt_graph_variable(graph, GT_PARAMETERS_VARIABLE,
                                                       gt_shape_1(parameters->total), GT_F32, false));
  model->output = run(&p);
  return diagnostics->errors > errors ? NULL : model;
}

void gt_model_initialize(const gt_model *model, uint64_t seed, float *flat) {
  const gt_parameters *parameters = &model->parameters;
  memset(flat, 0, sizeof *flat * (size_t)parameters->total);
  for (int i = 0; i < parameters->count; i++) {
    const gt_parameter *p = &parameters->item[i];
    gt_init_fill(p->init, p->name, p->shape, seed, flat + p->offset);
  }
}
