/* Names of results: each result is found again by its name, also if targets and columns are called like
 * metrics, like other results, or anything else. */
#include "train/config/results.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { COLUMNS = 16, LONG = 1500 };
static gt_arena arena;
static char longest[LONG + 1];
static const char *const columns[COLUMNS] = {"accuracy",  "loss", "mae", "mae.x", "mae.accuracy", "f1",
                                             "soft_loss", "x",    ".",   "a.",    ".b",           "",
                                             "say \"x\"", "c\\d", "1",   longest};
static const char *const targets[] = {"accuracy", "loss", "mae", "f1", "soft_loss", "_", longest};
enum { TARGETS = sizeof targets / sizeof *targets };

/* Gives a target `count` columns, with or without names; horizon 0: no forecast. */
static void set_columns(gt_dataset *data, int target, int count, int64_t horizon, bool named) {
  const int64_t steps = horizon ? horizon : 1;
  const char **names = GT_NEW_N(&arena, const char *, count *steps);
  for (int64_t i = 0; i < count * steps; i++)
    names[i] =
        horizon ? gt_arena_printf(&arena, "%s+%d", columns[i % count], (int)(i / count) + 1) : columns[i];
  data->target[target].columns = named ? names : NULL;
  data->target[target].row_columns = named && horizon ? columns : NULL;
  data->target[target].horizon = horizon;
  gt_split_add(&data->split[GT_PART_TRAIN], GT_SAMPLE_TARGET, target,
               (gt_tensor){.rank = 2, .dim = {1, count * steps}});
}

static void expect_same(const gt_dataset *data, gt_result_id id) {
  gt_result_id found;
  const char *why = NULL, *name = gt_result_print(data, id, &arena);
  if (!gt_result_parse(data, name, &found, &arena, &why)) fail_msg("'%s' %s", name, why);
  if (!gt_result_is_same(found, id) || found.kind != id.kind)
    fail_msg("'%s' is read as another result, '%s'", name, gt_result_print(data, found, &arena));
  assert_non_null(gt_result_metric_in(name));
}

/* All results of a target: those of all columns together, of each column of a forecast, and of each output.
 */
static void expect_all(const gt_dataset *data, int target, int count) {
  const int64_t horizon = data->target[target].horizon, outputs = count * (horizon ? horizon : 1);
  for (int i = 0; gt_metric_at(i); i++) {
    const gt_metric_kind *kind = gt_metric_at(i);
    gt_result_id id = {kind, target, -1, 0};
    expect_same(data, id);
    for (id.column = 0; id.column < count && count > 1 && horizon > 1 && kind->type; id.column++)
      expect_same(data, id);
    for (int o = 0; o < outputs && outputs > 1 && outputs <= GT_METRIC_MAX_OUTPUTS && kind->type; o++)
      expect_same(data, gt_result_of_output(data, kind, target, o));
  }
}

static void one_target(void **unused) {
  (void)unused;
  static const struct {
    int count;
    int64_t horizon;
  } shapes[] = {{1, 0}, {2, 0}, {COLUMNS, 0}, {1, 1}, {COLUMNS, 1}, {1, 7}, {5, 3}, {8, 2}, {COLUMNS, 9}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int named = 0; named < 2; named++) {
      gt_dataset data = {.targets = 1};
      set_columns(&data, 0, shapes[i].count, shapes[i].horizon, named);
      expect_all(&data, 0, shapes[i].count);
    }
}

static void several_targets(void **unused) {
  (void)unused;
  gt_dataset data = {.targets = TARGETS};
  for (int k = 0; k < TARGETS; k++) {
    data.target[k].name = targets[k];
    set_columns(&data, k, 1 + 3 * k % COLUMNS, 0, true);
  }
  for (int k = 0; k < TARGETS; k++) expect_all(&data, k, 1 + 3 * k % COLUMNS);
  expect_same(&data, (gt_result_id){gt_metric_find("loss"), -1, -1, 0});
}

static void expect(const gt_dataset *data, const char *name, const char *metric, int target, int column,
                   int step) {
  const char *why = NULL;
  gt_result_id id;
  assert_true(gt_result_parse(data, name, &id, &arena, &why));
  assert_string_equal(id.kind->name, metric);
  assert_true(id.target == target && id.column == column && id.step == step);
}

static void refuse(const gt_dataset *data, const char *name, const char *expected) {
  const char *why = NULL;
  gt_result_id id;
  assert_false(gt_result_parse(data, name, &id, &arena, &why));
  assert_string_equal(why, expected);
}

static void names_are_read(void **unused) {
  (void)unused;
  static const char *const pair[] = {"x", "x+1"}, *const steps[] = {"x+1", "x+1+1", "x+2",
                                                                    "x+1+2"}; /* of the same two columns */
  gt_dataset data = {.targets = 1};
  set_columns(&data, 0, 2, 2, true);
  data.target[0].row_columns = pair;
  data.target[0].columns = steps;
  expect(&data, "mae.x", "mae", 0, 0, 0);
  expect(&data, "mae.x+1", "mae", 0, 1, 0); /* the exact column wins */
  expect(&data, "mae.x+2", "mae", 0, 0, 2);
  expect(&data, "mae.x+1+1", "mae", 0, 1, 1);
  refuse(&data, "mae.y", "names no column of the targets; there are x, x+1, x+1, x+1+1, x+2, x+1+2");
  refuse(&data, "macro.f1", "is not a metric of this data; write 'f1_macro'");
  refuse(&data, "test.mae", "is not a metric of this data; write 'mae'");
  refuse(&data, "accuracy.x", "is not computed for single columns");
  refuse(&data, "nothing", "names no metric");
  set_columns(&data, 0, 1, 0, true);
  refuse(&data, "mae.x", "names a column, but there is only one; leave it out");
  set_columns(&data, 0, 2, 0, true);
  expect(&data, "mae.accuracy", "mae", 0, 0, 0);
  expect(&data, "accuracy", "accuracy", 0, -1, 0);
  data = (gt_dataset){.targets = 2, .target = {{.name = "accuracy"}, {.name = "mae"}}};
  set_columns(&data, 1, 2, 0, true);
  expect(&data, "accuracy.mae", "mae", 0, -1, 0);
  expect(&data, "mae.accuracy", "accuracy", 1, -1, 0);
  expect(&data, "mae.mae.accuracy", "mae", 1, 0, 0);
  expect(&data, "mae", "mae", -1, -1, 0);
  refuse(&data, "loss.mae", "names no target; there are accuracy, mae");
  refuse(&data, "mae.x", "names no metric");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_target), cmocka_unit_test(several_targets),
                                     cmocka_unit_test(names_are_read)};
  memset(longest, 'q', LONG);
  gt_arena_init(&arena);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}
