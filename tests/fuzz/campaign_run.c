/* Runs the commands of a campaign as processes with limits, and makes the checks that every command must
 * pass. */
#define _GNU_SOURCE /* memfd_create */
#include "campaign.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* MAX_SECONDS are of processor time, HANG_SECONDS of wall time. */
enum { MAX_SECONDS = 20, MAX_SECONDS_HUGE = 3, HANG_SECONDS = 300, MAX_OUTPUT = 1 << 16 };
static const rlim_t max_memory = (rlim_t)2 << 30, max_file = (rlim_t)256 << 20;

static char output[2][MAX_OUTPUT + 1]; /* stdout and stderr of the last command */

void add_word(command *c, const char *format, ...) {
  va_list arguments;
  if (c->words == MAX_WORDS) return;
  va_start(arguments, format);
  if (vasprintf(&c->word[c->words], format, arguments) >= 0) c->words++;
  va_end(arguments);
}

const char *last_words(void) {
  const size_t length = strlen(output[1]);
  return output[1] + (length > 600 ? length - 600 : 0);
}

static void print_command(FILE *file, const command *c) {
  fputs("gtrain", file);
  for (int i = 0; i < c->words; i++) {
    const char *at = c->word[i];
    fputs(" '", file);
    for (; *at; at++) fputs(*at == '\'' ? "'\\''" : (char[]){*at, 0}, file);
    fputc('\'', file);
  }
  fputc('\n', file);
}

void report_finding(judge *j, const command *c, const char *format, ...) {
  va_list arguments;
  j->findings++;
  printf("FINDING: ");
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n  reproduce: %s\n  command: ", j->reproduce);
  print_command(stdout, c);
  printf("  it said: %s\n", last_words());
  fflush(stdout);
}

/* --- a process --- */

static void limit(int what, rlim_t most) { setrlimit(what, &(struct rlimit){most, most}); }

static void exec_gtrain(const judge *j, const command *c, const int *streams) {
  char *words[MAX_WORDS + 2] = {(char *)(uintptr_t) "gtrain"};
  memcpy(words + 1, c->word, (size_t)c->words * sizeof *words);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGXFSZ, SIG_IGN);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, max_file);
  const rlim_t seconds = j->huge ? MAX_SECONDS_HUGE : MAX_SECONDS; /* of processor time */
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
  if (!getenv("CAMPAIGN_MEMORY")) limit(RLIMIT_AS, max_memory); /* sanitizers need the whole address space */
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(streams[0], STDOUT_FILENO);
  dup2(streams[1], STDERR_FILENO);
  execv(j->gtrain, words);
  _exit(127);
}

/* Returns the wait status; -1 if the process used too much time or had to be killed. SIGCHLD is blocked. */
static int wait_for(pid_t pid, int seconds) {
  const struct timespec timeout = {.tv_sec = seconds};
  sigset_t child;
  int status;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (sigtimedwait(&child, NULL, &timeout) >= 0 || errno == EINTR) continue;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return -1;
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return -1;
  return status;
}

/* Runs the command and stores what it prints in `output`. Returns what wait_for does. */
static int spawn(const judge *j, const command *c) {
  static int streams[2];
  if (!streams[0])
    for (int i = 0; i < 2; i++) streams[i] = memfd_create("said", MFD_CLOEXEC);
  for (int i = 0; i < 2; i++)
    if (ftruncate(streams[i], 0) != 0 || lseek(streams[i], 0, SEEK_SET) != 0) abort();
  const pid_t pid = fork();
  if (pid == 0) exec_gtrain(j, c, streams);
  const int status = wait_for(pid, HANG_SECONDS);
  for (int i = 0; i < 2; i++) {
    const ssize_t n = pread(streams[i], output[i], MAX_OUTPUT, 0);
    output[i][n > 0 ? n : 0] = 0;
  }
  return status;
}

/* --- checks that hold for every command --- */

static bool is_json(char *text) {
  char *rest = text, *line;
  if (strlen(text) == MAX_OUTPUT) return true; /* truncated */
  while ((line = strsep(&rest, "\n"))) {
    json_t *value = *line ? json_loads(line, JSON_DECODE_ANY, NULL) : NULL;
    if (*line && !value) return false;
    json_decref(value);
  }
  return true;
}

static bool has_option(const command *c, const char *name) {
  for (int i = 0; i < c->words; i++)
    if (!strncmp(c->word[i], name, strlen(name))) return true;
  return false;
}

/* True if the command must print JSON: --plan, --graph and --help print text even with --json. */
static bool prints_json(const command *c) {
  return has_option(c, "--json") && !has_option(c, "--help") && !has_option(c, "-h") &&
         !has_option(c, "--plan") && !has_option(c, "--graph");
}

/* True if a large allocation failed. Random layer widths can give a model whose weights do not fit into
 * max_memory, which is not a finding. */
static bool requested_much_memory(void) {
  static const unsigned long long much = 64 << 20;
  unsigned long long bytes = 0;
  const char *text = strstr(output[1], "out of memory (");
  return text && sscanf(text, "out of memory (%llu bytes", &bytes) == 1 && bytes >= much;
}

static void judge_code(judge *j, const command *c, int code) {
  static const char documented[] = {0, 1, 2, 65, 69, 71, 73, 74, 75, 78}; /* docs/running.md */
  j->codes[code]++;
  if (!memchr(documented, code, sizeof documented)) report_finding(j, c, "exit code %d", code);
  if (code == 71 && !j->huge && !requested_much_memory())
    report_finding(j, c, "out of memory, although no large allocation was requested");
  if (code && !output[1][0]) report_finding(j, c, "exit code %d without a message", code);
  if (strchr(output[0], '\x1b') || strchr(output[1], '\x1b'))
    report_finding(j, c, "an escape sequence was printed");
  if (code == 1 && !has_option(c, "--fail-if")) report_finding(j, c, "a gate was missed, and none was given");
  if (code == 0 && prints_json(c) && !is_json(output[0])) report_finding(j, c, "--json did not print JSON");
}

int run(judge *j, command *c) {
  int code = -1;
  j->commands++;
  if (j->verbose) print_command(stdout, c);
  const int status = spawn(j, c);
  if (status == -1) {
    j->slow++;
    if (!j->huge) report_finding(j, c, "no end after %d seconds", MAX_SECONDS);
  } else if (WIFSIGNALED(status)) {
    report_finding(j, c, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    judge_code(j, c, code = WEXITSTATUS(status));
  }
  if (j->verbose) printf("%s%s  = %d\n", output[0], output[1], code);
  for (int i = 0; i < c->words; i++) free(c->word[i]);
  *c = (command){.words = 0};
  return code;
}
