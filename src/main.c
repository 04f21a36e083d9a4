/* gtrain: trains neural networks on any Vulkan GPU, or on the CPU, from one YAML file. The commands are in
 * cli/. */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/command.h"
#include <stdlib.h>

static void out_of_memory(size_t size) {
  gt_log_error("out of memory (%zu bytes were asked for)", size);
  _Exit(GT_ERR_MEMORY);
}

int main(int argc, char **argv) {
  if (!gt_hold_standard_descriptors()) return GT_ERR_IO;
  gt_set_out_of_memory(out_of_memory);
  return gt_cli_main(argc, argv);
}
