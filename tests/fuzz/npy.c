/* NPY files, with or without gzip: as inputs, as labels, as quantities, and as inputs of a prediction. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_input(data, size, "input.npy");
  fuzz_data("{format: npy, train: {inputs: input.npy, targets: input.npy}, normalize: standard}", path);
  fuzz_data("{format: npy, train: {inputs: input.npy, targets: five.npy}, validation: 0.2, shape: [3, 1]}",
            0);
  fuzz_data("{format: npy, train: {inputs: five.npy, targets: input.npy}, task: classification}", 0);
  fuzz_data("{train: {inputs: five.npy, targets: input.npy}, task: regression, test_fraction: 0.4}", 0);
  return 0;
}
