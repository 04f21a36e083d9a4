/* Fuzz targets: each tests/fuzz/NAME.c has one LLVMFuzzerTestOneInput, which libFuzzer calls with generated
 * inputs (`make fuzz`) and replay.c with the files of a corpus (`make check`). This header has what they
 * share: an input as a file that costs no disk access, the program itself called in this process, and what
 * counts as a finding besides a crash. A target keeps no state between inputs.
 *
 * Findings: an assertion, an allocation whose size was not checked before (the handler of base/memory.h, or
 * more than FUZZ_MAX_UNCHECKED at once), an undocumented exit code or 70, a failure without a message.
 * gt_try_alloc fails above FUZZ_MAX_CHECKED, as on a small machine: no input needs more. */
#ifndef GT_TESTS_FUZZ_H
#define GT_TESTS_FUZZ_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_MAX_CHECKED   ((uint64_t)32 << 20)
#define FUZZ_MAX_UNCHECKED ((size_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Called once, before the first input: streams, handlers, the room. Defined here. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Targets run in "the room", a folder of small data files and configs made by seeds.sh (build/fuzz/room), in
 * which input.csv, input.yaml, … are links to the current input: fuzz_input sets it and returns NAME. */
const char *fuzz_input(const uint8_t *data, size_t size, const char *name);
/* The input as text, terminated by a 0; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Inputs to skip: those that may make the program open a device, which is neither ours nor deterministic; and
 * layers of so many gates that drawing their random wiring takes longer than an input may. */
bool fuzz_is_no_input(const uint8_t *data, size_t size);

/* Runs the program with these words (the last one NULL), discards its output, checks its exit code and
 * returns it. */
int fuzz_gtrain(const char *const *words);
/* Checks that the failure is one that a bad file or a lack of memory may cause, with a message. */
void fuzz_expect_bad_file(const gt_error *error);
/* Ends the process with a report unless the condition is true. */
void fuzz_expect(bool so, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a `data:` map that reads the input, and checks the resulting dataset; if `inputs` names the input,
 * also as data and as inputs for a trained model. */
void fuzz_data(const char *map, const char *inputs);

/* libFuzzer's functions for custom mutators. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
#endif
