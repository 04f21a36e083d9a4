#include "base/log.h"
#include "base/text.h"
#include "backend/backend.h"
#include "cli/check_columns.h"
#include "cli/common.h"
#include "train/config/baseline.h"
#include "train/net/choose.h"
#include "train/config/classes.h"
#include "train/net/footprint.h"
#include "train/config/init_from.h"
#include "train/net/net.h"
#include "train/config/phases.h"
#include "train/eval/sheet.h"
#include "train/config/target_scaling.h"
#include "train/config/task.h"
#include "train/file/tuned_file.h"
#include <string.h>
#include <unistd.h>

static const char *const target_kinds[] = {"cpu", "device", NULL};

static const gt_option options[] = {
    GT_OPTION_SET,
    {"graph", NULL, "print the nodes of the training step", false},
    {"plan", NULL, "print the kernels of the training step, with their memory", false},
    {"choices", NULL, "print the candidates for each kernel, such as tile sizes, with their estimated costs",
     false},
    {"samples", "FILE.png",
     "draw the images of the first training steps as the network sees them, with labels", false},
    {"target", "KIND", "kind of device to plan for: cpu or device (default: cpu)", false, 0, target_kinds},
    {"device", "DEVICE", "plan for this device as a run would: auto, cpu, vulkan or vulkan:N", false, 'd',
     gt_cli_devices},
    GT_OPTION_STRICT,
    {"quiet", NULL, "print errors and warnings only", false, 'q'},
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

/* A device target with the properties of a typical GPU or CPU, so that no device is needed. */
static gt_target typical_target(const gt_arguments *arguments) {
  const char *kind = gt_option_value(arguments, "target");
  if (kind && !strcmp(kind, "device"))
    return (gt_target){.device = true,
                       .subgroup = 32,
                       .max_workgroup = 1024,
                       .shared_bytes = 48 << 10,
                       .units = 64,
                       .max_grid = 65535};
  return (gt_target){.subgroup = 1, .max_workgroup = 1, .units = 8, .max_grid = UINT32_MAX};
}

/* Chooses the device target: that of --device, which is opened only to read its properties; without
 * --device, a typical one. */
static bool choose_target(const gt_arguments *arguments, const gt_config *config, gt_target *target,
                          gt_tuned *tuned, gt_error *error) {
  const char *device = gt_option_value(arguments, "device");
  if (!device) {
    *target = typical_target(arguments);
    return true;
  }
  gt_backend *backend = gt_choose_backend(config, GT_PART_NONE, device, NULL, error);
  if (backend) {
    *target = backend->target;
    gt_tuned_read_cache(tuned, backend);
  }
  gt_backend_close(backend);
  return backend;
}

static void print_layers(const gt_net *net) {
  char shape[128], count[32];
  const gt_model *model = net->model;
  int width = 5, type_width = 14;
  for (int i = 0; i < model->layers; i++) {
    const int name = (int)strlen(model->layer[i].name), type = (int)strlen(model->layer[i].type->name);
    if (name > width) width = name;
    if (type > type_width) type_width = type;
  }
  printf("%-*s  %-*s %-20s %12s  %s\n", width, "layer", type_width, "type", "output", "parameters", "from");
  for (int i = 0; i < model->layers; i++) {
    const gt_model_layer *layer = &model->layer[i];
    printf("%-*s  %-*s %-20s %12lld  ", width, layer->name, type_width, layer->type->name,
           gt_shape_text(layer->output, shape), (long long)layer->parameters);
    for (int k = 0; k < layer->input_count; k++) printf("%s%s", k ? ", " : "", layer->input[k]);
    printf("\n");
  }
  printf("\nparameters      %s", gt_human_count((double)model->store->values, count));
  if (model->store->values >= 1000) printf(" (%lld)", (long long)model->store->values);
  if (model->store->trainable_values != model->store->values)
    printf(", of which %s are trained", gt_human_count((double)model->store->trainable_values, count));
  printf("\n");
}

/* Lists the phases; all other lines of the summary are about the first one. */
static void print_phases(const gt_config *config) {
  for (int p = 0; p < config->phases; p++) {
    const gt_batching batching = gt_phase_batching(&config->phase[p]);
    const int64_t steps = gt_phase_steps(&config->phase[p]), samples = batching.batch * batching.parts;
    printf("%-15s %s%lld step%s of %lld sample%s, optimizer %s\n", p ? "" : "phases", p ? "then " : "",
           (long long)steps, steps == 1 ? "" : "s", (long long)samples, samples == 1 ? "" : "s",
           config->phase[p].optim->type->name);
  }
}

/* The start of a line about a target of the data: "NAME: " if there are several targets, otherwise "". */
static const char *target_prefix(const gt_config *config, int target) {
  const char *name = config->dataset.target[target].name;
  return name ? gt_arena_printf(config->diagnostics.arena, "%s: ", name) : "";
}

/* Prints a line whose text may contain names from files, which are escaped. */
static void print_fact(const char *label, const char *prefix, const char *text) {
  printf("%-15s %s", label, prefix);
  gt_put_text(stdout, text);
  putchar('\n');
}

static void print_task(const gt_config *config) {
  gt_arena *arena = config->diagnostics.arena;
  for (int k = 0; k < config->dataset.targets; k++) {
    const gt_task task = gt_task_of(config, k, arena);
    if (task.kind) print_fact("task", target_prefix(config, k), gt_task_text(&task, arena));
    const gt_class_table counts = gt_class_table_of(&config->dataset, k, arena);
    if (counts.classes) print_fact("classes", target_prefix(config, k), gt_class_table_text(&counts, arena));
  }
  const char *naive = gt_naive_text(config, arena);
  if (naive) printf("naive           %s\n", naive);
}

/* Each class with its number of samples in each split; an empty array if targets are not classes. */
static json_t *classes_json(const gt_config *config, int target) {
  json_t *list = json_array();
  gt_arena *arena = config->diagnostics.arena;
  const gt_class_table counts = gt_class_table_of(&config->dataset, target, arena);
  for (int i = 0; i < counts.classes; i++) {
    json_t *row = json_pack("{s:s}", "name", counts.name[i]);
    for (int s = 0; s < GT_PARTS; s++)
      if (counts.part[s].count)
        json_object_set_new(row, gt_part_keys[s], json_integer(counts.part[s].count[i]));
    json_array_append_new(list, row);
  }
  return list;
}

static void print_targets(const gt_config *config) {
  const char *text = gt_target_scaling_text(config, config->diagnostics.arena);
  if (text) print_fact("targets", "", text);
}

/* Mean and deviation of each scaled target; an empty array if they are not scaled. */
static json_t *scaling_json(const gt_data_target *target) {
  const gt_target_scaling *s = &target->scaling;
  json_t *list = json_array();
  for (int64_t o = 0; o < s->count; o++) {
    json_t *row =
        json_pack("{s:f, s:f}", "mean", (double)s->values[o], "deviation", (double)s->values[s->count + o]);
    if (target->columns) json_object_set_new(row, "name", json_string(target->columns[o]));
    json_array_append_new(list, row);
  }
  return list;
}

/* {"kind": "classification", "text": "classification: 10 classes", "inferred": "the targets are text"},
 * where "inferred" is null if the config states the task. Null if there is no task. */
static json_t *task_json(const gt_config *config, int target) {
  gt_task task = gt_task_of(config, target, config->diagnostics.arena);
  const char *inferred = task.why;
  if (!task.kind) return json_null();
  task.why = NULL;
  return json_pack("{s:s, s:s, s:s?}", "kind", task.kind, "text",
                   gt_task_text(&task, config->diagnostics.arena), "inferred", inferred);
}

static void add_classes(json_t *root, const gt_config *config, int target) {
  json_object_set_new(root, "classes", classes_json(config, target));
  json_object_set_new(root, "scaled_targets", scaling_json(&config->dataset.target[target]));
}

static json_t *targets_json(const gt_config *config) {
  json_t *list = json_array();
  for (int k = 0; k < config->dataset.targets; k++) {
    json_t *object = json_pack("{s:s, s:s, s:f, s:o}", "name", config->dataset.target[k].name, "loss",
                               config->loss[k]->type->name, "weight", config->loss[k]->weight, "task",
                               task_json(config, k));
    add_classes(object, config, k);
    json_array_append_new(list, object);
  }
  return list;
}

/* Adds "task", "columns", "classes" and "scaled_targets"; with several targets, "targets": [{"name": …}] and
 * "columns". */
static void add_data(json_t *root, const gt_config *config) {
  const bool several = config->dataset.targets > 1;
  json_object_set_new(root, several ? "targets" : "task",
                      several ? targets_json(config) : task_json(config, 0));
  json_object_set_new(root, "columns", gt_check_columns_json(&config->dataset));
  if (!several) add_classes(root, config, 0);
}

/* "mse", or "load mse, kind cross_entropy x 0.5" for several targets */
static const char *losses_text(const gt_config *config) {
  gt_arena *arena = config->diagnostics.arena;
  gt_list list = gt_list_open(arena, config->dataset.targets);
  for (int k = 0; k < config->dataset.targets; k++) {
    const char *name = config->dataset.target[k].name;
    const double weight = config->loss[k]->weight;
    const bool weighs = weight < 1 || weight > 1;
    gt_list_add(&list, "%s%s%s%s", name ? name : "", name ? " " : "", config->loss[k]->type->name,
                weighs ? gt_arena_printf(arena, " x %g", weight) : "");
  }
  return list.text;
}

static void print_augment(const gt_augment_list *list) {
  for (int i = 0; list && i < list->items; i++)
    printf("%s%s%s", i ? ", " : "augment         ", list->item[i].type->name,
           i + 1 < list->items ? "" : ", in training\n");
}

static void print_summary(const gt_config *config, const gt_net *net, const gt_footprint *memory) {
  char a[32], b[32], c[32], parts[48] = "";
  const gt_net_work work = gt_net_work_of(net);
  const gt_dataset *data = &config->dataset;
  printf("data            %s: %lld training, %lld validation, %lld test samples\n", data->format,
         (long long)data->split[GT_PART_TRAIN].samples, (long long)data->split[GT_PART_VALIDATION].samples,
         (long long)data->split[GT_PART_TEST].samples);
  if (data->input[0].crop[0])
    printf("crop            %lld x %lld pixels of %lld x %lld, centered in evaluations\n",
           (long long)data->input[0].crop[0], (long long)data->input[0].crop[1],
           (long long)data->input[0].dim[0], (long long)data->input[0].dim[1]);
  if (net->parts > 1) snprintf(parts, sizeof parts, "%lld x ", (long long)net->parts);
  printf("step            batch %s%lld, %lld step%s per epoch, loss %s, optimizer %s\n", parts,
         (long long)net->batch, (long long)net->steps, net->steps == 1 ? "" : "s", losses_text(config),
         config->optim->type->name);
  printf("work            %s%sFLOP per step in %u kernels, %u levels\n", gt_human_count(work.flops, a),
         work.flops < 1000 ? " " : "", work.kernels, work.levels);
  printf("memory          %s: %s dataset, %s parameters and state, ",
         gt_human_bytes((double)memory->total, a), gt_human_bytes((double)memory->dataset, b),
         gt_human_bytes((double)memory->state, c));
  printf("%s values", gt_human_bytes((double)memory->values, a));
  printf(" (%s without reuse)", gt_human_bytes((double)memory->unaliased, a));
  if (memory->evaluation) printf(", %s more for evaluations", gt_human_bytes((double)memory->evaluation, a));
  printf("\n");
  gt_check_print_columns(&config->dataset);
  print_task(config);
  print_targets(config);
  print_augment(config->augment);
  print_phases(config);
}

static json_t *shape_json(gt_shape shape) {
  json_t *array = json_array();
  for (int d = 0; d < shape.rank; d++) json_array_append_new(array, json_integer(shape.dim[d]));
  return array;
}

static json_t *memory_json(const gt_footprint *m) {
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "dataset", (json_int_t)m->dataset, "state",
                   (json_int_t)m->state, "values", (json_int_t)m->values, "values_without_reuse",
                   (json_int_t)m->unaliased, "evaluation", (json_int_t)m->evaluation, "total",
                   (json_int_t)m->total);
}

