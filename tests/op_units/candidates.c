/* Every candidate of a choice (gt_choice), when forced, gives the same numbers as the CPU: small models are
 * trained for two steps from the same parameters, with plans that fuse all that the graph allows into
 * products. `make check-candidates` tests all candidates, or a tenth of them with TENTH=0 … 9; otherwise one
 * candidate is tested for each combination of engine, operand loaders and fused work. A software device takes
 * seconds to compile each kernel, so it trains only a few of the models (op_units/ways.c and others test more
 * candidates, with single products). */
#include "base/memory.h"
#include "lib/spec.h"
#include "shaders/op/matmul/factor.h"
#include "store/state_dict.h"
#include "support/device.h"
#include "train/bench/bench.h"
#include "train/net/session.h"
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* KIND_STRIDE: on scalar units, a software device tests one kind of candidates in this many. */
enum { STEPS = 2, KIND_STRIDE = 3, TENTHS = 10 };
/* Tolerances relative to the largest update of a tensor: in float32, and with products of 16-bit operands.
 * Radial basis functions have slopes of about 8, and two layers of them turn the 0.2 % rounding error of
 * bfloat16 into 6 %. */
static const double float_tolerance = 3e-4, half_tolerance = 0.1;

typedef struct training {
  const char *name, *data, *model;            /* its name, and two sections of its config */
  enum { DEVICES, SOFTWARE, EMULATED } least; /* the least capable device that runs it in CI */
} training;

static const char
    digits[] = "data: {train: datasets/digits/digits.csv, target: label, normalize: {scale: 0.0625}}\n",
    clothes[] = "data: {train: datasets/clothes/train, size: [28, 28], channels: 1, normalize: channel}\n",
    life[] = "data: {format: ca, grid: [3, 3], start: boards, target: life}\nloss: sum_squared\n";

static const training trainings[] = {
    {"layers", digits, "[{linear: 40}, tanh, {linear: 24}, gelu, {linear: 10}]"},
    {"norms", digits,
     "[{linear: {units: 32, bias: false}}, batch_norm, tanh, {linear: 32}, layer_norm, {linear: 10}]"},
    {"pictures", clothes, "[flatten, {linear: 24}, tanh, {linear: 5}]"},
    {"convolutions", digits,
     "[{reshape: [8, 8, 1]}, {conv2d: {out_channels: 12, kernel_size: 3, padding: 1}}, batch_norm, tanh, "
     "{conv2d: {out_channels: 8, kernel_size: 3, stride: 2}}, flatten, {linear: 10}]",
     SOFTWARE},
    {"groups", digits,
     "[{reshape: [8, 8, 1]}, {conv2d: {out_channels: 8, kernel_size: 2, stride: 2}}, "
     "{conv2d: {out_channels: 8, kernel_size: 3, groups: 2}}, flatten, {linear: 10}]"},
    {"splines", digits, "[{kan: {units: 12, grid: 4}}, {kan: {units: 10, base: none, spline_scale: false}}]"},
    {"functions", digits,
     "[{kan: {units: 16, basis: rbf, input_norm: none, base: none, spline_scale: false}}, "
     "{kan: {units: 16, basis: rbf, input_norm: none, base: none, spline_scale: false, learn_centres: true}}, "
     "{kan: {units: 10, basis: chebyshev}}]"},
    {"pair", digits,
     "[{kan: {units: 64, basis: rbf, input_norm: none, base: none, spline_scale: false}}, "
     "{kan: {units: 64, basis: rbf, input_norm: none, base: none, spline_scale: false, learn_centres: true}}, "
     "{linear: 10}]",
     EMULATED},
    {"frequencies", digits, "[{kan: {units: 10, basis: fourier, learn_frequencies: true}}]", SOFTWARE},
    {"automaton", life,
     "[{logic_ca: {steps: 2, periodic: true, init: normal, kernels: 4, perception: [8, 4, 2, 1], update: [8, 4, 2, 1]}}]"}};
enum { TRAININGS = sizeof trainings / sizeof *trainings };

static gt_precision precision;

/* --- a training and its steps --- */

typedef struct subject {
  gt_arena arena;
  gt_config config;
  gt_session session;
} subject;

