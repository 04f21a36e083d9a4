/* Optimizers on a quadratic function, compared step by step with plain code in double precision; parameter
 * groups, clipping, moving average, and the guard against values that are not finite. */
#include "backend/backend.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "optim/groups.h"
#include "optim/training.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Three parameters a [5], b [2, 2], c [3]; loss = Σ k_i (p_i - t_i)², scaled by the variable "scale". Two
 * more terms are 0, but their gradients can be made bad. Σ sqrt(u_i + 0 p_i) - sqrt(u_i), with the variable
 * "root" as u: NaN where u is 0. Σ (p_i - h_i) e_i e_i, with the variables "here" as h and "huge" as e:
 * infinite where e is 1e30; h is then set to p, so that the term stays 0. */
enum { VALUES = 12, STEPS = 12, ROWS = 16 };

typedef struct fixture {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_graph *graph;
  const gt_optim *optim;
  gt_store *store;
  const gt_slot *parameter[3]; /* a, b, c */
  gt_training training;
  gt_backend *backend;
  gt_plan *plan;
  gt_executable *executable;
  gt_buffer *buffer[24];
} fixture;

static double curvature(int i) { return 0.25 * (i % 4 + 1); }
static double target(int i) { return (i % 5) - 1.5; }
static double ones(int i) { return i >= 0; } /* 1 for every value */
static double start(int i) { return 0.3 * (i % 7) - 1; }

static uint32_t variable_index(const fixture *f, const char *name) {
  for (uint32_t v = 0; v < f->graph->variables; v++)
    if (!strcmp(f->graph->variable[v].name, name)) return v;
  fail_msg("no variable %s", name);
  return 0;
}

static float *content(fixture *f, const char *name) {
  return f->backend->api->buffer_map(f->backend, f->buffer[variable_index(f, name)]);
}

/* Values are numbered over all parameters: a has 0-4, b 5-8, c 9-11. */
static const int first[] = {0, 5, 9};

static void set_values(fixture *f, float *flat, double (*value)(int i)) {
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < f->parameter[k]->count; i++)
      flat[f->parameter[k]->offset + i] = (float)value(first[k] + i);
}

static gt_id view_of(const fixture *f, const char *name, int i) {
  gt_graph *g = f->graph;
  const uint32_t variable = gt_graph_variable(g, name, gt_shape_1(f->store->total), GT_F32, false);
  return gt_view(g, gt_variable_read(g, variable), f->parameter[i]->offset, f->parameter[i]->shape);
}

/* The two terms for parameter p, with index i, whose gradients set_trap makes bad. */
static gt_id trap_terms(const fixture *f, gt_id p, int i) {
  gt_graph *g = f->graph;
  const gt_id root = view_of(f, "root", i), huge = view_of(f, "huge", i), here = view_of(f, "here", i);
  const gt_id u = gt_add(g, root, gt_mul(g, p, gt_constant(g, 0)));
  const gt_id root_term = gt_sub(g, gt_sqrt(g, u), gt_sqrt(g, root));
  const gt_id huge_term = gt_mul(g, gt_mul(g, gt_sub(g, p, here), huge), huge);
  return gt_add(g, gt_sum(g, root_term, 0, false), gt_sum(g, huge_term, 0, false));
}

