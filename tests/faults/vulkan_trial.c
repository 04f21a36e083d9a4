/* One trial: a fresh folder, the command with a fault, and a check of what it leaves. */
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

enum { TRIAL_SECONDS = 120, /* of processor time */ HANG_SECONDS = 1200, MAX_WORDS = 40, HUNG_CODE = 1000 };

/* --- running --- */

static volatile pid_t running;

static void on_alarm(int number) {
  (void)number;
  if (running > 0) kill(running, SIGKILL);
}

void vulkan_bench_open(vulkan_bench *b, int number) {
  char path[PATH_MAX];
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  path_of(b->path, "%s/bench-%d", b->folder, number);
  if (mkdir(b->path, 0777) != 0 && errno != EEXIST) give_up("cannot make %s", b->path);
  path_of(path, "%s/counts", b->path);
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0 || ftruncate(fd, sizeof *b->counts) != 0) give_up("cannot make %s", path);
  b->counts = mmap(NULL, sizeof *b->counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (b->counts == MAP_FAILED) give_up("cannot map %s", path);
  close(fd);
}

static void redirect(const vulkan_bench *b, const char *name, int to) {
  char path[PATH_MAX];
  path_of(path, "%s/%s", b->path, name);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, to) < 0) _exit(99);
  close(fd);
}

/* The variables that find the driver and its libraries are the caller's. */
static void set_environment(const vulkan_bench *b, const char *order) {
  char path[PATH_MAX];
  path_of(path, "%s/counts", b->path);
  setenv("VULKAN_COUNTS", path, 1);
  if (order)
    setenv("VULKAN_FAULT", order, 1);
  else
    unsetenv("VULKAN_FAULT");
  path_of(path, "%s/cache", b->path);
  setenv("GTRAIN_CACHE_DIR", path, 1);
  setenv("GTRAIN_DEVICE", "vulkan", 1);
  setenv("GTRAIN_THREADS", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("LC_ALL", "C", 1);
  setenv("NO_COLOR", "1", 1);
  setenv("LP_NUM_THREADS", "0", 0); /* Mesa's CPU driver: its queue has its own thread, which is enough */
}

/* In the child process. Words that set a variable come first. */
static void become(const vulkan_bench *b, const char *words, const char *order) {
  char text[1024], work[PATH_MAX], *argv[MAX_WORDS];
  int argc = 0;
  set_environment(b, order);
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
  redirect(b, "out", STDOUT_FILENO);
  redirect(b, "err", STDERR_FILENO);
  path_of(work, "%s/work", b->path);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || chdir(work) != 0) _exit(99);
  if (null > 2) close(null);
  execv(b->gtrain, argv);
  _exit(99);
}

/* The exit code, 128 + a signal, or HUNG_CODE. */
static int execute(const vulkan_bench *b, const char *words, const char *order) {
  memset(b->counts, 0, sizeof *b->counts);
  const pid_t child = fork();
  if (child < 0) give_up("cannot fork");
  if (!child) become(b, words, order);
  int status;
  running = child;
  alarm(HANG_SECONDS);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) give_up("cannot wait");
  const bool late = alarm(0) == 0;
  running = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return late || WTERMSIG(status) == SIGXCPU ? HUNG_CODE : 128 + WTERMSIG(status);
}

/* --- the folder --- */

