#include "model/model.h"
#include "model/read.h"
#include "layer/review.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/step_count.h"
#include <assert.h>
#include <string.h>

enum { MAX_VALUES = INT32_MAX }; /* GT_MAX_ELEMENTS */

/* A value that layers read: an input of the model or the output of a layer. */
typedef struct source {
  const char *name;
  gt_id node;
  const gt_sample_facts *facts; /* if the values are those of the data; otherwise NULL */
  int64_t limit;                /* of integers, as gt_model_input.limit */
  gt_id lengths;                /* as gt_model_input.lengths; GT_NONE: all steps are used */
  const char *lengths_end;      /* as gt_build.lengths_end */
  int64_t vocabulary;           /* of integers, as gt_model_input.vocabulary */
} source;

/* A pass over the layers of the model (not one of a block). The first pass builds a temporary graph, to
 * collect the slots and to find errors. When the layout of all parameters is known, the second pass emits the
 * real nodes. */
typedef struct build_pass {
  gt_arena *arena;
  gt_graph *graph;
  const gt_parsed_model *parsed;
  gt_model *model;
  gt_store_reader *reader; /* NULL in the first pass */
  const gt_model_input *input;
  gt_id clock, weight;
  gt_id *node; /* second pass: the node of each parameter and state */
  const gt_optim *optim;
  int slot;             /* second pass: index of the first slot of the layers that are not built yet */
  source *source;       /* the inputs of the model, then the layers */
  int64_t values;       /* first pass: number of values of all slots so far, with padding */
  int64_t layer_values; /* second pass: number of values of this layer's parameters */
  gt_model_mode mode;
  gt_diagnostics *diagnostics;
} build_pass;

/* Reports a shape that is too large for a value of a graph, at the line of the layer. A later check of the
 * gradient, or of the update of all parameters, could not name a line. */
static gt_id report_huge(const build_pass *p, gt_position at, const char *name, gt_shape shape) {
  char text[128];
  gt_error_at(p->diagnostics, at, "'%s' would have the shape %s", name, gt_shape_text(shape, text))
      ->expected = gt_arena_printf(p->diagnostics->arena, "at most %d values", MAX_VALUES);
  return GT_NONE;
}

/* First pass: adds the slot to the store. The nodes are temporary; only their shapes are used. */
static gt_id collect_slot(build_pass *p, const gt_build *build, gt_slot slot) {
  const bool fitted = p->values <= MAX_VALUES; /* before this slot */
  if (gt_shape_count(slot.shape) > MAX_VALUES) return report_huge(p, build->at, slot.name, slot.shape);
  if (slot.role == GT_PARAMETER || slot.role == GT_STATE) {
    gt_store_add(p->model->store, slot);
    p->values += gt_shape_count(slot.shape) + GT_STORE_ALIGN - 1; /* the largest size after alignment */
  }
  if (fitted && p->values > MAX_VALUES)
    gt_error_at(p->diagnostics, build->at, "with '%s' the model has too many parameters", slot.name)
        ->expected = gt_arena_printf(p->diagnostics->arena, "at most %d values in all", MAX_VALUES);
  return gt_variable_read(p->graph, gt_graph_variable(p->graph, slot.name, slot.shape, slot.dtype, false));
}

/* gt_build.slot. Constant tables need no layout: they are added to the store only in the second pass. */
static gt_id use_slot(gt_build *build, gt_slot wanted) {
  build_pass *p = build->owner;
  wanted.name = gt_arena_printf(p->arena, "%s.%s", build->name, wanted.name);
  if (!p->reader) return collect_slot(p, build, wanted);
  if (wanted.role == GT_CONSTANT && p->mode.transfer)
    gt_transfer_constant(p->mode.transfer, p->model->store, &wanted, wanted.table);
  const gt_slot *slot = gt_store_add(p->model->store, wanted);
  if (p->mode.shares && gt_slot_has_role(slot, GT_WEIGHT_ROLES)) return p->node[slot->index];
  const gt_id node = gt_store_read(p->reader, slot);
  if (!gt_slot_has_role(slot, GT_WEIGHT_ROLES)) return node;
  if (slot->role == GT_PARAMETER) p->layer_values += slot->count;
  return p->model->next_value[slot->index] = p->node[slot->index] = node;
}

/* gt_build.shared: returns the node that the layer of the slot reads, because a parameter must have a single
 * node to get the sum of all gradients. */
static gt_id share_slot(gt_build *build, const char *name) {
  const build_pass *p = build->owner;
  const gt_slot *slot = gt_store_find(p->model->store, name);
  if (!slot || slot->role != GT_PARAMETER) return GT_NONE;
  if (p->reader) return p->node[slot->index];
  return gt_variable_read(p->graph, gt_graph_variable(p->graph, name, slot->shape, slot->dtype, false));
}

