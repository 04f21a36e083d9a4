/* Format `table`: a few samples written in the config itself, for example XOR. */
#include "base/memory.h"
#include "data/format.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct pair {
  const gt_spec *inputs, *targets;
} pair;
typedef struct options {
  const gt_spec *inputs, *targets;
  pair test;
} options;

static const gt_field pair_fields[] = {
    GT_ROW(pair, inputs, GT_FIELD_NODE, .definition = "named", .help = "list of samples"),
    GT_ROW(pair, targets, GT_FIELD_NODE, .definition = "named", .help = "list of targets"),
    {.name = NULL},
};
static const gt_schema pair_schema = {
    .name = "table", .help = "samples and their targets", .fields = pair_fields};

static const gt_field fields[] = {
    GT_ROW(options, inputs, GT_FIELD_NODE, .definition = "named", .flags = GT_FIELD_REQUIRED,
           .help = "list of samples: [[0, 0], [0, 1]]; for several inputs, a map from names to such lists"),
    GT_ROW(options, targets, GT_FIELD_NODE, .definition = "named", .flags = GT_FIELD_REQUIRED,
           .help = "list of targets: [[0], [1]] for regression, [0, 1] for classes; for several targets, a "
                   "map from names to such lists"),
    GT_ROW(options, test, GT_FIELD_MAP, .sub = &pair_schema,
           .help = "inputs and targets of the test split (default: the training samples)"),
    {.name = NULL},
};

static bool report(gt_data_reader *reader, const gt_spec *node, const char *what, const char *expected) {
  return gt_refuse(reader->diagnostics, node->at, expected, "%s", what);
}

static bool read_number(gt_data_reader *reader, const gt_spec *node, float *out) {
  double value;
  if (node->kind != GT_SPEC_SCALAR || !gt_spec_float(node, &value) || !isfinite((float)value))
    return report(reader, node, "this is not a number", "a finite number");
  *out = (float)value;
  return true;
}

/* Reads [[a, b], [c, d]] or [a, b] as F32 [n, k]. */
static bool read_table(gt_data_reader *reader, const gt_spec *node, gt_tensor *out) {
  if (node->kind != GT_SPEC_SEQUENCE || !node->count)
    return report(reader, node, "this is not a list of samples", "a list such as [[0, 0], [0, 1]]");
  const bool flat = node->child[0]->kind == GT_SPEC_SCALAR;
  const int columns = flat ? 1 : node->child[0]->count;
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {node->count, columns}};
  if (!flat && (node->child[0]->kind != GT_SPEC_SEQUENCE || !columns))
    return report(reader, node->child[0], "this is not a sample", "a list of numbers");
  if (!gt_tensor_alloc(out, "the table", reader->error)) return false;
  float *to = out->data;
  for (int i = 0; i < node->count; i++) {
    const gt_spec *row = node->child[i];
    if (flat) {
      if (!read_number(reader, row, to++)) return false;
      continue;
    }
    if (row->kind != GT_SPEC_SEQUENCE || row->count != columns)
      return report(reader, row, "this row and the first one have different lengths",
                    gt_arena_printf(reader->arena, "a list of %d numbers", columns));
    for (int k = 0; k < columns; k++)
      if (!read_number(reader, row->child[k], to++)) return false;
  }
  return true;
}

/* Fails if the loss does not allow a value. targets: F32 [n, k], read from the node. */
static bool check_targets(gt_data_reader *reader, const gt_spec *node, int index, const gt_tensor *targets) {
  char why[128];
  const int64_t columns = targets->dim[1];
  for (int64_t i = 0; i < targets->dim[0] * columns; i++) {
    const gt_spec *row = node->child[i / columns];
    if (!gt_data_target_fits(reader, index, (double)((const float *)targets->data)[i], why))
      return report(reader, row->kind == GT_SPEC_SEQUENCE ? row->child[i % columns] : row,
                    gt_arena_strdup(reader->arena, why), NULL);
  }
  return true;
}

static bool is_label(float value) {
  return value >= 0 && value < GT_DATA_MAX_CLASSES && value == floorf(value);
}

