/* gtrain: trains neural networks on any Vulkan GPU, or on the CPU, from one YAML file. The commands are in
 * cli/. */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/command.h"
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void out_of_memory(size_t size) {
  if (size)
    gt_log_error("out of memory (%zu bytes were asked for)", size);
  else
    gt_log_error("out of memory");
  _Exit(GT_ERR_MEMORY);
}

/* Out of memory ends the process, so that no caller of jansson has to test for NULL. */
static void *json_memory(size_t size) { return gt_realloc(NULL, size); }

int main(int argc, char **argv) {
  if (!gt_reserve_standard_descriptors()) return GT_ERR_IO;
  setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* unbuffered, it writes messages character by character */
  gt_set_out_of_memory(out_of_memory);
  signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of a file's size fails and is reported */
  json_set_alloc_funcs(json_memory, free);
  return gt_cli_main(argc, argv);
}