/* gt_build.update. */
static void update_state(gt_build *build, const char *name, gt_id value) {
  build_pass *p = build->owner;
  if (!p->reader || p->mode.shares) return;
  const gt_slot *state =
      gt_store_find(p->model->store, gt_arena_printf(p->arena, "%s.%s", build->name, name));
  assert(state && state->role == GT_STATE);
  assert(gt_shape_count(gt_node_at(p->graph, value)->shape) == state->count);
  p->model->next_value[state->index] = value;
  if (!p->model->updated) p->model->updated = state;
}

/* gt_build.penalty. */
static void add_penalty(gt_build *build, gt_id value) {
  build_pass *p = build->owner;
  gt_id *sum = &p->model->penalty;
  if (p->reader && !p->mode.shares) *sum = *sum == GT_NONE ? value : gt_add(p->graph, *sum, value);
}

/* gt_build.adapt. */
static void add_adaptation(gt_build *build, const gt_adaptation *adaptation) {
  build_pass *p = build->owner;
  if (p->reader && !p->mode.shares) p->model->adaptation[p->model->adaptations++] = *adaptation;
}

/* index: of a layer, or GT_FROM_INPUT. */
static source *source_at(const build_pass *p, int index) {
  return &p->source[index < 0 ? GT_FROM_INPUT(index) : p->parsed->inputs.count + index];
}

static bool is_integer(const build_pass *p, gt_id id) { return gt_node_at(p->graph, id)->dtype == GT_I32; }

/* True if the layer accepts its inputs. limits: of each input (gt_model_input.limit). *limit: the largest of
 * them, for a layer that outputs its inputs' integers; 0 if one is unknown. */
static bool check_integers(build_pass *p, const gt_layer_instance *layer, const gt_id *input,
                           const char **names, const int64_t *limits, int64_t *limit) {
  const gt_layer_type *type = layer->template->type;
  bool known = true;
  *limit = 0;
  for (int k = 0; k < layer->inputs; k++) {
    known &= limits[k] > 0;
    *limit = limits[k] > *limit ? limits[k] : *limit;
    if (type->integers || !is_integer(p, input[k])) continue;
    return gt_refuse(p->diagnostics, layer->template->at, "an embedding before it",
                     "layer '%s' does not accept integers, but '%s' holds integers", layer->name, names[k]);
  }
  if (!known) *limit = 0;
  return true;
}

/* The first input whose samples have lengths; -1: none. */
static int first_with_lengths(const gt_build *build, int inputs) {
  for (int k = 0; k < inputs; k++)
    if (build->lengths[k] != GT_NONE) return k;
  return -1;
}

/* The lengths of a layer's output: those that it has set, else those of its inputs that have some, if axis 1
 * is the same. An input without lengths, such as a gate that is broadcast over the steps, changes nothing. */
static gt_id lengths_after(const build_pass *p, gt_build *build, const gt_id *input, int inputs, gt_id out) {
  const int first = first_with_lengths(build, inputs);
  if (first < 0 || out == GT_NONE) return GT_NONE;
  if (build->output_lengths != GT_NONE) return build->output_lengths;
  if (build->type->ends_lengths || build->lengths_end) return GT_NONE;
  const gt_shape to = gt_node_at(p->graph, out)->shape;
  for (int k = first; k < inputs; k++) {
    const gt_shape from = gt_node_at(p->graph, input[k])->shape;
    if (build->lengths[k] == GT_NONE) continue;
    if (to.rank < 3 || to.dim[1] != from.dim[1] || (inputs > 1 && to.rank != from.rank)) return GT_NONE;
    if (gt_step_count_equal(p->graph, build->lengths[first], build->lengths[k])) continue;
    gt_error_at(p->diagnostics, build->at,
                "layer '%s' would join %s and %s, whose samples have different lengths", build->name,
                gt_build_input_text(build, input, first), gt_build_input_text(build, input, k))
        ->expected = "inputs whose samples end at the same step: convolutions with `padding: same` for one "
                     "text, `sequence_pool` behind each of two texts";
    return GT_NONE;
  }
  return build->lengths[first];
}

/* The layer that ended the lengths of the values in `out`, which still holds steps after the end of its
 * samples; NULL: none did. Layers that pool steps have left the padding out. */
