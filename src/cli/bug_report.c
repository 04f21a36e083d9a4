#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include "cli/bug_report.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/bench.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static void write_heading(FILE *stream, const char *title) { fprintf(stream, "\n## %s\n\n", title); }

/* Writes the version and the system. Omits nodename, which is the host's name. */
static void write_system(FILE *stream) {
  struct utsname name;
  fprintf(stream, "# gtrain report\n\ngtrain %s\n", GT_VERSION);
  if (!uname(&name)) fprintf(stream, "%s %s %s\n", name.sysname, name.release, name.machine);
}

bool gt_bug_report_open(gt_bug_report *report, const char *path, gt_error *error) {
  *report = (gt_bug_report){0};
  if (!gt_output_open(&report->file, path, error)) return false;
  report->stream = open_memstream(&report->text, &report->size);
  if (!report->stream) gt_out_of_memory(0);
  write_system(report->stream);
  write_heading(report->stream, "Doctor");
  gt_doctor_examine(&report->doctor);
  gt_doctor_print(&report->doctor, report->stream);
  write_heading(report->stream, "Selftest");
  return true;
}

const char *gt_bug_report_device(const gt_bug_report *report, const char *device) {
  return report->doctor.crashes ? "cpu" : device;
}

static ssize_t write_both(void *cookie, const char *data, size_t size) {
  gt_bug_report *report = cookie;
  const size_t written = fwrite(data, 1, size, report->copy_to);
  fflush(report->copy_to);
  fwrite(data, 1, size, report->stream);
  return written == size ? (ssize_t)size : 0;
}

FILE *gt_bug_report_tee(gt_bug_report *report, FILE *copy_to) {
  report->copy_to = copy_to;
  report->tee = fopencookie(report, "w", (cookie_io_functions_t){.write = write_both});
  return report->tee ? report->tee : copy_to;
}

static void write_outcome(FILE *stream, const gt_selftest_report *tested, const gt_error *test_error) {
  if (*tested->device)
    fprintf(stream, "%d of %d cases failed on %s\n", tested->failed_cases, tested->cases, tested->device);
  if (test_error->status) fprintf(stream, "the test did not finish: %s\n", test_error->message);
}

static void write_table(FILE *stream, const char *device) {
  gt_error error = {0};
  write_heading(stream, "Bench");
  if (!gt_cli_bench_brief(device, stream, &error)) fprintf(stream, "not measured: %s\n", error.message);
}

bool gt_bug_report_finish(gt_bug_report *report, const gt_selftest_report *tested, const gt_error *test_error,
                          const char *device, gt_error *error) {
  if (report->tee) fclose(report->tee);
  write_outcome(report->stream, tested, test_error);
  write_table(report->stream, gt_bug_report_device(report, device));
  fclose(report->stream);
  gt_doctor_hide_home(report->text);
  const bool ok = gt_output_write(&report->file, report->text, strlen(report->text), error);
  const bool kept = gt_output_close(&report->file, ok, error) && ok;
  if (kept) gt_info("report: %s", report->file.path);
  free(report->text);
  free(report->doctor.items);
  return kept;
}
