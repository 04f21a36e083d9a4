/* limit CPU WALL REPORT COMMAND…: runs a test under limits that do not depend on how busy the machine is.
 *
 * The command is stopped when all of its processes together have used CPU seconds of processor time; or, as
 * hung, when it has run for WALL seconds and its processes have used almost no processor time in the last
 * IDLE seconds. Exit code: that of the command, 128 + the signal that ended it, or 124 if it was stopped.
 * Processes that it leaves running are killed, also if this process is interrupted or its parent ends. REPORT
 * gets one line: processor seconds, wall seconds. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* IDLE, GRACE: seconds without progress until a command counts as hung, and between SIGTERM and SIGKILL. */
enum { IDLE = 60, GRACE = 10, STOPPED = 124, MAX_PROCESSES = 1 << 16 };
/* Less processor time than this, in seconds, is no progress: a blocked process may still wake up. */
static const double least_progress = 0.05;

typedef struct process {
  pid_t pid, parent;
  double seconds; /* including children that it has waited for */
  bool ours;      /* a descendant of this process */
} process;

static process processes[MAX_PROCESSES];
static int count;
static volatile sig_atomic_t interrupted; /* the signal number */

static void interrupt(int number) { interrupted = number; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool read_process(const char *pid, process *p) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  /* A command name may contain spaces and parentheses: the other fields follow the last parenthesis. */
  const char *rest = strrchr(text, ')');
  unsigned long user, system, children_user, children_system;
  if (!rest || sscanf(rest + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &p->parent,
                      &user, &system, &children_user, &children_system) != 5)
    return false;
  p->pid = atoi(pid);
  p->seconds = (double)(user + system + children_user + children_system) / (double)sysconf(_SC_CLK_TCK);
  p->ours = false;
  return true;
}

/* Marks the descendants of this process and returns their total processor time, including that of processes
 * that have ended. Children whose parent died become children of this process. */
static double measure_processes(void) {
  DIR *folder = opendir("/proc");
  struct rusage ended;
  getrusage(RUSAGE_CHILDREN, &ended);
  double seconds = (double)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) +
                   1e-6 * (double)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec);
  count = 0;
  // cppcheck-suppress readdirCalled
  for (struct dirent *entry; folder && (entry = readdir(folder)) && count < MAX_PROCESSES;)
    if (isdigit((unsigned char)entry->d_name[0])) count += read_process(entry->d_name, &processes[count]);
  if (folder) closedir(folder);
  for (bool found = true; found;) {
    found = false;
    for (int i = 0; i < count; i++) {
      if (processes[i].ours) continue;
      bool ours = processes[i].parent == getpid();
      for (int k = 0; k < count && !ours; k++)
        ours = processes[k].ours && processes[k].pid == processes[i].parent;
      processes[i].ours = ours;
      if (ours) found = true, seconds += processes[i].seconds;
    }
  }
  return seconds;
}

static void signal_all(int number) {
  measure_processes();
  for (int i = 0; i < count; i++)
    if (processes[i].ours) kill(processes[i].pid, number);
}

/* Waits up to a second for any child. True if the command has ended; *status is then its wait status. Only a
 * few orphans are waited for per call: some programs start new ones as fast as they end. */
static bool wait_for_end(pid_t command, int *status) {
  enum { MAX_ORPHANS = 100 };
  const struct timespec second = {.tv_sec = 1};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigtimedwait(&child, NULL, &second);
  for (int i = 0, s; i < MAX_ORPHANS; i++) {
    const pid_t pid = waitpid(-1, &s, WNOHANG);
    if (pid <= 0) return false;
    if (pid == command) {
      *status = s;
      return true;
    }
  }
  return false;
}

/* Kills all remaining processes, and those that they start meanwhile. */
static void kill_all(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (pid_t pid = 0; pid >= 0;) {
    signal_all(SIGKILL);
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    nanosleep(&moment, NULL);
  }
}

/* Sends SIGTERM to all processes and waits up to GRACE seconds for the command to end. */
static void stop(pid_t command) {
  int status;
  signal_all(SIGTERM);
  for (double until = now() + GRACE; now() < until && !wait_for_end(command, &status);) continue;
}

static pid_t start(char **words) {
  static const int default_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  const pid_t pid = fork();
  if (pid) return pid;
  sigprocmask(SIG_UNBLOCK, &child, NULL);
  /* nohup and shells ignore some of these signals in background commands. Tests send them: restore the
   * default. */
  for (int i = 0; i < (int)(sizeof default_signals / sizeof *default_signals); i++)
    signal(default_signals[i], SIG_DFL);
  setpgid(0, 0);
  execvp(words[0], words);
  fprintf(stderr, "limit: %s: %s\n", words[0], strerror(errno));
  _exit(127);
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fputs("usage: limit CPU WALL REPORT COMMAND...\n", stderr);
    return 2;
  }
  const double cpu_limit = atof(argv[1]), wall = atof(argv[2]), start_time = now();
  double used = 0, progress_seconds = 0,
         progress_time = start_time; /* the last time at which the processor time had increased by
                                        least_progress, and its value then */
  int status = 0;
  bool stopped = false;
  const pid_t command = start(argv + 4);
  while (command > 0 && !wait_for_end(command, &status)) {
    const double seconds = measure_processes();
    if (seconds > progress_seconds + least_progress) progress_time = now(), progress_seconds = seconds;
    if (seconds > used) used = seconds;
    const bool hung = now() - start_time > wall && now() - progress_time > IDLE;
    if (used <= cpu_limit && !hung && !interrupted) continue;
    if (interrupted)
      fprintf(stderr, "limit: interrupted by signal %d\n", (int)interrupted);
    else if (hung)
      fprintf(stderr, "limit: hung: %.0f s, and almost no processor time used in the last %d\n",
              now() - start_time, IDLE);
    else
      fprintf(stderr, "limit: stopped: it used more than %.0f s of processor time\n", cpu_limit);
    stopped = true;
    stop(command);
    break;
  }
  if (command < 0) {
    fprintf(stderr, "limit: no process can be started: %s\n", strerror(errno));
    return 125;
  }
  const double last = measure_processes();
  kill_all();
  FILE *report = fopen(argv[3], "w");
  if (report) {
    fprintf(report, "%.2f %.2f\n", last > used ? last : used, now() - start_time);
    fclose(report);
  }
  return interrupted           ? 128 + (int)interrupted
         : stopped             ? STOPPED
         : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                               : WEXITSTATUS(status);
}
