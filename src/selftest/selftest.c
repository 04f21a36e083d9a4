#include "selftest/selftest.h"
#include "backend/backend.h"
#include "base/memory.h"
#include "base/text.h"
#include "selftest/prepare.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define X(name) extern const gt_case_family gt_opcase_##name;
#include "registry/opcase.inc"
#undef X
#define X(name) &gt_opcase_##name,
static const gt_case_family *const registered[] = {
#include "registry/opcase.inc"
    NULL};
#undef X

enum { CPU_BACKENDS = 4 };
static const int cpu_threads[CPU_BACKENDS] = {1, 2, 3, 7};

typedef struct backends { /* the backends under test, and how to report */
  gt_backend *cpu[CPU_BACKENDS];
  gt_backend *device; /* NULL if only the CPU is tested */
  FILE *stream;
  bool verbose, brief;
  gt_error *fatal; /* set if a backend failed or memory ran out, which is not the fault of an op */
} backends;

typedef struct family_result { /* of one family */
  int cases, failed_cases, failures;
  int derivatives; /* derivatives that were checked as values */
  double worst, limit;
} family_result;

static void close_backends(backends *b) {
  for (int i = 0; i < CPU_BACKENDS; i++) gt_backend_close(b->cpu[i]);
  gt_backend_close(b->device);
}

static bool open_backends(backends *b, const gt_selftest_options *options, gt_error *error) {
  memset(b, 0, sizeof *b);
  b->stream = options->stream ? options->stream : stdout;
  b->verbose = options->verbose;
  b->brief = options->brief;
  b->fatal = error;
  for (int i = 0; i < CPU_BACKENDS; i++) {
    b->cpu[i] = gt_cpu_open(cpu_threads[i], error);
    if (!b->cpu[i]) return false;
  }
  b->device = gt_backend_open(options->device, 0, error);
  if (!b->device) return false;
  if (!b->device->target.device) { /* the device is the CPU */
    gt_backend_close(b->device);
    b->device = NULL;
  }
  return true;
}

/* --- one case --- */

typedef struct trial { /* one case with its checks */
  gt_prepared *p;
  gt_verdict *verdict;
  gt_error *fatal;
} trial;

/* Reports a run that failed, else applies the checks of every run. Returns ok. */
static bool check_run(trial *t, const gt_subject *subject, bool ok, const gt_error *error, const char *who,
                      const gt_outcome *outcome) {
  if (ok) {
    gt_check_guards(subject, outcome, who, t->verdict);
    return true;
  }
  gt_verdict_fail(t->verdict, "%s: %s", who, error->message);
  if (error->status == GT_ERR_NODEVICE || error->status == GT_ERR_MEMORY)
    gt_fail(t->fatal, error->status, "%s", error->message);
  return false;
}

static bool run_on_cpu(trial *t, gt_backend *cpu, bool fusion, bool reuse, const char *who,
                       gt_outcome *outcome) {
  gt_error error = {0};
  const gt_subject *subject = &t->p->subject;
  const bool ok = gt_subject_run(subject, cpu, fusion, reuse, &t->p->arena, outcome, &error);
  return check_run(t, subject, ok, &error, who, outcome);
}

static bool run_on_device(trial *t, gt_backend *device, gt_device_run run, const char *who,
                          gt_outcome *outcome) {
  gt_error error = t->p->plan_error[run];
  const gt_subject *subject = run == GT_RUN_HALF ? &t->p->half : &t->p->subject;
  const gt_plan *plan = t->p->plan[run];
  const bool ok = plan && gt_subject_run_plan(subject, device, plan, &t->p->arena, outcome, &error);
  return check_run(t, subject, ok, &error, who, outcome);
}

static bool try_cpu(trial *t, const backends *b, gt_outcome *fused) {
  if (!run_on_cpu(t, b->cpu[0], true, true, "cpu", fused)) return false;
  gt_check_reference(&t->p->subject, &t->p->expectation, fused, false, "cpu", t->verdict);
  return true;
}

