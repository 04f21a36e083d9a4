/* gt_layer_circuit: converts a trained layer to gates of a circuit, by the function `circuit` of its type.
 * Layers are converted in the model's order. The first layer that calls gt_layer_circuit_start begins the
 * circuit: the values that it reads become the inputs, and earlier layers are not part of it. Created by the
 * code that reads the model; tensors are those of the model file. */
#ifndef GT_LAYER_CIRCUIT_H
#define GT_LAYER_CIRCUIT_H
#include "circuit/circuit.h"
#include "store/safetensors.h"

typedef struct gt_layer_automaton { /* for a model that is an automaton */
  bool is_automaton;                /* true if the model is an automaton */
  gt_circuit_ca ca;                 /* its cell is the circuit */
  int64_t height, width;            /* size of the training boards */
  int64_t steps, outputs; /* number of steps in training; the output is the first `outputs` channels */
  double fire_rate;
} gt_layer_automaton;

typedef struct gt_layer_circuit {
  gt_circuit *circuit;
  gt_layer_automaton *automaton;
  const char *name, *type; /* name and type of the layer */
  gt_shape input, output;  /* shapes with a batch of 1 */
  gt_signals *source;      /* the values that the layer reads; empty: they are not bits of the circuit */
  gt_signals *value;       /* signals of its output, added by the layer; empty: they are not bits */
  bool last;               /* the model's last layer */
  const gt_container *file;
  const char *path;
  gt_arena *arena; /* for temporary memory */
  gt_error *error;
} gt_layer_circuit;

/* Starts the circuit with the values that the layer reads as inputs, unless they are already bits of it. */
bool gt_layer_circuit_start(gt_layer_circuit *circuit);
/* For a layer without gates: its output signals are those that it reads, or none if these are not bits of the
 * circuit. */
bool gt_layer_circuit_pass_through(gt_layer_circuit *circuit);
/* Allocates the signals of this many output values, for the caller to fill in. */
uint32_t *gt_layer_circuit_alloc_values(gt_layer_circuit *circuit, size_t count);
/* Reads the layer's gates from the file: the most likely function of each gate, from tensor `logits`, and
 * tensor `wiring`, [rows, columns]. False after reporting that the tensors have other shapes. */
bool gt_layer_circuit_read_gates(gt_layer_circuit *circuit, int64_t gates, int64_t rows, int64_t columns,
                                 const uint8_t **op, const int32_t **wiring);
/* Reports "…: not a circuit of logic gates: layer 'NAME' (TYPE) WHY" (GT_ERR_DATA); returns false. */
bool gt_layer_circuit_fail(const gt_layer_circuit *circuit, const char *why);
#endif
