/* The functions that all fuzz targets share; see fuzz.h. */
#define _GNU_SOURCE /* fopencookie, memfd_create */
#include "fuzz.h"
#include "base/memory.h"
#include "cli/command.h"
#include "data/data.h"
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* INPUT: the descriptor of the current input. Links in the room point to /proc/self/fd/100. */
enum { INPUT = 100, MAX_WORDS = 64 };

/* --- streams: standard output is discarded, the start of standard error is kept for reports --- */

static char messages[4096]; /* the start of stderr */
static size_t messages_size;

static ssize_t write_message(void *cookie, const char *text, size_t size) {
  (void)cookie;
  const size_t capacity = sizeof messages - 1 - messages_size, n = size < capacity ? size : capacity;
  memcpy(messages + messages_size, text, n);
  messages[messages_size += n] = 0;
  return (ssize_t)size;
}

static ssize_t write_nowhere(void *cookie, const char *text, size_t size) {
  (void)cookie, (void)text;
  return (ssize_t)size;
}

static void clear_messages(void) { messages[messages_size = 0] = 0; }

/* --- findings --- */

static void report(const char *what) {
  dprintf(STDERR_FILENO, "\nFINDING: %s\n%s%s", what, messages_size ? "it said:\n" : "", messages);
  abort();
}

void fuzz_expect(bool condition, const char *format, ...) {
  static char message[1 << 16];
  va_list arguments;
  if (condition) return;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  report(message);
}

static void out_of_memory(size_t size) { fuzz_expect(false, "an unchecked allocation of %zu bytes", size); }

/* glibc's own __assert_fail prints to stderr, which is captured here. */
void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function);
void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) {
  fuzz_expect(false, "%s:%u: %s: assertion '%s' failed", file, line, function, assertion);
  abort();
}

/* The linker redirects gtrain's calls of gt_try_alloc and gt_alloc to these functions (--wrap). */
bool __real_gt_try_alloc(void **out, uint64_t count, uint64_t size, const char *what, gt_error *error);
bool __wrap_gt_try_alloc(void **out, uint64_t count, uint64_t size, const char *what, gt_error *error);
bool __wrap_gt_try_alloc(void **out, uint64_t count, uint64_t size, const char *what, gt_error *error) {
  uint64_t total;
  if (!__builtin_mul_overflow(count, size, &total) && total > FUZZ_MAX_CHECKED) {
    *out = NULL;
    return gt_fail(error, GT_ERR_MEMORY, "%s: out of memory", what);
  }
  return __real_gt_try_alloc(out, count, size, what, error);
}

void *__real_gt_alloc(size_t size);
void *__wrap_gt_alloc(size_t size);
void *__wrap_gt_alloc(size_t size) {
  if (size > FUZZ_MAX_UNCHECKED) out_of_memory(size);
  return __real_gt_alloc(size);
}

/* --- the input --- */

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const int fd = memfd_create("input", 0);
  fuzz_expect(fd >= 0 && dup2(fd, INPUT) == INPUT, "no memory file: %m");
  close(fd);
  gt_set_out_of_memory(out_of_memory);
  stdout = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_nowhere});
  stderr = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_message});
  fuzz_expect(stdout && stderr, "no streams: %m");
  setvbuf(stderr, NULL, _IONBF, 0);
  setenv("NO_COLOR", "1", true);
  fuzz_expect(access("five.csv", R_OK) == 0, "this is not the room that seeds.sh makes (build/fuzz/room)");
  return 0;
}

const char *fuzz_input(const uint8_t *data, size_t size, const char *name) {
  fuzz_expect(ftruncate(INPUT, 0) == 0 && pwrite(INPUT, data, size, 0) == (ssize_t)size, "memory file: %m");
  clear_messages();
  return name;
}

char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = calloc(1, size + 1);
  fuzz_expect(text, "no memory");
  if (size) memcpy(text, data, size);
  clear_messages();
  return text;
}

/* True if there is a number that a layer accepts but that takes long: with 5 to 9 digits, or an exponent of 3
 * to 9. */
static bool has_large_number(const uint8_t *data, size_t size) {
  for (size_t i = 0, digits = 0; i < size; i++) {
    const bool digit = data[i] >= '0' && data[i] <= '9';
    const bool exponent =
        digits && (data[i] | 32) == 'e' && i + 1 < size && data[i + 1] >= '3' && data[i + 1] <= '9';
    if (exponent || (digits >= 5 && digits <= 9 && !digit)) return true;
    digits = digit ? digits + 1 : 0;
  }
  return false;
}

bool fuzz_must_skip(const uint8_t *data, size_t size) {
  return memmem(data, size, "/dev", 4) || memmem(data, size, "/proc", 5) ||
         (memmem(data, size, "logic", 5) && has_large_number(data, size));
}

/* --- the program --- */

