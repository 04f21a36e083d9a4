/* The doctor's checks of files that gtrain keeps between runs, and of the environment variables that it
 * reads. */
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/text.h"
#include "cli/doctor.h"
#include "op/blas.h"
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern char **environ;

/* --- caches --- */

typedef struct cache_files { /* the cache files of one kind; stale: for other devices or drivers */
  int files, stale;
  double bytes;
} cache_files;

static bool has_affixes(const char *name, const char *begin, const char *end) {
  const size_t length = strlen(name), b = strlen(begin), e = strlen(end);
  return length > b + e && !strncmp(name, begin, b) && !strcmp(name + length - e, end);
}

static bool is_current_pipeline_cache(const gt_doctor *doctor, const char *name) {
  for (int i = 1; i < doctor->devices; i++)
    if (!strcmp(doctor->device[i].cache, name)) return true;
  return false;
}

/* True if a device, named as in a file of tuning results, is one of this machine. The name of a CPU is
 * followed by its number of threads. */
static bool is_present(const gt_doctor *doctor, const char *device) {
  char title[256];
  const size_t length = strlen(doctor->device[0].name);
  if (!strncmp(device, doctor->device[0].name, length) && device[length] == ',') return true;
  for (int i = 1; i < doctor->devices; i++)
    if (!strcmp(device, gt_device_title(&doctor->device[i], title))) return true;
  return false;
}

/* True if a file of tuning results is for a device of this machine. Sets *tuned if it is for the best GPU. */
static bool is_tuned_here(const gt_doctor *doctor, const char *path, bool *tuned) {
  char title[256];
  const int best = gt_device_best(doctor->device, doctor->devices);
  json_t *root = json_load_file(path, 0, NULL);
  const char *device = json_string_value(json_object_get(root, "device"));
  const bool here = device && is_present(doctor, device);
  if (device && best >= 0 && !strcmp(device, gt_device_title(&doctor->device[best], title))) *tuned = true;
  json_decref(root);
  return here;
}

static void count_file(cache_files *t, const char *path, bool current) {
  struct stat status;
  if (stat(path, &status)) return;
  t->files++;
  t->stale += !current;
  t->bytes += (double)status.st_size;
}

static void add_cache_line(gt_doctor *doctor, const char *what, const char *folder, const cache_files *t) {
  char size[32], stale[96] = "";
  if (t->stale) snprintf(stale, sizeof stale, ", %d of them for other devices or drivers", t->stale);
  gt_doctor_line *line =
      gt_doctor_add(doctor, "cache", GT_HEALTH_OK, "%s: %d file%s, %s, in %s%s", what, t->files,
                    t->files == 1 ? "" : "s", gt_human_bytes(t->bytes, size), folder, stale);
  if (t->stale) gt_doctor_set_help(line, "these can be removed; gtrain creates new ones when needed");
}

void gt_doctor_examine_caches(gt_doctor *doctor) {
  char path[8192];
  cache_files pipelines = {0}, tunings = {0};
  bool tuned = false;
  char *folder = gt_cache_path("");
  if (!folder) {
    gt_doctor_set_help(gt_doctor_add(doctor, "cache", GT_HEALTH_WARNING,
                                     "no cache folder: kernels are compiled again in each run"),
                       "set HOME, XDG_CACHE_HOME or GTRAIN_CACHE_DIR");
    return;
  }
  folder[strlen(folder) - 1] = 0; /* the slash */
  struct dirent *entry;
  DIR *list = opendir(folder);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (list && (entry = readdir(list))) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (has_affixes(entry->d_name, "vulkan-", ".cache"))
      count_file(&pipelines, path, is_current_pipeline_cache(doctor, entry->d_name));
    if (has_affixes(entry->d_name, "tuned-", ".json"))
      count_file(&tunings, path, is_tuned_here(doctor, path, &tuned));
  }
  if (list) closedir(list);
  add_cache_line(doctor, "compiled kernels", folder, &pipelines);
  add_cache_line(doctor, "tuned kernels", folder, &tunings);
  if (gt_device_best(doctor->device, doctor->devices) >= 0 && !tuned)
    gt_doctor_set_help(
        gt_doctor_add(doctor, "speed", GT_HEALTH_OK, "there are no tuning results for this GPU and driver"),
        "gtrain tune CONFIG finds the fastest kernels for a config, in two minutes");
  free(folder);
}

/* --- environment --- */

static const char *const variables[] = {
    "GTRAIN_DEVICE", "GTRAIN_THREADS",     "GTRAIN_CPU",       "GTRAIN_CACHE_DIR", "GTRAIN_DEBUG",
    "NO_COLOR",      "XDG_CACHE_HOME",     "VK_DRIVER_FILES",  "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES",
    "VK_LAYER_PATH", "VK_INSTANCE_LAYERS", "OPENBLAS_CORETYPE"};
enum { VARIABLES = sizeof variables / sizeof *variables };

static bool is_known(const char *name) {
  for (int i = 0; i < VARIABLES; i++)
    if (!strcmp(name, variables[i])) return true;
  return false;
}

/* Warns about a variable that looks like one of gtrain's but has no effect. */
static void examine_unknown(gt_doctor *doctor, const char *entry) {
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "="), entry);
  if (strncmp(name, "GTRAIN_", 7) || is_known(name)) return;
  const char *nearest = gt_nearest(name, variables, VARIABLES);
  gt_doctor_line *line =
      gt_doctor_add(doctor, "environment", GT_HEALTH_WARNING, "%s is set, but gtrain does not read it", name);
  if (nearest) gt_doctor_set_help(line, "did you mean %s?", nearest);
}

void gt_doctor_examine_environment(gt_doctor *doctor) {
  for (int i = 0; i < VARIABLES; i++) {
    const char *value = getenv(variables[i]);
    if (!value || !*value) continue;
    if (gt_blas_chose_core && !strcmp(variables[i], "OPENBLAS_CORETYPE")) continue;
    gt_error error = {0};
    const bool slow = !strcmp(variables[i], "GTRAIN_DEBUG") && gt_debug("validation");
    const bool invalid = !strcmp(variables[i], "GTRAIN_THREADS") && !gt_pool_check_environment(&error);
    gt_doctor_line *line =
        gt_doctor_add(doctor, "environment", slow || invalid ? GT_HEALTH_WARNING : GT_HEALTH_OK, "%s=%s",
                      variables[i], value);
    if (invalid) gt_doctor_set_help(line, "%s", error.message);
    if (slow) gt_doctor_set_help(line, "unset it for speed: validation layers check every call");
  }
  for (char **entry = environ; *entry; entry++) examine_unknown(doctor, *entry);
}
