/* vulkan-driver FOLDER GTRAIN [--quick] [--only WORDS] [--entry NAME] [--seconds N [--from TRIAL]]
 * [--verbose]: see vulkan_driver.h and vulkan.sh. JOBS in the environment: the number of concurrent
 * trials. */
#define _GNU_SOURCE
#include "vulkan_driver.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

/* --quick runs the first QUICK_COMMANDS of these. */
static const fault_command commands[] = {
    {"mlp", "train in/config.yaml --run-dir run --quiet", true, NULL},
    {"mlp", "bench train in/config.yaml --steps 1 --profile", false, NULL},
    {"mlp", "devices", false, NULL},
    {"mlp", "GTRAIN_DEBUG=validation devices", false, NULL},
    {"mlp", "train in/config.yaml --run-dir run --resume --quiet", true, "mlp/half"},
    {"mlp", "eval in/model.bin --quiet", false, NULL},
    {"mlp", "predict in/model.bin --input in/inputs.csv", false, NULL},
    {"stream", "train in/config.yaml --memory-limit 210K --run-dir run --quiet", true, NULL},
    {"stream", "eval in/model.bin --memory-limit 210K --quiet", false, NULL},
    {"gates", "train in/config.yaml --run-dir run --quiet", true, NULL},
    {"gates", "train in/config.yaml --run-dir run --resume --quiet", true, "gates/half"},
    {"gates", "eval in/model.bin --quiet", false, NULL},
    {"gates", "predict in/model.bin --input in/inputs.csv", false, NULL},
    {"gates", "bench train in/config.yaml --steps 1", false, NULL},
    {"automaton", "train in/config.yaml --run-dir run --quiet", true, NULL},
    {"automaton", "train in/config.yaml --run-dir run --resume --quiet", true, "automaton/half"},
    {"automaton", "eval in/model.bin --quiet", false, NULL},
    {"automaton", "bench train in/config.yaml --steps 1", false, NULL},
    {"mlp", "selftest --filter logic_first", false, NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands, QUICK_COMMANDS = 4 };

static const char *const verdict_name[VERDICTS] = {"right",    "refused", "missed", "crashed", "hung",
                                                   "miscoded", "silent",  "wrong",  "lost",    "aside"};

void vulkan_spec_text(const vulkan_spec *fault, char *text, size_t size) {
  char result[16];
  snprintf(result, sizeof result, "%d", fault->result);
  snprintf(text, size, "%s:%u:%s:%s", entry_rows[fault->entry].name, fault->nth,
           fault->result == RESULT_NONE ? "none" : result, mode_names[fault->mode]);
}

/* --- the list of trials --- */

typedef struct vulkan_options {
  bool quick, verbose;
  const char *only;  /* the number of a command, or a part of "subject words" */
  const char *entry; /* the name of an entry point */
  long seconds;      /* stop after this time; 0: run all trials */
  size_t from;       /* the first trial */
} vulkan_options;

typedef struct vulkan_trials {
  vulkan_spec *items;
  size_t count, capacity;
} vulkan_trials;

static void add(vulkan_trials *t, vulkan_spec fault, int result, fault_mode mode) {
  if (t->count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 1024;
    t->items = realloc(t->items, t->capacity * sizeof *t->items);
    if (!t->items) give_up("out of memory");
  }
  fault.result = result;
  fault.mode = mode;
  t->items[t->count++] = fault;
}

/* Calls that are made before there is a device. */
static bool precedes_device(int entry) {
  return entry == ENTRY_volkInitialize || entry == ENTRY_vkCreateInstance ||
         entry == ENTRY_vkEnumeratePhysicalDevices || entry == ENTRY_vkEnumerateDeviceExtensionProperties ||
         entry == ENTRY_vkEnumerateInstanceLayerProperties || entry == ENTRY_vkCreateDebugUtilsMessengerEXT;
}

/* A result of this call that is neither an error nor success; 0 if there is none. */
static int partial_success(int entry) {
  switch (entry) {
  case ENTRY_vkWaitSemaphores: return VK_TIMEOUT;
  case ENTRY_vkGetQueryPoolResults: return VK_NOT_READY;
  case ENTRY_vkEnumeratePhysicalDevices:
  case ENTRY_vkEnumerateDeviceExtensionProperties:
  case ENTRY_vkEnumerateInstanceLayerProperties:
  case ENTRY_vkGetPipelineCacheData: return VK_INCOMPLETE;
  default: return 0;
  }
}

static void add_call(vulkan_trials *t, vulkan_spec fault, fault_mode mode) {
  const bool before = precedes_device(fault.entry);
  add(t, fault, VK_ERROR_DEVICE_LOST, mode);
  add(t, fault, before || fault.nth % 2 == 0 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY,
      mode);
  add(t, fault, before ? VK_ERROR_INITIALIZATION_FAILED : VK_ERROR_UNKNOWN, mode);
  if (partial_success(fault.entry)) add(t, fault, partial_success(fault.entry), mode);
  if (partial_success(fault.entry) == VK_INCOMPLETE && fault.entry != ENTRY_vkGetPipelineCacheData)
    add(t, fault, RESULT_NONE, mode);
}

/* Calls that depend on the device's work: it is lost, every later call fails, or it hangs. */
static void add_device_failures(vulkan_trials *t, vulkan_spec fault) {
  if (!is_work(fault.entry)) return;
  add(t, fault, VK_ERROR_DEVICE_LOST, MODE_LOST);
  add(t, fault, VK_ERROR_OUT_OF_HOST_MEMORY, MODE_ALL);
  add(t, fault, VK_ERROR_UNKNOWN, MODE_ALL);
  if (fault.entry == ENTRY_vkQueueSubmit) add(t, fault, VK_SUCCESS, MODE_HANG);
}

static void add_entry(vulkan_trials *t, vulkan_spec fault, uint32_t calls, bool quick) {
  const uint32_t middle = calls / 2 + 1;
  for (fault.nth = 1; fault.nth <= calls; fault.nth++) {
    if (!quick || fault.nth == 1) add_call(t, fault, MODE_ONCE);
    if (!quick || fault.nth == middle) add_call(t, fault, MODE_ALWAYS);
    if (!quick || fault.nth == middle) add_device_failures(t, fault);
  }
}

static bool is_selected(const vulkan_options *options, int index) {
  const fault_command *c = &commands[index];
  char number[16], name[1100];
  snprintf(number, sizeof number, "%d", index);
  snprintf(name, sizeof name, "%s %s", c->subject, c->words);
  if (options->only) return !strcmp(options->only, number) || strstr(name, options->only);
  return !options->quick || index < QUICK_COMMANDS;
}

/* With --quick, an entry point is tested only in the first command that uses it. */
static void add_command(vulkan_trials *t, int command, const fault_counts *counts,
                        const vulkan_options *options) {
  static bool covered[ENTRIES];
  for (int e = 0; e < ENTRIES; e++) {
    const bool chosen = !options->entry || !strcmp(options->entry, entry_rows[e].name);
    if (!entry_rows[e].fallible || !chosen || (options->quick && covered[e]) || !counts->calls[e]) continue;
    add_entry(t, (vulkan_spec){.command = command, .entry = e}, counts->calls[e], options->quick);
    covered[e] = true;
  }
}

static vulkan_trials list_trials(const vulkan_worker *shared_settings, const vulkan_options *options) {
  vulkan_trials t = {0};
  vulkan_worker worker = *shared_settings;
  vulkan_worker_open(&worker, 0);
  for (int i = 0; i < COMMANDS; i++) {
    if (!is_selected(options, i)) continue;
    const int code = vulkan_expect(&worker, &commands[i], i);
    if (code == 69 && strstr(commands[i].words, "validation")) { /* the layers may not be installed */
      printf("not tried: gtrain %s\n", commands[i].words);
      continue;
    }
    if (code)
      give_up("`gtrain %s` ends with %d even without a fault; see %s", commands[i].words, code, worker.path);
    add_command(&t, i, worker.counts, options);
  }
  return t;
}

/* --- workers --- */

typedef struct vulkan_shared {
  _Atomic size_t next;
  _Atomic uint32_t score[COMMANDS][VERDICTS], tried[ENTRIES], failed[ENTRIES];
  vulkan_states states;
} vulkan_shared;

static bool is_bad(fault_verdict v) { return v > MISSED; }

static void report(const vulkan_worker *worker, const vulkan_spec *fault, fault_verdict v, const char *note) {
  char fault_text[128], path[PATH_MAX], line[512], text[8192];
  vulkan_spec_text(fault, fault_text, sizeof fault_text);
  int length = snprintf(text, sizeof text, "%s: %s: VULKAN_FAULT=%s gtrain %s: %s\n", verdict_name[v],
                        commands[fault->command].subject, fault_text, commands[fault->command].words, note);
  path_of(path, "%s/err", worker->path);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file) && length < (int)sizeof text - 600)
    length += snprintf(text + length, sizeof text - (size_t)length, "    | %s", line);
  if (file) fclose(file);
  /* One write, because other workers write too. */
  if (write(STDOUT_FILENO, text, (size_t)length) < 0) exit(2);
}

