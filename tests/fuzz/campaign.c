/* The cases of a campaign: the commands on each config, and the workers that run them. */
#define _GNU_SOURCE /* nftw, open_memstream */
#include "campaign.h"
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct settings {
  const char *gtrain, *room; /* absolute */
  int64_t seed, commands, jobs;
  int64_t only; /* the number of the only case to run; -1: run all */
} settings;

/* --- one case --- */

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *at) {
  (void)s, (void)kind, (void)at;
  return remove(path);
}

/* Writes c.yaml; in a few cases with a random byte changed, or truncated. */
static void write_config(generator *m, const json_t *config) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  write_yaml(file, config);
  fputc('\n', file);
  fclose(file);
  file = fopen("c.yaml", "w");
  if (chance(&m->d, 3)) text[between(&m->d, 0, (int64_t)size - 1)] = (char)between(&m->d, 0, 255);
  if (chance(&m->d, 1)) size = (size_t)between(&m->d, 0, (int64_t)size);
  if (!file || fwrite(text, 1, size, file) != size || fclose(file)) abort();
  free(text);
}

/* Adds the overrides as --set, which check and train must share, and some of the switches. */
static void add_options(command *c, char *const *overrides, const char *const *switches, generator *m) {
  for (; *overrides; overrides++) {
    add_word(c, "--set");
    add_word(c, "%s", *overrides);
  }
  for (; *switches; switches++)
    if (chance(&m->d, 25)) add_word(c, "%s", *switches);
}

static int check(judge *j, generator *m, char *const *overrides) {
  static const char *const switches[] = {"--json", "--plan", "--graph", "--target=device", NULL};
  command c = {.words = 0};
  add_word(&c, "check");
  add_word(&c, "c.yaml");
  add_options(&c, overrides, switches, m);
  return run(j, &c);
}

static int train(judge *j, generator *m, char *const *overrides, bool resume, const char *more) {
  static const char *const switches[] = {"--json", "--quiet", NULL};
  command c = {.words = 0};
  add_word(&c, "train");
  add_word(&c, "c.yaml");
  add_word(&c, "--run-dir=run");
  add_word(&c, "--device=cpu");
  if (resume) add_word(&c, "--resume");
  if (more) add_word(&c, "--set=%s", more);
  add_options(&c, overrides, switches, m);
  return run(j, &c);
}

static void evaluate(judge *j, generator *m, const json_t *config) {
  static const char *const splits[] = {"train", "validation", "test", "tset", NULL};
  static const char *const gates[] = {"accuracy<0.5", "loss>1", "samples!=3", "lose<1", "loss<", NULL};
  command c = {.words = 0};
  add_word(&c, "eval");
  add_word(&c, "run/model.bin");
  add_word(&c, "--device=cpu");
  if (chance(&m->d, 40)) add_word(&c, "--split=%s", one_of(&m->d, splits));
  if (chance(&m->d, 40)) add_word(&c, "--fail-if=%s", one_of(&m->d, gates));
  if (chance(&m->d, 30)) add_word(&c, "--json");
  if (chance(&m->d, 20)) {
    char *override = make_override(m, config);
    add_word(&c, "--set=%s", override);
    free(override);
    j->huge = m->huge;
  }
  run(j, &c);
}

static void predict(judge *j, generator *m, const char *inputs) {
  static const char *const other[] = {"five.csv", "five.npy", "five.idx", "c.yaml", "none.csv", "run", NULL};
  static const char *const outputs[] = {"p.csv", "p.npy", "p", "none/p.csv", NULL};
  command c = {.words = 0};
  add_word(&c, "predict");
  add_word(&c, "run/model.bin");
  add_word(&c, "--device=cpu");
  add_word(&c, "--input=%s", chance(&m->d, 60) ? inputs : one_of(&m->d, other));
  if (chance(&m->d, 40)) add_word(&c, "--output=%s", one_of(&m->d, outputs));
  if (chance(&m->d, 30)) add_word(&c, "--json");
  run(j, &c);
}

static void inspect_or_export(judge *j, generator *m) {
  static const char *const formats[] = {"c", "verilog", "d", NULL};
  command c = {.words = 0};
  const bool export = chance(&m->d, 50);
  add_word(&c, export ? "export" : "inspect");
  add_word(&c, "run/%s", chance(&m->d, 90) ? "model.bin" : "config.yaml");
  if (export)
    add_word(&c, "--format=%s", one_of(&m->d, formats));
  else if (chance(&m->d, 50))
    add_word(&c, "--json");
  run(j, &c);
}

