/* driver FOLDER GTRAIN SHIM [--sample] [--verbose] [--only COMMAND] [--class NAME] [--device NAME]
 * [--every N] [--at N]: see driver.h, calls.sh and fault_options. */
#define _GNU_SOURCE
#include "driver.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const fault_command commands[] = {
    {"mlp", "check in/config.yaml", false, NULL},
    {"gates", "check in/config.yaml --json", false, NULL},
    {"automaton", "check in/config.yaml --plan", false, NULL},
    {"mlp", "train in/config.yaml --run-dir run", true, NULL},
    {"gates", "train in/config.yaml --run-dir run --quiet --json", true, NULL},
    {"automaton", "train in/config.yaml --run-dir run", true, NULL},
    {"mlp", "train in/config.yaml --run-dir run --resume", true, "mlp/half"},
    {"gates", "train in/config.yaml --run-dir run --resume", true, "gates/half"},
    {"automaton", "train in/config.yaml --run-dir run --resume", true, "automaton/half"},
    {"mlp", "train in/config.yaml --run-dir run --resume", true, "mlp/torn"},
    {"mlp", "eval in/model.bin", false, NULL},
    {"gates", "eval in/model.bin --json", false, NULL},
    {"automaton", "eval in/model.bin --split train", false, NULL},
    {"mlp", "predict in/model.bin --input in/inputs.csv", false, NULL},
    {"mlp", "predict in/model.bin --input in/inputs.csv --output out.npy", false, NULL},
    {"gates", "predict in/model.bin --input in/inputs.npy --json", false, NULL},
    {"gates", "predict in/model.bin --input in/inputs.npy --output out.csv", false, NULL},
    {"gates", "export in/model.bin --format c --output out.c", false, NULL},
    {"automaton", "export in/model.bin --format verilog", false, NULL},
    {"automaton", "export in/model.bin --format c --output run/circuit.c", false, "automaton/half"},
    {"automaton", "simulate in/model.bin --start in/start.png --every 2 --final out.txt", false, NULL},
    {"automaton", "simulate in/model.bin --steps 3 --png pictures --animation out.png", false, NULL},
    {"automaton", "simulate in/model.bin --start in/start.txt --steps 2 --json", false, NULL},
    {"mlp", "inspect in/model.bin", false, NULL},
    {"gates", "inspect in/model.bin --json", false, NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const char *const class_name[FAULT_CLASSES] = {
    "malloc", "mmap",  "thread", "open",     "read", "write", "stderr", "sync", "close",
    "rename", "mkdir", "unlink", "truncate", "lock", "seek",  "list",   "stat", "mode",
};

/* The errors that are injected into calls of each class; 0 ends a list. */
static const int errors[FAULT_CLASSES][5] = {
    [FAULT_MALLOC] = {ENOMEM},
    [FAULT_MMAP] = {ENOMEM},
    [FAULT_THREAD] = {EAGAIN},
    [FAULT_OPEN] = {EMFILE, EACCES, EIO},
    [FAULT_READ] = {EIO, EINTR, FAULT_SHORT},
    [FAULT_WRITE] = {ENOSPC, EIO, EINTR, FAULT_SHORT},
    [FAULT_STDERR] = {EIO, FAULT_SHORT},
    [FAULT_SYNC] = {EIO, ENOSPC, EINTR},
    [FAULT_CLOSE] = {EIO},
    [FAULT_RENAME] = {EIO, EACCES, ENOSPC},
    [FAULT_MKDIR] = {EACCES, ENOSPC},
    [FAULT_UNLINK] = {EACCES, EIO},
    [FAULT_TRUNCATE] = {EIO, EINTR},
    [FAULT_LOCK] = {ENOLCK, EINTR},
    [FAULT_SEEK] = {EIO},
    [FAULT_LIST] = {EMFILE, EIO, ENOMEM},
    [FAULT_STAT] = {EACCES, EIO, ENOMEM},
    [FAULT_MODE] = {EPERM, EIO},
};

static const char *const verdict_name[VERDICTS] = {"right",    "refused", "missed", "crashed", "hung",
                                                   "miscoded", "silent",  "wrong",  "lost",    "aside"};

const char *error_name(int error) { return error == FAULT_SHORT ? "short" : strerrorname_np(error); }

/* --- the list of trials --- */

typedef struct fault_options {
  bool sample, verbose;
  const char *only; /* the number of a command, or a part of "subject words" */
  const char *class, *device;
  uint64_t at, every; /* test only call number `at`; test each `every`th call; 0: not given */
} fault_options;

typedef struct fault_trials {
  fault_spec *items;
  size_t count, capacity;
} fault_trials;

static void add(fault_trials *t, const fault_spec *fault) {
  if (t->count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 1024;
    t->items = realloc(t->items, t->capacity * sizeof *t->items);
    if (!t->items) give_up("out of memory");
  }
  t->items[t->count++] = *fault;
}

/* The distance between the calls that are tested: a sample has about `wanted` of each class, error and
 * command, evenly spaced. */
static uint64_t sample_step(const fault_options *options, fault_class class, uint64_t calls) {
  const uint64_t wanted = class == FAULT_MALLOC ? 3 : 1;
  if (options->every) return options->every;
  return options->sample && calls > wanted ? calls / wanted : 1;
}

/* Adds a trial for each call that is to be tested. In a sample, the first tested call differs between
 * commands and classes. */
static void add_calls(fault_trials *t, const fault_options *options, fault_spec fault, uint64_t calls) {
  const uint64_t step = sample_step(options, fault.class, calls);
  const uint64_t begin =
      step == 1 ? 1 : 1 + (uint64_t)(fault.command * 7 + (int)fault.class * 3 + fault.permanent) % step;
  for (fault.at = begin; fault.at <= calls; fault.at += step)
    if (!options->at || options->at == fault.at) add(t, &fault);
}

static void add_command(fault_trials *t, const fault_options *options, int command,
                        const fault_page *counted) {
  for (int class = 0; class < FAULT_CLASSES; class ++) {
    if (options->class && strcmp(options->class, class_name[class])) continue;
    for (int i = 0; errors[class][i]; i++) {
      fault_spec fault = {.command = command, .class = (fault_class) class, .error = errors[class][i]};
      add_calls(t, options, fault, counted->count[class]);
      fault.permanent = true;
      /* EINTR does not repeat forever. */
      if (fault.error != EINTR) add_calls(t, options, fault, counted->count[class]);
    }
  }
}

/* --- workers --- */

typedef struct fault_score {
  _Atomic uint32_t trials[VERDICTS];
} fault_score;

typedef struct fault_shared {
  _Atomic size_t next;
  fault_score score[COMMANDS][FAULT_CLASSES];
} fault_shared;

static bool is_bad(fault_verdict v) { return v > MISSED; }

/* Prints the stack of the first failed call as the source positions that `addr2line` gives. */
static void print_frames(FILE *log, const fault_worker *worker) {
  char line[PATH_MAX + 64 * FAULT_FRAMES];
  int length = snprintf(line, sizeof line, "addr2line -e %s -f -i -s -p", worker->gtrain), found = 0;
  for (int i = 0; i < FAULT_FRAMES && worker->page->frame[i]; i++) {
    const uint64_t at = worker->page->frame[i] - worker->page->program;
    if (worker->page->frame[i] < worker->page->program || at > (64u << 20)) continue; /* in a library */
    length += snprintf(line + length, sizeof line - (size_t)length, " 0x%llx", (unsigned long long)at - 1);
    found++;
  }
  FILE *pipe = found ? popen(line, "r") : NULL;
  for (int i = 0; pipe && i < 12 && fgets(line, sizeof line, pipe); i++) fprintf(log, "    %s", line);
  if (pipe) pclose(pipe);
}

/* Prints what the command wrote to standard error. */
static void print_err(FILE *log, const fault_worker *worker) {
  char path[PATH_MAX], line[512];
  path_of(path, "%s/err", worker->path);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) fprintf(log, "    | %s", line);
  if (file) fclose(file);
}