static void build(fixture *f, const char *optimizer) {
  memset(f, 0, sizeof *f);
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&f->diagnostics, &f->arena);
  f->graph = gt_graph_create(&f->arena);
  const char *text = gt_arena_printf(&f->arena, "optimizer: %s\n", optimizer);
  const gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &f->diagnostics);
  f->optim = gt_optim_read(&f->arena, root, &f->diagnostics);
  if (!f->optim) gt_diagnostics_print(&f->diagnostics, stderr);
  assert_non_null(f->optim);

  f->store = gt_store_create(&f->arena);
  const gt_slot slots[3] = {{.name = "a.weight", .shape = gt_shape_1(5)},
                            {.name = "b.weight", .shape = gt_shape_2(2, 2)},
                            {.name = "c.weight", .shape = gt_shape_1(3)}};
  for (int i = 0; i < 3; i++) f->parameter[i] = gt_store_add(f->store, slots[i]);
  gt_optim_layout(f->optim, f->store);

  gt_graph *g = f->graph;
  const gt_shape flat = gt_shape_1(f->store->total);
  const int width = gt_optim_table_width(f->optim);
  const uint32_t state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const gt_id clock =
      gt_clock(g, state, gt_graph_variable(g, "table", gt_shape_2(ROWS, width), GT_F32, false));
  const gt_id p = gt_variable_read(g, gt_graph_variable(g, "parameters", flat, GT_F32, false));
  const gt_id k = gt_variable_read(g, gt_graph_variable(g, "curvature", flat, GT_F32, false));
  const gt_id t = gt_variable_read(g, gt_graph_variable(g, "target", flat, GT_F32, false));
  const gt_id scale = gt_variable_read(g, gt_graph_variable(g, "scale", (gt_shape){0}, GT_F32, false));
  gt_id node[3], loss = gt_constant(g, 0);
  for (int i = 0; i < 3; i++) {
    const gt_slot *q = f->parameter[i];
    node[i] = gt_view(g, p, q->offset, q->shape);
    const gt_id d = gt_sub(g, node[i], gt_view(g, t, q->offset, q->shape));
    loss =
        gt_add(g, loss, gt_sum(g, gt_mul(g, gt_view(g, k, q->offset, q->shape), gt_mul(g, d, d)), 0, false));
  }
  loss = gt_mul(g, loss, scale);
  for (int i = 0; i < 3; i++) loss = gt_add(g, loss, trap_terms(f, node[i], i));
  gt_error error = {0};
  const gt_id gradient = gt_training_gradient(g, f->store, node, loss, GT_NONE, &error);
  if (gradient == GT_NONE ||
      !gt_training_update(&f->training, g, f->optim, f->store, gradient, GT_NONE, loss, clock, &error))
    fail_msg("%s", error.message);
  assert_true(gt_graph_verify(g, &error));
}

/* Two parameters that are used as one packed value, in the order of the store: their gradient is the gradient
 * of that value, without a copy. */
static void adjacent_parameters_have_one_gradient(void **state) {
  gt_arena arena;
  gt_error error = {0};
  (void)state;
  gt_arena_init(&arena);
  gt_graph *g = gt_graph_create(&arena);
  gt_store *store = gt_store_create(&arena);
  const gt_slot slots[2] = {{.name = "a", .shape = gt_shape_1(8)}, {.name = "b", .shape = gt_shape_1(4)}};
  gt_id node[2];
  for (int i = 0; i < 2; i++) gt_store_add(store, slots[i]);
  gt_store_layout(store, (const bool[]){false}, 1);
  const gt_id p =
      gt_variable_read(g, gt_graph_variable(g, "parameters", gt_shape_1(store->total), GT_F32, false));
  for (int i = 0; i < 2; i++) node[i] = gt_view(g, p, store->parameter[i]->offset, slots[i].shape);
  const gt_id pack = gt_pack(g, node, 2), loss = gt_sum(g, gt_mul(g, pack, pack), 0, false);
  const gt_id gradient = gt_training_gradient(g, store, node, loss, GT_NONE, &error);
  assert_int_not_equal(gradient, GT_NONE);
  assert_int_equal(gt_node_at(g, gradient)->inputs, 1);
  assert_int_equal(gt_shape_count(gt_node_at(g, gt_node_at(g, gradient)->input[0])->shape), 12);
  gt_arena_finish(&arena);
}

