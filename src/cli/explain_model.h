/* gt_explained: the network of a model file on the host, with samples of its data and the formula found for
 * it. For `gtrain explain`. Owner: the command. */
#ifndef GT_CLI_EXPLAIN_MODEL_H
#define GT_CLI_EXPLAIN_MODEL_H
#include "cli/common.h"
#include "kan/formula_text.h"
#include "kan/scores.h"
#include "kan/symbolic_front.h"

typedef struct gt_explained_split {
  double *x, *scaled; /* inputs [samples, inputs]: as in the data; as the network reads them */
  double *y;          /* values that the outputs are compared with [samples, outputs] */
  int64_t samples;    /* 0: the split does not exist */
} gt_explained_split;

typedef struct gt_explained {
  gt_arena arena;
  gt_model_file file;
  gt_config config;
  gt_kan_network network;
  gt_kan_trace trace; /* of the training samples */
  gt_kan_scores scores;
  gt_explained_split train, test;
  bool fits_network; /* y holds the network's outputs, because the loss does not train them to equal the
                        targets */
  bool has_formula;
  gt_symbolic symbolic;
  gt_symbolic_report report;
  gt_symbolic_front front; /* formulas from simple to exact, with `symbolic` among them; in `arena` */
} gt_explained;

/* Opens a model and reads its data. The findings are in e->config.diagnostics and not printed. */
bool gt_explained_open(gt_explained *e, const gt_arguments *arguments, const char *path, gt_error *error);
void gt_explained_close(gt_explained *e); /* accepts a zeroed one */
/* True if the model is a Kolmogorov-Arnold network that gt_explained_open accepts. Does not read its data. */
bool gt_explained_can_open(const gt_model_file *file);
/* The training samples, for fits of formulas; x and y stay owned by `e`. */
gt_symbolic_data gt_explained_data(const gt_explained *e);
/* Finds the formula of the network, and simpler and more exact ones. */
bool gt_explained_find(gt_explained *e, const gt_symbolic_options *options, gt_error *error);

/* Root mean square errors on a split: of the network, and of the formula, as parsed from its expression. */
double gt_explained_network_error(const gt_explained *e, const gt_explained_split *split);
double gt_explained_formula_error(const gt_explained *e, const gt_explained_split *split);

/* Outputs on a split, [samples, outputs], on the heap: of the network, and of the formula, as parsed from its
 * expressions. */
double *gt_explained_network_outputs(const gt_explained *e, const gt_explained_split *split);
double *gt_explained_formula_outputs(const gt_explained *e, const gt_explained_split *split);

/* --- what `explain` and `train` print of it --- */

/* Adds one warning `doubtful_formula` for each reason to e->config.diagnostics. It names the outputs that are
 * doubtful. */
void gt_explained_doubts(gt_explained *e);
/* Draws the networks of the models and, if it was found, the formula of the last one. svg, png: paths of the
 * files to write, or NULL. */
bool gt_explained_draw(const gt_explained *models, int count, const char *svg, const char *png,
                       gt_error *error);
/* A formula's outputs as a JSON array of objects with its text in each style. */
json_t *gt_explained_formulas_json(const gt_symbolic *formula, gt_arena *arena);
/* Prints the front (kan/symbolic_front.h) as a table, or as JSON. The model's formula must have been found.
 */
void gt_explained_pareto(gt_explained *e, gt_formula_style style, bool json);
/* Prints "TARGET = FORMULA" for each output if a phase of the run turned edges into functions, and warns if a
 * formula is doubtful. Prints nothing for models of more than 12 edges, or if the search for a formula takes
 * more than half a second: `gtrain explain` searches longer. model: the run's model.bin. */
void gt_cli_print_formulas(const gt_config *config, const char *model);
/* The same as JSON: adds the array "formulas" to root. */
void gt_cli_add_formulas(json_t *root, const gt_config *config, const char *model);
#endif
