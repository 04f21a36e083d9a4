#include "layer/circuit.h"
#include "base/memory.h"
#include <stdio.h>

bool gt_layer_circuit_fail(const gt_layer_circuit *c, const char *why) {
  return gt_fail(c->error, GT_ERR_DATA, "%s: not a circuit of logic gates: layer '%s' (%s) %s", c->path,
                 c->name, c->type, why);
}

bool gt_layer_circuit_start(gt_layer_circuit *c) {
  if (c->source->count) return true;
  if (c->circuit->inputs) return gt_layer_circuit_fail(c, "reads values that are not outputs of other gates");
  const int64_t count = gt_shape_count(c->input);
  if (count < 1 || count >= GT_CIRCUIT_MAX_SIGNALS) return gt_layer_circuit_fail(c, "has too many inputs");
  gt_circuit_init(c->circuit, (uint32_t)count);
  for (uint32_t i = 0; i < (uint32_t)count; i++) *GT_PUSH(c->source) = i;
  return true;
}

bool gt_layer_circuit_pass_through(gt_layer_circuit *c) {
  for (size_t i = 0; i < c->source->count; i++) *GT_PUSH(c->value) = c->source->items[i];
  return true;
}

uint32_t *gt_layer_circuit_alloc_values(gt_layer_circuit *c, size_t count) {
  c->value->items = gt_alloc((count + 1) * sizeof *c->value->items);
  c->value->count = c->value->capacity = count;
  return c->value->items;
}

static const gt_stored *tensor_of(const gt_layer_circuit *c, const char *what) {
  char name[256];
  snprintf(name, sizeof name, "%s.%s", c->name, what);
  return gt_container_tensor(c->file, name);
}

static bool is_matrix(const gt_stored *tensor, gt_dtype dtype, int64_t rows, int64_t columns) {
  return tensor && tensor->dtype == dtype && tensor->shape.rank == 2 && tensor->shape.dim[0] == rows &&
         tensor->shape.dim[1] == columns;
}

bool gt_layer_circuit_read_gates(gt_layer_circuit *c, int64_t gates, int64_t rows, int64_t columns,
                                 const uint8_t **op, const int32_t **wiring) {
  const gt_stored *logits = tensor_of(c, "logits"), *wires = tensor_of(c, "wiring");
  if (!is_matrix(logits, GT_F32, gates, GT_GATE_OPS) || !is_matrix(wires, GT_I32, rows, columns))
    return gt_layer_circuit_fail(c, "has no matching wiring in the file");
  uint8_t *chosen = gt_arena_alloc_n(c->arena, (size_t)gates + 1, sizeof *chosen);
  gt_circuit_choose_functions(logits->data, (size_t)gates, chosen);
  *op = chosen;
  *wiring = wires->data;
  return true;
}
