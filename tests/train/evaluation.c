/* The line of text for an evaluation fits every terminal width: words are abbreviated, then the least
 * important fields are omitted. */
#include "train/run/evaluation.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const gt_dataset one_target = {.targets = 1};

static gt_result_form form_of(bool accuracy) { return (gt_result_form){&one_target, {{1, accuracy}}}; }

static gt_result_id id_of(const gt_dataset *data, const char *name) {
  gt_arena arena;
  gt_result_id id;
  const char *why;
  gt_arena_init(&arena);
  assert_true(gt_result_parse(data, name, &id, &arena, &why));
  gt_arena_finish(&arena);
  return id;
}

/* The results of one step of a single target. */
static void set_results(gt_results *to, double loss, double weight, double correct, bool accuracy) {
  const gt_result_form form = form_of(accuracy);
  *to = gt_training_result(&(gt_sums){.sum = {{loss, weight, correct}}}, &form, false);
}

static gt_evaluation e; /* large */

/* An evaluation of a classifier after epoch 3, the best so far. */
static void set_classifier_evaluation(void) {
  e.phase = e.phases = 0;
  e.step = 30;
  e.steps = 1000;
  e.epoch = 3;
  e.epochs = 100;
  set_results(&e.train, 12.34, 100, 96, true);
  set_results(&e.watched, 5, 20, 19, true);
  e.split = "validation";
  e.watches = id_of(&one_target, "loss");
  e.best = true;
  e.rate = 65900;
}

static void expect_text(int columns, const char *line) {
  char text[GT_EVALUATION_LONGEST];
  gt_evaluation_text(text, &e, columns);
  assert_string_equal(text, line);
}

static void test_classification(void **unused) {
  (void)unused;
  set_classifier_evaluation();
  expect_text(120,
              "epoch   3/100  train loss 0.1234 accuracy 0.9600  validation loss 0.2500 accuracy 0.9500 *   "
              "65.9 k samples/s");
  expect_text(100,
              "epoch   3/100  train loss 0.1234 acc 0.9600  val loss 0.2500 acc 0.9500 *   65.9 k samples/s");
  expect_text(80, "epoch   3/100  train loss 0.1234 acc 0.9600  val loss 0.2500 acc 0.9500 *");
  expect_text(66, "epoch   3/100  train loss 0.1234  val loss 0.2500 acc 0.9500 *");
  expect_text(60, "epoch   3/100  train loss 0.1234  val loss 0.2500 *");
  expect_text(40, "epoch   3/100  val loss 0.2500 *");
  expect_text(30, "epoch   3/100  val loss 0.2500");
  expect_text(20, "epoch   3/100");
  expect_text(5, "");
  e.best = false;
  expect_text(80, "epoch   3/100  train loss 0.1234 acc 0.9600  val loss 0.2500 acc 0.9500");
  expect_text(120,
              "epoch   3/100  train loss 0.1234 accuracy 0.9600  validation loss 0.2500 accuracy 0.9500     "
              "65.9 k samples/s");
  e.watches = id_of(&one_target, "hard_accuracy"); /* another name for "accuracy" */
  e.split = "test";
  expect_text(80, "epoch   3/100  train acc 0.9600 loss 0.1234  test acc 0.9500 loss 0.2500");
  expect_text(40, "epoch   3/100  test acc 0.9500");
}

static void test_other_results(void **unused) {
  (void)unused;
  set_classifier_evaluation();
  e.split = NULL;
  set_results(&e.train, 1.2345678e-4, 1, 0, false);
  e.epochs = 0;
  expect_text(200, "step   30/1000  train loss 1.235e-04   65.9 k samples/s");
  e.phase = 2, e.phases = 3, e.epochs = 100;
  expect_text(200, "phase 2/3 step   30/1000  train loss 1.235e-04   65.9 k samples/s");
  e.train.item[0].value = NAN;
  expect_text(40, "phase 2/3 step   30/1000  train loss nan");
  /* A metric that is computed only in evaluations, and the soft and hard results of logic gates. */
  set_classifier_evaluation();
  e.train.count = 1;
  set_results(&e.watched, 2, 4, 0, false);
  e.watches = id_of(&one_target, "rmse");
  gt_result_add(&e.watched, e.watches, 0.5);
  expect_text(80, "epoch   3/100  train loss 0.1234  val rmse 0.5000 loss 0.5000 *");
  set_classifier_evaluation();
  const gt_result_form form = form_of(true);
  const gt_sums trained = {.sum = {{12.34, 100, 96}}}, soft = {.sum = {{5, 20, 19}}};
  e.train = gt_training_result(&trained, &form, true);
  set_results(&e.watched, 6, 20, 18, true);
  gt_result_add_sums(&e.watched, &soft, &form, GT_SOFT);
  expect_text(
      200,
      "epoch   3/100  train soft_loss 0.1234 soft_accuracy 0.9600  validation loss 0.3000 accuracy 0.9000 "
      "soft_loss 0.2500 soft_accuracy 0.9500 *   65.9 k samples/s");
  expect_text(80, "epoch   3/100  train soft_loss 0.1234  val loss 0.3000 acc 0.9000 *");
}

/* With several targets, the objective comes first, and a target's loss is shown only if the target has no
 * other result. */
static void test_several_targets(void **unused) {
  (void)unused;
  const gt_dataset data = {.targets = 2, .target = {{.name = "load"}, {.name = "kind"}}};
  const gt_result_form form = {&data, {{1, false}, {0.5, true}}};
  const gt_sums sums = {.sum = {{20, 10, 0}, {12, 8, 6}}};
  set_classifier_evaluation();
  e.train = e.watched = gt_training_result(&sums, &form, false);
  e.watches = id_of(&data, "loss");
  assert_true(gt_result_loss(&e.train, GT_PLAIN) == 2 + 0.5 * 1.5);
  assert_true(gt_result_value(&e.train, id_of(&data, "kind.hard_accuracy")) == 0.75 && e.train.items == 10);
  expect_text(
      200, "epoch   3/100  train loss 2.7500 load.loss 2.0000 kind.accuracy 0.7500  validation loss 2.7500 "
           "load.loss 2.0000 kind.accuracy 0.7500 *   65.9 k samples/s");
  expect_text(90, "epoch   3/100  train loss 2.7500 load.loss 2.0000  val loss 2.7500 load.loss 2.0000 *");
  expect_text(80, "epoch   3/100  train loss 2.7500  val loss 2.7500 load.loss 2.0000 *");
  e.watches = id_of(&data, "kind.accuracy");
  expect_text(60, "epoch   3/100  train kind.acc 0.7500  val kind.acc 0.7500 *");
}

static void every_width(void **unused) {
  (void)unused;
  set_classifier_evaluation();
  const gt_result_form form = form_of(true);
  const gt_sums soft = {.sum = {{5, 20, 19}}};
  gt_result_add_sums(&e.watched, &soft, &form, GT_SOFT);
  size_t before = 0;
  for (int columns = 0; columns < 300; columns++) {
    char line[GT_EVALUATION_LONGEST];
    gt_evaluation_text(line, &e, columns);
    assert_true((int)strlen(line) <= columns);
    assert_true(strlen(line) >= before); /* more columns never show less */
    before = strlen(line);
  }
  assert_true(before > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_classification),
                                     cmocka_unit_test(test_other_results),
                                     cmocka_unit_test(test_several_targets), cmocka_unit_test(every_width)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
