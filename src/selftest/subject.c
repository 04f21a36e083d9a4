#include "selftest/subject.h"
#include "base/memory.h"
#include "base/philox.h"
#include "base/text.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTE = 0xA5, PURPOSE_WEIGHT = 100 /* a random stream (base/philox.h) */ };

/* --- inputs --- */

/* Parses a shape such as "3,4", or "-" for a scalar (op/case.h). */
static bool read_shape(const char **text, gt_shape *shape) {
  memset(shape, 0, sizeof *shape);
  if (**text == '-') {
    (*text)++;
    return true;
  }
  do {
    char *end;
    if (shape->rank == GT_MAX_RANK || !isdigit((unsigned char)**text)) return false;
    shape->dim[shape->rank++] = strtoll(*text, &end, 10);
    *text = end;
  } while (**text == ',' && (*text)++);
  return true;
}

static uint64_t seed_of(const gt_case *c) {
  const uint64_t hash = gt_hash(GT_HASH_START, c->rule->name, strlen(c->rule->name));
  return gt_hash(gt_hash(hash, c->inputs, strlen(c->inputs)), c->p, sizeof c->p);
}

static float draw_float(const gt_case *c, char kind, uint64_t seed, int k, uint32_t i) {
  const gt_case_rule *rule = c->rule;
  double low = -2, high = 2;
  if (c->low != 0 || c->high != 0)
    low = c->low, high = c->high;
  else if (rule->low != 0 || rule->high != 0)
    low = rule->low, high = rule->high;
  const double value = low + (high - low) * gt_random_uniform(seed, 1 + (uint32_t)k, 0, i);
  return (float)(kind == 'g' ? floor(2 * value) / 2 : value);
}

/* Draws the values of an input of this kind (op/case.h). */
static void fill_input(gt_subject *s, int k, char kind) {
  const gt_case *c = s->view.c;
  const gt_guarded_tensor *tensor = &s->input[k];
  const uint64_t seed = seed_of(c); /* outside the loop, which may have millions of elements */
  s->x[k] = GT_NEW_N(&s->arena, double, tensor->count + 1);
  if (kind == 'c') {
    int32_t *values = (int32_t *)s->initial[tensor->variable] + tensor->guard;
    c->rule->fill(&s->view, k, (const double *const *)s->x, values);
    for (int64_t i = 0; i < tensor->count; i++) s->x[k][i] = values[i];
    return;
  }
  for (int64_t i = 0; i < tensor->count; i++) {
    const size_t at = (size_t)(tensor->guard + i);
    const uint32_t bits = gt_random_bits(seed, 1 + (uint32_t)k, 1, (uint32_t)i);
    void *initial = s->initial[tensor->variable];
    if (kind == 'u')
      s->x[k][i] = ((uint8_t *)initial)[at] = (uint8_t)bits;
    else if (kind == 'i' || kind == 'n')
      s->x[k][i] = ((int32_t *)initial)[at] = (int32_t)(bits % (uint32_t)(c->v > 0 ? c->v : 1));
    else if (kind == 'w')
      ((uint32_t *)initial)[at] = (uint32_t)c->p[i % GT_CASE_PARAMETERS];
    else
      s->x[k][i] = ((float *)initial)[at] = draw_float(c, kind, seed, k, (uint32_t)i);
  }
}

/* --- the graph --- */

/* Declares a variable with `guard` elements, the tensor's `count` elements and `guard` elements again. If
 * guard is odd, a tensor of 4-byte elements is aligned to 4 bytes only. */
static gt_guarded_tensor add_tensor(gt_subject *s, const char *name, int64_t guard, int64_t count,
                                    gt_dtype dtype) {
  const int64_t all = count + 2 * guard;
  gt_guarded_tensor tensor = {true, gt_graph_variable(s->graph, name, gt_shape_1(all), dtype, false), guard,
                              count, dtype};
  s->initial[tensor.variable] = gt_arena_alloc_n(&s->arena, (size_t)all, gt_dtype_size(dtype));
  memset(s->initial[tensor.variable], GUARD_BYTE, (size_t)all * gt_dtype_size(dtype));
  return tensor;
}