static void simulate(judge *j, generator *m) {
  static const char *const options[] = {"--grid=9x7",
                                        "--start=random",
                                        "--start=none",
                                        "--fire-rate=0.5",
                                        "--damage=1,1,2x2:3",
                                        "--damage=random:2x2",
                                        "--every=1",
                                        "--fail-if=errors>0",
                                        "--png=pictures",
                                        "--animation=a.png",
                                        "--final=f.txt",
                                        "--channels=0",
                                        "--scale=1",
                                        "--json",
                                        "--set=data.square=1",
                                        "--grid=0x3",
                                        "--seed=5",
                                        "--damage=x",
                                        "--picture-every=2",
                                        NULL};
  command c = {.words = 0};
  add_word(&c, "simulate");
  add_word(&c, "run/model.bin");
  if (chance(&m->d, 70)) add_word(&c, "--steps=%lld", (long long)between(&m->d, 0, 6));
  for (int64_t n = between(&m->d, 0, 4); n > 0; n--) add_word(&c, "%s", one_of(&m->d, options));
  run(j, &c);
}

/* Runs a random sequence of words, which is rarely a valid command. */
static void random_words(judge *j, generator *m) {
  static const char *const words[] = {
      "train",    "c.yaml",   "--resume",  "--set",     "x=1",     "eval",
      "--",       "-",        "--json=1",  "check",     "run",     "run/model.bin",
      "--device", "vulkan:9", "--help",    "--run-dir", "predict", "",
      "schema",   "linear",   "--fail-if", "simulate",  "--steps", "99999999999999999999",
      NULL};
  command c = {.words = 0};
  for (int64_t n = between(&m->d, 0, 5); n > 0; n--) add_word(&c, "%s", one_of(&m->d, words));
  j->huge = true; /* it may train a config that needs any amount of time */
  run(j, &c);
}

static void resume_run(judge *j, generator *m, char *const *overrides, const json_t *config) {
  char *override = chance(&m->d, 40) ? make_override(m, config) : NULL;
  j->huge |= m->huge;
  train(j, m, overrides, true, override ? override : chance(&m->d, 50) ? "train.steps=11" : NULL);
  free(override);
}

static bool same_files(const char *a, const char *b) {
  FILE *files[2] = {fopen(a, "rb"), fopen(b, "rb")};
  int c = 0, d = 0;
  while (files[0] && files[1] && c == d && c != EOF) c = fgetc(files[0]), d = fgetc(files[1]);
  const bool same = files[0] && files[1] && c == d;
  for (int i = 0; i < 2; i++)
    if (files[i]) fclose(files[i]);
  return same;
}