static void report(FILE *log, const fault_worker *worker, const fault_spec *fault, fault_verdict v,
                   const char *note) {
  const fault_command *c = &commands[fault->command];
  flockfile(log);
  fprintf(log, "%s: %s %d %s %s at %llu%s: %s\n", verdict_name[v], c->subject, fault->command,
          class_name[fault->class], error_name(fault->error), (unsigned long long)fault->at,
          fault->permanent ? " for good" : "", note);
  fprintf(log, "    gtrain %s\n", c->words);
  print_frames(log, worker);
  print_err(log, worker);
  fflush(log);
  funlockfile(log);
}

/* True if this is the first failure with this verdict, class and stack: one report of each is enough. */
static bool is_new(const fault_worker *worker, const fault_spec *fault, fault_verdict v) {
  enum { MAX_REPORTS = 1000 };
  static uint64_t seen[MAX_REPORTS];
  static int count;
  uint64_t hash = (uint64_t)v * 31 + fault->class;
  for (int i = 0; i < FAULT_FRAMES && worker->page->frame[i]; i++)
    hash = hash * 1099511628211u + worker->page->frame[i] - worker->page->program;
  for (int i = 0; i < count; i++)
    if (seen[i] == hash) return false;
  if (count == MAX_REPORTS) return false;
  seen[count++] = hash;
  return true;
}

static void work(const fault_worker *shared_settings, int number, fault_shared *s, const fault_trials *t,
                 const fault_options *options) {
  fault_worker worker = *shared_settings;
  char note[512], path[PATH_MAX];
  if (!worker_open(&worker, number)) give_up("cannot open worker %d", number);
  path_of(path, "%s/failures-%d.log", worker.folder, number);
  FILE *log = options->verbose ? stdout : fopen(path, "w");
  for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < t->count;) {
    const fault_spec *fault = &t->items[i];
    const fault_verdict v = trial_run(&worker, &commands[fault->command], fault, note, sizeof note);
    atomic_fetch_add(&s->score[fault->command][fault->class].trials[v], 1);
    if (options->verbose || (is_bad(v) && is_new(&worker, fault, v))) report(log, &worker, fault, v, note);
  }
  exit(0);
}

