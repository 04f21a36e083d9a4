/* The functions of `gtrain bench`; each returns the exit code. */
#ifndef GT_CLI_BENCH_H
#define GT_CLI_BENCH_H
#include "cli/common.h"
#include "train/bench/bench.h"
#include <stdio.h>

int gt_cli_bench_train(const gt_arguments *arguments);
int gt_cli_bench_gemm(const gt_arguments *arguments);
int gt_cli_bench_table(const gt_arguments *arguments);

/* Writes the table for the device (named as for gt_backend_open) and the CPU, measured in a few seconds.
 * Omits a software device. */
bool gt_cli_bench_brief(const char *device, FILE *stream, gt_error *error);

/* {"median": …, "min": …, "max": …} in microseconds */
json_t *gt_cli_bench_time_json(const gt_bench_time *time);
#endif
