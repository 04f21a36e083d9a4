/* gtrain init formula: a Kolmogorov-Arnold network and the phases that turn it into a formula, as in
 * configs/hellokan.yaml. The widths and the number of steps depend on the table. */
#include "cli/init.h"

static void write_layer(int units, FILE *out) {
  fprintf(out,
          "  - kan:\n"
          "      units: %d\n"
          "      grid: 3\n"
          "      noise: 0.3\n"
          "      spline_scale: false\n"
          "      grid_update: {every: 20, until: 100, blend: 1}\n"
          "      l1: 5.0e-3\n"
          "      entropy: 1.0e-2\n",
          units);
}

static void write_formula(const gt_scaffold *init, FILE *out) {
  const int64_t rows = gt_scaffold_samples(init), inputs = gt_scaffold_inputs(init);
  const bool many = rows > 600;
  const int steps = many ? 200 : 100;
  fprintf(out,
          "# A network of %lld inputs, a few hidden nodes and one output, with a learned function on each "
          "edge.\n"
          "# The penalties l1 and entropy keep it simple.\nmodel:\n",
          (long long)inputs);
  write_layer(inputs > 4 ? 5 : 3, out);
  write_layer(1, out);
  fprintf(out, "\nloss: mse\noptimizer: {type: lbfgs, history_size: 200, tolerance_change: 0}\n\n");
  fprintf(out,
          "train:\n  batch_size: %lld  # all training rows, as lbfgs needs\n  eval_every: %d\n  phases:\n",
          (long long)rows, steps / 2);
  fprintf(out, "    - steps: %d\n", steps);
  fprintf(out,
          "    # Keep the best hidden node: the formula is then f(g(x0) + h(x1) + ...). For others, remove\n"
          "    # `nodes: 1`.\n"
          "    - steps: %d\n"
          "      prune: {nodes: 1, edge: 3.0e-2}\n"
          "      model.0.kan.l1: 0\n"
          "      model.0.kan.entropy: 0\n"
          "      model.1.kan.l1: 0\n"
          "      model.1.kan.entropy: 0\n",
          steps);
  fprintf(out, "    # Finer splines, then functions with names in place of the splines.\n");
  fprintf(out, "    - {steps: %d, model.0.kan.grid: %d, model.1.kan.grid: %d}\n", many ? 400 : 100,
          many ? 10 : 6, many ? 10 : 6);
  fprintf(out,
          "    - {steps: %d, symbolic: {together: true}, optimizer.any_curvature: true, "
          "optimizer.history_size: 20}\n",
          steps);
}

const gt_scaffold_kind gt_scaffold_formula = {
    .name = "formula", .task = "regression", .needs_numbers = true, .write = write_formula};
