/* --set: the input has one assignment per line; they are applied to the config small.yaml. */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *words[2 * MAX_SETS + 3] = {"check", "small.yaml"}, *line;
  int count = 2;
  if (fuzz_must_skip(data, size)) return 0;
  char *text = fuzz_text(data, size), *rest = text;
  while (count < 2 * MAX_SETS && (line = strsep(&rest, "\n"))) {
    words[count++] = "--set";
    words[count++] = line;
  }
  fuzz_gtrain(words);
  free(text);
  return 0;
}
