/* One trial: creates a fresh folder, runs the command with a fault, and checks the result. */
#define _GNU_SOURCE
#include "driver.h"
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

/* TRIAL_SECONDS are of processor time, HANG_SECONDS of wall time. */
enum { TRIAL_SECONDS = 60, HANG_SECONDS = 600, MAX_WORDS = 40, HUNG_CODE = 1000 };

/* --- running --- */

static volatile pid_t running;

static void on_alarm(int number) {
  (void)number;
  if (running > 0) kill(running, SIGKILL);
}

bool worker_open(fault_worker *worker, int number) {
  char path[PATH_MAX];
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  path_of(worker->path, "%s/worker-%d", worker->folder, number);
  if (mkdir(worker->path, 0777) != 0 && errno != EEXIST) give_up("cannot make %s", worker->path);
  path_of(path, "%s/page", worker->path);
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0 || ftruncate(fd, sizeof *worker->page) != 0) give_up("cannot make %s", path);
  worker->page = mmap(NULL, sizeof *worker->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return worker->page != MAP_FAILED;
}

static void redirect(const fault_worker *worker, const char *name, int descriptor) {
  char path[PATH_MAX];
  path_of(path, "%s/%s", worker->path, name);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, descriptor) < 0) _exit(99);
  close(fd);
}

/* In the child process: runs gtrain with a fixed environment, so that no trial depends on the caller's. */
static void exec_gtrain(const fault_worker *worker, const char *words) {
  char text[1024], device[64], driver[PATH_MAX], work[PATH_MAX], preload[PATH_MAX], page[PATH_MAX],
      cache[PATH_MAX], *argv[MAX_WORDS];
  int argc = 0;
  const char *driver_files = getenv("VK_DRIVER_FILES");
  path_of(driver, "VK_DRIVER_FILES=%s", driver_files ? driver_files : "");
  path_of(work, "%s/work", worker->path);
  path_of(preload, "LD_PRELOAD=%s", worker->shim);
  path_of(page, "FAULT_PAGE=%s/page", worker->path);
  path_of(cache, "GTRAIN_CACHE_DIR=%s/cache", worker->path);
  char *environment[] = {cache,
                         "PATH=/usr/bin:/bin",
                         "LC_ALL=C",
                         "NO_COLOR=1",
                         device,
                         "GTRAIN_THREADS=2",
                         "OPENBLAS_NUM_THREADS=1",
                         preload,
                         page,
                         driver_files ? driver : NULL,
                         NULL};
  snprintf(text, sizeof text, "%s", words);
  snprintf(device, sizeof device, "GTRAIN_DEVICE=%s", worker->device ? worker->device : "cpu");
  argv[argc++] = "gtrain";
  for (char *save, *word = strtok_r(text, " ", &save); word && argc < MAX_WORDS - 1;
       word = strtok_r(NULL, " ", &save))
    argv[argc++] = word;
  argv[argc] = NULL;
  const int null = open("/dev/null", O_RDONLY);
  const struct rlimit core = {0, 0}, cpu = {TRIAL_SECONDS, TRIAL_SECONDS + 1};
  setrlimit(RLIMIT_CORE, &core);
  setrlimit(RLIMIT_CPU, &cpu);
  redirect(worker, "out", STDOUT_FILENO);
  redirect(worker, "err", STDERR_FILENO);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || chdir(work) != 0) _exit(99);
  if (null > 2) close(null);
  execve(worker->gtrain, argv, environment);
  _exit(99);
}

/* The exit code, 128 + a signal, or HUNG_CODE. */
static int execute(const fault_worker *worker, const char *words, const fault_spec *fault) {
  memset(worker->page, 0, sizeof *worker->page);
  worker->page->class = FAULT_NONE;
  worker->page->program_only = worker->device != NULL;
  if (fault)
    worker->page->class = fault->class, worker->page->at = fault->at, worker->page->error = fault->error,
    worker->page->permanent = fault->permanent;
  const pid_t child = fork();
  if (child < 0) give_up("cannot fork");
  if (!child) exec_gtrain(worker, words);
  int status;
  running = child;
  alarm(HANG_SECONDS);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) give_up("cannot wait");
  const bool timed_out = alarm(0) == 0;
  running = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (timed_out || WTERMSIG(status) == SIGXCPU) return HUNG_CODE;
  return 128 + WTERMSIG(status);
}

/* --- the folder --- */

