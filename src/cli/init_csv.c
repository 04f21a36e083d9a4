/* gtrain init csv: a dense network. Its width and the length of its training depend on the size of the
 * table. */
#include "cli/init.h"
#include "base/text.h"
#include "loss/loss.h"
#include "train/config/classes.h"

typedef struct settings {
  int64_t width, batch, epochs, eval_every, patience;
  const char *weight_decay;
} settings;

static int64_t clamp(int64_t value, int64_t min, int64_t max) {
  return value < min ? min : value > max ? max : value;
}

/* The width grows with the number of values in the table. A network overfits few rows soon: then the weight
 * decay is strong, and evaluations are frequent, to stop in time. */
static settings choose_settings(const gt_scaffold *init) {
  enum { STEPS = 6000 /* of the whole training, about */, FEW = 2000 /* rows */ };
  const int64_t rows = gt_scaffold_samples(init), inputs = gt_scaffold_inputs(init), values = rows * inputs;
  const int64_t batch = clamp(rows < 5000 ? 32 : rows < 50000 ? 128 : 512, 1, rows);
  const int64_t epochs = clamp(STEPS / ((rows + batch - 1) / batch), 10, 100);
  const bool few = rows < FEW;
  return (settings){.width = values < 2500      ? 16
                             : values < 50000   ? 32
                             : values < 5000000 ? 64
                                                : 128,
                    .batch = batch,
                    .epochs = epochs,
                    .eval_every = few ? 2 : clamp(epochs / 20, 1, 5),
                    .patience = few ? 10 : 5,
                    .weight_decay = few ? "0.3" : "0.01"};
}

/* f1 is that of the positive class; if the other one is rare, the mean of both shows it. */
static void write_metrics(const gt_scaffold *init, FILE *out) {
  const char *rare, *positive = gt_scaffold_measured(init, &rare);
  fprintf(out, "metrics: [%s, balanced_accuracy]  # the accuracy says little about a rare class",
          positive && !rare ? "f1" : "f1_macro");
  if (rare)
    fprintf(out, ", and f1 would be that of %s; f1_macro is the mean over both classes",
            gt_scaffold_quoted(init, positive));
  else if (positive)
    fprintf(out, "; f1 is that of %s", gt_scaffold_quoted(init, positive));
  fprintf(out, "\n");
}

/* The threshold for two classes, one of them rare. A few validation samples do not tell which one is best. */
static void write_threshold(const gt_scaffold *init, FILE *out) {
  enum { ENOUGH = 5 /* validation samples of each class */ };
  const char *rare, *positive = gt_scaffold_measured(init, &rare);
  const gt_class_table counts = gt_class_table_of(&init->dataset, 0, init->arena);
  const int64_t *validation = counts.part[1].count;
  const int fewer = validation && validation[0] < validation[1] ? 0 : 1;
  const int64_t samples = validation ? validation[fewer] : 0;
  if (!positive) return;
  if (!validation)
    fprintf(
        out,
        "# No threshold (eval: {threshold: auto}): it is chosen on validation rows, and there are none\n");
  else if (samples < ENOUGH)
    fprintf(
        out,
        "# No threshold (eval: {threshold: auto}): it is chosen on the validation rows, which have %lld of "
        "class %s; %d are needed\n",
        (long long)samples, gt_scaffold_quoted(init, counts.name[fewer]), ENOUGH);
  else
    fprintf(out,
            "eval: {threshold: %s}  # the probability above which %s is predicted, chosen for %s on the "
            "validation rows\n",
            rare ? "{metric: f1_macro}" : "auto", gt_scaffold_quoted(init, positive),
            rare ? "f1_macro" : "f1");
}

static void write_loss(const gt_scaffold *init, FILE *out) {
  if (gt_scaffold_has_heads(init)) {
    gt_scaffold_write_head_losses(init, out);
    return;
  }
  const bool classes = init->dataset.target[0].classification;
  const char *name;
  const double share = gt_scaffold_rarest(init, &name);
  fprintf(out, "\nloss: %s", classes ? "cross_entropy" : gt_scaffold_has_labels(init) ? "bce" : "mse");
  if (share < 1)
    fprintf(out, "  # to find more of the rare class: {type: cross_entropy, class_weights: balanced}");
  fprintf(out, "\n");
  if (share == 1) return;
  write_metrics(init, out);
  write_threshold(init, out);
}

static void write_model(const gt_scaffold *init, int64_t width, FILE *out) {
  const gt_data_target *target = &init->dataset.target[0];
  const bool heads = gt_scaffold_has_heads(init);
  fprintf(out, "model:\n");
  for (int i = 0; i < 2; i++)
    fprintf(out, "  - linear: %lld\n  - silu%s\n", (long long)width, heads && i ? ": {name: body}" : "");
  if (heads)
    gt_scaffold_write_heads(init, out);
  else
    fprintf(out, "  - linear: %d  # one output%s\n", target->classification ? target->classes : init->targets,
            target->classification ? " for each class"
            : init->targets > 1    ? " for each target"
                                   : "");
}

static void write_csv(const gt_scaffold *init, FILE *out) {
  const settings s = choose_settings(init);
  write_model(init, s.width, out);
  write_loss(init, out);
  fprintf(out, "optimizer: {type: adamw, lr: 3.0e-3, weight_decay: %s}\n", s.weight_decay);
  fprintf(out, "schedule: cosine  # the learning rate falls to 0 by the last epoch\n\ntrain:\n");
  fprintf(out, "  epochs: %lld  # passes over the training rows\n", (long long)s.epochs);
  fprintf(out, "  batch_size: %lld\n  eval_every: %lld  # epochs\n", (long long)s.batch,
          (long long)s.eval_every);
  if (init->dataset.split[GT_PART_VALIDATION].samples)
    fprintf(
        out,
        "  early_stopping: {patience: %lld}  # stop after %lld evaluations without a lower validation loss, "
        "and keep the best weights\n"
        "  checkpoint: {keep_best: true}\n",
        (long long)s.patience, (long long)s.patience);
}

const gt_scaffold_kind gt_scaffold_csv = {.name = "csv", .write = write_csv};
