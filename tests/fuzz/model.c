/* Model files: inspected, used for predictions and evaluated (on the null backend, which computes nothing),
 * exported, simulated, and taken as the start of another model, with other names of columns and classes. Some
 * are safetensors files of other programs, which have no hash. Most inputs have a correct hash, so that the
 * code after the hash check is reached. */
#include "fuzz.h"
#include "repair.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  return mutate_safetensors(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const commands[][8] = {
      {"inspect", "input.bin"},
      {"inspect", "input.bin", "--json"},
      {"predict", "input.bin", "--input", "five.csv", "--device=null"},
      {"eval", "input.bin", "--device=null"},
      {"export", "input.bin", "--format", "c"},
      {"simulate", "input.bin", "--steps", "2"},
      {"check", "names.yaml", "--set", "init_from=input.bin"},
  };
  if (fuzz_must_skip(data, size)) return 0;
  fuzz_input(data, size, "input.bin");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (fuzz_gtrain(commands[i]) && i == 0) break; /* not a model file */
  return 0;
}
