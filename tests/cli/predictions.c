/* The tables of `gtrain predict` from models and outputs made here: names that CSV must quote and JSON must
 * escape, equal headers, no samples, numbers that are not finite, unknown times. */
#include "base/stream.h"
#include "cli/prediction_table.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static gt_arena arena;

typedef struct results { /* of a model: what gt_predict_read_inputs and gt_predict return */
  gt_model_file file;
  gt_row_names names;
  gt_forecast_rows forecast;
  gt_prediction prediction;
} results;

/* Adds a target with these values, [samples, values]. */
static gt_data_target *add_target(results *r, const char *name, int64_t samples, int64_t values,
                                  float *value) {
  const int k = r->prediction.targets++;
  r->prediction.outputs[k] =
      (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {samples, values}, .data = value};
  gt_data_target *target = &r->file.signature.target[k];
  target->name = name;
  return target;
}

static void write_jsonl(FILE *to, const gt_prediction_table *table) {
  gt_prediction_write_json(to, table, false);
}
static void write_array(FILE *to, const gt_prediction_table *table) {
  gt_prediction_write_json(to, table, true);
}

static void expect(const results *r, void (*write)(FILE *, const gt_prediction_table *), const char *wanted) {
  gt_prediction_table table =
      gt_prediction_table_make(&r->file, &r->names, &r->forecast, &r->prediction, &arena);
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  write(stream, &table);
  fputc('\0', stream);
  fclose(stream);
  assert_string_equal(text.items, wanted);
  free(text.items);
  free(table.items);
}

static void classes_with_names(void **state) {
  (void)state;
  static const char *const ids[] = {"a \"b\"", "c,d\r\n", " e"}, *const classes[] = {"n\"o", "ye,s"};
  static float value[] = {0.75f, 0.25f, 0.25f, 0.75f, NAN, INFINITY};
  static results r = {.names = {.key = "id", .column = "i\"d", .name = ids}};
  gt_data_target *target = add_target(&r, NULL, 3, 2, value);
  target->classes = 2;
  target->class_names = classes;
  expect(&r, gt_prediction_write_text, "a \"b\": n\"o 0.7500\nc,d\\x0d\n: ye,s 0.7500\n e: n\"o nan\n");
  expect(&r, gt_prediction_write_csv,
         "\"i\"\"d\",class,\"n\"\"o\",\"ye,s\"\n"
         "\"a \"\"b\"\"\",\"n\"\"o\",0.75,0.25\n"
         "\"c,d\r\n\",\"ye,s\",0.25,0.75\n"
         "\" e\",\"n\"\"o\",nan,inf\n");
  expect(
      &r, write_jsonl,
      "{\"id\":\"a \\\"b\\\"\",\"class\":0,\"name\":\"n\\\"o\",\"positive\":\"n\\\"o\",\"outputs\":[0.75,0.25]}\n"
      "{\"id\":\"c,d\\r\\n\",\"class\":1,\"name\":\"ye,s\",\"positive\":\"n\\\"o\",\"outputs\":[0.25,0.75]}\n"
      "{\"id\":\" e\",\"class\":0,\"name\":\"n\\\"o\",\"positive\":\"n\\\"o\",\"outputs\":[null,null]}\n");
  target->class_names = NULL;
  r.names.column = "1";
  expect(&r, gt_prediction_write_csv,
         "1,class,0,1.1\n\"a \"\"b\"\"\",0,0.75,0.25\n\"c,d\r\n\",1,0.25,0.75\n\" e\",0,nan,inf\n");
  r.prediction.outputs[0].dim[0] = 0;
  expect(&r, gt_prediction_write_text, "");
  expect(&r, gt_prediction_write_csv, "1,class,0,1.1\n");
  expect(&r, write_jsonl, "");
  expect(&r, write_array, "[\n]\n");
}