/* Training with the config that the run stored, but another number of threads, must give the same model. */
static void train_again(judge *j, generator *m) {
  const command none = {.words = 0};
  command c = {.words = 0};
  nftw("again", remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  add_word(&c, "train");
  add_word(&c, "run/config.yaml");
  add_word(&c, "--run-dir=again");
  add_word(&c, "--device=cpu");
  add_word(&c, "--set=train.threads=%lld", (long long)between(&m->d, 1, 4));
  const int code = run(j, &c);
  if (code > 0)
    report_finding(j, &none, "the run's own config is not trained again (%d)", code);
  else if (code == 0 && !same_files("run/model.bin", "again/model.bin"))
    report_finding(j, &none, "the run's own config makes another model");
}

/* Resuming a finished run must not change its model. */
static void resume_ended(judge *j, generator *m, char *const *overrides) {
  const command none = {.words = 0};
  if (rename("run/model.bin", "model.bin") != 0) return;
  const int code = train(j, m, overrides, true, NULL);
  if (code > 0)
    report_finding(j, &none, "a run that ended is not resumed (%d)", code);
  else if (code == 0 && !same_files("run/model.bin", "model.bin"))
    report_finding(j, &none, "a run that ended and was resumed makes another model");
}

/* `train` must accept the configs that `check` accepts, and no others, unless values diverge in training.
 * `checked` and `trained` are exit codes: 78 means a bad config, 65 bad data, -1 none. */
static void judge_training(judge *j, int checked, int trained) {
  const command c = {.words = 0};
  if (checked == 0 && trained == 78) report_finding(j, &c, "check accepts what train rejects");
  if (checked == 78 && trained != 78 && trained >= 0)
    report_finding(j, &c, "train (%d) accepts what check rejects", trained);
  if (checked == 0 && trained == 65 && !strstr(last_words(), "not finite"))
    report_finding(j, &c, "check accepts data that train rejects");
}

static void run_case(judge *j, const settings *s, const json_t *schema, int64_t number) {
  generator m = {.d = dice_of((uint64_t)s->seed, (uint64_t)number), .schema = schema};
  char reproduce[64], *overrides[3] = {NULL};
  snprintf(reproduce, sizeof reproduce, "make campaign SEED=%lld ONLY=%lld", (long long)s->seed,
           (long long)number);
  j->reproduce = reproduce;
  nftw("run", remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  nftw("runs", remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  generated_config config = make_config(&m);
  write_config(&m, config.config);
  for (int64_t i = 0, n = chance(&m.d, 20) ? between(&m.d, 1, 2) : 0; i < n; i++)
    overrides[i] = make_override(&m, config.config);
  j->huge = m.huge;
  const int checked = check(j, &m, overrides);
  int trained = -1;
  if (checked == 0 || chance(&m.d, 10))
    judge_training(j, checked, trained = train(j, &m, overrides, false, NULL));
  if (trained == 0 && chance(&m.d, 20)) train_again(j, &m);
  if (trained == 0 && chance(&m.d, 20)) resume_ended(j, &m, overrides);
  if (trained == 0 || trained == 65) {
    if (chance(&m.d, 70)) evaluate(j, &m, config.config);
    if (chance(&m.d, 70)) predict(j, &m, config.inputs);
    if (chance(&m.d, 50)) inspect_or_export(j, &m);
    if (chance(&m.d, config.automaton ? 90 : 5)) simulate(j, &m);
    if (chance(&m.d, 40)) resume_run(j, &m, overrides, config.config);
  }
  if (chance(&m.d, 10)) random_words(j, &m);
  json_decref(config.config);
  for (int i = 0; i < 2; i++) free(overrides[i]);
}

/* --- workers --- */

static void enter_folder(const settings *s, int64_t worker) {
  static const char *const names[] = {"five.csv", "five.npy", "five.idx", "datasets"};
  char path[4096];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/worker-%lld", folder ? folder : "/tmp", (long long)worker);
  mkdir(path, 0777);
  if (chdir(path) != 0) abort();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", s->room, names[i]);
    (void)!symlink(path, names[i]);
  }
}

static json_t *read_schema(const char *gtrain) {
  char line[4200];
  snprintf(line, sizeof line, "'%s' schema", gtrain);
  FILE *pipe = popen(line, "r");
  json_t *schema = pipe ? json_loadf(pipe, 0, NULL) : NULL;
  if (pipe) pclose(pipe);
  return schema;
}

/* Runs the cases worker, worker + jobs, …, until this worker has run commands / jobs commands. Returns the
 * number of findings. */
static int64_t work(const settings *s, int64_t worker) {
  judge j = {.gtrain = s->gtrain, .verbose = s->only >= 0};
  json_t *schema = read_schema(s->gtrain);
  if (!schema) {
    printf("FINDING: gtrain schema prints no JSON\n");
    return 1;
  }
  enter_folder(s, worker);
  const int64_t limit = s->commands / s->jobs;
  if (s->only >= 0)
    run_case(&j, s, schema, s->only);
  else
    for (int64_t number = worker; j.commands < limit; number += s->jobs) run_case(&j, s, schema, number);
  printf("%lld commands, %lld findings, %lld stopped for their size; exit codes:", (long long)j.commands,
         (long long)j.findings, (long long)j.slow);
  for (int code = 0; code < 256; code++)
    if (j.codes[code]) printf(" %d: %lld", code, (long long)j.codes[code]);
  printf("\n");
  json_decref(schema);
  return j.findings;
}

static int64_t number_of(char **argv, int index, int count, int64_t fallback) {
  return index < count && *argv[index] ? strtoll(argv[index], NULL, 10) : fallback;
}

/* campaign GTRAIN ROOM [COMMANDS SEED JOBS [ONLY]]; see settings. */
int main(int argc, char **argv) {
  sigset_t child;
  int failed = 0, status;
  if (argc < 3) return 2;
  settings s = {.gtrain = realpath(argv[1], NULL), .room = realpath(argv[2], NULL)};
  if (!s.gtrain || !s.room) return 2;
  s.commands = number_of(argv, 3, argc, 1000);
  s.seed = number_of(argv, 4, argc, 1);
  s.only = number_of(argv, 6, argc, -1);
  s.jobs = s.only >= 0 ? 1 : number_of(argv, 5, argc, 1);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int64_t worker = 0; worker < s.jobs; worker++)
    if (fork() == 0) exit(work(&s, worker) > 0);
  while (wait(&status) > 0) failed |= status;
  free((char *)(uintptr_t)s.gtrain);
  free((char *)(uintptr_t)s.room);
  return failed != 0;
}
