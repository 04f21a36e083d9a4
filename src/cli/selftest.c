#include "cli/common.h"
#include "selftest/selftest.h"

static const gt_option options[] = {
    GT_OPTION_DEVICE,
    {"filter", "TEXT", "only families whose name contains it; !TEXT: all others; both, joined by commas",
     false},
    {"brief", NULL, "leave out cases that say little beside others, where kernels take long to compile",
     false},
    {"verbose", NULL, "a line for each case", false},
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

static int run(const gt_arguments *arguments) {
  gt_error error = {0};
  gt_selftest_report report = {0};
  const bool json = gt_flag(arguments, "json");
  const gt_selftest_options wanted = {.device = gt_cli_device(arguments),
                                      .filter = gt_option_value(arguments, "filter"),
                                      .brief = gt_flag(arguments, "brief"),
                                      .verbose = gt_flag(arguments, "verbose"),
                                      .stream = json ? stderr : stdout,
                                      .json = json ? stdout : NULL};
  if (!gt_selftest_run(&wanted, &report, &error)) return gt_report(&error);
  if (!report.failures) return GT_OK;
  gt_fail(&error, GT_ERR_INTERNAL, "%d of %d cases failed on %s", report.failed_cases, report.cases,
          report.device);
  return gt_report(&error);
}

GT_REGISTER(command, selftest)
extern const gt_command gt_command_selftest;
const gt_command gt_command_selftest = {
    .name = "selftest",
    .summary = "check every op on this machine's device and driver",
    .usage = "[options]",
    .details =
        "Each op is compared with double precision on the CPU, its derivatives with finite differences, and\n"
        "the device with the CPU. Exit code 70 when a case fails.\n",
    .examples = {"gtrain selftest --device cpu --filter matmul", "gtrain selftest --device vulkan --brief"},
    .options = options,
    .run = run,
};
