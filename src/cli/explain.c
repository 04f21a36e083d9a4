#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/explain_columns.h"
#include "cli/explain_model.h"
#include "kan/formula_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"latex", NULL, "print the formula in LaTeX", false},
    {"expression", NULL,
     "print the formula in the syntax of data.formula and the layer `expression`, with all digits", false},
    {"edges", NULL, "print the function chosen for each edge, and the next best ones", false},
    {"pareto", NULL, "list formulas from the simplest to the most exact, with complexity and errors", false},
    {"functions", "LIST",
     "functions to try for edges, such as x,x^2,sin (default: all that are listed above)", false},
    {"no-snap", NULL, "do not round the fitted constants to simple numbers", false},
    {"svg", "FILE", "draw the networks of all MODELs, and the network of the formula, as an SVG image",
     false},
    {"png", "FILE", "the same as a PNG image", false},
    {"no-formula", NULL, "only draw", false},
    {"importance", NULL,
     "measure how much each column of a table matters (the default for models without a formula)", false},
    {"fail-if", "'METRIC<NUMBER'",
     "exit with status 1 if the condition is true, e.g. 'rmse>1e-5'; also <= > >= == !=", true},
    GT_OPTION_SET,
    GT_OPTION_DEVICE,
    GT_OPTION_MEMORY_LIMIT,
    GT_OPTION_QUIET,
    GT_OPTION_STRICT,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

static const char *const metrics[] = {"network_rmse", "rmse"};
enum { METRICS = sizeof metrics / sizeof *metrics, MAX_FUNCTIONS = 64, MAX_MODELS = 8 };

/* Reads --functions x,sin into a flag for each function of the library; without it, all are allowed. */
static bool read_functions(const gt_arguments *arguments, bool allowed[MAX_FUNCTIONS]) {
  const char *list = gt_option_value(arguments, "functions");
  for (int i = 0; i < gt_symbol_count(); i++) allowed[i] = !list;
  while (list && *list) {
    const size_t length = strcspn(list, ",");
    int found = -1;
    for (int i = 0; i < gt_symbol_count(); i++)
      if (strlen(gt_symbol_at(i)->name) == length && !strncmp(list, gt_symbol_at(i)->name, length)) found = i;
    if (found < 0) {
      gt_usage_error(arguments, "--functions: '%.*s' is not one of the functions that --help lists",
                     (int)length, list);
      return false;
    }
    allowed[found] = true;
    list += length + (list[length] == ',');
  }
  return true;
}

/* --- printing --- */

static gt_formula_style style_of(const gt_arguments *arguments) {
  return gt_flag(arguments, "latex")        ? GT_FORMULA_LATEX
         : gt_flag(arguments, "expression") ? GT_FORMULA_EXPRESSION
                                            : GT_FORMULA_PLAIN;
}

static void print_formulas(const gt_arguments *arguments, const gt_explained *e) {
  const gt_formula_style style = style_of(arguments);
  const int outputs = gt_kan_network_outputs(&e->network);
  for (int o = 0; o < outputs; o++) {
    const char *text = gt_symbolic_text(&e->symbolic, o, style, arguments->arena);
    if (outputs > 1 && style != GT_FORMULA_EXPRESSION)
      printf(style == GT_FORMULA_LATEX ? "y_{%d} = " : "y%d = ", o);
    printf("%s\n", text);
  }
}

static void print_fit(const gt_edge_fit *fit) {
  printf("%.6g*%s(%.6g*x%+.6g)%+.6g  1-r2 %.3g", fit->c, fit->symbol->name, fit->a, fit->b, fit->d,
         1 - fit->r2);
}

/* The edge of the formula for this row of the report; NULL if it was removed or is constant. */
static const gt_symbolic_edge *edge_of(const gt_explained *e, int row) {
  for (int i = 0; i < e->symbolic.edges; i++)
    if (e->symbolic.edge[i].row == row && e->symbolic.edge[i].value[GT_CONSTANT_C] != 0)
      return &e->symbolic.edge[i];
  return NULL;
}

static void print_edges(const gt_explained *e) {
  for (int row = 0; row < e->report.rows; row++) {
    const gt_symbolic_edge *g = &e->report.edge[row], *chosen = edge_of(e, row);
    const gt_kan_layer *layer = &e->network.layer[g->layer];
    const gt_edge_fit *fit = &e->report.fit[row * e->report.count];
    printf("edge %s %d -> %d, score %.3g: %s\n", layer->name, g->from, g->to,
           e->scores.edge[g->layer][g->from * layer->outputs + g->to],
           chosen ? chosen->symbol->name
           : e->report.count && isfinite(fit->r2)
               ? "removed, as the other edges fit the samples as well without it"
               : "constant, added to the constant term");
    for (int k = 0; k < e->report.count && k < 3 && isfinite(fit[k].r2); k++) {
      printf("  fitted alone: ");
      print_fit(&fit[k]);
      printf("\n");
    }
  }
}