int fuzz_gtrain(const char *const *words) {
  static const int documented[] = {0, 1, 2, 65, 69, 71, 73, 74, 75, 78}; /* docs/running.md, without 70 */
  char *copies[MAX_WORDS + 1] = {strdup("gtrain")};
  int count = 1;
  bool known = false;
  for (; words[count - 1] && count < MAX_WORDS; count++) copies[count] = strdup(words[count - 1]);
  clear_messages();
  const int code = gt_cli_main(count, copies);
  for (int i = 0; i < count; i++) free(copies[i]);
  for (size_t i = 0; i < sizeof documented / sizeof *documented; i++) known |= code == documented[i];
  fuzz_expect(known, "exit code %d", code);
  fuzz_expect(!code || messages_size, "exit code %d without a word", code);
  return code;
}

/* --- data --- */

void fuzz_expect_bad_file(const gt_error *error) {
  fuzz_expect(error->status == GT_ERR_DATA || error->status == GT_ERR_MEMORY, "status %d: %s",
              (int)error->status, error->message);
  fuzz_expect(*error->message, "status %d without a message", (int)error->status);
}

static void judge_values(const gt_tensor *tensor, int64_t samples) {
  fuzz_expect(tensor->rank >= 1 && tensor->dim[0] == samples, "%lld samples, not %lld",
              (long long)tensor->dim[0], (long long)samples);
  const int64_t count = samples * gt_tensor_features(tensor);
  for (int64_t i = 0; i < count && tensor->element == GT_ELEMENT_F32; i++)
    fuzz_expect(isfinite(((const float *)tensor->data)[i]), "value %lld is not finite", (long long)i);
}

static void judge_split(const gt_dataset *data, const gt_split *split) {
  if (!split->samples) return;
  for (int k = 0; k < data->inputs; k++) judge_values(gt_split_input(split, k), split->samples);
  judge_values(gt_split_target(split, 0), split->samples);
  for (int64_t i = 0; i < split->samples && data->target[0].classification; i++) {
    const int32_t label = ((const int32_t *)gt_split_target(split, 0)->data)[i];
    fuzz_expect(label >= 0 && label < data->target[0].classes, "label %d of %d classes", label,
                data->target[0].classes);
  }
}

static void open_map(const char *map, const gt_data_requirements *wanted) {
  gt_arena arena;
  gt_dataset data = {0};
  gt_diagnostics diagnostics;
  gt_error error = {0};
  gt_arena_init(&arena);
  gt_diagnostics_init(&diagnostics, &arena);
  const gt_spec *spec = gt_spec_parse(&arena, "x.yaml", map, strlen(map), &diagnostics);
  fuzz_expect(spec, "the target's own map cannot be read: %s", map);
  if (gt_dataset_open(spec, 7 /* seed */, wanted, &arena, &data, &diagnostics, &error)) {
    fuzz_expect(data.split[GT_PART_TRAIN].samples > 0, "no training samples");
    fuzz_expect(!wanted || data.target[0].classes == wanted->signature->target[0].classes,
                "%d classes, not those of the model", data.target[0].classes);
    judge_split(&data, &data.split[GT_PART_TRAIN]);
    judge_split(&data, &data.split[GT_PART_VALIDATION]);
    judge_split(&data, &data.split[GT_PART_TEST]);
    gt_dataset_close(&data);
  } else if (!diagnostics.errors) {
    fuzz_expect_bad_file(&error);
  }
  gt_arena_finish(&arena);
}

/* The signature of a model whose samples are rows of `features` numbers. */
static gt_data_signature row_signature(int64_t features, const char *const *columns) {
  return (gt_data_signature){.inputs = 1,
                             .input = {{.name = GT_INPUT_NAME,
                                        .element = GT_ELEMENT_F32,
                                        .rank = 1,
                                        .dim = {features},
                                        .columns = columns}},
                             .targets = 1};
}

/* Opens the map as data for a model that was trained on two columns, and the file as inputs of
 * predictions. */
static void open_for_model(const char *map, const char *inputs) {
  static const char *const columns[] = {"a", "b"}, *const classes[] = {"0", "1"}, *const target = "label";
  for (int text = 0; text < 2; text++) {
    gt_data_signature signature = row_signature(2, columns);
    signature.target[0] = (gt_data_target){
        .classes = 2, .class_names = classes, .text_labels = text, .columns = &target, .column_count = 1};
    const gt_data_requirements wanted = {.signature = &signature};
    open_map(map, &wanted);
  }
  for (int64_t features = 1; features <= 3; features++) {
    const gt_data_signature signature = row_signature(features, features == 2 ? columns : NULL);
    gt_split split;
    gt_error error = {0};
    if (gt_data_read_inputs(&(gt_input_file){NULL, inputs}, 1, &signature, NULL, &split, &error)) {
      judge_values(gt_split_input(&split, 0), split.samples);
      gt_split_finish(&split);
    } else {
      fuzz_expect_bad_file(&error);
    }
  }
}

void fuzz_data(const char *map, const char *inputs) {
  open_map(map, NULL);
  if (inputs) open_for_model(map, inputs);
}