static void print_json(const gt_config *config, const gt_net *net, const gt_footprint *memory) {
  json_t *layers = json_array();
  for (int i = 0; i < net->model->layers; i++) {
    const gt_model_layer *layer = &net->model->layer[i];
    json_array_append_new(layers, json_pack("{s:s, s:s, s:o, s:I}", "name", layer->name, "type",
                                            layer->type->name, "output", shape_json(layer->output),
                                            "parameters", (json_int_t)layer->parameters));
  }
  const gt_net_work work = gt_net_work_of(net);
  json_t *root = json_pack(
      "{s:o, s:I, s:I, s:I, s:I, s:f, s:i, s:i, s:o, s:s, s:s}", "layers", layers, "parameters",
      (json_int_t)net->model->store->values, "trainable", (json_int_t)net->model->store->trainable_values,
      "batch", (json_int_t)gt_net_rows(net), "steps_per_epoch", (json_int_t)net->steps, "flops_per_step",
      work.flops, "kernels", (int)work.kernels, "levels", (int)work.levels, "memory_bytes",
      memory_json(memory), "loss", losses_text(config), "optimizer", config->optim->type->name);
  add_data(root, config);
  json_object_set_new(root, "findings", gt_cli_findings_json(&config->diagnostics));
  gt_cli_print_json(root);
}

