/* IDX files, with or without gzip: as inputs, as labels, as quantities, and as inputs of a prediction. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_input(data, size, "input.idx");
  fuzz_data("{format: idx, train: {inputs: input.idx, targets: input.idx}, normalize: standard}", path);
  fuzz_data("{format: idx, train: {inputs: input.idx, targets: five.idx}, validation: 0.2, shape: [3, 1]}",
            0);
  fuzz_data("{format: idx, train: {inputs: five.idx, targets: input.idx}, task: classification}", 0);
  fuzz_data("{train: {inputs: five.idx, targets: input.idx}, task: regression, test_fraction: 0.4}", 0);
  fuzz_data("{format: idx, train: {inputs: five.idx, targets: input.idx}, classes: [1, 0], per_class: 1}", 0);
  return 0;
}
