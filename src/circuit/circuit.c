#include "circuit/circuit.h"
#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const gt_gate_op_name[GT_GATE_OPS] = {
    "false",   "a and b",  "a and not b", "a",          "not a and b", "b",          "a xor b",  "a or b",
    "a nor b", "a xnor b", "not b",       "a or not b", "not a",       "not a or b", "a nand b", "true"};

void gt_circuit_init(gt_circuit *circuit, uint32_t inputs) { *circuit = (gt_circuit){.inputs = inputs}; }

void gt_circuit_finish(gt_circuit *circuit) {
  free(circuit->gates.items);
  free(circuit->outputs.items);
  *circuit = (gt_circuit){0};
}

uint32_t gt_circuit_add(gt_circuit *circuit, unsigned op, uint32_t a, uint32_t b) {
  const uint32_t signal = circuit->inputs + (uint32_t)circuit->gates.count;
  assert(op < GT_GATE_OPS && (op == GT_GATE_FALSE || op == GT_GATE_TRUE || (a < signal && b < signal)));
  assert(signal < GT_CIRCUIT_MAX_SIGNALS);
  *GT_PUSH(&circuit->gates) = (gt_circuit_gate){op, a, b};
  return signal;
}

void gt_circuit_add_output(gt_circuit *circuit, uint32_t signal) {
  assert(signal < circuit->inputs + circuit->gates.count);
  *GT_PUSH(&circuit->outputs) = signal;
}

bool gt_circuit_add_layer(gt_circuit *circuit, const gt_circuit_layer *layer, const uint32_t *source,
                          uint32_t count, uint32_t *out, gt_error *error) {
  if (circuit->inputs + circuit->gates.count + layer->gates >= GT_CIRCUIT_MAX_SIGNALS)
    return gt_fail(error, GT_ERR_DATA, "the circuit has more than %u inputs and gates",
                   GT_CIRCUIT_MAX_SIGNALS);
  for (uint32_t g = 0; g < layer->gates; g++) {
    const int32_t a = layer->a[g], b = layer->b[g];
    if (a < 0 || b < 0 || (uint32_t)a >= count || (uint32_t)b >= count)
      return gt_fail(error, GT_ERR_DATA, "gate %u reads inputs %d and %d, but its layer has %u inputs", g, a,
                     b, count);
    out[g] = gt_circuit_add(circuit, layer->op[g] & 15u, source[a], source[b]);
  }
  return true;
}

void gt_circuit_choose_functions(const float *logits, size_t gates, uint8_t *op) {
  for (size_t g = 0; g < gates; g++) {
    const float *row = logits + g * GT_GATE_OPS;
    op[g] = 0;
    for (uint8_t k = 1; k < GT_GATE_OPS; k++)
      if (row[k] > row[op[g]]) op[g] = k;
  }
}

void gt_circuit_evaluate(const gt_circuit *circuit, const uint8_t *in, uint8_t *out) {
  uint8_t *value = gt_alloc(circuit->inputs + circuit->gates.count + 1);
  memcpy(value, in, circuit->inputs);
  for (size_t g = 0; g < circuit->gates.count; g++) {
    const gt_circuit_gate *gate = &circuit->gates.items[g];
    const bool constant = gate->op == GT_GATE_FALSE || gate->op == GT_GATE_TRUE;
    value[circuit->inputs + g] = constant ? gate->op == GT_GATE_TRUE
                                          : (uint8_t)gt_gate_value(gate->op, value[gate->a], value[gate->b]);
  }
  for (size_t i = 0; i < circuit->outputs.count; i++) out[i] = value[circuit->outputs.items[i]];
  free(value);
}

uint32_t gt_circuit_class(const gt_circuit *circuit, const uint8_t *out) {
  const size_t size = circuit->outputs.count / circuit->groups;
  uint32_t best = 0, best_count = 0;
  for (uint32_t k = 0; k < circuit->groups; k++) {
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++) count += out[k * size + i];
    if (count > best_count) best = k, best_count = count;
  }
  return best;
}