static void prepare(const fault_worker *worker, const fault_command *c) {
  char work[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
  path_of(work, "%s/work", worker->path);
  tree_remove(work);
  if (mkdir(work, 0777) != 0) give_up("cannot make %s", work);
  path_of(from, "%s/%s", worker->folder, c->subject);
  path_of(to, "%s/in", work);
  if (symlink(from, to) != 0) give_up("cannot link %s", to);
  path_of(from, "%s/datasets", worker->root);
  path_of(to, "%s/datasets", work);
  if (symlink(from, to) != 0) give_up("cannot link %s", to);
  if (!c->initial) return;
  path_of(from, "%s/%s", worker->folder, c->initial);
  path_of(to, "%s/run", work);
  tree_copy(from, to);
}

bool trial_expect(fault_worker *worker, const fault_command *c, int index) {
  char from[PATH_MAX], to[PATH_MAX];
  prepare(worker, c);
  const int code = execute(worker, c->words, NULL);
  if (code) {
    fprintf(stderr, "faults: `gtrain %s` (%s) ends with %d even without a fault; see %s\n", c->words,
            c->subject, code, worker->path);
    return false;
  }
  path_of(from, "%s/work", worker->path);
  path_of(to, "%s/expected-%d", worker->folder, index);
  tree_copy(from, to);
  path_of(from, "%s/out", worker->path);
  path_of(to, "%s/expected-%d/.out", worker->folder, index);
  tree_copy(from, to);
  return true;
}

/* --- judging --- */

static const char *expected_path(const fault_worker *worker, int index) {
  static char path[PATH_MAX];
  path_of(path, "%s/expected-%d", worker->folder, index);
  return path;
}

static bool same_tree(const fault_worker *worker, const fault_command *c, int index, bool complete,
                      char *note, size_t size) {
  char work[PATH_MAX], run[PATH_MAX], expected[PATH_MAX], before[PATH_MAX];
  path_of(work, "%s/work", worker->path);
  path_of(run, "%s/run", work);
  path_of(expected, "%s/run", expected_path(worker, index));
  path_of(before, "%s/%s", worker->folder, c->initial ? c->initial : "absent");
  const comparison all = {expected_path(worker, index), work, NULL, complete, note, size};
  const comparison resumed = {expected, run, before, complete, note, size};
  return tree_check(c->initial ? &resumed : &all);
}

static bool same_output(const fault_worker *worker, const fault_command *c, int index, char *note,
                        size_t size) {
  char out[PATH_MAX], expected[PATH_MAX];
  if (c->trains && strstr(c->words, "--json")) return true; /* it prints durations */
  path_of(out, "%s/out", worker->path);
  path_of(expected, "%s/.out", expected_path(worker, index));
  if (file_equal(out, expected)) return true;
  snprintf(note, size, "other words on standard output");
  return false;
}

static bool says_error(const fault_worker *worker) {
  char path[PATH_MAX], line[4096];
  bool found = false;
  path_of(path, "%s/err", worker->path);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    found |= strstr(line, "error: ") != NULL || strstr(line, "interrupted") != NULL;
  if (file) fclose(file);
  return found;
}

/* The documented exit codes: 71 for memory errors, 74 for file errors, 0 for a call that was interrupted or
 * transferred less than requested (gtrain repeats it) and for a message that cannot be written. */
static bool is_documented(const fault_spec *fault, int code) {
  if (fault->error == FAULT_SHORT || fault->error == EINTR || fault->class == FAULT_STDERR) return code == 0;
  if (fault->class == FAULT_MALLOC || fault->class == FAULT_MMAP || fault->class == FAULT_THREAD)
    return code == 71;
  return code == 74 || (fault->error == ENOMEM && code == 71);
}

/* Completes a failed run with the same command and --resume, or from scratch if it left no files. The result
 * must equal that of a run without faults. */
static bool recovers(const fault_worker *worker, const fault_command *c, int index, char *note, size_t size) {
  char path[PATH_MAX], words[1024];
  path_of(path, "%s/work/run", worker->path);
  const bool resume = access(path, F_OK) == 0 && !strstr(c->words, "--resume");
  snprintf(words, sizeof words, "%s%s", c->words, resume ? " --resume" : "");
  const int code = execute(worker, words, NULL);
  if (code) snprintf(note, size, "afterwards, `gtrain %s` ends with %d", words, code);
  return code == 0 && same_tree(worker, c, index, true, note, size);
}

static fault_verdict judge_failure(const fault_worker *worker, const fault_command *c,
                                   const fault_spec *fault, int code, char *note, size_t size) {
  snprintf(note, size, "exit code %d", code);
  if (!is_documented(fault, code)) return MISCODED;
  if (fault->class != FAULT_STDERR && !says_error(worker)) return SILENT;
  return same_tree(worker, c, fault->command, false, note, size) || c->trains ? REFUSED : WRONG;
}

fault_verdict trial_run(fault_worker *worker, const fault_command *c, const fault_spec *fault, char *note,
                        size_t size) {
  *note = 0;
  prepare(worker, c);
  const int code = execute(worker, c->words, fault);
  if (code == HUNG_CODE) return HUNG;
  if (code >= 128) return snprintf(note, size, "signal %d", code - 128), CRASHED;
  fault_verdict found = RIGHT;
  const bool fired = worker->page->fired != 0;
  const fault_page page = *worker->page; /* recovery will overwrite it */
  char work[PATH_MAX];
  path_of(work, "%s/work", worker->path);
  if (code)
    found = judge_failure(worker, c, fault, code, note, size);
  else if (!same_output(worker, c, fault->command, note, size) ||
           !same_tree(worker, c, fault->command, true, note, size))
    found = WRONG;
  if (tree_has_extra(expected_path(worker, fault->command), work, "*.damaged")) found = ASIDE;
  if (found == REFUSED && c->trains && !recovers(worker, c, fault->command, note, size)) found = LOST;
  memcpy(worker->page, &page, sizeof page);
  return found == RIGHT && !fired ? MISSED : found;
}
