#define _GNU_SOURCE /* memrchr */
#include "base/log.h"
#include "base/stream.h"
#include "base/output.h"
#include "cli/common.h"
#include "export/export.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"format", "FORMAT", "format to write, see above (required)", false, 0, gt_exporter_names},
    {"output", "FILE", "write to FILE instead of standard output", false, 'o', NULL},
    {"name", "NAME", "call the function or module NAME_circuit (default: from FILE or MODEL)", false},
    GT_OPTION_QUIET,
    {NULL, NULL, NULL, false},
};

/* The name for "out/life.c" is life. model.bin is the file name in every run, so its folder gives the name.
 * Names of pipes, such as /dev/fd/63, are not used. */
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

static bool write_text(const char *output, const gt_text *text, gt_error *error) {
  const gt_span piece = {text->items, text->count};
  if (output) return gt_write_output(output, &piece, 1, error);
  if (fwrite(piece.data, 1, piece.size, stdout) == piece.size) return true;
  return gt_fail_errno(error, GT_ERR_IO, "cannot write to standard output");
}

static bool export(const gt_arguments *arguments, const gt_exporter_type *exporter,
                   const gt_model_file *model, gt_error *error) {
  const char *output = gt_option_value(arguments, "output"), *wanted = gt_option_value(arguments, "name");
  if (output && !strcmp(output, "-")) output = NULL;
  char *name = wanted ? gt_export_name(wanted, strlen(wanted)) : default_name(output, model->path);
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  gt_export request = {.model = model, .name = name};
  bool ok = exporter->write(&request, stream, error);
  fclose(stream);
  ok = ok && write_text(output, &text, error);
  if (ok) gt_info("%s: %s%s%s", name, request.summary, output ? ", in " : "", output ? output : "");
  free(text.items);
  free(name);
  return ok;
}

static int report_wrong_format(const gt_arguments *arguments, const char *wanted) {
  char list[512] = "";
  for (int i = 0; i < gt_exporter_count(); i++) {
    const size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s--format %s", i ? " or " : "", gt_exporter_at(i)->name);
  }
  if (!wanted) return gt_usage_error(arguments, "gtrain export needs %s", list);
  return gt_usage_error(
      arguments,
      "unknown format '%s'; use %s (logic-gate models only). For other models: model.bin is "
      "a safetensors file, which Python can load",
      wanted, list);
}

static int run(const gt_arguments *arguments) {
  gt_model_file file = {0};
  gt_error error = {0};
  int code = GT_OK;
  const char *wanted = gt_option_value(arguments, "format");
  const gt_exporter_type *exporter = wanted ? gt_exporter_find(wanted) : NULL;
  if (!exporter) return report_wrong_format(arguments, wanted);
  if (!gt_model_file_read(&file, gt_model_path(arguments->arena, arguments->word[0], &error), &error) ||
      !export(arguments, exporter, &file, &error))
    code = gt_report(&error);
  gt_model_file_finish(&file);
  return code;
}

static void print_formats(FILE *stream) {
  fprintf(stream, "\nFormats:\n");
  for (int i = 0; i < gt_exporter_count(); i++) {
    fprintf(stream, "  %-10s ", gt_exporter_at(i)->name);
    for (const char *c = gt_exporter_at(i)->help; *c; c++) {
      putc(*c, stream);
      if (*c == '\n') fprintf(stream, "%13s", "");
    }
    fprintf(stream, "\n");
  }
}

GT_DEFINE(command, export) = {
    .name = "export",
    .summary = "write a trained model, such as the circuit of a logic model, in another language",
    .usage = "MODEL --format FORMAT [--output FILE] [options]",
    .details = "MODEL is a model.bin or a run directory.\n"
               "A circuit is simplified before it is written; each gate is the most likely function after\n"
               "training. The inputs of a circuit are the bits that the first logic layer reads (after\n"
               "threshold), for an image row by row, channels last.\n",
    .print_details = print_formats,
    .examples = {"gtrain export runs/digits_logic/model.bin --format c --output digits.c",
                 "gtrain export runs/digits_logic/model.bin --format verilog --name digits"},
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