static const char *lengths_end_after(const build_pass *p, const gt_build *build, int inputs, gt_id lengths,
                                     gt_id out) {
  const gt_layer_type *type = build->type;
  if (out == GT_NONE || lengths != GT_NONE) return NULL;
  /* Integers of rank 2 are tokens, whose steps an embedding makes. */
  if (!type->moves && gt_node_at(p->graph, out)->shape.rank < 3 && !is_integer(p, out)) return NULL;
  if (build->lengths_end || first_with_lengths(build, inputs) < 0) return build->lengths_end;
  return type->family == GT_LAYER_POOLING || type->family == GT_LAYER_SEQUENCE ? NULL : build->name;
}

/* True if training must not change the layer. The first pass added the slots in the order of the layers. */
static bool is_frozen(build_pass *p, const char *layer) {
  const gt_store *store = p->model->store;
  const int first = p->slot;
  const size_t length = strlen(layer);
  while (p->slot < store->slots && !strncmp(store->slot[p->slot]->name, layer, length) &&
         gt_slot_layer_length(store->slot[p->slot]->name) == length)
    p->slot++;
  return gt_optim_freezes_layer(p->optim, store, layer, first);
}

/* The layer's output; GT_NONE after reporting an error, or silently if an input is GT_NONE. */
static gt_id build_layer(build_pass *p, const gt_layer_instance *layer, source *to) {
  const gt_layer_template *template = layer->template;
  gt_id *input = GT_NEW_N(p->arena, gt_id, layer->inputs);
  const char **names = GT_NEW_N(p->arena, const char *, layer->inputs);
  int64_t *limits = GT_NEW_N(p->arena, int64_t, layer->inputs);
  gt_id *lengths = GT_NEW_N(p->arena, gt_id, layer->inputs);
  const gt_sample_facts **facts = GT_NEW_N(p->arena, const gt_sample_facts *, layer->inputs);
  const char *lengths_end = NULL; /* the first layer that ended the lengths of an input */
  if (!template->valid) return GT_NONE;
  for (int k = 0; k < layer->inputs; k++) {
    const source *from = source_at(p, layer->input[k]);
    input[k] = from->node;
    names[k] = from->name;
    limits[k] = from->limit;
    lengths[k] = from->lengths;
    facts[k] = from->facts;
    if (!lengths_end) lengths_end = from->lengths_end;
    if (input[k] == GT_NONE) return GT_NONE;
  }
  if (!check_integers(p, layer, input, names, limits, &to->limit)) return GT_NONE;
  to->vocabulary = source_at(p, layer->input[0])->vocabulary;
  if (template->type->moves) to->facts = facts[0];
  gt_build build = {.graph = p->graph,
                    .arena = p->arena,
                    .diagnostics = p->diagnostics,
                    .type = template->type,
                    .name = layer->name,
                    .inputs = layer->inputs,
                    .input_name = names,
                    .input_limit = limits,
                    .lengths = lengths,
                    .steps = gt_node_at(p->graph, input[0])->shape.dim[1],
                    .lengths_end = lengths_end,
                    .output_lengths = GT_NONE,
                    .vocabulary = is_integer(p, input[0]) ? to->vocabulary : 0,
                    .at = template->at,
                    .spec = layer->spec,
                    .training = p->mode.training,
                    .frozen = p->reader && is_frozen(p, layer->name),
                    .recompute = p->mode.recompute,
                    .hard = p->mode.hard,
                    .review = p->reader ? p->mode.review : NULL,
                    .facts = p->mode.review ? facts : NULL,
                    .seed = p->mode.seed,
                    .clock = p->clock,
                    .weight = p->weight,
                    .slot = use_slot,
                    .shared = share_slot,
                    .update = update_state,
                    .penalty = add_penalty,
                    .adapt = add_adaptation,
                    .owner = p};
  const int errors = p->diagnostics->errors;
  gt_id out = template->type->build(&build, layer->config, input);
  p->model->has_hard |= build.has_hard;
  to->lengths = lengths_after(p, &build, input, layer->inputs, out);
  to->lengths_end = lengths_end_after(p, &build, layer->inputs, to->lengths, out);
  if (p->diagnostics->errors > errors) out = GT_NONE;
  if (out == GT_NONE && p->diagnostics->errors == errors) {
    const bool has_message = p->graph->error.status != GT_OK;
    gt_error_at(p->diagnostics, template->at, "%s",
                has_message ? p->graph->error.message : "this layer could not be built");
    p->graph->error = (gt_error){0};
  }
  if (out != GT_NONE && gt_shape_count(gt_node_at(p->graph, out)->shape) > MAX_VALUES)
    return report_huge(p, template->at, layer->name, gt_node_at(p->graph, out)->shape);
  return out;
}

