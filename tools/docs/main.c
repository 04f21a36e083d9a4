/* docs config|cli|manual|bash|zsh: writes one of the documents to standard output (`make docs`, `make
 * install`). */
#include "docs.h"
#include <string.h>

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*write)(void);
  } documents[] = {{"config", docs_config},
                   {"cli", docs_cli},
                   {"manual", docs_manual},
                   {"bash", docs_bash},
                   {"zsh", docs_zsh}};
  for (size_t i = 0; argc == 2 && i < sizeof documents / sizeof *documents; i++) {
    if (strcmp(argv[1], documents[i].name)) continue;
    documents[i].write();
    return fflush(stdout) || ferror(stdout) ? GT_ERR_IO : GT_OK;
  }
  fprintf(stderr, "usage: docs config|cli|manual|bash|zsh\n");
  return GT_ERR_USAGE;
}
