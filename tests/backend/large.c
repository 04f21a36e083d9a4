/* Values of more than 4 GiB: an index times an element size must not wrap in a GEMM, a reduction, an
 * elementwise chain, a gather and its gradient, and Adam. All elements are 0 except marked ones at the start,
 * around 2 GiB and 4 GiB, and at the end. The marks are small integers, so any order of additions gives the
 * same sum.
 *
 * CHECK_LARGE=GIB in the environment (make check-large) tests sizes from just below 4 GiB to 8 GiB, as far as
 * GIB of memory is enough, on the device of GTRAIN_DEVICE. Without it the same tests run with 1 MiB, on the
 * CPU and on Vulkan. */
#include "backend/backend.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/gather.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "optim/groups.h"
#include "optim/training.h"
#include "support/steps.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* WIDTH: columns of the large value. SMALL: the small extent of a GEMM. MARK_LENGTH: consecutive elements of
 * one mark. */
enum { WIDTH = 1024, SMALL = 8, MARKS = 4, MARK_LENGTH = 64, MAX_VARIABLES = 16 };

static gt_backend *backend;
static double max_bytes; /* memory that a test may use; 0: small sizes */
static int64_t rows;     /* of the large value */
static int graphs_run;

/* --- a graph that is run once --- */

typedef struct job {
  const char *name;
  gt_arena arena;
  gt_graph *graph;
  gt_plan *plan;
  gt_buffer *buffer[MAX_VARIABLES];
  gt_executable *executable;
} job;

static void begin(job *j, const char *name) {
  *j = (job){.name = name};
  gt_arena_init(&j->arena);
  j->graph = gt_graph_create(&j->arena);
}

static uint32_t variable(job *j, const char *name, int64_t height, int64_t width) {
  return gt_graph_variable(j->graph, name, gt_shape_2(height, width), GT_F32, false);
}

static gt_id read_variable(job *j, const char *name, int64_t height, int64_t width) {
  return gt_variable_read(j->graph, variable(j, name, height, width));
}

static void assign_variable(job *j, const char *name, int64_t height, int64_t width, gt_id x) {
  gt_assign(j->graph, variable(j, name, height, width), 0, x);
}

/* Creates the plan and its buffers, filled with zeros. False if it would use more memory than allowed
 * (max_bytes), or if the device does not allow a buffer of that size. */
static bool allocate(job *j) {
  gt_error error = {0};
  j->plan = gt_plan_create(&j->arena, j->graph, &(gt_plan_options){.target = backend->target}, &error);
  assert_string_equal(error.message, "");
  double bytes = (double)(j->plan->arena_bytes + j->plan->persistent_bytes);
  for (uint32_t v = 0; v < j->graph->variables; v++) bytes += (double)j->plan->variable_bytes[v];
  if (max_bytes > 0 && bytes > max_bytes) {
    printf("%s: not tried, it takes %.1f GiB\n", j->name, bytes / (1 << 30));
    return false;
  }
  for (uint32_t v = 0; v < j->graph->variables; v++) {
    const uint64_t size = j->plan->variable_bytes[v];
    j->buffer[v] = backend->api->buffer_create(backend, size, GT_BUFFER_DEVICE, &error);
    if (j->buffer[v]) continue;
    /* A clear error message is a pass, too. */
    assert_true(backend->max_allocation && size > backend->max_allocation);
    assert_int_equal(error.status, GT_ERR_MEMORY);
    assert_non_null(strstr(error.message, "in one piece"));
    printf("%s: not tried, %s\n", j->name, error.message);
    return false;
  }
  return true;
}

static void run(job *j) {
  gt_error error = {0};
  uint64_t ticket;
  j->executable = backend->api->compile(backend, j->plan, j->buffer, &error);
  assert_string_equal(error.message, "");
  assert_true(backend->api->run(backend, j->executable, 1, &ticket, &error));
  assert_true(backend->api->wait(backend, ticket, &error));
  if (max_bytes > 0) printf("%s: run\n", j->name);
  graphs_run++;
}

static void end(job *j) {
  backend->api->executable_destroy(backend, j->executable);
  for (uint32_t v = 0; v < j->graph->variables; v++) backend->api->buffer_destroy(backend, j->buffer[v]);
  gt_arena_finish(&j->arena);
}

static void upload(job *j, const char *name, int64_t first, const void *data, int64_t count) {
  gt_error error = {0};
  const int v = gt_names_find(&j->graph->variable_names, name);
  assert_true(v >= 0);
  assert_true(
      backend->api->upload(backend, j->buffer[v], 4 * (uint64_t)first, data, 4 * (uint64_t)count, &error));
}

