#define _GNU_SOURCE /* open_memstream */
#include "base/log.h"
#include "base/output.h"
#include "circuit/export.h"
#include "cli/circuit_model.h"
#include "cli/common.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"format", "FORMAT", "c or verilog (required)", false},
    {"output", "FILE", "write to FILE instead of standard output", false},
    {"name", "NAME", "of the function or module (default: from FILE or MODEL)", false},
    GT_OPTION_QUIET,
    {NULL, NULL, NULL, false},
};

typedef void (*format)(FILE *file, const gt_export *export);

static format format_named(const char *name) {
  if (name && !strcmp(name, "c")) return gt_export_c;
  if (name && !strcmp(name, "verilog")) return gt_export_verilog;
  return NULL;
}

/* "out/life.c" is called life; model.bin, the name of every run's model, is called as its folder is. What a
 * shell calls its pipes, /dev/fd/63, is no name. */
static char *default_name(const char *output, const char *model) {
  if (output && !strncmp(output, "/dev/", 5)) output = NULL;
  const char *path = output ? output : model, *slash = strrchr(path, '/');
  if (!output && slash && slash > path && !strcmp(slash, "/model.bin")) {
    const char *folder = memrchr(path, '/', (size_t)(slash - path));
    folder = folder ? folder + 1 : path;
    return gt_export_name(folder, (size_t)(slash - folder));
  }
  const char *base = slash ? slash + 1 : path, *dot = strchr(base, '.');
  return gt_export_name(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static bool write_text(const char *output, const char *text, size_t size, gt_error *error) {
  const gt_span piece = {text, size};
  if (output) return gt_write_output(output, &piece, 1, error);
  if (fwrite(text, 1, size, stdout) == size) return true;
  return gt_fail_errno(error, GT_ERR_IO, "cannot write to standard output");
}

static bool export(const gt_arguments *arguments, gt_model_circuit *circuit, gt_error *error) {
  const char *output = gt_option_value(arguments, "output"), *wanted = gt_option_value(arguments, "name");
  const size_t before = gt_model_circuit_of(circuit)->gates.count;
  gt_model_circuit_simplify(circuit);
  const gt_circuit *simple = gt_model_circuit_of(circuit);
  char *name = wanted ? gt_export_name(wanted, strlen(wanted)) : default_name(output, arguments->word[0]),
       *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  const gt_export what = {.name = name,
                          .circuit = simple,
                          .ca = circuit->automaton ? &circuit->ca : NULL,
                          .gates_before = before};
  if (stream) format_named(gt_option_value(arguments, "format"))(stream, &what);
  bool ok = stream && !ferror(stream);
  if (stream && fclose(stream)) ok = false;
  ok = ok ? write_text(output, text, size, error)
          : gt_fail(error, GT_ERR_MEMORY, "out of memory while writing the circuit");
  if (ok)
    gt_info("%s: %zu gates, %zu after simplification, %u inputs, %zu outputs%s%s", name, before,
            simple->gates.count, simple->inputs, simple->outputs.count, output ? ", in " : "",
            output ? output : "");
  free(text);
  free(name);
  return ok;
}

static int run(const gt_arguments *arguments) {
  gt_model_file file = {0};
  gt_model_circuit circuit = {0};
  gt_error error = {0};
  int code = GT_OK;
  const char *wanted = gt_option_value(arguments, "format");
  if (!format_named(wanted))
    return gt_usage_error(arguments, "gtrain export needs --format c or --format verilog%s%s%s",
                          wanted ? ", not '" : "", wanted ? wanted : "", wanted ? "'" : "");
  if (!gt_model_file_read(&file, arguments->word[0], &error) ||
      !gt_model_circuit_read(&circuit, &file, &error) || !export(arguments, &circuit, &error))
    code = gt_report(&error);
  gt_model_circuit_finish(&circuit);
  gt_model_file_finish(&file);
  return code;
}

GT_REGISTER(command, export)
extern const gt_command gt_command_export;
const gt_command gt_command_export = {
    .name = "export",
    .summary = "write the circuit of a logic model as C or Verilog",
    .usage = "MODEL --format c|verilog [--output FILE] [options]",
    .details =
        "The circuit, each gate the one that training came to, is simplified first. Its inputs are the bits that\n"
        "the first logic layer reads (after threshold); those of an image row by row, channels last.\n"
        "  C: one file, bit-sliced. cc -O3 -march=native -DGTRAIN_MAIN FILE makes a program that reads samples of\n"
        "     digits 0 and 1 and prints their classes, or steps a board (HEIGHT WIDTH STEPS); --bench measures it.\n"
        "  Verilog: one synthesizable file; iverilog -DTESTBENCH FILE makes a test bench of it.\n",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