static gt_id add_input(gt_subject *s, int k, char kind) {
  static const int64_t guards[] = {16, 13, 8, 7, 20, 9, 4, 5};
  const gt_shape shape = s->view.shape[k];
  const gt_dtype dtype = kind == 'u' ? GT_U8 : kind == 'i' || kind == 'c' || kind == 'n' ? GT_I32 : GT_F32;
  const char *name = gt_arena_printf(&s->arena, "input%d", k);
  s->view.dtype[k] = dtype;
  const bool unguarded = kind == 'v' || kind == 'w' || kind == 'm' || kind == 'n';
  if (unguarded) { /* the op refers to the variable itself, which must have the expected shape: no guards */
    const uint32_t variable = gt_graph_variable(s->graph, name, shape, dtype, false);
    s->input[k] = (gt_guarded_tensor){true, variable, 0, gt_shape_count(shape), dtype};
    s->initial[variable] = gt_arena_alloc_n(&s->arena, (size_t)gt_shape_count(shape), gt_dtype_size(dtype));
  } else {
    /* Bytes are read as words, so their guards keep word alignment. */
    s->input[k] = add_tensor(s, name, dtype == GT_U8 ? 16 : guards[k], gt_shape_count(shape), dtype);
  }
  s->view.variable[k] = s->input[k].variable;
  fill_input(s, k, kind);
  const gt_id read = gt_variable_read(s->graph, s->input[k].variable);
  return unguarded ? read : gt_view(s->graph, read, s->input[k].guard, shape);
}

static bool add_inputs(gt_subject *s, gt_id *input, gt_error *error) {
  const char *text = s->view.c->inputs;
  while (*text) {
    const int k = s->view.inputs;
    const char kind = isalpha((unsigned char)*text) ? *text++ : 'f';
    if (k == GT_CASE_INPUTS || !read_shape(&text, &s->view.shape[k]) || (*text && *text != ' '))
      return gt_fail(error, GT_ERR_INTERNAL, "case \"%s\": cannot read the shapes", s->view.c->inputs);
    while (*text == ' ') text++;
    input[k] = add_input(s, k, kind);
    s->view.inputs++;
  }
  return true;
}

/* Adds guarded variables for value and gradients. The loss is a weighted sum, with a different weight for
 * every element. */
static bool add_outputs(gt_subject *s, gt_id value, const gt_id *input, gt_error *error) {
  const gt_case_rule *rule = s->view.c->rule;
  const int64_t count = gt_shape_count(s->value_shape);
  s->value = add_tensor(s, "value", 11, count, gt_node_at(s->graph, value)->dtype);
  gt_assign(s->graph, s->value.variable, s->value.guard, value);
  if (!rule->wrt) return true;
  s->weight = add_tensor(s, "weight", 12, count, GT_F32);
  s->w = GT_NEW_N(&s->arena, double, count + 1);
  float *w = (float *)s->initial[s->weight.variable] + s->weight.guard;
  for (int64_t i = 0; i < count; i++) {
    const float u = gt_random_uniform(seed_of(s->view.c), PURPOSE_WEIGHT, 0, (uint32_t)i);
    s->w[i] = w[i] = u < 0.5f ? u - 1 : u; /* away from zero, of both signs */
  }
  gt_id weight = gt_variable_read(s->graph, s->weight.variable);
  weight = gt_view(s->graph, weight, s->weight.guard, s->value_shape);
  const gt_id loss = gt_sum(s->graph, gt_mul(s->graph, value, weight), 0, false);
  gt_id wrt[GT_CASE_INPUTS], gradient[GT_CASE_INPUTS];
  int which[GT_CASE_INPUTS], wrt_count = 0;
  for (int k = 0; k < s->view.inputs; k++)
    if (rule->wrt >> k & 1) which[wrt_count] = k, wrt[wrt_count++] = input[k];
  if (!gt_autodiff(s->graph, loss, wrt, wrt_count, gradient, error)) return false;
  for (int i = 0; i < wrt_count; i++) {
    const int k = which[i];
    if (gradient[i] == GT_NONE && rule->flat) continue;
    if (gradient[i] == GT_NONE) return gt_fail(error, GT_ERR_INTERNAL, "input %d has no gradient", k);
    if (!gt_shape_equal(gt_node_at(s->graph, gradient[i])->shape, s->view.shape[k]))
      return gt_fail(error, GT_ERR_INTERNAL, "the gradient of input %d differs in shape from the input", k);
    s->gradient[k] =
        add_tensor(s, gt_arena_printf(&s->arena, "gradient%d", k), 10 + k, s->input[k].count, GT_F32);
    gt_assign(s->graph, s->gradient[k].variable, s->gradient[k].guard, gradient[i]);
  }
  return true;
}

static double count_flops(const gt_graph *graph) {
  double flops = 0;
  for (gt_id id = 0; id < graph->count; id++) {
    const gt_node *node = gt_node_at(graph, id);
    flops += node->op->flops ? node->op->flops(graph, node) : (double)gt_shape_count(node->shape);
  }
  return flops;
}

