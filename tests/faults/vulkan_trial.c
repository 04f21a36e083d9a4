/* One trial: creates a fresh folder, runs the command with a fault, and checks the result. */
#define _GNU_SOURCE
#include "vulkan_driver.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

/* TRIAL_SECONDS are of processor time, HANG_SECONDS of wall time. */
enum { TRIAL_SECONDS = 120, HANG_SECONDS = 1200, MAX_WORDS = 40, HUNG_CODE = 1000 };

/* --- running --- */

static volatile pid_t running;

static void on_alarm(int number) {
  (void)number;
  if (running > 0) kill(running, SIGKILL);
}

void vulkan_worker_open(vulkan_worker *worker, int number) {
  char path[PATH_MAX];
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  path_of(worker->path, "%s/worker-%d", worker->folder, number);
  if (mkdir(worker->path, 0777) != 0 && errno != EEXIST) give_up("cannot make %s", worker->path);
  path_of(path, "%s/counts", worker->path);
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0 || ftruncate(fd, sizeof *worker->counts) != 0) give_up("cannot make %s", path);
  worker->counts = mmap(NULL, sizeof *worker->counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (worker->counts == MAP_FAILED) give_up("cannot map %s", path);
  close(fd);
}

static void redirect(const vulkan_worker *worker, const char *name, int descriptor) {
  char path[PATH_MAX];
  path_of(path, "%s/%s", worker->path, name);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, descriptor) < 0) _exit(99);
  close(fd);
}

/* The variables by which the Vulkan driver is found are inherited from the caller. */
static void set_environment(const vulkan_worker *worker, const char *fault_text) {
  char path[PATH_MAX];
  path_of(path, "%s/counts", worker->path);
  setenv("VULKAN_COUNTS", path, 1);
  if (fault_text)
    setenv("VULKAN_FAULT", fault_text, 1);
  else
    unsetenv("VULKAN_FAULT");
  path_of(path, "%s/cache", worker->path);
  setenv("GTRAIN_CACHE_DIR", path, 1);
  setenv("GTRAIN_DEVICE", "vulkan", 1);
  setenv("GTRAIN_THREADS", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("LC_ALL", "C", 1);
  setenv("NO_COLOR", "1", 1);
  setenv("LP_NUM_THREADS", "0", 0); /* Mesa's CPU driver: its queue has a thread, which is enough */
}

/* In the child process: runs gtrain. The first words may be NAME=VALUE and set environment variables. */
static void exec_gtrain(const vulkan_worker *worker, const char *words, const char *fault_text) {
  char text[1024], work[PATH_MAX], *argv[MAX_WORDS];
  int argc = 0;
  set_environment(worker, fault_text);
  snprintf(text, sizeof text, "%s", words);
  argv[argc++] = "gtrain";
  for (char *save, *word = strtok_r(text, " ", &save); word && argc < MAX_WORDS - 1;
       word = strtok_r(NULL, " ", &save)) {
    if (argc == 1 && strchr(word, '='))
      putenv(word);
    else
      argv[argc++] = word;
  }
  argv[argc] = NULL;
  const int null = open("/dev/null", O_RDONLY);
  const struct rlimit core = {0, 0}, cpu = {TRIAL_SECONDS, TRIAL_SECONDS + 1};
  setrlimit(RLIMIT_CORE, &core);
  setrlimit(RLIMIT_CPU, &cpu);
  redirect(worker, "out", STDOUT_FILENO);
  redirect(worker, "err", STDERR_FILENO);
  path_of(work, "%s/work", worker->path);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || chdir(work) != 0) _exit(99);
  if (null > 2) close(null);
  execv(worker->gtrain, argv);
  _exit(99);
}

/* The exit code, 128 + a signal, or HUNG_CODE. */
static int execute(const vulkan_worker *worker, const char *words, const char *fault_text) {
  memset(worker->counts, 0, sizeof *worker->counts);
  const pid_t child = fork();
  if (child < 0) give_up("cannot fork");
  if (!child) exec_gtrain(worker, words, fault_text);
  int status;
  running = child;
  alarm(HANG_SECONDS);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) give_up("cannot wait");
  const bool timed_out = alarm(0) == 0;
  running = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return timed_out || WTERMSIG(status) == SIGXCPU ? HUNG_CODE : 128 + WTERMSIG(status);
}

/* --- the folder --- */