static void print_errors(const gt_explained *e, const char *name, const gt_explained_split *split) {
  if (!split->samples) return;
  const double error = gt_explained_formula_error(e, split);
  printf("%s samples %lld rmse ", name, (long long)split->samples);
  printf(isfinite(error) ? "%.3g" : "not finite", error);
  printf(" (network %.3g)\n", gt_explained_network_error(e, split));
}

/* Prints the columns whose name in the formula differs from that in the data. */
static void print_names(const gt_explained *e) {
  const char *const *names = e->symbolic.names, *const *columns =
                                                    gt_input_feature_names(&e->config.dataset.input[0]);
  gt_arena *arena = e->config.diagnostics.arena;
  for (int i = 0; names && i < gt_kan_network_inputs(&e->network); i++)
    if (strcmp(names[i], columns[i]))
      printf("%s is the column '%s'\n", names[i], gt_escape_name(arena, columns[i]));
}

static void print_text(const gt_arguments *arguments, const gt_explained *e) {
  print_formulas(arguments, e);
  if (gt_flag(arguments, "edges")) print_edges(e);
  if (!gt_flag(arguments, "expression")) print_names(e);
  if (gt_flag(arguments, "latex") || gt_flag(arguments, "expression")) return;
  if (e->fits_network)
    printf(
        "the formula is fitted to the network's outputs: loss '%s' does not train them to equal the targets\n",
        e->config.loss[0]->type->name);
  print_errors(e, "train", &e->train);
  print_errors(e, "test", &e->test);
}

static json_t *errors_json(const gt_explained *e, const gt_explained_split *split) {
  return json_pack("{s:I, s:o, s:o}", "samples", (json_int_t)split->samples, "rmse",
                   gt_json_real(gt_explained_formula_error(e, split)), "network_rmse",
                   gt_json_real(gt_explained_network_error(e, split)));
}

static int count_rounded(const gt_explained *e) {
  int count = 0;
  for (int v = 0; v < e->report.verdicts; v++) count += e->report.verdict[v].rounded;
  return count;
}

json_t *gt_explained_formulas_json(const gt_symbolic *formula, gt_arena *arena) {
  json_t *list = json_array();
  for (int o = 0; o < formula->width[formula->layers]; o++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "plain",
                                          gt_symbolic_text(formula, o, GT_FORMULA_PLAIN, arena), "latex",
                                          gt_symbolic_text(formula, o, GT_FORMULA_LATEX, arena), "expression",
                                          gt_symbolic_text(formula, o, GT_FORMULA_EXPRESSION, arena)));
  return list;
}

static void print_json(const gt_explained *e) {
  json_t *root = json_object(), *inputs = json_array();
  json_object_set_new(root, "outputs", gt_explained_formulas_json(&e->symbolic, e->config.diagnostics.arena));
  for (int i = 0; e->symbolic.names && i < gt_kan_network_inputs(&e->network); i++)
    json_array_append_new(inputs, json_string(e->symbolic.names[i]));
  json_object_set_new(root, "inputs", inputs);
  json_object_set_new(root, "findings", gt_cli_findings_json(&e->config.diagnostics));
  json_object_set_new(root, "edges", json_integer(e->symbolic.edges));
  json_object_set_new(root, "snapped", json_integer(count_rounded(e)));
  json_object_set_new(root, "train", errors_json(e, &e->train));
  if (e->test.samples) json_object_set_new(root, "test", errors_json(e, &e->test));
  gt_cli_print_json(root);
}

static bool has_finite_errors(const gt_explained *e) {
  return isfinite(gt_explained_formula_error(e, &e->train)) &&
         (!e->test.samples || isfinite(gt_explained_formula_error(e, &e->test)));
}

/* Checks every --fail-if; GT_ERR_GATE if one fails. */
static int check_gates(const gt_explained *e, const gt_gate *gates, int count) {
  const gt_explained_split *split = e->test.samples ? &e->test : &e->train;
  int code = GT_OK;
  for (int i = 0; i < count; i++) {
    const double value = strcmp(gates[i].metric, "rmse") ? gt_explained_network_error(e, split)
                                                         : gt_explained_formula_error(e, split);
    if (gt_gate_fails(&gates[i], value)) code = GT_ERR_GATE;
  }
  return code;
}

/* --- the command --- */

typedef struct task {
  const gt_arguments *arguments;
  bool allowed[MAX_FUNCTIONS];
  gt_gate *gates;
  int gate_count;
} task;