static void values_without_names(void **state) {
  (void)state;
  static const char *const ids[] = {"output1"};
  static float value[] = {1, -2.5f};
  static results r;
  add_target(&r, NULL, 1, 2, value);
  expect(&r, gt_prediction_write_text, "1 -2.5\n");
  expect(&r, gt_prediction_write_csv, "1,-2.5\n");
  r.names = (gt_row_names){.key = "id", .column = "output1", .name = ids};
  expect(&r, gt_prediction_write_csv, "output1,output0,output1.1\noutput1,1,-2.5\n");
  expect(&r, write_array, "[\n{\"id\":\"output1\",\"outputs\":[1.0,-2.5]}\n]\n");
}

/* Labels of two targets. One column has the name of a target, so all columns get their target's name. */
static void several_targets(void **state) {
  (void)state;
  static const char *const columns[] = {"hot", "load"}, *const words[] = {"no", "yes", "\"0\"", "\"1\""};
  static float load[] = {3, 4}, labels[] = {0.25f, 0.75f, 0.125f, 0.5f};
  static results r = {.file.bits = {false, true}};
  add_target(&r, "load", 2, 1, load);
  gt_data_target *target = add_target(&r, "tags", 2, 2, labels);
  target->columns = columns;
  target->column_count = 2;
  target->words = words;
  expect(&r, gt_prediction_write_text, "load 3  tags 0.25 0.75\nload 4  tags 0.125 0.5\n");
  expect(&r, gt_prediction_write_csv,
         "tags.hot,tags.load,load,tags.hot=yes,\"tags.load=\"\"1\"\"\"\n"
         "no,\"\"\"1\"\"\",3,0.25,0.75\n"
         "no,\"\"\"0\"\"\",4,0.125,0.5\n");
  expect(&r, write_array,
         "[\n{\"load\":{\"outputs\":[3.0]},\"tags\":{\"labels\":[\"load\"],\"outputs\":[0.25,0.75]}},\n"
         "{\"load\":{\"outputs\":[4.0]},\"tags\":{\"labels\":[],\"outputs\":[0.125,0.5]}}\n]\n");
}

static void forecast_of_classes(void **state) {
  (void)state;
  static const char *const groups[] = {"g,1"}, *const times[] = {"7", ""},
                           *const columns[] = {"step+1", "step+2"}, *const classes[] = {"p", "q\n"};
  static float value[] = {0.25f, 0.75f, 0.5f, 0.5f};
  static results r = {.names = {.key = "group", .column = "a b", .name = groups},
                      .forecast = {.series = 1,
                                   .horizon = 2,
                                   .group_column = "a b",
                                   .time_column = "t\"",
                                   .group = groups,
                                   .time = times}};
  gt_data_target *target = add_target(&r, NULL, 1, 4, value);
  target->columns = columns;
  target->column_count = 2;
  target->classes = 2;
  target->class_names = classes;
  expect(&r, gt_prediction_write_text, "g,1 7 +1 q\n 0.7500\ng,1 +2 p 0.5000\n");
  expect(&r, gt_prediction_write_csv,
         "a b,\"t\"\"\",step,step.1,step.1=p,\"step.1=q\n\"\n"
         "\"g,1\",7,1,\"q\n\",0.25,0.75\n"
         "\"g,1\",,2,p,0.5,0.5\n");
  expect(&r, write_jsonl,
         "{\"group\":\"g,1\",\"forecast\":[{\"time\":\"7\",\"step\":1,\"step.1\":\"q\\n\",\"step.1=p\":0.25,"
         "\"step.1=q\\n\":0.75},{\"step\":2,\"step.1\":\"p\",\"step.1=p\":0.5,\"step.1=q\\n\":0.5}]}\n");
  target->class_names = NULL;
  expect(&r, write_jsonl,
         "{\"group\":\"g,1\",\"forecast\":[{\"time\":\"7\",\"step\":1,\"step.1\":1,\"step.1=0\":0.25,"
         "\"step.1=1\":0.75},{\"step\":2,\"step.1\":0,\"step.1=0\":0.5,\"step.1=1\":0.5}]}\n");
}

int main(void) {
  gt_arena_init(&arena);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_with_names), cmocka_unit_test(values_without_names),
      cmocka_unit_test(several_targets), cmocka_unit_test(forecast_of_classes)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}
