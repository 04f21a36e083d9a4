#include "cli/bug_report.h"
#include "cli/common.h"
#include "selftest/selftest.h"

static const gt_option options[] = {
    GT_OPTION_DEVICE,
    {"filter", "TEXT",
     "run only families whose name contains TEXT; !TEXT: all others; may be combined with commas", false},
    {"brief", NULL, "skip cases that add little to others, for devices that compile kernels slowly", false},
    {"one-each", NULL, "run only the first case of each op, for a quick look", false},
    {"verbose", NULL, "print a line for each case", false},
    {"report", "FILE", "also write a file for bug reports: this test, `gtrain doctor` and a short bench",
     false},
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

/* Reports failures and returns the exit code. */
static int conclude(const gt_selftest_report *report, gt_error *error) {
  if (error->status) return gt_report(error);
  if (!report->failures) return GT_OK;
  gt_fail(error, GT_ERR_INTERNAL, "%d of %d cases failed on %s", report->failed_cases, report->cases,
          report->device);
  return gt_report(error);
}

static int run(const gt_arguments *arguments) {
  gt_error error = {0}, write_error = {0};
  gt_selftest_report report = {0};
  gt_bug_report file;
  const char *path = gt_option_value(arguments, "report"), *device = gt_cli_device(arguments);
  const bool json = gt_flag(arguments, "json");
  gt_selftest_options selftest_options = {.device = device,
                                          .filter = gt_option_value(arguments, "filter"),
                                          .brief = gt_flag(arguments, "brief"),
                                          .one_each = gt_flag(arguments, "one-each"),
                                          .verbose = gt_flag(arguments, "verbose"),
                                          .stream = json ? stderr : stdout,
                                          .json = json ? stdout : NULL};
  if (path && !gt_bug_report_open(&file, path, &error)) return gt_report(&error);
  if (path) {
    selftest_options.device = gt_bug_report_device(&file, device);
    selftest_options.stream = gt_bug_report_tee(&file, selftest_options.stream);
  }
  gt_selftest_run(&selftest_options, &report, &error);
  const bool written = !path || gt_bug_report_finish(&file, &report, &error, device, &write_error);
  const int code = conclude(&report, &error);
  return written ? code : gt_report(&write_error);
}

GT_DEFINE(command, selftest) = {
    .name = "selftest",
    .summary = "check every op on this machine's device and driver",
    .usage = "[options]",
    .details =
        "Compares each op with double precision on the CPU, its derivatives with finite differences, and\n"
        "the device with the CPU. Exit code 70 if a case fails.\n"
        "\n"
        "The report file contains devices, drivers and limits, the output of the test, failures with their\n"
        "cases, and the speeds that a short bench measured. It does not contain the host name, and replaces\n"
        "the home folder by ~.\n",
    .examples = {"gtrain selftest --device cpu --filter matmul", "gtrain selftest --device vulkan --brief"},
    .options = options,
    .run = run,
};