static bool draw_samples(gt_config *config, const char *path, bool quiet, gt_error *error) {
  int64_t shown;
  if (!gt_sheet_write(config, path, &shown, error)) return false;
  if (!quiet) printf("samples         %s: the first %lld\n", path, (long long)shown);
  return true;
}

static int run(const gt_arguments *arguments) {
  gt_config config;
  gt_error error = {0};
  const char *kind = gt_option_value(arguments, "target"), *samples = gt_option_value(arguments, "samples");
  if (kind && strcmp(kind, "cpu") && strcmp(kind, "device"))
    return gt_usage_error(arguments, "--target: expected cpu or device, not '%s'", kind);
  int code = gt_cli_config(arguments, arguments->word[0], !samples, &config);
  if (code) return code;
  gt_tuned tuned = {0};
  gt_net_options net_options = {.tuned = &tuned};
  gt_footprint memory;
  gt_net *net = NULL;
  if (choose_target(arguments, &config, &net_options.target, &tuned, &error))
    net = gt_net_training(arguments->arena, &config, &net_options, &error);
  const gt_init_from *from = config.init_from;
  if (!net ||
      (from && !gt_init_from_apply(from, config.root, &config.dataset, net->model, &config.diagnostics))) {
    code = gt_cli_print_failure(arguments, &config.diagnostics, &error, gt_config_report(&config, &error));
  } else if (gt_flag(arguments, "graph") || gt_flag(arguments, "plan") || gt_flag(arguments, "choices")) {
    for (int i = 0; i < net->stages; i++) {
      if (gt_flag(arguments, "graph")) gt_graph_print(net->stage[i].graph, stdout);
      if (gt_flag(arguments, "plan")) gt_plan_print(net->stage[i].plan, stdout);
      if (gt_flag(arguments, "choices")) gt_plan_print_choices(net->stage[i].plan, stdout);
    }
  } else if (!gt_footprint_of(&memory, arguments->arena, &config, net, &net_options.target, &error)) {
    code = gt_cli_print_failure(arguments, &config.diagnostics, &error, gt_config_report(&config, &error));
  } else if (gt_flag(arguments, "json")) {
    print_json(&config, net, &memory);
  } else if (!gt_flag(arguments, "quiet")) {
    print_layers(net);
    print_summary(&config, net, &memory);
  }
  if (!code && samples &&
      !draw_samples(&config, samples, gt_flag(arguments, "json") || gt_flag(arguments, "quiet"), &error))
    code = gt_cli_print_failure(arguments, &config.diagnostics, &error, gt_config_report(&config, &error));
  gt_tuned_finish(&tuned);
  gt_config_finish(&config);
  return code;
}

GT_DEFINE(command, check) = {
    .name = "check",
    .summary = "check a config and show its model, work and memory; needs no device",
    .usage = "CONFIG [options]",
    .examples = {"gtrain check configs/digits.yaml",
                 "gtrain check configs/digits.yaml --set train.batch_size=32 --plan"},
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