static int explain(const task *t, gt_explained *models, int count) {
  const gt_arguments *arguments = t->arguments;
  const bool formula = !gt_flag(arguments, "no-formula");
  gt_explained *last = &models[count - 1];
  const gt_symbolic_options symbolic_options = {.allowed = t->allowed,
                                                .as_fitted = gt_flag(arguments, "no-snap")};
  gt_error error = {0};
  const char *svg = gt_option_value(arguments, "svg"), *png = gt_option_value(arguments, "png");
  if (!gt_output_check(svg, &error) || !gt_output_check(png, &error) ||
      !gt_output_check_two(svg, png, &error) ||
      (formula && !gt_explained_find(last, &symbolic_options, &error)) ||
      !gt_explained_draw(models, count, svg, png, &error))
    return gt_report(&error);
  if (!formula) return GT_OK;
  gt_explained_doubts(last);
  if (gt_flag(arguments, "pareto"))
    gt_explained_pareto(last, style_of(arguments), gt_flag(arguments, "json"));
  else if (gt_flag(arguments, "json"))
    print_json(last);
  else
    print_text(arguments, last);
  const int refused = gt_cli_findings(arguments, &last->config.diagnostics, GT_ERR_DATA);
  if (!has_finite_errors(last)) return GT_ERR_DATA;
  return refused ? refused : check_gates(last, t->gates, t->gate_count);
}

static int open_and_explain(const task *t) {
  const gt_arguments *arguments = t->arguments;
  gt_explained *models = gt_alloc((size_t)arguments->words * sizeof *models);
  gt_error error = {0};
  int code = GT_OK;
  for (int i = 0; i < arguments->words && code == GT_OK; i++)
    if (gt_explained_open(&models[i], arguments, arguments->word[i], &error))
      gt_diagnostics_print(&models[i].config.diagnostics, stderr);
    else
      code = gt_cli_model_report(arguments, &models[i].config.diagnostics, &error);
  if (code == GT_OK) code = explain(t, models, arguments->words);
  for (int i = 0; i < arguments->words; i++) gt_explained_close(&models[i]);
  free(models);
  return code;
}

static int run(const gt_arguments *arguments) {
  task t = {.arguments = arguments};
  if (gt_explains_columns(arguments)) return gt_explain_columns(arguments);
  int code = GT_ERR_USAGE;
  if (gt_flag(arguments, "no-formula") && gt_flag(arguments, "pareto"))
    gt_usage_error(arguments, "--pareto lists formulas, and --no-formula asks for none");
  else if (gt_cli_gates(arguments, &(gt_gate_metrics){metrics, METRICS, false}, &t.gates, &t.gate_count) &&
           read_functions(arguments, t.allowed))
    code = open_and_explain(&t);
  return code;
}

static void print_functions(FILE *stream) {
  fprintf(stream, "\nFunctions:");
  for (int i = 0; i < gt_symbol_count(); i++) fprintf(stream, " %s", gt_symbol_at(i)->name);
  fprintf(stream, "\n");
}

GT_DEFINE(command, explain) = {
    .name = "explain",
    .summary = "read a Kolmogorov-Arnold network as a formula and draw it, or rank the columns of a table",
    .usage = "MODEL... [options]",
    .details =
        "MODEL is a model.bin or a run directory.\n"
        "Each edge of the network becomes c f(a x + b), with f from a library of functions. The choice is the\n"
        "simplest formula that explains the training samples (least description length). All constants are\n"
        "then fitted together to the samples in double precision, and rounded to simple numbers (1/2, 3, pi)\n"
        "where the fit does not get significantly worse. A warning says which outputs have a doubtful\n"
        "formula, and why. Errors are those of the formula as --expression prints it. With several MODELs,\n"
        "the formula is that of the last one; the others, such as RUN/unpruned.bin, are only drawn.\n"
        "\n"
        "For other models of tables, and with --importance, explain prints the permutation importance of each\n"
        "input column: the loss and the main metric when the values of this column are shuffled over the rows\n"
        "of the test split (else of the validation split, else of the training split), how far they are from\n"
        "the values without shuffling, and their standard deviation over 5 shuffles. Columns with the same\n"
        "information share their importance: shuffling one of them leaves the other. --device and\n"
        "--memory-limit are for these evaluations.\n",
    .print_details = print_functions,
    .examples = {"gtrain explain runs/hellokan/model.bin",
                 "gtrain explain runs/hellokan/model.bin --no-formula --svg hellokan.svg"},
    .suits = gt_explained_can_open,
    .options = options,
    .min_words = 1,
    .max_words = MAX_MODELS,
    .run = run,
};
