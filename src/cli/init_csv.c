/* gtrain init csv: a dense network, its size and the length of the training chosen by the number of rows. */
#include "cli/init.h"
#include "loss/loss.h"

typedef struct plan {
  int64_t width, batch, epochs, eval_every;
} plan;

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

static plan plan_of(const gt_scaffold *init) {
  enum { STEPS = 6000 };
  const int64_t rows = gt_scaffold_samples(init), inputs = gt_scaffold_inputs(init);
  const int64_t batch = clamp(rows < 5000 ? 32 : rows < 50000 ? 128 : 512, 1, rows);
  const int64_t epochs = clamp(STEPS / ((rows + batch - 1) / batch), 10, 100);
  return (plan){.width = rows < 200                      ? 16
                         : rows < 50000 && inputs <= 100 ? 64
                                                         : 128,
                .batch = batch,
                .epochs = epochs,
                .eval_every = clamp(epochs / 20, 1, 5)};
}

static void write_csv(const gt_scaffold *init, FILE *out) {
  const gt_dataset *data = &init->dataset;
  const plan p = plan_of(init);
  fprintf(out, "model:\n");
  for (int i = 0; i < 2; i++) fprintf(out, "  - linear: %lld\n  - silu\n", (long long)p.width);
  fprintf(out, "  - linear: %d  # %s\n", data->target[0].classification ? data->target[0].classes : 1,
          data->target[0].classification ? "one output for each class" : "one output");
  fprintf(out, "\nloss: %s\n", data->target[0].classification ? "cross_entropy" : "mse");
  fprintf(out, "optimizer: {type: adamw, lr: 3.0e-3, weight_decay: 0.01}\n");
  fprintf(out, "schedule: cosine  # the learning rate falls to 0 by the last epoch\n\ntrain:\n");
  fprintf(out, "  epochs: %lld  # passes over the training rows\n", (long long)p.epochs);
  fprintf(out, "  batch_size: %lld\n  eval_every: %lld  # epochs\n", (long long)p.batch,
          (long long)p.eval_every);
  if (data->validation.samples)
    fprintf(out,
            "  early_stopping: {patience: 5}  # stop after 5 evaluations without a lower validation loss, "
            "and keep the best weights\n"
            "  checkpoint: {keep_best: true}\n");
}

const gt_scaffold_kind gt_scaffold_csv = {.name = "csv", .write = write_csv};
