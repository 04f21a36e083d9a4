#include "base/text.h"
#include "cli/common.h"
#include "layer/inspect.h"
#include <string.h>

static const gt_option options[] = {GT_OPTION_JSON, {NULL, NULL, NULL, false}};

static json_t *tensor_json(gt_container *file, const gt_stored *tensor) {
  json_t *shape = json_array();
  for (int d = 0; d < tensor->shape.rank; d++)
    json_array_append_new(shape, json_integer(tensor->shape.dim[d]));
  return json_pack("{s:s, s:s, s:o}", "name", tensor->name, "dtype",
                   gt_stored_type_name(tensor, &file->arena), "shape", shape);
}

/* Number of inspectors that read the file; other programs do not have gtrain's layers. */
static int inspectors_for(const gt_container *file) { return file->foreign ? 0 : gt_inspector_count(); }

static void print_as_json(gt_container *file) {
  json_t *root = json_object(), *tensors = json_array(), *metadata = json_object();
  for (int i = 0; i < file->entries; i++)
    json_object_set_new(metadata, file->metadata[i].key, json_string(file->metadata[i].value));
  for (int i = 0; i < file->tensors; i++) json_array_append_new(tensors, tensor_json(file, &file->tensor[i]));
  json_object_set_new(root, "metadata", metadata);
  json_object_set_new(root, "tensors", tensors);
  for (int i = 0; i < inspectors_for(file); i++) {
    json_t *object = gt_inspector_at(i)->json(file);
    if (object) json_object_set_new(root, gt_inspector_at(i)->name, object);
  }
  gt_cli_print_json(root);
}

static void print_as_text(gt_container *file, const char *path) {
  char shape[128], size[32], count[32];
  double values = 0, bytes = 0;
  int width = 10;
  for (int i = 0; i < file->tensors; i++) {
    const int length = gt_text_width(file->tensor[i].name);
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
    printf("%*s  %-4s %s\n", gt_padding(width, file->tensor[i].name), "",
           gt_stored_type_name(&file->tensor[i], &file->arena), gt_shape_text(file->tensor[i].shape, shape));
  }
  for (int i = 0; i < inspectors_for(file); i++) gt_inspector_at(i)->print(file, stdout);
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
  const char *path = gt_model_path(arguments->arena, arguments->word[0], &error);
  const int code = path && gt_safetensors_read_any(path, &file, &error) ? GT_OK : gt_report(&error);
  if (!code && gt_flag(arguments, "json"))
    print_as_json(&file);
  else if (!code)
    print_as_text(&file, path);
  if (!code) gt_container_finish(&file);
  return code;
}

GT_DEFINE(command, inspect) = {
    .name = "inspect",
    .summary = "show what a model or checkpoint file holds",
    .usage = "MODEL [options]",
    .details = "MODEL is a model.bin, a safetensors file of any program or a run directory.\n",
    .examples = {"gtrain inspect runs/digits/model.bin", "gtrain inspect runs/digits/model.bin --json"},
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
