/* The parts of `gtrain bench`, one file each. */
#ifndef GT_CLI_BENCH_H
#define GT_CLI_BENCH_H
#include "cli/common.h"
#include "train/bench.h"
#include <stdio.h>

int gt_cli_bench_train(const gt_arguments *arguments);
int gt_cli_bench_gemm(const gt_arguments *arguments);
int gt_cli_bench_table(const gt_arguments *arguments);

/* Writes the table for the device (as in gt_backend_open) and the CPU, measured in a few seconds; for the CPU
 * only if the device is a software one. */
bool gt_cli_bench_brief(const char *device, FILE *stream, gt_error *error);

/* {"median": …, "min": …, "max": …} */
json_t *gt_cli_bench_time(const gt_bench_time *time);
#endif
