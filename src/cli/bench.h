/* What `gtrain bench` does, a file each. */
#ifndef GT_CLI_BENCH_H
#define GT_CLI_BENCH_H
#include "cli/common.h"
#include "train/bench.h"

int gt_cli_bench_train(const gt_arguments *arguments);
int gt_cli_bench_gemm(const gt_arguments *arguments);
int gt_cli_bench_table(const gt_arguments *arguments);

/* {"median": …, "min": …, "max": …} */
json_t *gt_cli_bench_time(const gt_bench_time *time);
#endif