static bool to_labels(gt_data_reader *reader, const gt_spec *node, gt_tensor *targets) {
  if (targets->dim[1] != 1) return report(reader, node, "expected one class label per sample", "[0, 1, …]");
  gt_tensor labels = {.element = GT_ELEMENT_I32, .rank = 1, .dim = {targets->dim[0]}};
  if (!gt_tensor_alloc(&labels, "labels", reader->error)) return false;
  const float *from = targets->data;
  for (int64_t i = 0; i < targets->dim[0]; i++) {
    if (is_label(from[i])) {
      ((int32_t *)labels.data)[i] = (int32_t)from[i];
      continue;
    }
    gt_tensor_finish(&labels);
    return report(reader, node->child[i], "this is not a class label", "a whole number from 0");
  }
  gt_tensor_finish(targets);
  *targets = labels;
  return true;
}

/* True if the targets are class labels: a flat list of whole numbers; [[0], [1]] are numbers. */
static bool decide_task(const gt_data_reader *reader, const gt_spec *node, int index,
                        const gt_tensor *targets) {
  if (reader->task[index] != GT_TASK_AUTO) return reader->task[index] == GT_TASK_CLASSIFICATION;
  bool whole = node->child[0]->kind == GT_SPEC_SCALAR && !gt_data_has_quantities(reader);
  for (int i = 0; i < node->count && whole; i++)
    whole = is_label(((const float *)targets->data)[i]) && !strpbrk(node->child[i]->scalar, ".eE");
  return whole;
}

static bool read_input(gt_data_reader *reader, const gt_spec *inputs, const char *split, int index,
                       gt_tensor *out) {
  const gt_spec *node = gt_data_input_node(reader, inputs, split, index);
  if (!node || !read_table(reader, node, out)) return false;
  if (reader->dataset->input[index].element != GT_ELEMENT_I32) return true;
  return gt_data_to_integers("the table", out, reader->error);
}

static bool read_target(gt_data_reader *reader, const gt_spec *targets, int part, int index, gt_tensor *out) {
  gt_data_target *target = &reader->dataset->target[index];
  const gt_spec *node = gt_data_target_node(reader, targets, gt_data_part_names[part], index);
  if (!node || !read_table(reader, node, out)) return false;
  if (part == GT_PART_TRAIN) target->classification = decide_task(reader, node, index, out);
  return target->classification ? to_labels(reader, node, out) : check_targets(reader, node, index, out);
}

static bool read_split(gt_data_reader *reader, pair nodes, int part) {
  const gt_dataset *dataset = reader->dataset;
  gt_split *out = &reader->dataset->split[part];
  for (int k = 0; k < dataset->inputs; k++)
    if (!read_input(reader, nodes.inputs, gt_data_part_names[part], k, gt_split_new(out, GT_SAMPLE_INPUT, k)))
      return false;
  for (int k = 0; k < dataset->targets; k++)
    if (!read_target(reader, nodes.targets, part, k, gt_split_new(out, GT_SAMPLE_TARGET, k))) return false;
  out->samples = gt_split_input(out, 0)->dim[0];
  bool same = true;
  for (int i = 0; i < out->items; i++) same &= out->item[i].tensor.dim[0] == out->samples;
  return same || report(reader, nodes.targets, "the numbers of samples and targets differ",
                        gt_arena_printf(reader->arena, "%" PRId64 " targets", out->samples));
}

static bool open_table(gt_data_reader *reader, const void *given) {
  const options *o = given;
  pair train = {o->inputs, o->targets}, test = o->test;
  if (!train.inputs || !train.targets) return false; /* already reported as missing */
  if (!test.inputs != !test.targets)
    return report(reader, gt_data_node(reader, "test", NULL), "the test split is incomplete",
                  "test: {inputs: […], targets: […]}");
  reader->train_name = reader->test_name = "targets";
  return gt_data_name_inputs(reader, train.inputs) &&
         gt_data_name_targets(reader, train.targets->kind == GT_SPEC_MAP ? train.targets : NULL) &&
         read_split(reader, train, GT_PART_TRAIN) &&
         read_split(reader, test.inputs ? test : train, GT_PART_TEST);
}

static bool probe(const gt_data_probe *p) {
  const gt_spec *inputs = p->spec ? gt_spec_find(p->spec, "inputs") : NULL;
  return inputs && inputs->kind != GT_SPEC_SCALAR && gt_spec_find(p->spec, "targets");
}

const gt_data_format gt_data_table = {
    .name = "table",
    .schema = GT_SCHEMA("table", "samples written in the config itself", fields),
    .options_size = sizeof(options),
    .probe = probe,
    .open = open_table,
};
GT_REGISTER(data, table)