static void record_layer(build_pass *p, int index) {
  const gt_layer_instance *instance = &p->parsed->layer[index];
  const char **names = GT_NEW_N(p->arena, const char *, instance->inputs);
  for (int k = 0; k < instance->inputs; k++) names[k] = source_at(p, instance->input[k])->name;
  const source *output = source_at(p, index);
  gt_model_layer *layer = &p->model->layer[index];
  *layer = (gt_model_layer){.name = instance->name,
                            .type = instance->template->type,
                            .at = instance->template->at,
                            .config = instance->config,
                            .output = gt_node_at(p->graph, output->node)->shape,
                            .node = output->node,
                            .lengths = output->lengths,
                            .parameters = p->layer_values,
                            .input_count = instance->inputs,
                            .input = names};
}

static gt_id run(build_pass *p) {
  const int inputs = p->parsed->inputs.count, layers = p->parsed->layers;
  p->source = GT_NEW_N(p->arena, source, inputs + layers);
  for (int k = 0; k < inputs; k++) {
    const gt_model_input *input = &p->input[k];
    p->source[k] = (source){.name = input->name,
                            .node = input->node,
                            .facts = p->mode.review ? p->mode.review->input[k] : NULL,
                            .limit = input->limit,
                            .lengths = input->lengths ? *input->lengths : GT_NONE,
                            .vocabulary = input->vocabulary};
  }
  for (int i = 0; i < layers; i++) {
    const gt_layer_instance *layer = &p->parsed->layer[i];
    source *output = source_at(p, i);
    *output = (source){.name = layer->name, .lengths = GT_NONE};
    p->layer_values = 0;
    const char *outer = gt_graph_set_scope(p->graph, gt_arena_strdup(p->graph->arena, layer->name));
    output->node = build_layer(p, layer, output);
    if (output->node == GT_NONE) layer->template->valid = false; /* reports the error for one instance only */
    gt_graph_set_scope(p->graph, outer);
    if (p->reader && output->node != GT_NONE) record_layer(p, i);
  }
  return source_at(p, layers - 1)->node;
}