/* --- the table --- */

static void add_scores(uint32_t sum[VERDICTS], const fault_score *score) {
  for (int v = 0; v < VERDICTS; v++) sum[v] += score->trials[v];
}

static void print_row(const char *subject, const char *name, const uint32_t sum[VERDICTS]) {
  uint32_t trials = 0;
  for (int v = 0; v < VERDICTS; v++) trials += sum[v];
  if (!trials) return;
  printf("%-10s%-76.76s", subject, name);
  for (int v = 0; v < VERDICTS; v++) printf(" %8u", sum[v]);
  printf("\n");
}

static void print_heading(void) {
  printf("\n%-86s", "");
  for (int v = 0; v < VERDICTS; v++) printf(" %8s", verdict_name[v]);
  printf("\n");
}

static int print_table(const fault_shared *s) {
  uint32_t total[VERDICTS] = {0}, bad = 0;
  print_heading();
  for (int c = 0; c < COMMANDS; c++) {
    uint32_t sum[VERDICTS] = {0};
    for (int k = 0; k < FAULT_CLASSES; k++) add_scores(sum, &s->score[c][k]);
    print_row(commands[c].subject, commands[c].words, sum);
  }
  print_heading();
  for (int k = 0; k < FAULT_CLASSES; k++) {
    uint32_t sum[VERDICTS] = {0};
    for (int c = 0; c < COMMANDS; c++) add_scores(sum, &s->score[c][k]);
    for (int v = 0; v < VERDICTS; v++) total[v] += sum[v];
    print_row(class_name[k], "", sum);
  }
  print_row("all", "", total);
  for (int v = 0; v < VERDICTS; v++) bad += is_bad((fault_verdict)v) ? total[v] : 0;
  printf("\n%u passed, %u failed\n", total[RIGHT] + total[REFUSED] + total[MISSED], bad);
  return bad ? 1 : 0;
}

/* --- all trials --- */

static bool is_selected(const fault_options *options, int index) {
  const fault_command *c = &commands[index];
  char number[16], name[1100];
  snprintf(number, sizeof number, "%d", index);
  snprintf(name, sizeof name, "%s %s", c->subject, c->words);
  return !options->only || !strcmp(options->only, number) || strstr(name, options->only);
}

static fault_trials list_trials(const fault_worker *shared_settings, const fault_options *options) {
  fault_trials t = {0};
  fault_worker worker = *shared_settings;
  if (!worker_open(&worker, 0)) give_up("cannot open a worker");
  for (int i = 0; i < COMMANDS; i++) {
    if (!is_selected(options, i)) continue;
    if (!trial_expect(&worker, &commands[i], i)) exit(1);
    add_command(&t, options, i, worker.page);
  }
  return t;
}

static fault_options read_options(int argc, char **argv) {
  fault_options o = {0};
  for (int i = 4; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--sample"))
      o.sample = true;
    else if (!strcmp(argv[i], "--verbose"))
      o.verbose = true;
    else if (!strcmp(argv[i], "--only"))
      o.only = value, i++;
    else if (!strcmp(argv[i], "--class"))
      o.class = value, i++;
    else if (!strcmp(argv[i], "--device"))
      o.device = value, i++;
    else if (!strcmp(argv[i], "--every"))
      o.every = strtoull(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--at"))
      o.at = strtoull(value, NULL, 10), i++;
    else
      errno = EINVAL, give_up("unknown option %s", argv[i]);
  }
  return o;
}

int main(int argc, char **argv) {
  if (argc < 4)
    give_up("usage: driver FOLDER GTRAIN SHIM [--sample] [--verbose] [--only COMMAND] [--class C] [--at N]");
  const fault_options options = read_options(argc, argv);
  char root[PATH_MAX];
  const fault_worker shared_settings = {.device = options.device,
                                        .folder = argv[1],
                                        .gtrain = argv[2],
                                        .shim = argv[3],
                                        .root = getcwd(root, sizeof root)};
  const fault_trials t = list_trials(&shared_settings, &options);
  // cppcheck-suppress invalidFunctionArg ; anonymous memory has the descriptor -1
  fault_shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (s == MAP_FAILED) give_up("out of memory");
  const long workers = options.verbose ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
  printf("%zu trials by %ld workers\n", t.count, workers);
  fflush(stdout);
  for (int i = 1; i <= workers; i++) {
    const pid_t child = fork();
    if (child < 0) give_up("cannot fork");
    if (!child) work(&shared_settings, i, s, &t, &options);
  }
  bool died = false;
  for (int status; wait(&status) > 0;) died |= status != 0;
  const int code = print_table(s);
  free(t.items);
  if (died) give_up("a worker died");
  return code;
}
