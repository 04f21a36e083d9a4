#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/host.h"
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH = 4096, LINE = 4096 }; /* sizes of buffers */
/* In version 1 of control groups, a memory limit of at least this many bytes means "no limit". */
static const double no_memory_limit = 0x1p60;

/* Reads the first line of a file in a folder; false if this fails. */
static bool read_line(const char *folder, const char *name, char line[LINE]) {
  char path[PATH + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  const bool ok = file && fgets(line, LINE, file);
  if (file) fclose(file);
  return ok;
}

/* --- control groups --- */

/* The limit that one folder of a hierarchy sets; 0: none. */
typedef double limit_reader(const char *folder);

/* The number at the start of a file; 0 if the file is missing or starts with a word such as "max". */
static double read_number(const char *folder, const char *name) {
  char line[LINE];
  return read_line(folder, name, line) ? strtod(line, NULL) : 0;
}

/* The processor limit, in processors. Version 2 writes "max 100000" or "150000 100000": microseconds of
 * processor time per period in microseconds. */
static double read_quota(const char *folder) {
  char line[LINE];
  double quota, period;
  if (read_line(folder, "cpu.max", line))
    return sscanf(line, "%lf %lf", &quota, &period) == 2 && period > 0 ? quota / period : 0;
  quota = read_number(folder, "cpu.cfs_quota_us");
  period = read_number(folder, "cpu.cfs_period_us");
  return quota > 0 && period > 0 ? quota / period : 0;
}

static double read_memory_limit(const char *folder) {
  const double version1 = read_number(folder, "memory.limit_in_bytes"),
               version2 = read_number(folder, "memory.max");
  const double limit = version2 > 0 ? version2 : version1;
  return limit < no_memory_limit ? limit : 0;
}

/* Lowers *limit to the smallest limit of a group and its parents. In a container the group's own folder may
 * be the root of the hierarchy. */
static void lower_limit(double *limit, const char *hierarchy, const char *group, limit_reader *read_limit) {
  char folder[PATH];
  const size_t base = strlen(hierarchy);
  if (snprintf(folder, sizeof folder, "%s%s", hierarchy, group) >= PATH) return;
  for (;;) {
    const double here = read_limit(folder);
    if (here > 0 && (*limit <= 0 || here < *limit)) *limit = here;
    char *slash = strrchr(folder, '/');
    if (!slash || (size_t)(slash - folder) < base) return;
    *slash = 0;
  }
}

static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (; *list; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") == length && !strncmp(list, word, length)) return true;
  return false;
}

/* Applies the limits of a group, given by a line of /proc/self/cgroup: "4:cpu,cpuacct:/group" of version 1,
 * "0::/group" of version 2. */
static void read_group(gt_host *host, double *memory_limit, const char *root, char *line) {
  char hierarchy[PATH];
  char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!group) return;
  controllers++;
  *group++ = 0;
  if (snprintf(hierarchy, sizeof hierarchy, "%s/sys/fs/cgroup%s%s", root, *controllers ? "/" : "",
               controllers) >= PATH)
    return;
  if (!*controllers || has_word(controllers, "cpu")) lower_limit(&host->quota, hierarchy, group, read_quota);
  if (!*controllers || has_word(controllers, "memory"))
    lower_limit(memory_limit, hierarchy, group, read_memory_limit);
}

static void read_groups(gt_host *host, const char *root) {
  char path[PATH], line[LINE];
  double memory = 0;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    read_group(host, &memory, root, line);
  }
  if (file) fclose(file);
  host->memory_limit = (uint64_t)memory;
}

/* --- processors, memory, GPUs --- */

static void read_memory(gt_host *host, const char *root) {
  char path[PATH], line[LINE];
  struct rlimit space;
  snprintf(path, sizeof path, "%s/proc/meminfo", root);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "MemAvailable:", 13)) host->memory_available = strtoull(line + 13, NULL, 10) << 10;
  if (file) fclose(file);
  if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY) host->address_space = space.rlim_cur;
}

static void look_for_gpus(gt_host *host, const char *root) {
  char path[PATH], node[PATH + 300];
  struct dirent *entry;
  snprintf(path, sizeof path, "%s/proc/driver/nvidia/version", root);
  host->nvidia = !access(path, F_OK);
  snprintf(path, sizeof path, "%s/dev/dri", root);
  DIR *folder = opendir(path);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (folder && (entry = readdir(folder))) {
    if (strncmp(entry->d_name, "renderD", 7)) continue;
    snprintf(node, sizeof node, "%s/%s", path, entry->d_name);
    host->render_nodes++;
    host->denied += access(node, R_OK | W_OK) != 0;
  }
  if (folder) closedir(folder);
}

void gt_host_read_processors(gt_host *host, const char *root) {
  cpu_set_t set;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  *host = (gt_host){.processors = online > 0 ? (int)online : 1};
  host->allowed = sched_getaffinity(0, sizeof set, &set) ? host->processors : CPU_COUNT(&set);
  read_groups(host, root);
}

int gt_host_threads(const gt_host *host) {
  if (host->quota <= 0 || host->quota >= host->allowed) return host->allowed;
  return host->quota < 1 ? 1 : (int)host->quota;
}

void gt_host_read(gt_host *host, const char *root) {
  gt_host_read_processors(host, root);
  read_memory(host, root);
  look_for_gpus(host, root);
}
