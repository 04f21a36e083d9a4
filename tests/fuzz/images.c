/* PNG and JPEG images as samples of a model: unchanged and resized, gray and color. */
#include "fuzz.h"
#include "data/data.h"
#include "repair.h"
#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 && size && data[0] == 0x89) repair_png(data, size);
  return size;
}

/* max_pixels: a larger size in a header would only take time. */
static const char data_map[] = "{max_pixels: 1000000, fit: stretch}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int64_t shapes[][3] = {{28, 28, 1}, {16, 16, 3}, {3, 40, 3}};
  const char *path = fuzz_input(data, size, "input.png");
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_arena_init(&arena);
  gt_diagnostics_init(&diagnostics, &arena);
  const gt_spec *map = gt_spec_parse(&arena, "map", data_map, strlen(data_map), &diagnostics);
  for (int i = 0; i < 3; i++) {
    gt_data_signature model = {
        .inputs = 1, .input = {{.name = "input", .rank = 3, .element = GT_ELEMENT_U8}}, .data = map};
    gt_split inputs;
    gt_error error = {0};
    memcpy(model.input[0].dim, shapes[i], sizeof shapes[i]);
    if (gt_data_read_inputs(&(gt_input_file){NULL, path}, 1, &model, NULL, &inputs, &error)) {
      fuzz_expect(inputs.samples == 1 && gt_split_input(&inputs, 0)->data, "a picture without pixels");
      gt_split_finish(&inputs);
    } else {
      fuzz_expect_bad_file(&error);
    }
  }
  gt_arena_finish(&arena);
  return 0;
}