/* Runs without reuse of memory, with several threads and unfused, and compares. */
static void try_cpu_variants(trial *t, const backends *b, const gt_outcome *fused) {
  const gt_subject *subject = &t->p->subject;
  const gt_expectation *expectation = &t->p->expectation;
  gt_outcome outcome;
  if (run_on_cpu(t, b->cpu[0], true, false, "cpu without reuse of memory", &outcome))
    gt_check_same_bits(subject, fused, &outcome, "cpu, with and without reuse of memory", t->verdict);
  for (int i = 0; i < CPU_BACKENDS; i++) { /* the first one repeats the run with one thread */
    char what[64];
    snprintf(what, sizeof what, "cpu, 1 and %d threads", cpu_threads[i]);
    if (run_on_cpu(t, b->cpu[i], true, true, what, &outcome))
      gt_check_same_bits(subject, fused, &outcome, what, t->verdict);
  }
  if (run_on_cpu(t, b->cpu[1], false, true, "cpu unfused", &outcome)) {
    gt_check_reference(subject, expectation, &outcome, false, "cpu unfused", t->verdict);
    gt_check_agreement(subject, expectation, &outcome, fused, false, "cpu unfused", t->verdict);
  }
}

static void try_device(trial *t, const backends *b, gt_device_run run, const gt_outcome *cpu) {
  const gt_subject *subject = &t->p->subject;
  const gt_expectation *expectation = &t->p->expectation;
  const char *who = run == GT_RUN_FUSED ? "device" : "device unfused";
  gt_outcome first, again;
  if (!t->p->wanted[run] || !run_on_device(t, b->device, run, who, &first)) return;
  gt_check_reference(subject, expectation, &first, true, who, t->verdict);
  gt_check_agreement(subject, expectation, &first, cpu, true, who, t->verdict);
  if (run == GT_RUN_FUSED && run_on_device(t, b->device, run, "device again", &again))
    gt_check_same_bits(subject, &first, &again, "device, run twice", t->verdict);
}

/* Checks a product with 16-bit operands. */
static void try_half(trial *t, const backends *b) {
  const gt_matrix_units *units = &b->device->target.matrix;
  const gt_subject *half = &t->p->half;
  gt_outcome first, again;
  if (!run_on_device(t, b->device, GT_RUN_HALF, "device, half", &first)) return;
  gt_check_half(half, &t->p->expectation, &first, units->bfloat.m ? 0x1p-8 : 0x1p-11, "device, half",
                t->verdict);
  if (run_on_device(t, b->device, GT_RUN_HALF, "device, half, again", &again))
    gt_check_same_bits(half, &first, &again, "device, half, run twice", t->verdict);
}

/* Adds the number of derivatives that gt_check_orders checked to *derivatives. */
static void try_case(gt_prepared *p, const backends *b, gt_verdict *verdict, int *derivatives) {
  trial t = {.p = p, .verdict = verdict, .fatal = b->fatal};
  gt_outcome cpu;
  memset(verdict, 0, sizeof *verdict);
  if (p->error.status) {
    gt_verdict_fail(verdict, "%s", p->error.message);
    return;
  }
  if (try_cpu(&t, b, &cpu)) {
    if (b->device) { /* the CPU's own selftest shows that its configurations agree */
      try_device(&t, b, GT_RUN_FUSED, &cpu);
      try_device(&t, b, GT_RUN_UNFUSED, &cpu);
    } else {
      try_cpu_variants(&t, b, &cpu);
      *derivatives += gt_check_orders(&p->subject, b->cpu[0], verdict);
    }
  }
  if (p->wanted[GT_RUN_HALF]) try_half(&t, b);
}

/* --- families --- */

static bool is_first_of_its_rule(const gt_case_family *family, const gt_case *c) {
  for (const gt_case *before = family->cases; before < c; before++)
    if (before->rule == c->rule) return false;
  return true;
}

static bool is_selected(const gt_selftest_options *options, const gt_case_family *family, const gt_case *c) {
  bool named = false, has_positive = false;
  if (c->more && options->brief) return false;
  if (options->one_each && !is_first_of_its_rule(family, c)) return false;
  for (const char *at = options->filter; at; at = strchr(at, ',')) {
    char part[64];
    at += *at == ',';
    const bool is_negative = *at == '!';
    at += is_negative;
    snprintf(part, sizeof part, "%.*s", (int)strcspn(at, ","), at);
    const bool has = strstr(family->name, part) || strstr(c->rule->name, part);
    if (is_negative && has) return false;
    has_positive = has_positive || !is_negative;
    named = named || (!is_negative && has);
  }
  return named || !has_positive;
}