static void download(job *j, const char *name, int64_t first, float *out, int64_t count) {
  gt_error error = {0};
  const int v = gt_names_find(&j->graph->variable_names, name);
  assert_true(v >= 0);
  assert_true(
      backend->api->download(backend, j->buffer[v], 4 * (uint64_t)first, out, 4 * (uint64_t)count, &error));
}

/* --- marked elements --- */

/* The row of mark m: the first row; the row that ends at byte 2^31; the row that begins at byte 2^32, or, in
 * a smaller value, the middle of the part after 2^31; the last row. With small sizes, a third of the rows
 * takes the place of 2^31 bytes. */
static int64_t marked_row(int m) {
  const int64_t half = max_bytes > 0 ? INT64_C(1) << 19 : rows / 3;
  const int64_t row[MARKS] = {0, half - 1, rows > 2 * half ? 2 * half : half + half / 2, rows - 1};
  return row[m];
}

static int64_t marked_column(int m) { return m == 0 ? 0 : WIDTH - MARK_LENGTH; }

/* Element i of mark m. */
static float mark(int m, int i) { return (float)(1 + m * MARK_LENGTH + i); }

static void upload_marks(job *j, const char *name) {
  float values[MARK_LENGTH];
  for (int m = 0; m < MARKS; m++) {
    for (int i = 0; i < MARK_LENGTH; i++) values[i] = mark(m, i);
    upload(j, name, marked_row(m) * WIDTH + marked_column(m), values, MARK_LENGTH);
  }
}

/* Compares each marked row and the rows before and after it, `width` elements per row, with wanted(m,
 * column). m is the mark of the row, or -1 for the other two rows. */
static void expect_rows(job *j, const char *name, int64_t width, float (*wanted)(int m, int64_t column)) {
  float *found = malloc((size_t)width * sizeof *found);
  for (int m = 0; m < MARKS; m++)
    for (int64_t row = marked_row(m) - 1; row <= marked_row(m) + 1; row++) {
      if (row < 0 || row >= rows) continue;
      download(j, name, row * width, found, width);
      for (int64_t c = 0; c < width; c++) {
        const float want = wanted(row == marked_row(m) ? m : -1, c);
        if (fabsf(found[c] - want) > 1e-6f * fabsf(want)) /* integers are exact, Adam's steps are not */
          fail_msg("%s[%" PRId64 ", %" PRId64 "] is %g, not %g", name, row, c, (double)found[c],
                   (double)want);
      }
    }
  free(found);
}

/* The element in a column of the row of mark m; m is -1 for another row. */
static float element(int m, int64_t column) {
  const int64_t i = m < 0 ? -1 : column - marked_column(m);
  return i >= 0 && i < MARK_LENGTH ? mark(m, (int)i) : 0;
}

/* --- tests --- */

static float twice_plus_one(int m, int64_t column) { return 2 * element(m, column) + 1; }

static void try_elementwise(void) {
  job j;
  begin(&j, "elementwise");
  const gt_id x = read_variable(&j, "x", rows, WIDTH), two = gt_constant(j.graph, 2),
              one = gt_constant(j.graph, 1);
  assign_variable(&j, "x", rows, WIDTH, gt_add(j.graph, gt_mul(j.graph, x, two), one));
  if (allocate(&j)) {
    upload_marks(&j, "x");
    run(&j);
    expect_rows(&j, "x", WIDTH, twice_plus_one);
  }
  end(&j);
}

static float row_sum(int m, int64_t column) {
  float sum = 0;
  for (int i = 0; column == 0 && m >= 0 && i < MARK_LENGTH; i++) sum += mark(m, i);
  return sum;
}

static void try_reduction(void) {
  job j;
  begin(&j, "reduction");
  const gt_id x = read_variable(&j, "x", rows, WIDTH);
  assign_variable(&j, "of_rows", rows, 1, gt_sum(j.graph, x, 1 << 1, true));
  assign_variable(&j, "of_columns", 1, WIDTH, gt_sum(j.graph, x, 1 << 0, true));
  assign_variable(&j, "of_all", 1, 1, gt_reshape(j.graph, gt_sum(j.graph, x, 0, false), gt_shape_2(1, 1)));
  if (allocate(&j)) {
    float columns[WIDTH], all;
    double sum = 0;
    upload_marks(&j, "x");
    run(&j);
    expect_rows(&j, "of_rows", 1, row_sum);
    download(&j, "of_columns", 0, columns, WIDTH);
    download(&j, "of_all", 0, &all, 1);
    for (int64_t c = 0; c < WIDTH; c++) {
      float want = 0;
      for (int m = 0; m < MARKS; m++) want += element(m, c);
      assert_true(columns[c] == want);
      sum += (double)want;
    }
    assert_true((double)all == sum);
  }
  end(&j);
}