static void open_subject(subject *s, const training *t, const char *name) {
  static const char *const products[] = {
      [GT_PRECISION_AUTO] = "auto", [GT_PRECISION_SCALAR] = "scalar", [GT_PRECISION_HALF] = "half"};
  gt_error error = {0};
  *s = (subject){0};
  gt_arena_init(&s->arena);
  const char *folder = getenv("TEST_TMP");
  const char *path = gt_arena_printf(&s->arena, "%s/%s.yaml", folder ? folder : "/tmp", t->name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "seed: 1\n%smodel: %s\noptimizer: {type: sgd, lr: 2}\nprecision: {products: %s}\n"
          "train: {steps: 2, batch_size: 64}\n",
          t->data, t->model, products[precision]);
  assert_int_equal(fclose(file), 0);
  if (!gt_config_read(&s->config, &s->arena, path, false, NULL, 0, &error) ||
      !gt_session_open(&s->session, &s->config, GT_PART_NONE, name, &error)) {
    gt_config_report(&s->config, &error);
    fail_msg("%s on %s: %s", t->name, name, error.message);
  }
}

static void close_subject(subject *s) {
  gt_session_close(&s->session);
  gt_config_finish(&s->config);
  gt_arena_finish(&s->arena);
}

/* The parameters after two steps of the net from the initial parameters of the seed: in the second step all
 * parameters have changed. */
static void run_steps(gt_session *session, gt_net *net, gt_executable *executable, gt_state_dict *weights) {
  gt_error error = {0};
  uint64_t ticket;
  const gt_store *store = net->model->store;
  const bool ok = gt_store_init_device(store, &session->buffers, 1, &error) &&
                  gt_session_set_clock(session, net, 0, &error) &&
                  gt_net_run(net, session->backend, executable, STEPS, &ticket, &error) &&
                  session->backend->api->wait(session->backend, ticket, &error) &&
                  gt_state_dict_download(weights, store, &session->buffers, GT_WEIGHT_ROLES, &error);
  if (!ok) fail_msg("%s: %s", session->config->path, error.message);
}

/* Plans and compiles the training step, without tuning. */
static gt_net *open_step(subject *s, gt_executable **executable) {
  gt_error error = {0};
  gt_net *net = gt_bench_open(&s->session, executable, &error);
  if (!net) fail_msg("%s: %s", s->config.path, error.message);
  return net;
}

typedef struct expectation { /* result of a training on the CPU */
  subject subject;
  gt_state_dict start, end;
} expectation;

static void open_expectation(expectation *e, const training *t) {
  gt_executable *executable;
  open_subject(&e->subject, t, "cpu");
  gt_net *net = open_step(&e->subject, &executable);
  e->start = e->end = (gt_state_dict){0};
  gt_state_dict_init(&e->start, net->model->store, GT_WEIGHT_ROLES, 1);
  run_steps(&e->subject.session, net, executable, &e->end);
}

static void close_expectation(expectation *e) {
  gt_state_dict_finish(&e->start);
  gt_state_dict_finish(&e->end);
  close_subject(&e->subject);
}

static void compare(const expectation *e, const gt_state_dict *got, const char *what) {
  const gt_store *store = e->end.store;
  const double limit = precision == GT_PRECISION_HALF ? half_tolerance : float_tolerance;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (!(GT_ROLE(slot->role) & GT_WEIGHT_ROLES) || slot->dtype != GT_F32) continue;
    const float *from = gt_state_dict_slot(&e->start, slot), *to = gt_state_dict_slot(&e->end, slot),
                *x = gt_state_dict_slot(got, gt_store_find(got->store, slot->name));
    double largest = 0, worst = 0;
    for (int64_t k = 0; k < slot->count; k++) {
      largest = fmax(largest, fabs((double)to[k] - (double)from[k]));
      worst = isfinite(x[k]) ? fmax(worst, fabs((double)x[k] - (double)to[k])) : INFINITY;
    }
    if (!(worst <= limit * largest + 1e-6))
      fail_msg("%s: %s is off by %.3g of %.3g", what, slot->name, worst, largest);
  }
}

/* --- which candidates are tested --- */

static struct {
  char **items;
  size_t count, capacity;
} kinds;                         /* of candidates */
static size_t tried, candidates; /* numbers: tested; seen, counted to test a tenth of them */

/* The kind of a candidate: the key of the product and the text of the candidate without their numbers, and
 * what else the kernel computes. */
static void kind_of(const gt_step *step, const gt_choice *choice, const gt_candidate *candidate, char *text,
                    size_t size) {
  char config[GT_CANDIDATE_TEXT];
  choice->text(candidate, config, sizeof config);
  const char *split = strstr(config, "split ");
  snprintf(text, size, "%s; %s%s; columns %u, followed %u, program %d", choice->key, config,
           split && atoi(split + 6) > 1 ? " parts" : "", step->spec[GT_FACTOR_SPEC_COLUMNS],
           step->spec[GT_FACTOR_SPEC_FOLLOWED], step->spec[GT_SPEC_CODE_COUNT] > 0);
  char *to = text;
  const char *step_part = strstr(text, "; columns");
  for (const char *from = text; *from; from++)
    if (!isdigit((unsigned char)*from) || from > step_part) *to++ = *from;
  *to = 0;
}