/* A permutation of the trials: the first trials of a run are spread over the whole list. */
static size_t spread(size_t i, size_t count) {
  size_t stride = 7919;
  while (count % stride == 0) stride += 2; /* a prime reaches all trials unless it divides their number */
  return stride > count ? i : i * stride % count;
}

static void work(const vulkan_worker *shared_settings, int number, vulkan_shared *s, const vulkan_trials *t,
                 const vulkan_options *options) {
  const time_t end = time(NULL) + options->seconds;
  vulkan_worker worker = *shared_settings;
  char note[512];
  vulkan_worker_open(&worker, number);
  for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < t->count;) {
    if (options->seconds && time(NULL) >= end) break;
    const vulkan_spec *fault = &t->items[spread(i, t->count)];
    const fault_verdict v = vulkan_trial(&worker, &commands[fault->command], fault, note, sizeof note);
    atomic_fetch_add(&s->score[fault->command][v], 1);
    atomic_fetch_add(&s->tried[fault->entry], 1);
    for (int e = 0; e < ENTRIES; e++)
      if (worker.counts->faults[e]) atomic_fetch_add(&s->failed[e], 1);
    if (options->verbose || is_bad(v)) report(&worker, fault, v, note);
  }
  exit(0);
}

static void run_all(const vulkan_worker *shared_settings, vulkan_shared *s, const vulkan_trials *t,
                    const vulkan_options *options) {
  const char *text = getenv("JOBS");
  long jobs = text ? strtol(text, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
  if (jobs < 1 || jobs > 1024) jobs = 1;
  fflush(stdout);
  for (int i = 1; i <= jobs; i++) {
    const pid_t child = fork();
    if (child < 0) give_up("cannot fork");
    if (!child) work(shared_settings, i, s, t, options);
  }
  int status;
  while (wait(&status) > 0 || errno == EINTR)
    if (!WIFEXITED(status) || WEXITSTATUS(status)) give_up("a worker died");
}

/* --- the table --- */

static void print_row(const fault_command *c, const uint32_t sum[VERDICTS]) {
  printf("%-10s%-66.66s", c ? c->subject : "all", c ? c->words : "");
  for (int v = 0; v < VERDICTS; v++) printf(" %8u", sum[v]);
  printf("\n");
}

static uint32_t print_verdicts(const vulkan_shared *s, uint32_t total[VERDICTS]) {
  uint32_t bad = 0;
  printf("\n%-76s", "");
  for (int v = 0; v < VERDICTS; v++) printf(" %8s", verdict_name[v]);
  printf("\n");
  for (int c = 0; c < COMMANDS; c++) {
    uint32_t sum[VERDICTS], trials = 0;
    for (int v = 0; v < VERDICTS; v++) trials += sum[v] = s->score[c][v], total[v] += sum[v];
    if (trials) print_row(&commands[c], sum);
  }
  print_row(NULL, total);
  for (int v = 0; v < VERDICTS; v++) bad += is_bad((fault_verdict)v) ? total[v] : 0;
  return bad;
}

/* Returns the number of entry points that never failed, except those of the validation layers, which may not
 * be installed. */
static uint32_t print_entries(const vulkan_shared *s) {
  uint32_t never_failed = 0;
  printf("\n%-40s %8s %8s\n", "", "trials", "it failed in");
  for (int e = 0; e < ENTRIES; e++) {
    const bool layers =
        e == ENTRY_vkEnumerateInstanceLayerProperties || e == ENTRY_vkCreateDebugUtilsMessengerEXT;
    if (!entry_rows[e].fallible) continue;
    printf("%-40s %8u %8u\n", entry_rows[e].name, s->tried[e], s->failed[e]);
    never_failed += !s->failed[e] && !layers;
  }
  return never_failed;
}

static int print_table(const vulkan_shared *s, const vulkan_trials *t, const vulkan_options *options) {
  uint32_t total[VERDICTS] = {0}, done = 0;
  uint32_t bad = print_verdicts(s, total);
  for (int v = 0; v < VERDICTS; v++) done += total[v];
  const uint32_t never_failed = print_entries(s);
  const bool all = done == t->count && !options->only && !options->entry;
  if (all && never_failed) printf("%u entry points never failed\n", never_failed), bad += never_failed;
  if (done < t->count)
    printf("%zu to %zu of %zu trials; --from goes on\n", options->from, options->from + done, t->count);
  printf("\n%u passed, %u failed\n", total[RIGHT] + total[REFUSED] + total[MISSED], bad);
  return bad ? 1 : 0;
}

/* --- all trials --- */

static vulkan_options read_options(int argc, char **argv) {
  vulkan_options o = {0};
  for (int i = 3; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--quick"))
      o.quick = true;
    else if (!strcmp(argv[i], "--verbose"))
      o.verbose = true;
    else if (!strcmp(argv[i], "--only"))
      o.only = value, i++;
    else if (!strcmp(argv[i], "--entry"))
      o.entry = value, i++;
    else if (!strcmp(argv[i], "--seconds"))
      o.seconds = strtol(value, NULL, 10), i++;
    else if (!strcmp(argv[i], "--from"))
      o.from = strtoull(value, NULL, 10), i++;
    else
      errno = EINVAL, give_up("unknown option %s", argv[i]);
  }
  return o;
}

int main(int argc, char **argv) {
  if (argc < 3)
    errno = EINVAL,
    give_up(
        "usage: vulkan-driver FOLDER GTRAIN [--quick] [--verbose] [--only COMMAND] [--entry NAME] [--seconds N] [--from N]");
  const vulkan_options options = read_options(argc, argv);
  // cppcheck-suppress invalidFunctionArg ; anonymous memory has the descriptor -1
  vulkan_shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (s == MAP_FAILED) give_up("out of memory");
  const vulkan_worker shared_settings = {.folder = argv[1], .gtrain = argv[2], .states = &s->states};
  const vulkan_trials t = list_trials(&shared_settings, &options);
  printf("%zu trials\n", t.count);
  s->next = options.from;
  run_all(&shared_settings, s, &t, &options);
  return print_table(s, &t, &options);
}
