#include "automaton/lasting.h"

const int64_t gt_lasting_times[GT_LASTING] = {1, 2, 4, 10};
enum { RANDOM_RUNS = 10 /* runs of an automaton with a random start or random updates */ };

bool gt_lasting_applies(const gt_experiment *experiment) {
  return experiment->compare && !gt_experiment_has_rule(experiment);
}

void gt_lasting_record(gt_lasting *lasting, const gt_experiment *experiment) {
  for (int i = 0; i < GT_LASTING; i++) {
    if (experiment->simulation.step != gt_lasting_times[i] * lasting->trained) continue;
    lasting->errors[i] += experiment->errors;
    if (lasting->known <= i) lasting->known = i + 1;
  }
}

int64_t gt_lasting_last_step(const gt_lasting *lasting) {
  return gt_lasting_times[GT_LASTING - 1] * lasting->trained;
}

static void run(gt_lasting *lasting, gt_experiment *experiment) {
  lasting->cells += experiment->cells;
  while (experiment->simulation.step < gt_lasting_last_step(lasting)) {
    gt_experiment_step(experiment);
    gt_experiment_damage(experiment); /* there is no damage; this call counts the errors */
    gt_lasting_record(lasting, experiment);
  }
}

bool gt_lasting_measure(gt_lasting *out, const gt_circuit_ca *ca, const gt_ca_boards *boards,
                        double fire_rate, int64_t steps, gt_error *error) {
  const int runs = boards->start == GT_CA_START_RANDOM || fire_rate < 1 ? RANDOM_RUNS : 1;
  bool ok = true;
  *out = (gt_lasting){.trained = steps};
  if (boards->start == GT_CA_START_ALL) return true;
  for (int i = 0; i < runs && ok; i++) {
    gt_experiment experiment = {0};
    ok = gt_experiment_open(&experiment, ca, boards, boards->height, boards->width, fire_rate,
                            (uint64_t)i + 1, error) &&
         gt_experiment_start(&experiment, boards->start, error) &&
         gt_experiment_enable_comparison(&experiment, error);
    if (ok && gt_lasting_applies(&experiment)) run(out, &experiment);
    gt_experiment_close(&experiment);
  }
  return ok;
}
