/* CSV files, with or without gzip: header and delimiter detected or given, as one file or two, and as inputs
 * of a prediction. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_input(data, size, "input.csv");
  fuzz_data("{train: input.csv, normalize: standard, validation: 0.3}", path);
  fuzz_data(
      "{format: csv, train: input.csv, test: input.csv, delimiter: ';', header: true, task: classification}",
      0);
  fuzz_data(
      "{format: csv, train: input.csv, header: false, task: regression, target: ['1'], test_fraction: 0.5}",
      0);
  fuzz_data("{format: csv, train: five.csv, test: input.csv}", 0);
  fuzz_data(
      "{format: csv, train: input.csv, target: label, inputs: [a, b], ignore: id, class_names: [no, 'yes']}",
      0);
  fuzz_data("{format: csv, train: input.csv, classes: ['1', 0], per_class: 2, test_fraction: 0.3}", path);
  return 0;
}
