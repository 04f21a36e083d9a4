/* Statistics of the gates in a model file, per layer: each gate as its most likely function. A layer of gates
 * has the tensors NAME.logits [gates, 16] and NAME.wiring. */
#include "base/memory.h"
#include "base/text.h"
#include "circuit/circuit.h"
#include "layer/inspect.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct layer {
  char name[256];
  gt_circuit_report report;
} layer;

/* True if the tensor is the logits of a layer of gates, whose name is then set. */
static bool is_gate_layer(const gt_container *file, const gt_stored *logits, layer *out) {
  char wiring[264];
  const char *dot = strrchr(logits->name, '.');
  if (!dot || strcmp(dot, ".logits") || logits->dtype != GT_F32 || logits->shape.rank != 2 ||
      logits->shape.dim[1] != GT_GATE_OPS)
    return false;
  snprintf(out->name, sizeof out->name, "%.*s", (int)(dot - logits->name), logits->name);
  snprintf(wiring, sizeof wiring, "%s.wiring", out->name);
  return gt_container_tensor(file, wiring);
}

/* Finds the next layer of gates from tensor *at on; false if there is none. */
static bool next_layer(const gt_container *file, int *at, layer *out) {
  while (*at < file->tensors && !is_gate_layer(file, &file->tensor[*at], out)) ++*at;
  if (*at == file->tensors) return false;
  const gt_stored *logits = &file->tensor[(*at)++];
  const size_t gates = (size_t)logits->shape.dim[0];
  uint8_t *op = gt_alloc(gates + 1);
  gt_circuit_choose_functions(logits->data, gates, op);
  gt_circuit_report *report = &out->report;
  *report = (gt_circuit_report){.gates = gates};
  for (size_t g = 0; g < gates; g++) report->histogram[op[g]]++;
  report->active = gates - report->histogram[GT_GATE_A] - report->histogram[GT_GATE_B];
  free(op);
  return true;
}

static json_t *gates_json(const gt_container *file) {
  json_t *layers = NULL;
  layer l;
  for (int at = 0; next_layer(file, &at, &l);) {
    json_t *histogram = json_object(), *object = json_object();
    for (int op = 0; op < GT_GATE_OPS; op++)
      json_object_set_new(histogram, gt_gate_op_name[op], json_integer((json_int_t)l.report.histogram[op]));
    json_object_set_new(object, "layer", json_string(l.name));
    json_object_set_new(object, "gates", json_integer((json_int_t)l.report.gates));
    json_object_set_new(object, "active", json_integer((json_int_t)l.report.active));
    json_object_set_new(object, "histogram", histogram);
    if (!layers) layers = json_array();
    json_array_append_new(layers, object);
  }
  return layers;
}

static double percent(size_t part, size_t whole) {
  return 100.0 * (double)part / (double)(whole ? whole : 1);
}

static void print_gates(const gt_container *file, FILE *stream) {
  gt_circuit_report total = {0};
  layer l;
  int layers = 0;
  for (int at = 0; next_layer(file, &at, &l); layers++) {
    fprintf(stream, "%s  ", layers ? "" : "\n");
    gt_put_text(stream, l.name);
    fprintf(stream, "%*s %8zu gates, %zu active (%.1f %%)\n", gt_padding(10, l.name), "", l.report.gates,
            l.report.active, percent(l.report.active, l.report.gates));
    total.gates += l.report.gates;
    total.active += l.report.active;
    for (int op = 0; op < GT_GATE_OPS; op++) total.histogram[op] += l.report.histogram[op];
  }
  if (!layers) return;
  fprintf(stream, "\n  gate (hard)       number\n");
  for (int op = 0; op < GT_GATE_OPS; op++)
    fprintf(stream, "  %2d %-13s %7zu  %5.1f %%\n", op, gt_gate_op_name[op], total.histogram[op],
            percent(total.histogram[op], total.gates));
  fprintf(stream, "  active %17zu  %5.1f %%\n", total.active, percent(total.active, total.gates));
  fprintf(stream, "  (a gate is active unless its output is a or b)\n");
}

GT_DEFINE(inspector, gates) = {.name = "gates", .print = print_gates, .json = gates_json};
