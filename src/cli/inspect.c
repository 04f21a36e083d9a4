#include "base/text.h"
#include "export/circuit_model.h"
#include "cli/common.h"
#include "store/safetensors.h"
#include <string.h>

static const gt_option options[] = {GT_OPTION_JSON, {NULL, NULL, NULL, false}};

static json_t *tensor_json(const gt_stored *tensor) {
  json_t *shape = json_array();
  for (int d = 0; d < tensor->shape.rank; d++)
    json_array_append_new(shape, json_integer(tensor->shape.dim[d]));
  return json_pack("{s:s, s:s, s:o}", "name", tensor->name, "dtype", gt_dtype_name(tensor->dtype), "shape",
                   shape);
}

/* --- gates of logic layers --- */

static json_t *gates_json(const gt_container *file) {
  json_t *layers = json_array();
  const char *name;
  gt_circuit_report report;
  for (int i = 0; gt_container_gates(file, i, &name, &report); i++) {
    json_t *histogram = json_object(), *layer = json_object();
    for (int op = 0; op < GT_GATE_OPS; op++)
      json_object_set_new(histogram, gt_gate_op_name[op], json_integer((json_int_t)report.histogram[op]));
    json_object_set_new(layer, "layer", json_stringn(name, strlen(name) - strlen(".logits")));
    json_object_set_new(layer, "gates", json_integer((json_int_t)report.gates));
    json_object_set_new(layer, "active", json_integer((json_int_t)report.active));
    json_object_set_new(layer, "histogram", histogram);
    json_array_append_new(layers, layer);
  }
  return layers;
}

/* Spaces after a name to fill the column. */
static int pad(int width, const char *name) {
  const int length = (int)strlen(name);
  return length < width ? width - length : 0;
}

static void print_gates(const gt_container *file) {
  gt_circuit_report total = {0}, report;
  const char *name;
  int layers = 0;
  for (; gt_container_gates(file, layers, &name, &report); layers++) {
    char layer[64];
    snprintf(layer, sizeof layer, "%.*s", (int)(strlen(name) - strlen(".logits")), name);
    printf("%s  ", layers ? "" : "\n");
    gt_put_text(stdout, layer);
    printf("%*s %8zu gates, %zu active (%.1f %%)\n", pad(10, layer), "", report.gates, report.active,
           100.0 * (double)report.active / (double)(report.gates ? report.gates : 1));
    total.gates += report.gates;
    total.active += report.active;
    for (int op = 0; op < GT_GATE_OPS; op++) total.histogram[op] += report.histogram[op];
  }
  if (!layers) return;
  printf("\n  gate (hard)       number\n");
  for (int op = 0; op < GT_GATE_OPS; op++)
    printf("  %2d %-13s %7zu  %5.1f %%\n", op, gt_gate_op_name[op], total.histogram[op],
           100.0 * (double)total.histogram[op] / (double)(total.gates ? total.gates : 1));
  printf("  active (not a, b) %6zu  %5.1f %%\n", total.active,
         100.0 * (double)total.active / (double)(total.gates ? total.gates : 1));
}

/* --- the file --- */

static void print_as_json(const gt_container *file) {
  json_t *root = json_object(), *tensors = json_array(), *metadata = json_object();
  for (int i = 0; i < file->entries; i++)
    json_object_set_new(metadata, file->metadata[i].key, json_string(file->metadata[i].value));
  for (int i = 0; i < file->tensors; i++) json_array_append_new(tensors, tensor_json(&file->tensor[i]));
  json_object_set_new(root, "metadata", metadata);
  json_object_set_new(root, "tensors", tensors);
  json_t *gates = gates_json(file);
  if (json_array_size(gates))
    json_object_set_new(root, "gates", gates);
  else
    json_decref(gates);
  gt_cli_print_json(root);
}

static void print_as_text(const gt_container *file, const char *path) {
  char shape[128], size[32], count[32];
  double values = 0, bytes = 0;
  int width = 10;
  for (int i = 0; i < file->tensors; i++) {
    const int length = (int)strlen(file->tensor[i].name);
    if (length > width && length < 60) width = length;
    values += (double)gt_shape_count(file->tensor[i].shape);
    bytes += (double)gt_stored_bytes(&file->tensor[i]);
  }
  gt_put_text(stdout, path);
  printf(": %d tensors, %s values, %s\n\n", file->tensors, gt_human_count(values, count),
         gt_human_bytes(bytes, size));
  for (int i = 0; i < file->tensors; i++) {
    printf("  ");
    gt_put_text(stdout, file->tensor[i].name);
    printf("%*s  %-4s %s\n", pad(width, file->tensor[i].name), "", gt_dtype_name(file->tensor[i].dtype),
           gt_shape_text(file->tensor[i].shape, shape));
  }
  print_gates(file);
  printf("\n");
  for (int i = 0; i < file->entries; i++)
    if (!strchr(file->metadata[i].value, '\n')) {
      printf("  ");
      gt_put_text(stdout, file->metadata[i].key);
      printf(": ");
      gt_put_text(stdout, file->metadata[i].value);
      printf("\n");
    }
  const char *config = gt_container_metadata(file, "config");
  if (config) printf("\n");
  if (config) gt_put_text(stdout, config);
}

static int run(const gt_arguments *arguments) {
  gt_container file;
  gt_error error = {0};
  if (!gt_safetensors_read(arguments->word[0], &file, &error)) return gt_report(&error);
  if (gt_flag(arguments, "json"))
    print_as_json(&file);
  else
    print_as_text(&file, arguments->word[0]);
  gt_container_finish(&file);
  return GT_OK;
}

GT_REGISTER(command, inspect)
extern const gt_command gt_command_inspect;
const gt_command gt_command_inspect = {
    .name = "inspect",
    .summary = "show what a model or checkpoint file holds",
    .usage = "MODEL [options]",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
