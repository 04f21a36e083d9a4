/* Builds the circuit of one cell from the parts of a trained automaton. */
#include "circuit/circuit.h"
#include "base/memory.h"
#include <stdlib.h>

void gt_circuit_ca_finish(gt_circuit_ca *ca) {
  gt_circuit_finish(&ca->cell);
  *ca = (gt_circuit_ca){0};
}

/* Adds layers in sequence, with the gates of one kernel. *signals, a heap array of *count inputs, is replaced
 * by the outputs of the last layer. */
static bool add_layers(gt_circuit *circuit, const gt_circuit_layer *layer, int layers, uint32_t kernel,
                       uint32_t **signals, uint32_t *count, gt_error *error) {
  for (int i = 0; i < layers; i++) {
    gt_circuit_layer current = layer[i];
    current.op += (size_t)kernel * current.gates;
    uint32_t *out = gt_alloc(((size_t)current.gates + 1) * sizeof *out);
    const bool ok = gt_circuit_add_layer(circuit, &current, *signals, *count, out, error);
    free(*signals);
    *signals = out;
    *count = current.gates;
    if (!ok) return false;
  }
  return true;
}

/* Adds the perception circuits; perceived: their outputs [channels, outputs of a kernel, kernels]. */
static bool perceive(gt_circuit_ca *ca, const gt_ca_parts *parts, uint32_t bits, uint32_t *perceived,
                     gt_error *error) {
  for (uint32_t c = 0; c < parts->channels; c++)
    for (uint32_t k = 0; k < parts->kernels; k++) {
      uint32_t count = GT_CA_PATCH, *signals = gt_alloc(GT_CA_PATCH * sizeof *signals);
      for (uint32_t p = 0; p < GT_CA_PATCH; p++) signals[p] = p * parts->channels + c;
      const bool ok =
          add_layers(&ca->cell, parts->perception, parts->perception_layers, k, &signals, &count, error);
      for (uint32_t o = 0; o < bits && ok; o++) perceived[(c * bits + o) * parts->kernels + k] = signals[o];
      free(signals);
      if (!ok) return false;
    }
  return true;
}

bool gt_circuit_ca_build(gt_circuit_ca *ca, const gt_ca_parts *parts, gt_error *error) {
  *ca = (gt_circuit_ca){.channels = parts->channels, .periodic = parts->periodic};
  if (!parts->channels || !parts->kernels || parts->perception_layers < 1 || parts->update_layers < 1 ||
      parts->update[parts->update_layers - 1].gates != parts->channels)
    return gt_fail(
        error, GT_ERR_DATA,
        "an automaton must have channels, kernels and layers, and its last update layer a gate for each channel");
  const uint32_t bits = parts->perception[parts->perception_layers - 1].gates;
  const uint64_t inputs = parts->channels + (uint64_t)parts->channels * bits * parts->kernels;
  if (inputs >= GT_CIRCUIT_MAX_SIGNALS) return gt_fail(error, GT_ERR_DATA, "the automaton is too large");
  gt_circuit_init(&ca->cell, GT_CA_PATCH * parts->channels);
  uint32_t count = (uint32_t)inputs, *signals = gt_alloc(inputs * sizeof *signals);
  for (uint32_t c = 0; c < parts->channels; c++) signals[c] = GT_CA_CENTRE * parts->channels + c;
  const bool ok = perceive(ca, parts, bits, signals + parts->channels, error) &&
                  add_layers(&ca->cell, parts->update, parts->update_layers, 0, &signals, &count, error);
  for (uint32_t c = 0; c < parts->channels && ok; c++) gt_circuit_add_output(&ca->cell, signals[c]);
  free(signals);
  if (!ok) gt_circuit_ca_finish(ca);
  return ok;
}
