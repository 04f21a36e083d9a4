/* Fuzz targets: tests/fuzz/NAME.c each hold one LLVMFuzzerTestOneInput, which libFuzzer calls with what it
 * makes up
 * (`make fuzz`) and replay.c with the files of a corpus (`make check`). Here is what they share: an input as
 * a file that costs no disk, the program itself called in this process, and what counts as a finding besides
 * a crash. A target keeps nothing from one input to the next.
 *
 * Findings: an assertion, a size that nobody checked before it was asked for (the handler of base/memory.h,
 * or more than FUZZ_MOST_UNCHECKED at once), an undocumented exit code or 70, a failure without a message.
 * Memory that is asked for by way of gt_try_alloc is refused beyond FUZZ_MOST_CHECKED, as on a small machine:
 * no input needs more. */
#ifndef GT_TESTS_FUZZ_H
#define GT_TESTS_FUZZ_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_MOST_CHECKED   ((uint64_t)32 << 20)
#define FUZZ_MOST_UNCHECKED ((size_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Once, before the first input: streams, handlers, the room. Provided here. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Targets run in the room, a folder of small data files and configs made by seeds.sh (build/fuzz/room), in
 * which input.csv, input.yaml, … are links to the input at hand: fuzz_input makes it so and returns NAME. */
const char *fuzz_input(const uint8_t *data, size_t size, const char *name);
/* The input as text, ended by a 0; freed by the caller. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Inputs to leave out: those that may make the program open a device, which is neither ours nor the same
 * twice; and layers of so many gates that their wiring, drawn at random, takes longer than an input may. */
bool fuzz_is_no_input(const uint8_t *data, size_t size);

/* The program with these words (the last NULL), its output thrown away: its exit code, which is judged. */
int fuzz_gtrain(const char *const *words);
/* A failure as it may come of a bad file or a lack of memory, and with a message. */
void fuzz_expect_bad_file(const gt_error *error);
/* Ends the process with a report, unless so. */
void fuzz_expect(bool so, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a `data:` map that reads the input, and judges the dataset that comes of it; if `inputs` names the
 * input, also as data and as inputs for a trained model. */
void fuzz_data(const char *map, const char *inputs);

/* What a custom mutator may use of libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
#endif
