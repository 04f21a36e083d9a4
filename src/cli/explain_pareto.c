#include "cli/explain_model.h"
#include <stdlib.h>

typedef struct error {
  double rmse, r2; /* R2 over all outputs together */
} error;

/* Sum of squared deviations of the values to fit from each output's mean. */
static double variation_of(const gt_explained_split *split, int outputs) {
  double sum = 0;
  for (int o = 0; o < outputs; o++) {
    double mean = 0;
    for (int64_t k = 0; k < split->samples; k++) mean += split->y[k * outputs + o] / (double)split->samples;
    for (int64_t k = 0; k < split->samples; k++) {
      const double difference = split->y[k * outputs + o] - mean;
      sum += difference * difference;
    }
  }
  return sum;
}

static error error_of(const gt_explained *e, const gt_symbolic *formula, const gt_explained_split *split) {
  gt_explained other = *e;
  other.symbolic = *formula;
  const int outputs = gt_kan_network_outputs(&e->network);
  const double rmse = gt_explained_formula_error(&other, split),
               sum = rmse * rmse * (double)(split->samples * outputs);
  return (error){rmse, 1 - sum / variation_of(split, outputs)};
}

/* --- as a table --- */

static void print_error(const gt_explained *e, const gt_symbolic *formula, const gt_explained_split *split) {
  if (!split->samples) return;
  const error errors = error_of(e, formula, split);
  printf("  %10.3g  %10.7f", errors.rmse, errors.r2);
}

static void print_table(gt_explained *e, gt_formula_style style) {
  const gt_symbolic_front *front = &e->front;
  const int outputs = gt_kan_network_outputs(&e->network);
  printf("complexity   train rmse    train R2%s  formula\n",
         e->test.samples ? "   test rmse     test R2" : "");
  for (int i = 0; i < front->count; i++) {
    const gt_symbolic_point *p = &front->point[i];
    printf("%10d %c", p->complexity, p->chosen ? '*' : ' ');
    print_error(e, &p->formula, &e->train);
    print_error(e, &p->formula, &e->test);
    for (int o = 0; o < outputs; o++)
      printf("%s%s", o ? "; " : "  ", gt_symbolic_text(&p->formula, o, style, &e->arena));
    printf("\n");
  }
  printf("* shortest description length; the default choice\n");
}

/* --- as JSON --- */

static void add_error(json_t *row, const char *name, const gt_explained *e, const gt_symbolic *formula,
                      const gt_explained_split *split) {
  if (!split->samples) return;
  const error errors = error_of(e, formula, split);
  json_object_set_new(
      row, name, json_pack("{s:o, s:o}", "rmse", gt_json_real(errors.rmse), "r2", gt_json_real(errors.r2)));
}

static void print_json(gt_explained *e) {
  const gt_symbolic_front *front = &e->front;
  json_t *root = json_object(), *list = json_array();
  for (int i = 0; i < front->count; i++) {
    const gt_symbolic_point *p = &front->point[i];
    json_t *row = json_pack("{s:i, s:b}", "complexity", p->complexity, "chosen", (int)p->chosen);
    add_error(row, "train", e, &p->formula, &e->train);
    add_error(row, "test", e, &p->formula, &e->test);
    json_object_set_new(row, "outputs", gt_explained_formulas_json(&p->formula, &e->arena));
    json_array_append_new(list, row);
  }
  json_object_set_new(root, "pareto", list);
  json_object_set_new(root, "findings", gt_cli_findings_json(&e->config.diagnostics));
  gt_cli_print_json(root);
}

void gt_explained_pareto(gt_explained *e, gt_formula_style style, bool json) {
  if (json)
    print_json(e);
  else
    print_table(e, style);
}