static void case_name(const gt_case *c, int index, char *buffer, size_t size) {
  int last = GT_CASE_PARAMETERS;
  size_t used = (size_t)snprintf(buffer, size, "case %d, %s (%s)", index, c->rule->name, c->inputs);
  while (last > 0 && c->p[last - 1] == 0) last--;
  for (int i = 0; i < last && used + 24 < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%lld", i ? " " : " with ", (long long)c->p[i]);
  if (c->v != 0 && used + 24 < size) snprintf(buffer + used, size - used, ", %g", c->v);
}

/* Runs a case, adds its result to that of its family and prints it if it failed. */
static void run_case(const gt_case_family *family, gt_prepared *p, const backends *b, family_result *t) {
  gt_verdict verdict;
  char name[384];
  t->cases++;
  try_case(p, b, &verdict, &t->derivatives);
  t->failures += verdict.failures;
  t->failed_cases += verdict.failures > 0;
  if (verdict.limit > 0 && (t->limit <= 0 || verdict.worst / verdict.limit > t->worst / t->limit))
    t->worst = verdict.worst, t->limit = verdict.limit;
  case_name(p->c, (int)(p->c - family->cases), name, sizeof name);
  if (verdict.failures) {
    fprintf(b->stream, "  %s: %s: %s", family->name, name, verdict.first);
    fprintf(b->stream, verdict.failures > 1 ? " (and %d more)\n" : "\n", verdict.failures - 1);
  } else if (b->verbose) {
    fprintf(b->stream, "  %s: %s: worst relative error %.1e (limit %.0e)\n", family->name, name,
            verdict.worst, verdict.limit);
  }
  fflush(b->stream);
}

static void print_family(const char *name, const family_result *t, const backends *b) {
  fprintf(b->stream, "%s %s %d case%s", t->failed_cases ? "not ok" : "ok", name, t->cases,
          t->cases == 1 ? "" : "s");
  if (t->failed_cases) fprintf(b->stream, ", %d failed", t->failed_cases);
  if (t->derivatives) fprintf(b->stream, ", %d derivative%s", t->derivatives, t->derivatives == 1 ? "" : "s");
  if (t->limit > 0)
    fprintf(b->stream, ", worst relative error %.1e (limit %.0e)\n", t->worst, t->limit);
  else
    fprintf(b->stream, ", exact\n");
  fflush(b->stream);
}

/* JSON has no infinity, which is the error of a wrong NaN or infinity. */
static void print_json_family(FILE *json, const char *name, const family_result *t, bool first) {
  const double worst = t->worst > 1e300 ? 1e300 : t->worst;
  fprintf(json,
          "%s{\"name\":\"%s\",\"cases\":%d,\"failed\":%d,\"worst\":%.3g,\"limit\":%.3g,\"derivatives\":%d}",
          first ? "" : ",", name, t->cases, t->failed_cases, worst, t->limit, t->derivatives);
}

static const gt_case_family *const *families_of(const gt_selftest_options *options, int *count) {
  *count = options->families ? options->family_count : (int)(sizeof registered / sizeof *registered) - 1;
  return options->families ? options->families : registered;
}

typedef struct selection { /* a selected case */
  const gt_case_family *family;
  const gt_case *c;
} selection;

/* Lists the selected cases, family by family; returns their number. Owner of the list: the caller (free). */
static int select_cases(const gt_selftest_options *options, selection **list) {
  int count, cases = 0, selected = 0;
  const gt_case_family *const *families = families_of(options, &count);
  for (int i = 0; i < count; i++) cases += families[i]->count;
  *list =
      gt_alloc((size_t)(cases + 1) * sizeof **list); /* the last element, without a family, ends the list */
  for (int i = 0; i < count; i++)
    for (int k = 0; k < families[i]->count; k++)
      if (is_selected(options, families[i], &families[i]->cases[k]))
        (*list)[selected++] = (selection){families[i], &families[i]->cases[k]};
  return selected;
}

static void report_family(const gt_case_family *family, const family_result *t, const backends *b, FILE *json,
                          gt_selftest_report *report) {
  print_family(family->name, t, b);
  if (json) print_json_family(json, family->name, t, report->families == 0);
  report->families++;
  report->cases += t->cases;
  report->failed_cases += t->failed_cases;
  report->failures += t->failures;
}

/* Runs cases list[0 … count-1] until a fatal error. *t: the result of the last one's family so far. */
static void run_cases(const selection *list, int count, const backends *b, family_result *t, FILE *json,
                      gt_selftest_report *report) {
  gt_prepared *prepared = gt_alloc((size_t)count * sizeof *prepared);
  for (int i = 0; i < count; i++) prepared[i].c = list[i].c;
  gt_prepare(prepared, count, b->device, b->brief);
  for (int i = 0; i < count; i++) {
    const gt_case_family *family = list[i].family;
    const bool was_fatal = b->fatal->status;
    if (!was_fatal) run_case(family, &prepared[i], b, t);
    gt_prepared_finish(&prepared[i]);
    const bool ends = list[i + 1].family != family || b->fatal->status;
    if (was_fatal || !ends) continue;
    report_family(family, t, b, json, report);
    memset(t, 0, sizeof *t);
  }
  free(prepared);
}

static void run_families(const gt_selftest_options *options, const backends *b, gt_selftest_report *report) {
  FILE *json = options->json;
  selection *list;
  const int cases = select_cases(options, &list);
  family_result t = {0};
  if (json) {
    json_t *device = json_string(report->device);
    fputs("{\"device\":", json);
    json_dumpf(device, json, JSON_ENCODE_ANY);
    fputs(",\"families\":[", json);
    json_decref(device);
  }
  for (int from = 0; from < cases && !b->fatal->status; from += GT_PREPARED) {
    const int count = cases - from < GT_PREPARED ? cases - from : GT_PREPARED;
    run_cases(list + from, count, b, &t, json, report);
  }
  free(list);
  if (json)
    fprintf(json, "],\"cases\":%d,\"failed\":%d,\"ok\":%s}\n", report->cases, report->failed_cases,
            report->failed_cases ? "false" : "true");
  if (b->fatal->status) return; /* the caller reports it */
  fprintf(b->stream, "%d of %d case%s in %d famil%s passed\n", report->cases - report->failed_cases,
          report->cases, report->cases == 1 ? "" : "s", report->families,
          report->families == 1 ? "y" : "ies");
}

/* Checks that the filter selects a case. */
static bool check_filter(const gt_selftest_options *options, gt_error *error) {
  enum { MAX_NAMES = 512 };
  const char *names[MAX_NAMES];
  size_t name_count = 0;
  int count;
  const gt_case_family *const *families = families_of(options, &count);
  for (int i = 0; i < count; i++) {
    if (name_count < MAX_NAMES) names[name_count++] = families[i]->name;
    for (int k = 0; k < families[i]->count; k++) {
      const char *name = families[i]->cases[k].rule->name;
      if (is_selected(options, families[i], &families[i]->cases[k])) return true;
      if (name_count < MAX_NAMES && strcmp(names[name_count - 1], name)) names[name_count++] = name;
    }
  }
  const char *nearest = options->filter ? gt_nearest(options->filter, names, name_count) : NULL;
  return gt_fail(error, GT_ERR_USAGE, "no case name contains '%s'%s%s%s",
                 options->filter ? options->filter : "", nearest ? "; did you mean '" : "",
                 nearest ? nearest : "", nearest ? "'?" : "");
}

bool gt_selftest_run(const gt_selftest_options *options, gt_selftest_report *report, gt_error *error) {
  backends b;
  memset(report, 0, sizeof *report);
  if (!check_filter(options, error)) return false;
  const bool ok = open_backends(&b, options, error);
  if (ok) {
    snprintf(report->device, sizeof report->device, "%s", b.device ? b.device->name : b.cpu[0]->name);
    run_families(options, &b, report);
  }
  close_backends(&b);
  return ok && !error->status;
}
