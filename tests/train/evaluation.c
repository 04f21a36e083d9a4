/* The line of text for an evaluation fits every terminal width: words are abbreviated, then the least
 * important fields are omitted. */
#include "train/run/evaluation.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static gt_result_form form_of(bool accuracy) {
  return (gt_result_form){1, {{1, accuracy, {"loss", "soft_loss"}, {"accuracy", "soft_accuracy"}}}};
}

static gt_results results_of(gt_target_sums sums, bool accuracy) {
  const gt_result_form form = form_of(accuracy);
  return gt_training_result(&(gt_sums){.target = {sums}}, &form, false);
}

/* An evaluation of a classifier after epoch 3, the best so far. */
static gt_evaluation classifier_evaluation(void) {
  return (gt_evaluation){
      .step = 30,
      .steps = 1000,
      .epoch = 3,
      .epochs = 100,
      .train = results_of((gt_target_sums){.loss = 12.34, .weight = 100, .correct = 96}, true),
      .watched = results_of((gt_target_sums){.loss = 5, .weight = 20, .correct = 19}, true),
      .split = "validation",
      .watches = "loss",
      .best = true,
      .rate = 65900};
}

static void expect_text(const gt_evaluation *evaluation, int columns, const char *line) {
  char text[GT_EVALUATION_LONGEST];
  gt_evaluation_text(text, evaluation, columns);
  assert_string_equal(text, line);
}

static void test_classification(void **unused) {
  (void)unused;
  gt_evaluation e = classifier_evaluation();
  expect_text(&e, 120,
              "epoch   3/100  train loss 0.1234 accuracy 0.9600  validation loss 0.2500 accuracy 0.9500 *   "
              "65.9 k samples/s");
  expect_text(&e, 100,
              "epoch   3/100  train loss 0.1234 acc 0.9600  val loss 0.2500 acc 0.9500 *   65.9 k samples/s");
  expect_text(&e, 80, "epoch   3/100  train loss 0.1234 acc 0.9600  val loss 0.2500 acc 0.9500 *");
  expect_text(&e, 66, "epoch   3/100  train loss 0.1234  val loss 0.2500 acc 0.9500 *");
  expect_text(&e, 60, "epoch   3/100  train loss 0.1234  val loss 0.2500 *");
  expect_text(&e, 40, "epoch   3/100  val loss 0.2500 *");
  expect_text(&e, 30, "epoch   3/100  val loss 0.2500");
  expect_text(&e, 20, "epoch   3/100");
  expect_text(&e, 5, "");
  e.best = false;
  expect_text(&e, 80, "epoch   3/100  train loss 0.1234 acc 0.9600  val loss 0.2500 acc 0.9500");
  expect_text(&e, 120,
              "epoch   3/100  train loss 0.1234 accuracy 0.9600  validation loss 0.2500 accuracy 0.9500     "
              "65.9 k samples/s");
  e.watches = "hard_accuracy"; /* another name for "accuracy" */
  e.split = "test";
  expect_text(&e, 80, "epoch   3/100  train acc 0.9600 loss 0.1234  test acc 0.9500 loss 0.2500");
  expect_text(&e, 40, "epoch   3/100  test acc 0.9500");
}

static void test_other_results(void **unused) {
  (void)unused;
  gt_evaluation e = classifier_evaluation();
  e.split = NULL;
  e.train = results_of((gt_target_sums){.loss = 1.2345678e-4, .weight = 1}, false);
  e.epochs = 0;
  expect_text(&e, 200, "step   30/1000  train loss 1.235e-04   65.9 k samples/s");
  e.phase = 2, e.phases = 3, e.epochs = 100;
  expect_text(&e, 200, "phase 2/3 step   30/1000  train loss 1.235e-04   65.9 k samples/s");
  e.train.metric[0].value = NAN;
  expect_text(&e, 40, "phase 2/3 step   30/1000  train loss nan");
  /* A metric that is computed only in evaluations, and the soft and hard results of logic gates. */
  e = classifier_evaluation();
  e.train.count = 1;
  e.watched = results_of((gt_target_sums){.loss = 2, .weight = 4}, false);
  gt_result_add(&e.watched, "rmse", 0.5);
  e.watches = "rmse";
  expect_text(&e, 80, "epoch   3/100  train loss 0.1234  val rmse 0.5000 loss 0.5000 *");
  e = classifier_evaluation();
  const gt_result_form form = form_of(true);
  const gt_sums trained = {.target = {{12.34, 100, 96}}}, soft = {.target = {{5, 20, 19}}};
  e.train = gt_training_result(&trained, &form, true);
  e.watched = results_of((gt_target_sums){6, 20, 18}, true);
  gt_result_add_sums(&e.watched, &soft, &form, GT_SOFT);
  expect_text(
      &e, 200,
      "epoch   3/100  train soft_loss 0.1234 soft_accuracy 0.9600  validation loss 0.3000 accuracy 0.9000 "
      "soft_loss 0.2500 soft_accuracy 0.9500 *   65.9 k samples/s");
  expect_text(&e, 80, "epoch   3/100  train soft_loss 0.1234  val loss 0.3000 acc 0.9000 *");
}

/* With several targets, the objective comes first, and a target's loss is shown only if the target has no
 * other result. */
static void test_several_targets(void **unused) {
  (void)unused;
  const gt_result_form form = {2,
                               {{1, false, {"load.loss", "load.soft_loss"}, {"load.accuracy"}},
                                {0.5, true, {"kind.loss", "kind.soft_loss"}, {"kind.accuracy"}}}};
  const gt_sums sums = {.target = {{20, 10, 0}, {12, 8, 6}}};
  gt_evaluation e = classifier_evaluation();
  e.train = e.watched = gt_training_result(&sums, &form, false);
  assert_true(gt_result_loss(&e.train) == 2 + 0.5 * 1.5);
  assert_true(gt_result_value(&e.train, "kind.hard_accuracy") == 0.75 && e.train.items == 10);
  expect_text(
      &e, 200,
      "epoch   3/100  train loss 2.7500 load.loss 2.0000 kind.accuracy 0.7500  validation loss 2.7500 "
      "load.loss 2.0000 kind.accuracy 0.7500 *   65.9 k samples/s");
  expect_text(&e, 90,
              "epoch   3/100  train loss 2.7500 load.loss 2.0000  val loss 2.7500 load.loss 2.0000 *");
  expect_text(&e, 80, "epoch   3/100  train loss 2.7500  val loss 2.7500 load.loss 2.0000 *");
  e.watches = "kind.accuracy";
  expect_text(&e, 60, "epoch   3/100  train kind.acc 0.7500  val kind.acc 0.7500 *");
}

static void every_width(void **unused) {
  (void)unused;
  gt_evaluation e = classifier_evaluation();
  const gt_result_form form = form_of(true);
  const gt_sums soft = {.target = {{5, 20, 19}}};
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