static bool is_new(const char *kind) {
  for (size_t i = 0; i < kinds.count; i++)
    if (!strcmp(kinds.items[i], kind)) return false;
  *GT_PUSH(&kinds) = strdup(kind);
  return true;
}

static bool is_tested(const gt_step *step, const gt_choice *choice, const gt_candidate *candidate) {
  const char *tenth = getenv("CHECK_TENTH");
  char kind[1024];
  if (tenth) return !*tenth || candidates++ % TENTHS == (size_t)atoi(tenth);
  kind_of(step, choice, candidate, kind, sizeof kind);
  if (!is_new(kind)) return false;
  return !is_software() || getenv("CHECK_ALL") ||
         (precision == GT_PRECISION_SCALAR && kinds.count % KIND_STRIDE == 1);
}

static void try_candidate(subject *s, const expectation *e, const gt_choice *choice,
                          const gt_candidate *candidate) {
  gt_arena arena;
  gt_error error = {0};
  gt_tuned tuned = {0};
  gt_state_dict weights = {0};
  char text[GT_CANDIDATE_TEXT], what[1024];
  choice->text(candidate, text, sizeof text);
  snprintf(what, sizeof what, "%s: %s as %s", s->config.path, choice->key, text);
  gt_arena_init(&arena);
  gt_tuned_set(&tuned, choice->key, text);
  const gt_net_options options = {.target = s->session.backend->target, .tuned = &tuned};
  gt_net *net = gt_net_training(&arena, &s->config, &options, &error);
  if (!net) fail_msg("%s: %s", what, error.message);
  assert_true(gt_net_work_of(net).tuned);
  gt_executable *executable = gt_session_compile(&s->session, net, &error);
  if (!executable) fail_msg("%s: %s", what, error.message);
  run_steps(&s->session, net, executable, &weights);
  compare(e, &weights, what);
  gt_session_discard(&s->session, net, executable);
  gt_state_dict_finish(&weights);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
  tried++;
}

static void test_training(void **state) {
  const training *t = *state;
  subject s;
  expectation e;
  gt_executable *executable;
  gt_state_dict weights = {0};
  open_expectation(&e, t);
  open_subject(&s, t, "vulkan");
  const gt_net *net = open_step(&s, &executable);
  run_steps(&s.session, (gt_net *)net, executable, &weights);
  compare(&e, &weights, t->name);
  gt_state_dict_finish(&weights);
  const gt_plan *plan = net->stage[0].plan;
  for (uint32_t c = 0; c < plan->choices; c++) {
    uint32_t at = 0;
    while (at < plan->steps && plan->step[at].choice != c + 1) at++;
    for (uint32_t i = 0; at < plan->steps && i < plan->choice[c].candidates; i++)
      if (is_tested(&plan->step[at], &plan->choice[c], &plan->choice[c].candidate[i]))
        try_candidate(&s, &e, &plan->choice[c], &plan->choice[c].candidate[i]);
  }
  close_subject(&s);
  close_expectation(&e);
}

/* True if this kind of device tests the training. */
static bool is_for_device(const training *t) {
  return !is_software() || getenv("CHECK_ALL") ||
         t->least == (precision == GT_PRECISION_SCALAR ? SOFTWARE : EMULATED);
}

static int group(const char *name) {
  struct CMUnitTest tests[TRAININGS];
  size_t count = 0;
  for (int i = 0; i < TRAININGS; i++)
    if (is_for_device(&trainings[i]))
      tests[count++] =
          (struct CMUnitTest){trainings[i].name, test_training, NULL, NULL, (void *)&trainings[i]};
  /* The device stays open: NVIDIA's driver cannot be loaded repeatedly in one process. */
  return _cmocka_run_group_tests(name, tests, count, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {{"scalar", "", GT_PRECISION_SCALAR},
                                      {"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                      {"packed", "matrix,packed", GT_PRECISION_AUTO, .always = true},
                                      {"bfloat16", "matrix", GT_PRECISION_HALF}};
  const int failed = device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
  printf("%zu candidates tried\n", tried);
  for (size_t i = 0; i < kinds.count; i++) free(kinds.items[i]);
  free(kinds.items);
  return failed;
}
