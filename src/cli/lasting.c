#include "cli/lasting.h"
#include "export/circuit_model.h"
#include <inttypes.h>
#include <stdio.h>

bool gt_cli_measure_lasting(gt_lasting *out, const gt_model_file *file, const gt_dataset *dataset,
                            gt_error *error) {
  const gt_ca_boards *boards = gt_ca_boards_of(dataset);
  gt_model_circuit model = {0};
  gt_error ignored = {0}; /* models other than automata may be trained on boards, too */
  *out = (gt_lasting){0};
  bool ok = true;
  if (boards && gt_model_circuit_read(&model, file, &ignored) && model.automaton.is_automaton &&
      model.automaton.ca.channels == boards->channels) {
    gt_model_circuit_simplify(&model);
    ok = gt_lasting_measure(out, &model.automaton.ca, boards, model.automaton.fire_rate,
                            model.automaton.steps, error);
  }
  gt_model_circuit_finish(&model);
  return ok;
}

/* Prints the first `count` numbers, as in "1, 2 and 4". */
static void print_list(const int64_t *number, int count) {
  for (int i = 0; i < count; i++) printf("%s%" PRId64, !i ? "" : i + 1 < count ? ", " : " and ", number[i]);
}

void gt_cli_print_lasting(const gt_lasting *lasting) {
  if (!lasting->known) return;
  printf("after ");
  print_list(gt_lasting_times, lasting->known);
  printf(" times the %" PRId64 " steps of the training: ", lasting->trained);
  print_list(lasting->errors, lasting->known);
  printf(" of %" PRId64 " cells differ from the target\n", lasting->cells);
}

void gt_cli_add_lasting(json_t *object, const gt_lasting *lasting) {
  json_t *list = json_array();
  for (int i = 0; i < lasting->known; i++)
    json_array_append_new(list,
                          json_pack("{s:I, s:I, s:I, s:I}", "times", (json_int_t)gt_lasting_times[i], "step",
                                    (json_int_t)(gt_lasting_times[i] * lasting->trained), "errors",
                                    (json_int_t)lasting->errors[i], "cells", (json_int_t)lasting->cells));
  json_object_set_new(object, "lasting", list);
}
