/* A model file with a valid hash, but with wiring that points outside a layer's inputs: every command that
 * uses the wiring exits with code 65 (GT_ERR_DATA). Should also be run under AddressSanitizer. */
#include "base/arena.h"
#include "cli/command.h"
#include "store/safetensors.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static gt_arena arena;
static const char *folder;

/* Runs gtrain with these arguments, separated by spaces. */
static int gtrain(const char *line) {
  char *arguments[32] = {gt_arena_strdup(&arena, "gtrain")}, *rest = gt_arena_strdup(&arena, line);
  int count = 1;
  for (char *argument; (argument = strsep(&rest, " ")) && count < 31;) arguments[count++] = argument;
  return gt_cli_main(count, arguments);
}

static const char *train(const char *name, const char *options) {
  const char *run = gt_arena_printf(&arena, "%s/%s-%ld", folder, name, (long)getpid());
  assert_int_equal(
      gtrain(gt_arena_printf(&arena, "train configs/%s.yaml --device cpu --quiet --run-dir %s %s", name, run,
                             options)),
      0);
  return gt_arena_printf(&arena, "%s/model.bin", run);
}

/* Writes a copy of the model with one number of its wiring replaced; returns its path. */
static const char *rewired(const char *model, const char *tensor, int64_t index, int32_t value) {
  gt_container file;
  gt_error error = {0};
  /* A name of its own: a file that is read in this process must not be written again. */
  static int copies;
  const char *to = gt_arena_printf(&arena, "%s.bad%d", model, copies++);
  assert_true(gt_safetensors_read(model, &file, &error));
  const gt_stored *wiring = gt_container_tensor(&file, tensor);
  assert_non_null(wiring);
  assert_true(index < gt_shape_count(wiring->shape));
  ((int32_t *)(uintptr_t)wiring->data)[index] = value;
  int entries = 0;
  for (int i = 0; i < file.entries; i++)
    if (strcmp(file.metadata[i].key, "gtrain.xxh3")) file.metadata[entries++] = file.metadata[i];
  assert_true(gt_safetensors_write(to, file.tensor, file.tensors, file.metadata, entries, &error));
  gt_container_finish(&file);
  return to;
}

/* Asserts the exit code of each command for the model. */
static void check_codes(const char *model, bool automaton, const char *inputs, int code) {
  assert_int_equal(gtrain(gt_arena_printf(&arena, "eval %s --device cpu --quiet", model)), code);
  assert_int_equal(
      gtrain(gt_arena_printf(&arena, "predict %s --device cpu --quiet --input %s --output %s.csv", model,
                             inputs, model)),
      code);
  assert_int_equal(
      gtrain(gt_arena_printf(&arena, "export %s --format c --quiet --output %s.c", model, model)), code);
  if (automaton) assert_int_equal(gtrain(gt_arena_printf(&arena, "simulate %s --quiet", model)), code);
}

static const int32_t invalid_sources[] = {-1, INT32_MIN, INT32_MAX};

static void dense(void **unused) {
  (void)unused;
  const char *inputs = "datasets/digits/digits.csv";
  const char *model = train("digits_logic", "--set train.epochs=1");
  check_codes(rewired(model, "logic2.wiring", 0, 0), false, inputs, 0);
  for (size_t i = 0; i < sizeof invalid_sources / sizeof *invalid_sources; i++)
    check_codes(rewired(model, "logic2.wiring", 1500, invalid_sources[i]), false, inputs, GT_ERR_DATA);
  /* The first layer has 192 inputs: 64 numbers of 3 bits. */
  check_codes(rewired(model, "logic1.wiring", 7, 192), false, inputs, GT_ERR_DATA);
  check_codes(rewired(model, "logic1.wiring", 7, 191), false, inputs, 0);
}

/* A leaf of a tree of gates reads one of 27 inputs: 3x3 positions in three channels. */
static void convolution(void **unused) {
  (void)unused;
  const char *inputs = "datasets/digits/digits.csv", *wiring = "logic_conv2d1.wiring";
  const char *model = train("digits_logic_conv", "--set train.epochs=1");
  check_codes(rewired(model, wiring, 5, 26), false, inputs, 0);
  check_codes(rewired(model, wiring, 5, 27), false, inputs, GT_ERR_DATA);
  for (size_t i = 0; i < sizeof invalid_sources / sizeof *invalid_sources; i++)
    check_codes(rewired(model, wiring, 383, invalid_sources[i]), false, inputs, GT_ERR_DATA);
}

/* The layers of an automaton have different numbers of inputs: the first layer of the perception reads nine
 * cells, the last layer of the update two bits. Indices that exceed these are errors, even if the widest
 * layer would accept them. */
static void automaton(void **unused) {
  (void)unused;
  const char *board = gt_arena_printf(&arena, "%s/board-%ld.csv", folder, (long)getpid());
  FILE *file = fopen(board, "w");
  assert_non_null(file);
  fputs("0,1,0,1,1,0,0,0,1\n", file);
  fclose(file);
  const char *model = train("life", "--set train.steps=1 --set train.eval_every=1");
  gt_container valid;
  gt_error error = {0};
  assert_true(gt_safetensors_read(model, &valid, &error));
  const int64_t wires = gt_container_tensor(&valid, "logic_ca1.wiring")->shape.dim[1];
  gt_container_finish(&valid);
  const struct {
    int64_t index;
    int32_t inside, outside; /* a valid value there, and one that is out of range */
  } places[] = {{0, 8, 9}, {wires, 8, 9}, {8, 7, 8}, {wires - 1, 1, 2}, {2 * wires - 1, 1, 2}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    check_codes(rewired(model, "logic_ca1.wiring", places[i].index, places[i].inside), true, board, 0);
    check_codes(rewired(model, "logic_ca1.wiring", places[i].index, places[i].outside), true, board,
                GT_ERR_DATA);
    for (size_t k = 0; k < sizeof invalid_sources / sizeof *invalid_sources; k++)
      check_codes(rewired(model, "logic_ca1.wiring", places[i].index, invalid_sources[k]), true, board,
                  GT_ERR_DATA);
  }
}

int main(void) {
  gt_arena_init(&arena);
  folder = getenv("TEST_TMP") ? getenv("TEST_TMP") : "/tmp";
  const struct CMUnitTest tests[] = {cmocka_unit_test(dense), cmocka_unit_test(convolution),
                                     cmocka_unit_test(automaton)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}