static void prepare(const vulkan_bench *b, const fault_command *c) {
  char work[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
  path_of(work, "%s/work", b->path);
  tree_remove(work);
  if (mkdir(work, 0777) != 0) give_up("cannot make %s", work);
  path_of(from, "%s/%s", b->folder, c->subject);
  path_of(to, "%s/in", work);
  if (symlink(from, to) != 0) give_up("cannot link %s", to);
  if (!c->begin) return;
  path_of(from, "%s/%s", b->folder, c->begin);
  path_of(to, "%s/run", work);
  tree_copy(from, to);
}

int vulkan_expect(vulkan_bench *b, const fault_command *c, int index) {
  char from[PATH_MAX], to[PATH_MAX];
  prepare(b, c);
  const int code = execute(b, c->words, NULL);
  path_of(from, "%s/work", b->path);
  path_of(to, "%s/expected-%d", b->folder, index);
  tree_copy(from, to);
  path_of(from, "%s/out", b->path);
  path_of(to, "%s/expected-%d/.out", b->folder, index);
  tree_copy(from, to);
  return code;
}

/* --- judging --- */

/* Ignored: durations, and the owner of a lock. Standard output is compared separately. */
static const char *const skipped[] = {"timing.jsonl", ".lock", ".out", NULL};

static bool same_tree(const vulkan_bench *b, int index, char *note, size_t size) {
  char work[PATH_MAX], should[PATH_MAX];
  path_of(work, "%s/work", b->path);
  path_of(should, "%s/expected-%d", b->folder, index);
  return tree_check(&(comparison){should, work, NULL, true, note, size});
}

/* Finds `text` in a file of the bench; the rest of that line is copied to `rest`. */
static bool find(const vulkan_bench *b, const char *name, const char *text, char *rest, size_t size) {
  char path[PATH_MAX], line[4096];
  const char *found = NULL;
  path_of(path, "%s/%s", b->path, name);
  FILE *file = fopen(path, "r");
  while (file && !found && fgets(line, sizeof line, file)) found = strstr(line, text);
  if (file) fclose(file);
  if (found && rest)
    snprintf(rest, size, "%.*s", (int)strcspn(found + strlen(text), "\n"), found + strlen(text));
  return found != NULL;
}

static bool same_output(const vulkan_bench *b, const fault_command *c, int index, char *note, size_t size) {
  char out[PATH_MAX], should[PATH_MAX];
  if (!strncmp(c->words, "bench", 5)) return true; /* it prints durations */
  path_of(out, "%s/out", b->path);
  path_of(should, "%s/expected-%d/.out", b->folder, index);
  if (file_equal(out, should)) return true;
  if (strstr(c->words, "devices") && find(b, "err", "only the CPU can be used: ", NULL, 0)) return true;
  if (strstr(c->words, "devices") && find(b, "out", "[not usable]", NULL, 0)) return true;
  snprintf(note, size, "other words on standard output");
  return false;
}

static bool runs_out(const vulkan_order *o) {
  return o->result == VK_ERROR_OUT_OF_HOST_MEMORY || o->result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* If one of these fails, there is no device (or no requested layer), whatever the error. */
static bool is_condition(int entry) {
  return entry == ENTRY_volkInitialize || entry == ENTRY_vkEnumerateInstanceLayerProperties ||
         entry == ENTRY_vkCreateDebugUtilsMessengerEXT || entry == ENTRY_vkEnumerateDeviceExtensionProperties;
}

/* Functions that allocate memory of a known size. */
static bool is_sized(int entry) {
  return entry == ENTRY_vkCreateBuffer || entry == ENTRY_vkAllocateMemory ||
         entry == ENTRY_vkBindBufferMemory || entry == ENTRY_vkMapMemory;
}

/* Too little memory exits with 71, and the message has the requested size; a failed device with 69, or 75 in
 * a run that can be resumed. */
static bool documented(const vulkan_bench *b, const fault_command *c, const vulkan_order *o, int code) {
  char run[PATH_MAX];
  path_of(run, "%s/work/run/config.yaml", b->path);
  if (runs_out(o) && !is_condition(o->entry))
    return code == 71 && (!is_sized(o->entry) || find(b, "err", " requested", NULL, 0));
  if (c->trains && code == 75) return find(b, "err", "--resume", NULL, 0);
  return code == 69 && !(c->trains && !c->begin && access(run, F_OK) == 0);
}

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

/* True if a folder with these bytes was completed before; else records it. */
static bool is_known(const vulkan_bench *b, uint64_t hash) {
  const uint32_t count = b->states->count;
  for (uint32_t i = 0; i < count && i < MAX_STATES; i++)
    if (b->states->hash[i] == hash) return true;
  return false;
}

static void remember(const vulkan_bench *b, uint64_t hash) {
  const uint32_t at = atomic_fetch_add(&b->states->count, 1);
  if (at < MAX_STATES) b->states->hash[at] = hash;
}

/* A failed run is completed by the command that it prints, or by the same command with --resume, or started
 * from scratch if it left nothing; then everything is as if nothing had failed. */
static bool recovers(const vulkan_bench *b, const fault_command *c, int index, char *note, size_t size) {
  char path[PATH_MAX], words[1024];
  path_of(path, "%s/work/run", b->path);
  const bool resume = access(path, F_OK) == 0 && !strstr(c->words, "--resume");
  if (!find(b, "err", "  gtrain ", words, sizeof words))
    snprintf(words, sizeof words, "%s%s", c->words, resume ? " --resume" : "");
  const uint64_t hash =
      hash_tree(hash_bytes(UINT64_C(14695981039346656037) + (uint64_t)index, words, strlen(words)), path);
  if (is_known(b, hash)) return true;
  const int code = execute(b, words, NULL);
  if (code) snprintf(note, size, "afterwards, `gtrain %s` ends with %d", words, code);
  if (code || !same_tree(b, index, note, size)) return false;
  remember(b, hash);
  return true;
}

static fault_verdict judge_failure(const vulkan_bench *b, const fault_command *c, const vulkan_order *o,
                                   int code, char *note, size_t size) {
  snprintf(note, size, "exit code %d", code);
  if (!documented(b, c, o, code)) return MISCODED;
  return find(b, "err", "error: ", NULL, 0) ? REFUSED : SILENT;
}

fault_verdict vulkan_trial(vulkan_bench *b, const fault_command *c, const vulkan_order *o, char *note,
                           size_t size) {
  char order[128], work[PATH_MAX];
  *note = 0;
  prepare(b, c);
  vulkan_order_text(o, order, sizeof order);
  const int code = execute(b, c->words, order);
  const fault_counts counts = *b->counts;
  if (code == HUNG_CODE) return HUNG;
  if (code >= 128) return snprintf(note, size, "signal %d", code - 128), CRASHED;
  bool struck = false;
  for (int e = 0; e < ENTRIES; e++) struck |= counts.faults[e] != 0;
  fault_verdict found = struck ? RIGHT : MISSED;
  if (find(b, "err", "validation: ", note, size)) return WRONG;
  if (code)
    found = judge_failure(b, c, o, code, note, size);
  else if (!same_output(b, c, o->command, note, size) || !same_tree(b, o->command, note, size))
    found = WRONG;
  path_of(work, "%s/work", b->path);
  if (tree_has_more("/absent", work, "*.damaged")) found = ASIDE;
  if (found == REFUSED && c->trains && !recovers(b, c, o->command, note, size)) found = LOST;
  *b->counts = counts; /* completing the run has added to the counts */
  return found;
}