static void compile(fixture *f) {
  gt_error error = {0};
  f->backend = gt_cpu_open(1, &error);
  assert_non_null(f->backend);
  const gt_plan_options options = {.target = f->backend->target};
  f->plan = gt_plan_create(&f->arena, f->graph, &options, &error);
  if (!f->plan) fail_msg("%s", error.message);
  const gt_backend_api *api = f->backend->api;
  for (uint32_t v = 0; v < f->graph->variables; v++)
    f->buffer[v] = api->buffer_create(f->backend, f->plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
  f->executable = api->compile(f->backend, f->plan, f->buffer, &error);
  assert_non_null(f->executable);
  set_values(f, content(f, "parameters"), start);
  set_values(f, content(f, "curvature"), curvature);
  set_values(f, content(f, "target"), target);
  content(f, "scale")[0] = 1;
  set_values(f, content(f, "root"), ones);
  float *table = content(f, "table");
  for (int s = 0; s < ROWS; s++)
    gt_training_scalars(f->optim, NULL, (uint64_t)s, ROWS, 4, (uint64_t)s + 1,
                        table + s * gt_optim_table_width(f->optim));
  for (int i = 0; i < f->store->slots; i++) {
    const gt_slot *slot = f->store->slot[i];
    float *x = content(f, slot->variable) + slot->offset;
    if (slot->role == GT_RUN) x[0] = (float)slot->fill.value;
    if (slot->fill.copies)
      memcpy(x, content(f, "parameters") + slot->belongs_to->offset, sizeof *x * (size_t)slot->count);
  }
}

static void run(fixture *f, uint32_t times) {
  gt_error error = {0};
  uint64_t ticket;
  if (!f->backend->api->run(f->backend, f->executable, times, &ticket, &error)) fail_msg("%s", error.message);
}

static void finish(fixture *f) {
  if (f->executable) f->backend->api->executable_destroy(f->backend, f->executable);
  for (uint32_t v = 0; f->executable && v < f->graph->variables; v++)
    f->backend->api->buffer_destroy(f->backend, f->buffer[v]);
  gt_backend_close(f->backend);
  gt_arena_finish(&f->arena);
}

/* The index of value `number` in a variable with all parameters. */
static int64_t index_of(const fixture *f, int number) {
  int k = 2;
  while (first[k] > number) k--;
  return f->parameter[k]->offset + number - first[k];
}

static float value(fixture *f, const char *name, int number) { return content(f, name)[index_of(f, number)]; }

static void check_gaps_are_zero(fixture *f, const char *name) {
  const float *x = content(f, name);
  for (int64_t i = 0; i < f->store->trainable; i++) {
    bool used = false;
    for (int k = 0; k < 3; k++)
      used |= i >= f->parameter[k]->offset && i < f->parameter[k]->offset + f->parameter[k]->count;
    if (!used && x[i] != 0) fail_msg("%s[%d] is %g, not 0", name, (int)i, x[i]);
  }
}

/* One value and its optimizer state. The formulas are those of PyTorch's documentation; that of lion is from
 * its paper (src/optim/lion.c). */
typedef struct cell {
  double p;    /* the parameter */
  double m, v; /* averages of the gradient and of its square */
  double b, a; /* momentum buffer; average of the gradient for a centered rmsprop */
} cell;
/* An update with the gradient g in step t, from 1. */
typedef void (*rule)(cell *c, double g, int t);

static void sgd(cell *c, double g, int t) {
  (void)t;
  c->p -= 0.05 * g;
}
static void sgd_momentum(cell *c, double g, int t) {
  (void)t;
  g += 0.1 * c->p;
  c->b = 0.9 * c->b + g;
  c->p -= 0.05 * c->b;
}
static void sgd_nesterov(cell *c, double g, int t) {
  (void)t;
  c->b = 0.9 * c->b + g;
  c->p -= 0.05 * (g + 0.9 * c->b);
}
static void adam_core(cell *c, double g, int t, double lr) {
  c->m = 0.8 * c->m + 0.2 * g;
  c->v = 0.95 * c->v + 0.05 * g * g;
  const double denominator = sqrt(c->v) / sqrt(1 - pow(0.95, t)) + 1e-6;
  c->p -= lr / (1 - pow(0.8, t)) * c->m / denominator;
}
static void adam(cell *c, double g, int t) { adam_core(c, g + 0.1 * c->p, t, 0.05); }
static void adamw(cell *c, double g, int t) {
  c->p *= 1 - 0.05 * 0.1;
  adam_core(c, g, t, 0.05);
}
static void rmsprop(cell *c, double g, int t) {
  (void)t;
  c->v = 0.9 * c->v + 0.1 * g * g;
  c->p -= 0.05 * g / (sqrt(c->v) + 1e-6);
}
static void rmsprop_all_options(cell *c, double g, int t) {
  (void)t;
  g += 0.1 * c->p;
  c->v = 0.9 * c->v + 0.1 * g * g;
  c->a = 0.9 * c->a + 0.1 * g;
  c->b = 0.5 * c->b + g / (sqrt(c->v - c->a * c->a) + 1e-3);
  c->p -= 0.01 * c->b;
}
static void lion(cell *c, double g, int t) {
  (void)t;
  const double u = 0.9 * c->m + 0.1 * g;
  c->p *= 1 - 0.05 * 0.1;
  c->p -= 0.05 * ((u > 0) - (u < 0));
  c->m = 0.99 * c->m + 0.01 * g;
}

static void check_formula(const char *optimizer, rule step, double tolerance) {
  fixture f;
  build(&f, optimizer);
  compile(&f);
  cell cells[VALUES] = {0};
  for (int i = 0; i < VALUES; i++) cells[i].p = (float)start(i);
  for (int t = 1; t <= STEPS; t++) {
    run(&f, 1);
    for (int i = 0; i < VALUES; i++) {
      step(&cells[i], 2 * curvature(i) * (cells[i].p - target(i)), t);
      const double got = value(&f, "parameters", i);
      if (!(fabs(got - cells[i].p) <= tolerance * (1 + fabs(cells[i].p))))
        fail_msg("%s, step %d, value %d: %.9g is not %.9g", optimizer, t, i, got, cells[i].p);
    }
  }
  check_gaps_are_zero(&f, "parameters");
  finish(&f);
}

static void every_optimizer_follows_its_formula(void **state) {
  (void)state;
  check_formula("{type: sgd, lr: 0.05}", sgd, 2e-6);
  check_formula("{type: sgd, lr: 0.05, momentum: 0.9, weight_decay: 0.1}", sgd_momentum, 2e-6);
  check_formula("{type: sgd, lr: 0.05, momentum: 0.9, nesterov: true}", sgd_nesterov, 2e-6);
  check_formula("{type: adam, lr: 0.05, betas: [0.8, 0.95], eps: 1e-6, weight_decay: 0.1}", adam, 5e-6);
  check_formula("{type: adamw, lr: 0.05, betas: [0.8, 0.95], eps: 1e-6, weight_decay: 0.1}", adamw, 5e-6);
  check_formula("{type: rmsprop, lr: 0.05, alpha: 0.9, eps: 1e-6}", rmsprop, 5e-6);
  check_formula(
      "{type: rmsprop, lr: 0.01, alpha: 0.9, eps: 1e-3, weight_decay: 0.1, momentum: 0.5, centered: true}",
      rmsprop_all_options, 2e-4);
  check_formula("{type: lion, lr: 0.05, weight_decay: 0.1}", lion, 2e-6);
}

static void groups_have_their_own_settings(void **state) {
  (void)state;
  fixture f;
  build(&f,
        "{type: adam, lr: 0.05, parameters: [{match: \"b.*\", frozen: true}, {match: \"c.*\", lr: 0.5}]}");
  compile(&f);
  run(&f, 1); /* Adam's first step has the length lr */
  for (int i = 0; i < VALUES; i++) {
    const double g = start(i) - target(i), lr = i < 5 ? 0.05 : i < 9 ? 0 : 0.5;
    assert_true(fabs(value(&f, "parameters", i) - (start(i) - (g > 0 ? lr : -lr))) < 1e-5);
  }
  assert_int_equal(f.store->trainable, 12);
  assert_int_equal(f.store->variables, 4); /* "parameters", "ok" and two averages */
  finish(&f);
}

/* First each value is clipped, then the norm. */
static void gradients_are_clipped_by_norm_and_value(void **state) {
  (void)state;
  fixture f;
  build(&f, "{type: sgd, lr: 1, clip_norm: 0.5, clip_value: 1}");
  compile(&f);
  run(&f, 1);
  double squares = 0, moved = 0, g[VALUES];
  for (int i = 0; i < VALUES; i++) {
    g[i] = fmax(-1, fmin(1, 2 * curvature(i) * ((float)start(i) - target(i))));
    squares += g[i] * g[i];
  }
  for (int i = 0; i < VALUES; i++) {
    const double step = start(i) - value(&f, "parameters", i);
    moved += step * step;
    assert_true(fabs(step - g[i] * 0.5 / (sqrt(squares) + 1e-6)) < 1e-6);
  }
  assert_true(fabs(sqrt(moved) - 0.5) < 1e-5);
  finish(&f);
}

static void the_average_follows_the_weights(void **state) {
  (void)state;
  fixture f;
  build(&f, "{type: sgd, lr: 0.05, ema: 0.75}");
  compile(&f);
  double average[VALUES];
  for (int i = 0; i < VALUES; i++) average[i] = start(i);
  for (int t = 0; t < 5; t++) {
    run(&f, 1);
    for (int i = 0; i < VALUES; i++) {
      average[i] = 0.75 * average[i] + 0.25 * value(&f, "parameters", i);
      assert_true(fabs(value(&f, "ema", i) - average[i]) < 1e-6);
    }
  }
  finish(&f);
}

/* The content of all variables of the store except "ok". */
enum { MAX_VARIABLES = 8, MAX_COUNT = 32 };
typedef struct snapshot {
  float value[MAX_VARIABLES][MAX_COUNT];
} snapshot;

static snapshot take_snapshot(fixture *f) {
  snapshot s = {{{0}}};
  assert_true(f->store->variables <= MAX_VARIABLES);
  for (int v = 0; v < f->store->variables; v++)
    if (f->store->variable[v].role != GT_RUN)
      memcpy(s.value[v], content(f, f->store->variable[v].name),
             sizeof(float) * (size_t)gt_store_extent(f->store, v));
  return s;
}

/* After a loss that is not finite, no variable changes, even if later losses are finite. */
static void check_bad_loss(const char *optimizer) {
  fixture f;
  build(&f, optimizer);
  compile(&f);
  run(&f, 2);
  assert_true(content(&f, "ok")[0] == 1);
  const snapshot before = take_snapshot(&f);
  content(&f, "scale")[0] = NAN;
  for (int pass = 0; pass < 3; pass++) {
    run(&f, 1);
    assert_true(content(&f, "ok")[0] == 0);
    const snapshot after = take_snapshot(&f);
    assert_memory_equal(&after, &before, sizeof after);
    content(&f, "scale")[0] = 1;
  }
  finish(&f);
}

static void a_bad_loss_changes_nothing(void **state) {
  (void)state;
  check_bad_loss("{type: adamw, ema: 0.9}");
  check_bad_loss("{type: sgd, momentum: 0.9, clip_norm: 1, clip_value: 2}");
  check_bad_loss("{type: rmsprop, momentum: 0.9, centered: true, ema: 0.99, clip_norm: 1}");
}

/* Makes the gradient of one value NaN or infinite; the loss stays finite. */
static void set_trap(fixture *f, int number, bool infinite) {
  const int64_t i = index_of(f, number);
  content(f, "here")[i] = content(f, "parameters")[i];
  content(f, infinite ? "huge" : "root")[i] = infinite ? 1e30f : 0;
}

static void check_bad_gradient(const char *optimizer, int number, bool infinite) {
  fixture f;
  build(&f, optimizer);
  compile(&f);
  run(&f, 2);
  assert_true(content(&f, "ok")[0] == 1);
  const snapshot before = take_snapshot(&f);
  set_trap(&f, number, infinite);
  run(&f, 1);
  if (content(&f, "ok")[0] != 0) fail_msg("%s, value %d: a bad gradient went unnoticed", optimizer, number);
  content(&f, "huge")[index_of(&f, number)] = 0;
  content(&f, "root")[index_of(&f, number)] = 1;
  run(&f, 1);
  const snapshot after = take_snapshot(&f);
  assert_memory_equal(&after, &before, sizeof after);
  finish(&f);
}

static void a_bad_gradient_changes_nothing(void **state) {
  (void)state;
  const char *const list[] = {
      "sgd",
      "{type: adamw, ema: 0.9}",
      "{type: adam, parameters: [{match: \"b.*\", lr: 0.5}, {match: \"c.*\", lr: 0.1}]}",
      "{type: sgd, momentum: 0.9, clip_norm: 1}",
      "{type: rmsprop, momentum: 0.9, centered: true, ema: 0.99, clip_norm: 1, clip_value: 2}",
      "{type: lion, clip_value: 2}",
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    for (int number = 0; number < VALUES; number++) {
      check_bad_gradient(list[i], number, false);
      if (!strstr(list[i], "clip_value")) check_bad_gradient(list[i], number, true);
    }
}

/* With clip_value, an infinite gradient is clipped to the limit. */
static void an_infinite_gradient_is_clipped_by_value(void **state) {
  (void)state;
  fixture f;
  build(&f, "{type: sgd, lr: 0.5, clip_value: 2}");
  compile(&f);
  set_trap(&f, 6, true);
  run(&f, 1);
  assert_true(content(&f, "ok")[0] == 1);
  assert_true(value(&f, "parameters", 6) == (float)start(6) - 0.5f * 2);
  finish(&f);
}

/* Parameters with the same settings are adjacent, so one kernel updates all of them; another one checks that
 * the gradient is finite, unless the norm that clip_norm computes shows it. */
static void one_group_is_one_kernel(void **state) {
  (void)state;
  const char *const list[] = {"{type: sgd, momentum: 0.9}", "{type: adam, weight_decay: 0.1}", "adamw",
                              "{type: adam, clip_norm: 1}", "{type: adam, ema: 0.99}",         "lion"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    fixture f;
    build(&f, list[i]);
    compile(&f);
    int updates = 0;
    for (uint32_t s = 0; s < f.plan->steps; s++)
      for (int a = 0; a < f.plan->step[s].accesses; a++) {
        const gt_access *access = &f.plan->step[s].access[a];
        updates += access->write && access->buffer == GT_PLAN_VARIABLE + variable_index(&f, "parameters");
      }
    assert_int_equal(updates, 1);
    int optimizer_steps = 0, guards = 0;
    for (uint32_t s = 0; s < f.plan->steps; s++)
      guards += !strcmp(gt_node_at(f.graph, f.plan->step[s].node)->op->name, "all_finite");
    assert_int_equal(guards, strstr(list[i], "clip") ? 0 : 1);
    for (uint32_t s = 0; s < f.plan->steps; s++)
      optimizer_steps += !strcmp(f.plan->step[s].scope, "optimizer");
    if (optimizer_steps > (strstr(list[i], "clip") ? 5 : 2)) {
      gt_plan_print(f.plan, stderr);
      fail_msg("%s: %d steps", list[i], optimizer_steps);
    }
    finish(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_optimizer_follows_its_formula),
      cmocka_unit_test(groups_have_their_own_settings),
      cmocka_unit_test(gradients_are_clipped_by_norm_and_value),
      cmocka_unit_test(adjacent_parameters_have_one_gradient),
      cmocka_unit_test(the_average_follows_the_weights),
      cmocka_unit_test(a_bad_loss_changes_nothing),
      cmocka_unit_test(a_bad_gradient_changes_nothing),
      cmocka_unit_test(an_infinite_gradient_is_clipped_by_value),
      cmocka_unit_test(one_group_is_one_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
