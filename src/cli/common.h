/* Shared by several commands: overrides, gates, results as JSON. */
#ifndef GT_CLI_COMMON_H
#define GT_CLI_COMMON_H
#include "cli/command.h"
#include "train/config/results.h"
#include "train/run/run.h"
#include <jansson.h>

/* The replacements of config values that the command line names, as "KEY=VALUE": those of --set, then those
 * of
 * --init and --data. In the arena. */
const char *const *gt_cli_overrides(const gt_arguments *arguments, gt_arena *arena, int *count);
/* Reads CONFIG: a file, "-" for standard input, or "@NAME" for one that comes with gtrain (cli/shipped.h);
 * reports errors and findings. GT_OK, or the exit code. outline: see gt_config_read. */
int gt_cli_config(const gt_arguments *arguments, const char *path, bool outline, gt_config *config);

/* With --json, prints an object with the errors and findings in place of the result. error: may be NULL.
 * Returns `code`. */
int gt_cli_print_failure(const gt_arguments *arguments, const gt_diagnostics *diagnostics,
                         const gt_error *error, int code);

/* Prints the findings that have not been printed. With --strict, findings are an error: reports it and
 * returns `code`. Otherwise GT_OK. */
int gt_cli_findings(const gt_arguments *arguments, gt_diagnostics *diagnostics, gt_status code);
/* The findings as a JSON array of objects: name, text, help, file, line, column. */
json_t *gt_cli_findings_json(const gt_diagnostics *diagnostics);

/* The `data:` map of the config inside a model, with the replacements of the command line, each of which must
 * begin with one of `settings` (NULL-terminated): "data.header=" for a key, "data." for all keys. *out is
 * NULL if there is no such map. False after an error, in diagnostics or *error. */
bool gt_cli_model_data(const gt_arguments *arguments, gt_arena *arena, const gt_model_file *file,
                       const char *const *settings, const gt_spec **out, gt_diagnostics *diagnostics,
                       gt_error *error);
/* Reads the model at a path and its config, applies the replacements of the command line, and opens the data
 * that the resulting config names. False after an error. */
bool gt_cli_open_model(const gt_arguments *arguments, gt_arena *arena, const char *path, bool only_test,
                       gt_model_file *file, gt_config *config, gt_error *error);
/* Reports errors of a command on a model. Without --set they are errors of the model file, not of the user's
 * config. Returns the exit code. */
int gt_cli_model_report(const gt_arguments *arguments, gt_diagnostics *diagnostics, const gt_error *error);

/* --memory-limit: bytes, 0 if it is not given. False after a usage error if it is not a size. */
bool gt_cli_memory_limit(const gt_arguments *arguments, uint64_t *bytes);

/* Writes a JSON value on one line, without a newline, and frees it. */
void gt_cli_write_json(FILE *stream, json_t *value);
void gt_cli_print_json(json_t *value); /* the same to stdout, with a newline */

/* A gate, in the sense of a quality gate: the condition of --fail-if 'accuracy<0.97'. If it is true, the gate
 * fails and the exit code is GT_ERR_GATE. (The gates of circuits are gt_circuit's.) */
typedef struct gt_gate {
  const char *text, *metric; /* the whole condition, and what it compares */
  char op[3];                /* "<", "<=", … */
  double limit;
  gt_result_id result; /* of a metric, once the data is known (result_gates.h) */
} gt_gate;
typedef struct gt_gate_metrics { /* what --fail-if may name */
  const char *const *name;
  int count;
  bool of_results; /* also names of results (train/config/result.h) */
} gt_gate_metrics;
/* Reads every --fail-if of the command line. False after a usage error. */
bool gt_cli_gates(const gt_arguments *arguments, const gt_gate_metrics *metrics, gt_gate **gates,
                  int *gate_count);
/* True if this value of the metric fails the gate, which is reported as an error. NaN fails every gate. */
bool gt_gate_fails(const gt_gate *gate, double value);

/* Prints "next: gtrain COMMAND MODEL" to stderr if that is a terminal. COMMAND is the one that suits the
 * model (gt_command.suits), otherwise eval. */
void gt_cli_suggest_next(const char *model);
#endif