/* Elements of the small operand. */
static float small_element(int64_t row, int64_t column) { return (float)((3 * row + column) % 5 - 2); }

static float *small_matrix(int64_t height, int64_t width) {
  float *values = malloc((size_t)(height * width) * sizeof *values);
  for (int64_t r = 0; r < height; r++)
    for (int64_t c = 0; c < width; c++) values[r * width + c] = small_element(r, c);
  return values;
}

static void upload_small(job *j, const char *name, int64_t height, int64_t width) {
  float *values = small_matrix(height, width);
  upload(j, name, 0, values, height * width);
  free(values);
}

static float product_of_large_a(int m, int64_t column) {
  float sum = 0;
  for (int64_t k = 0; m >= 0 && k < WIDTH; k++) sum += element(m, k) * small_element(k, column);
  return sum;
}

static void try_large_a(void) {
  job j;
  begin(&j, "GEMM with large A");
  const gt_id a = read_variable(&j, "a", rows, WIDTH), b = read_variable(&j, "b", WIDTH, SMALL);
  assign_variable(&j, "y", rows, SMALL, gt_matmul(j.graph, a, b, false, false));
  if (allocate(&j)) {
    upload_marks(&j, "a");
    upload_small(&j, "b", WIDTH, SMALL);
    run(&j);
    expect_rows(&j, "y", SMALL, product_of_large_a);
  }
  end(&j);
}

/* Like a weight gradient, A^T B: the sum is over the rows of the large value. */
static void try_large_k(void) {
  job j;
  begin(&j, "GEMM with large K");
  const gt_id a = read_variable(&j, "a", rows, WIDTH), b = read_variable(&j, "b", rows, SMALL);
  assign_variable(&j, "y", WIDTH, SMALL, gt_matmul(j.graph, a, b, true, false));
  if (allocate(&j)) {
    float y[WIDTH * SMALL];
    upload_marks(&j, "a");
    upload_small(&j, "b", rows, SMALL);
    run(&j);
    download(&j, "y", 0, y, WIDTH * SMALL);
    for (int64_t c = 0; c < WIDTH; c++)
      for (int64_t n = 0; n < SMALL; n++) {
        float want = 0;
        for (int m = 0; m < MARKS; m++) want += element(m, c) * small_element(marked_row(m), n);
        if (y[c * SMALL + n] != want)
          fail_msg("[%" PRId64 ", %" PRId64 "] is %g, not %g", c, n, (double)y[c * SMALL + n], (double)want);
      }
  }
  end(&j);
}

static float product_of_small_k(int m, int64_t column) {
  float sum = 0;
  for (int k = 0; m >= 0 && k < SMALL; k++) sum += mark(m, k) * small_element(k, column);
  return sum;
}

static void try_large_c(void) {
  job j;
  begin(&j, "GEMM with large C");
  const gt_id a = read_variable(&j, "a", rows, SMALL), b = read_variable(&j, "b", SMALL, WIDTH);
  assign_variable(&j, "y", rows, WIDTH, gt_matmul(j.graph, a, b, false, false));
  if (allocate(&j)) {
    float values[SMALL];
    for (int m = 0; m < MARKS; m++) {
      for (int k = 0; k < SMALL; k++) values[k] = mark(m, k);
      upload(&j, "a", marked_row(m) * SMALL, values, SMALL);
    }
    upload_small(&j, "b", SMALL, WIDTH);
    run(&j);
    expect_rows(&j, "y", WIDTH, product_of_small_k);
  }
  end(&j);
}

/* The gradient of sum(w · table[index]) with respect to the table is w in the indexed rows. */
static float weight(int m, int64_t column) { return m < 0 ? 0 : small_element(m, column); }

static void try_gather(bool gradient) {
  job j;
  begin(&j, gradient ? "gradient of gather" : "gather");
  gt_graph *g = j.graph;
  const gt_id index = gt_variable_read(g, gt_graph_variable(g, "index", gt_shape_1(MARKS), GT_I32, false));
  if (gradient)
    assign_variable(&j, "table_gradient", rows, WIDTH,
                    gt_gather_sum(g, read_variable(&j, "w", MARKS, WIDTH), index, rows, -1));
  else
    assign_variable(&j, "y", MARKS, WIDTH, gt_gather(g, read_variable(&j, "table", rows, WIDTH), index, -1));
  if (allocate(&j)) {
    int32_t index_values[MARKS];
    float y[MARKS * WIDTH];
    for (int m = 0; m < MARKS; m++) index_values[m] = (int32_t)marked_row(m);
    upload(&j, "index", 0, index_values, MARKS);
    if (gradient)
      upload_small(&j, "w", MARKS, WIDTH);
    else
      upload_marks(&j, "table");
    run(&j);
    if (gradient) expect_rows(&j, "table_gradient", WIDTH, weight);
    if (!gradient) download(&j, "y", 0, y, MARKS * WIDTH);
    for (int64_t i = 0; !gradient && i < MARKS * WIDTH; i++)
      assert_true(y[i] == element((int)(i / WIDTH), i % WIDTH));
  }
  end(&j);
}

