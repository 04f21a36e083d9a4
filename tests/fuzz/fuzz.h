/* Fuzz targets: each tests/fuzz/NAME.c has one LLVMFuzzerTestOneInput, which libFuzzer calls with generated
 * inputs (`make fuzz`) and replay.c with the files of a corpus (`make check`). The targets share these
 * functions: they provide the input as a file in memory, run gtrain in this process, and check the result. A
 * target keeps no state between inputs.
 *
 * Findings besides a crash: a failed assertion, an allocation of unchecked size that fails or exceeds
 * FUZZ_MAX_UNCHECKED, an undocumented exit code or 70, a failure without a message. gt_try_alloc fails above
 * FUZZ_MAX_CHECKED, as on a small machine: no valid input needs more. */
#ifndef GT_TESTS_FUZZ_H
#define GT_TESTS_FUZZ_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_MAX_CHECKED   ((uint64_t)32 << 20)
#define FUZZ_MAX_UNCHECKED ((size_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Called once, before the first input: sets up streams and handlers (fuzz.c). */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Targets run in "the room", a folder of small data files and configs made by seeds.sh (build/fuzz/room), in
 * which input.csv, input.yaml, … are links to the current input: fuzz_input sets it and returns NAME. */
const char *fuzz_input(const uint8_t *data, size_t size, const char *name);
/* The input as text, terminated by a 0; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* True for inputs that may open a device, which is not deterministic, or that have layers with very many
 * gates, whose random wiring takes too long. */
bool fuzz_must_skip(const uint8_t *data, size_t size);

/* Runs gtrain with these words (the last one NULL), discards its output, checks its exit code and returns
 * it. */
int fuzz_gtrain(const char *const *words);
/* Checks that the error has a message and a status that a bad file or a lack of memory may cause. */
void fuzz_expect_bad_file(const gt_error *error);
/* Ends the process with a report unless the condition is true. */
void fuzz_expect(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a `data:` map that reads the input, and checks the resulting dataset. If `inputs`, the name of the
 * input, is not NULL, the map is also opened for a trained model, and the input is read as its inputs. */
void fuzz_data(const char *map, const char *inputs);

/* libFuzzer's functions for custom mutators. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
#endif