static void prepare(const vulkan_worker *worker, const fault_command *c) {
  char work[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
  path_of(work, "%s/work", worker->path);
  tree_remove(work);
  if (mkdir(work, 0777) != 0) give_up("cannot make %s", work);
  path_of(from, "%s/%s", worker->folder, c->subject);
  path_of(to, "%s/in", work);
  if (symlink(from, to) != 0) give_up("cannot link %s", to);
  if (!c->initial) return;
  path_of(from, "%s/%s", worker->folder, c->initial);
  path_of(to, "%s/run", work);
  tree_copy(from, to);
}

int vulkan_expect(vulkan_worker *worker, const fault_command *c, int index) {
  char from[PATH_MAX], to[PATH_MAX];
  prepare(worker, c);
  const int code = execute(worker, c->words, NULL);
  path_of(from, "%s/work", worker->path);
  path_of(to, "%s/expected-%d", worker->folder, index);
  tree_copy(from, to);
  path_of(from, "%s/out", worker->path);
  path_of(to, "%s/expected-%d/.out", worker->folder, index);
  tree_copy(from, to);
  return code;
}

/* --- judging --- */

/* These files are not compared: they have durations or the owner of a lock; standard output is compared
 * separately. */
static const char *const skipped[] = {"timing.jsonl", ".lock", ".out", NULL};

static bool same_tree(const vulkan_worker *worker, int index, char *note, size_t size) {
  char work[PATH_MAX], expected[PATH_MAX];
  path_of(work, "%s/work", worker->path);
  path_of(expected, "%s/expected-%d", worker->folder, index);
  return tree_check(&(comparison){expected, work, NULL, true, note, size});
}

/* True if a line of a file in the worker's folder contains `text`. What follows it in the line is copied to
 * `rest`, if that is not NULL. */
static bool find(const vulkan_worker *worker, const char *name, const char *text, char *rest, size_t size) {
  char path[PATH_MAX], line[4096];
  const char *found = NULL;
  path_of(path, "%s/%s", worker->path, name);
  FILE *file = fopen(path, "r");
  while (file && !found && fgets(line, sizeof line, file)) found = strstr(line, text);
  if (file) fclose(file);
  if (found && rest)
    snprintf(rest, size, "%.*s", (int)strcspn(found + strlen(text), "\n"), found + strlen(text));
  return found != NULL;
}

static bool same_output(const vulkan_worker *worker, const fault_command *c, int index, char *note,
                        size_t size) {
  char out[PATH_MAX], expected[PATH_MAX];
  if (!strncmp(c->words, "bench", 5)) return true; /* it prints durations */
  path_of(out, "%s/out", worker->path);
  path_of(expected, "%s/expected-%d/.out", worker->folder, index);
  if (file_equal(out, expected)) return true;
  if (strstr(c->words, "devices") && find(worker, "err", "only the CPU can be used: ", NULL, 0)) return true;
  if (strstr(c->words, "devices") && find(worker, "out", "[not usable]", NULL, 0)) return true;
  snprintf(note, size, "other words on standard output");
  return false;
}

static bool is_out_of_memory(const vulkan_spec *fault) {
  return fault->result == VK_ERROR_OUT_OF_HOST_MEMORY || fault->result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* True if any error of this call means that there is no device, or not the requested layer. */
static bool means_no_device(int entry) {
  return entry == ENTRY_volkInitialize || entry == ENTRY_vkEnumerateInstanceLayerProperties ||
         entry == ENTRY_vkCreateDebugUtilsMessengerEXT || entry == ENTRY_vkEnumerateDeviceExtensionProperties;
}

/* Functions that allocate memory of a known size. */
static bool is_sized(int entry) {
  return entry == ENTRY_vkCreateBuffer || entry == ENTRY_vkAllocateMemory ||
         entry == ENTRY_vkBindBufferMemory || entry == ENTRY_vkMapMemory;
}

/* The documented exit codes: 71 if memory is exhausted, with the requested size in the message; 69 if the
 * device fails, or 75 in a run that can be resumed. */
static bool is_documented(const vulkan_worker *worker, const fault_command *c, const vulkan_spec *fault,
                          int code) {
  char run[PATH_MAX];
  path_of(run, "%s/work/run/config.yaml", worker->path);
  if (is_out_of_memory(fault) && !means_no_device(fault->entry))
    return code == 71 && (!is_sized(fault->entry) || find(worker, "err", " requested", NULL, 0));
  if (c->trains && code == 75) return find(worker, "err", "--resume", NULL, 0);
  return code == 69 && !(c->trains && !c->initial && access(run, F_OK) == 0);
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
  return hash;
}

static bool is_skipped(const char *name) {
  for (int i = 0; skipped[i]; i++)
    if (!strcmp(name, skipped[i])) return true;
  return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Hash of a file, or of all files in a folder. */
static uint64_t hash_tree(uint64_t hash, const char *path) {
  char bytes[4096], below[PATH_MAX];
  struct dirent **entry;
  const int count = scandir(path, &entry, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    if (!is_skipped(entry[i]->d_name)) {
      path_of(below, "%s/%s", path, entry[i]->d_name);
      hash = hash_tree(hash_bytes(hash, entry[i]->d_name, strlen(entry[i]->d_name) + 1), below);
    }
    free(entry[i]);
  }
  if (count >= 0) return free(entry), hash;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  for (ssize_t n; fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0;)
    hash = hash_bytes(hash, bytes, (size_t)n);
  if (fd >= 0) close(fd);
  return hash;
}

/* True if a run directory with this hash was completed before. */
static bool is_known(const vulkan_worker *worker, uint64_t hash) {
  const uint32_t count = worker->states->count;
  for (uint32_t i = 0; i < count && i < MAX_STATES; i++)
    if (worker->states->hash[i] == hash) return true;
  return false;
}

static void remember(const vulkan_worker *worker, uint64_t hash) {
  const uint32_t at = atomic_fetch_add(&worker->states->count, 1);
  if (at < MAX_STATES) worker->states->hash[at] = hash;
}

/* Completes a failed run with the command that it printed, or else with the same command and --resume, or
 * from scratch if it left no files. The result must equal that of a run without faults. */
static bool recovers(const vulkan_worker *worker, const fault_command *c, int index, char *note,
                     size_t size) {
  char path[PATH_MAX], words[1024];
  path_of(path, "%s/work/run", worker->path);
  const bool resume = access(path, F_OK) == 0 && !strstr(c->words, "--resume");
  if (!find(worker, "err", "  gtrain ", words, sizeof words))
    snprintf(words, sizeof words, "%s%s", c->words, resume ? " --resume" : "");
  const uint64_t hash =
      hash_tree(hash_bytes(UINT64_C(14695981039346656037) + (uint64_t)index, words, strlen(words)), path);
  if (is_known(worker, hash)) return true;
  const int code = execute(worker, words, NULL);
  if (code) snprintf(note, size, "afterwards, `gtrain %s` ends with %d", words, code);
  if (code || !same_tree(worker, index, note, size)) return false;
  remember(worker, hash);
  return true;
}

static fault_verdict judge_failure(const vulkan_worker *worker, const fault_command *c,
                                   const vulkan_spec *fault, int code, char *note, size_t size) {
  snprintf(note, size, "exit code %d", code);
  if (!is_documented(worker, c, fault, code)) return MISCODED;
  return find(worker, "err", "error: ", NULL, 0) ? REFUSED : SILENT;
}

fault_verdict vulkan_trial(vulkan_worker *worker, const fault_command *c, const vulkan_spec *fault,
                           char *note, size_t size) {
  char fault_text[128], work[PATH_MAX];
  *note = 0;
  prepare(worker, c);
  vulkan_spec_text(fault, fault_text, sizeof fault_text);
  const int code = execute(worker, c->words, fault_text);
  const fault_counts counts = *worker->counts;
  if (code == HUNG_CODE) return HUNG;
  if (code >= 128) return snprintf(note, size, "signal %d", code - 128), CRASHED;
  bool triggered = false;
  for (int e = 0; e < ENTRIES; e++) triggered |= counts.faults[e] != 0;
  fault_verdict found = triggered ? RIGHT : MISSED;
  if (find(worker, "err", "validation: ", note, size)) return WRONG;
  if (code)
    found = judge_failure(worker, c, fault, code, note, size);
  else if (!same_output(worker, c, fault->command, note, size) ||
           !same_tree(worker, fault->command, note, size))
    found = WRONG;
  path_of(work, "%s/work", worker->path);
  if (tree_has_extra("/absent", work, "*.damaged")) found = ASIDE;
  if (found == REFUSED && c->trains && !recovers(worker, c, fault->command, note, size)) found = LOST;
  *worker->counts = counts; /* completing the run has added to the counts */
  return found;
}