gt_id gt_model_idle_clock(gt_graph *graph) {
  const uint32_t state = gt_graph_variable(graph, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  return gt_clock(graph, state, gt_graph_variable(graph, "table", gt_shape_2(1, 1), GT_F32, false));
}

static const gt_id *placeholder_lengths(const build_pass *p, gt_graph *graph, const gt_graph *real, int k) {
  const gt_node *node = gt_node_at(real, *p->input[k].lengths);
  gt_id *lengths = GT_NEW(graph->arena, gt_id);
  const char *name = gt_arena_printf(graph->arena, "lengths of %s", p->input[k].name);
  *lengths = gt_variable_read(graph, gt_graph_variable(graph, name, node->shape, node->dtype, false));
  return lengths;
}

/* The first pass, on placeholders for the inputs. */
static void collect_slots(build_pass *p, const gt_graph *real) {
  gt_arena scratch;
  gt_arena_init(&scratch);
  build_pass first = *p;
  gt_graph *graph = first.graph = gt_graph_create(&scratch);
  gt_model_input *inputs = GT_NEW_N(&scratch, gt_model_input, p->parsed->inputs.count);
  first.input = inputs;
  for (int k = 0; k < p->parsed->inputs.count; k++) {
    const gt_node *input = gt_node_at(real, p->input[k].node);
    const char *name = gt_arena_printf(&scratch, "input %s", p->input[k].name);
    const uint32_t placeholder = gt_graph_variable(graph, name, input->shape, input->dtype, false);
    if (input->bits) gt_graph_mark_bits(graph, placeholder);
    inputs[k] = p->input[k];
    inputs[k].node = gt_variable_read(graph, placeholder);
    if (p->input[k].lengths) inputs[k].lengths = placeholder_lengths(p, graph, real, k);
  }
  first.clock = first.weight = GT_NONE;
  if (p->weight != GT_NONE)
    first.weight = gt_variable_read(
        graph, gt_graph_variable(graph, "weight", gt_node_at(real, p->weight)->shape, GT_F32, false));
  if (p->mode.training) first.clock = gt_model_idle_clock(graph);
  run(&first);
  gt_arena_finish(&scratch);
}

static bool is_head(const gt_parsed_model *parsed, int layer, const gt_model_heads *heads) {
  for (int k = 0; k < heads->count; k++)
    if (!strcmp(parsed->layer[layer].name, heads->name[k])) return true;
  return !heads->count && layer == parsed->layers - 1;
}

/* A layer that nothing reads costs time and trains nothing; it is most likely a forgotten `from:`. */
static void warn_unused(const gt_parsed_model *parsed, const gt_spec *root, const gt_model_heads *heads,
                        gt_diagnostics *diagnostics) {
  bool *used = GT_NEW_N(diagnostics->arena, bool, parsed->layers);
  bool *reported = GT_NEW_N(diagnostics->arena, bool, parsed->layers);
  bool *input_is_read = GT_NEW_N(diagnostics->arena, bool, parsed->inputs.count);
  for (int i = 0; i < parsed->layers; i++)
    for (int k = 0; k < parsed->layer[i].inputs; k++) {
      const int from = parsed->layer[i].input[k];
      *(from < 0 ? &input_is_read[GT_FROM_INPUT(from)] : &used[from]) = true;
    }
  for (int k = 0; k < parsed->inputs.count; k++)
    if (!input_is_read[k])
      gt_finding_at(diagnostics, GT_FINDING_unused, gt_spec_find(root, "model")->at,
                    "the input '%s' is never read", parsed->inputs.items[k].name);
  for (int i = 0; i < parsed->layers; i++) {
    const gt_layer_template *template = parsed->layer[i].template;
    if (used[i] || reported[template->first] || is_head(parsed, i, heads)) continue;
    reported[template->first] = true;
    gt_finding_at(diagnostics, GT_FINDING_unused, template->at, "the output of layer '%s' is never used",
                  parsed->layer[i].name);
  }
}

const gt_model_layer *gt_model_find_layer(const gt_model *model, const char *name) {
  for (int i = 0; i < model->layers; i++)
    if (!strcmp(model->layer[i].name, name)) return &model->layer[i];
  return NULL;
}

gt_model *gt_model_build(gt_arena *arena, gt_graph *graph, const gt_spec *root, const gt_optim *optim,
                         gt_model_inputs inputs, gt_id clock, gt_model_mode mode,
                         gt_diagnostics *diagnostics) {
  const int errors = diagnostics->errors;
  gt_parsed_model parsed;
  if (!gt_model_parse(&parsed, arena, root, inputs, diagnostics)) return NULL;
  gt_model *model = GT_NEW(arena, gt_model);
  model->layers = parsed.layers;
  model->layer = GT_NEW_N(arena, gt_model_layer, parsed.layers);
  model->adaptation = GT_NEW_N(arena, gt_adaptation, parsed.layers); /* at most one per layer */
  model->penalty = GT_NONE;
  build_pass p = {.arena = arena,
                  .graph = graph,
                  .parsed = &parsed,
                  .model = model,
                  .input = inputs.items,
                  .clock = clock,
                  .weight = mode.weight ? *mode.weight : GT_NONE,
                  .optim = optim,
                  .mode = mode,
                  .diagnostics = diagnostics};
  if (mode.shares) {
    model->store = mode.shares->store;
    p.node = GT_NEW_N(arena, gt_id, model->store->slots);
    memcpy(p.node, mode.shares->node, sizeof *p.node * (size_t)model->store->slots);
  } else {
    model->store = gt_store_create(arena);
    collect_slots(&p, graph);
    if (diagnostics->errors > errors) return NULL;
    gt_optim_layout(optim, model->store);
    if (!gt_optim_check_groups(optim, model->store, diagnostics)) return NULL;
    warn_unused(&parsed, root, &mode.heads, diagnostics);
    p.node = GT_NEW_N(arena, gt_id, model->store->slots);
    model->next_value = GT_NEW_N(arena, gt_id, model->store->slots);
  }

  gt_store_reader reader = gt_store_reader_open(model->store, graph, mode.averaged);
  p.reader = &reader;
  model->node = p.node;
  model->output = run(&p);
  return diagnostics->errors > errors ? NULL : model;
}

/* Updates all states in one kernel, whatever their number. */
gt_id gt_model_update_states(const gt_model *model, gt_graph *graph, gt_id keep) {
  const gt_store *store = model->store;
  if (!model->updated) return GT_NONE;
  gt_id *part = GT_NEW_N(graph->arena, gt_id, store->slots);
  int64_t *offset = GT_NEW_N(graph->arena, int64_t, store->slots);
  int parts = 0;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (slot->role != GT_STATE) continue;
    part[parts] = model->next_value[i];
    offset[parts++] = slot->offset;
  }
  const uint32_t variable =
      gt_graph_variable(graph, GT_STATES_VARIABLE, gt_shape_1(store->states), GT_F32, false);
  const gt_id next_value = gt_pack_at(graph, part, offset, parts, store->states);
  const gt_id updated = gt_where(graph, keep, next_value, gt_variable_read(graph, variable));
  gt_assign(graph, variable, 0, updated);
  return updated;
}