bool gt_subject_create(gt_subject *s, const gt_case *c, gt_precision precision, gt_error *error) {
  const gt_case_rule *rule = c->rule;
  memset(s, 0, sizeof *s);
  gt_arena_init(&s->arena);
  s->view.c = c;
  s->graph = gt_graph_create(&s->arena);
  gt_graph_set_precision(s->graph, precision);
  s->initial = GT_NEW_N(&s->arena, void *, 64);
  gt_id input[GT_CASE_INPUTS];
  if (!add_inputs(s, input, error)) return false;
  const gt_id value = rule->build(s->graph, &s->view, input);
  if (s->graph->error.status) return *error = s->graph->error, false;
  if (value == GT_NONE) return gt_fail(error, GT_ERR_INTERNAL, "the op built no node");
  s->value_shape = rule->reference(&s->view, (const double *const *)s->x, NULL);
  s->forward_flops = count_flops(s->graph);
  s->limit = rule->result ? INFINITY : gt_node_at(s->graph, value)->limit;
  if (rule->result) {
    s->value = s->input[rule->result - 1];
  } else {
    char got[128], expected[128];
    if (!gt_shape_equal(gt_node_at(s->graph, value)->shape, s->value_shape))
      return gt_fail(error, GT_ERR_INTERNAL, "the shape is %s; expected %s",
                     gt_shape_text(gt_node_at(s->graph, value)->shape, got),
                     gt_shape_text(s->value_shape, expected));
    if (!add_outputs(s, value, input, error)) return false;
  }
  if (s->graph->error.status) return *error = s->graph->error, false;
  return gt_graph_verify(s->graph, error);
}

void gt_subject_finish(gt_subject *s) { gt_arena_finish(&s->arena); }

uint64_t gt_subject_bytes(const gt_subject *s, uint32_t variable) {
  const gt_variable *v = &s->graph->variable[variable];
  return (uint64_t)gt_shape_count(v->shape) * gt_dtype_size(v->dtype);
}

/* --- a run --- */

static bool replay(const gt_subject *s, gt_backend *backend, const gt_plan *plan, gt_buffer **buffer,
                   gt_arena *arena, gt_outcome *outcome, gt_error *error) {
  const gt_backend_api *api = backend->api;
  const uint32_t variables = s->graph->variables;
  gt_executable *executable = NULL;
  bool ok = false;
  uint64_t ticket;
  for (uint32_t v = 0; v < variables; v++) {
    buffer[v] = api->buffer_create(backend, plan->variable_bytes[v], GT_BUFFER_DEVICE, error);
    if (!buffer[v]) goto done;
    /* Variables that the op itself creates start as zeros. */
    if (s->initial[v] && !api->upload(backend, buffer[v], 0, s->initial[v], gt_subject_bytes(s, v), error))
      goto done;
  }
  executable = api->compile(backend, plan, buffer, error);
  if (!executable) goto done;
  const int times = s->view.c->rule->times;
  if (!api->run(backend, executable, times ? (uint32_t)times : 1, &ticket, error)) goto done;
  if (!api->wait(backend, ticket, error)) goto done;
  outcome->content = GT_NEW_N(arena, uint8_t *, variables);
  for (uint32_t v = 0; v < variables; v++) {
    outcome->content[v] = gt_arena_alloc(arena, gt_subject_bytes(s, v));
    if (!api->download(backend, buffer[v], 0, outcome->content[v], gt_subject_bytes(s, v), error)) goto done;
  }
  ok = true;
done:
  if (executable) api->executable_destroy(backend, executable);
  for (uint32_t v = 0; v < variables; v++)
    if (buffer[v]) api->buffer_destroy(backend, buffer[v]);
  return ok;
}

gt_plan *gt_subject_plan(const gt_subject *s, const gt_target *target, bool fusion, bool reuse,
                         gt_arena *arena, gt_error *error) {
  const gt_plan_options options = {.target = *target, .no_fusion = !fusion, .no_reuse = !reuse};
  return gt_plan_create(arena, s->graph, &options, error);
}

bool gt_subject_run_plan(const gt_subject *s, gt_backend *backend, const gt_plan *plan, gt_arena *arena,
                         gt_outcome *outcome, gt_error *error) {
  gt_buffer **buffer = gt_alloc((s->graph->variables + 1) * sizeof *buffer);
  const bool ok = replay(s, backend, plan, buffer, arena, outcome, error);
  free(buffer);
  return ok;
}

bool gt_subject_run(const gt_subject *s, gt_backend *backend, bool fusion, bool reuse, gt_arena *arena,
                    gt_outcome *outcome, gt_error *error) {
  gt_arena scratch;
  gt_arena_init(&scratch);
  const gt_plan *plan = gt_subject_plan(s, &backend->target, fusion, reuse, &scratch, error);
  const bool ok = plan && gt_subject_run_plan(s, backend, plan, arena, outcome, error);
  gt_arena_finish(&scratch);
  return ok;
}