/* The first step of Adam has length lr, against the sign of the gradient, where the gradient is not 0. */
static float after_adam(int m, int64_t column) { return element(m, column) != 0 ? -0.5f : 0; }

/* A store with one parameter, the large value. */
static gt_store *create_adam_store(job *j, const gt_optim *optim) {
  gt_store *store = gt_store_create(&j->arena);
  gt_store_add(store, (gt_slot){.name = "w.weight", .shape = gt_shape_2(rows, WIDTH)});
  gt_optim_layout(optim, store);
  assert_int_equal(store->total, rows * WIDTH);
  return store;
}

static void try_adam(void) {
  static const char text[] = "optimizer: {type: adam, lr: 0.5, eps: 1e-30}\n";
  job j;
  gt_diagnostics diagnostics;
  gt_error error = {0};
  gt_training training;
  begin(&j, "adam");
  gt_graph *g = j.graph;
  gt_diagnostics_init(&diagnostics, &j.arena);
  const gt_spec *root = gt_spec_parse(&j.arena, "test.yaml", text, sizeof text - 1, &diagnostics);
  const gt_optim *optim = gt_optim_read(&j.arena, root, &diagnostics);
  assert_non_null(optim);
  const int width = gt_optim_table_width(optim);
  const uint32_t state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const gt_id clock = gt_clock(g, state, variable(&j, "table", 1, width));
  const gt_id loss = gt_reshape(g, read_variable(&j, "loss", 1, 1), (gt_shape){0});
  const gt_id gradient = gt_reshape(g, read_variable(&j, "gradient", rows, WIDTH), gt_shape_1(-1));
  gt_store *store = create_adam_store(&j, optim);
  if (!gt_training_update(&training, g, optim, store, gradient, GT_NONE, loss, clock, &error))
    fail_msg("%s", error.message);
  if (allocate(&j)) {
    float row[64];
    gt_training_scalars(optim, NULL, 0, 1, 1, 1, row);
    upload(&j, "table", 0, row, width);
    upload(&j, "ok", 0, &(float){1}, 1);
    upload_marks(&j, "gradient");
    run(&j);
    expect_rows(&j, "parameters", WIDTH, after_adam);
  }
  end(&j);
}

/* --- all tests with each size --- */

static void try_all(void) {
  try_elementwise();
  try_reduction();
  try_large_a();
  try_large_k();
  try_large_c();
  try_gather(false);
  try_gather(true);
  try_adam();
}

/* The large value has slightly less than 4 GiB (the largest allocation of some devices), slightly more, and
 * the largest size that gtrain allows. */
static void test_large(void **state) {
  (void)state;
  const int64_t sizes[] = {(1 << 20) - 1024, (1 << 20) + 64, (1 << 21) - 1};
  for (int i = 0; i < 3; i++) {
    rows = sizes[i];
    printf("%" PRId64 " elements, on %s\n", rows * WIDTH, backend->name);
    try_all();
  }
}

static void test_small(void **state) {
  (void)state;
  rows = 256;
  try_all();
}

static int check_large(double gib) {
  gt_error error = {0};
  backend = gt_backend_open(NULL, 0, &error);
  if (!backend) return fprintf(stderr, "%s\n", error.message), 77;
  max_bytes = gib * (1 << 30);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_large)};
  const int failed = cmocka_run_group_tests_name("values of more than 4 GiB", tests, NULL, NULL);
  gt_backend_close(backend);
  if (!graphs_run) puts("nothing was tried: this device has too little memory");
  return graphs_run ? failed : 77;
}

int main(void) {
  const char *gib = getenv("CHECK_LARGE");
  gt_error error = {0};
  int failed = 0;
  if (gib) return check_large(strtod(gib, NULL));
  gt_backend *devices[] = {gt_cpu_open(2, &error), steps_open_vulkan()};
  for (int i = 0; i < 2; i++) {
    backend = devices[i];
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small)};
    if (backend) failed += cmocka_run_group_tests_name(backend->name, tests, NULL, NULL);
    gt_backend_close(backend);
  }
  return failed;
}
