#include "cli/command.h"
#include "cli/common.h"
#include "build_facts.h"
#include <string.h>
#include <sys/utsname.h>

#ifdef __clang__
static const char compiler[] = "clang " __clang_version__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

/* "zlib=1.2.13 libpng=1.6.39" as an object. */
static json_t *libraries_json(void) {
  json_t *object = json_object();
  for (const char *c = GT_BUILD_LIBRARIES; *c;) {
    char name[64];
    const int length = (int)strcspn(c, " "), equals = (int)strcspn(c, "=");
    snprintf(name, sizeof name, "%.*s", equals, c);
    json_object_set_new(object, name, json_sprintf("%.*s", length - equals - 1, c + equals + 1));
    c += length + (int)strspn(c + length, " ");
  }
  return object;
}

static json_t *system_json(void) {
  struct utsname host;
  if (uname(&host) != 0) return json_null();
  return json_sprintf("%s %s %s", host.sysname, host.release, host.machine);
}

void gt_print_version(bool json) {
  if (!json) {
    printf("gtrain %s\n", GT_VERSION);
    return;
  }
  json_t *commit = *GT_BUILD_COMMIT ? json_string(GT_BUILD_COMMIT) : json_null();
  gt_cli_print_json(json_pack("{s:s, s:o, s:s, s:s, s:s, s:o, s:o}", "version", GT_VERSION, "commit", commit,
                              "compiler", compiler, "flags", GT_BUILD_FLAGS, "shader_compiler",
                              GT_BUILD_GLSLC, "libraries", libraries_json(), "system", system_json()));
}
