/* gt_layer_circuit: converts a trained layer to gates of a circuit, by the function `circuit` of its type.
 * Layers are converted in the model's order. The circuit begins where the first layer calls
 * gt_layer_circuit_take: the values that it reads become the inputs, and earlier layers stay outside. Created
 * by the reader of the model; tensors are those of its file. */
#ifndef GT_LAYER_CIRCUIT_H
#define GT_LAYER_CIRCUIT_H
#include "circuit/circuit.h"
#include "store/safetensors.h"

typedef struct gt_layer_automaton { /* for a model that is an automaton */
  bool made;
  gt_circuit_ca ca;       /* the circuit is its cell */
  int64_t height, width;  /* size of the training boards */
  int64_t steps, outputs; /* number of steps in training; number of first channels that are its output */
  double fire_rate;
} gt_layer_automaton;

typedef struct gt_layer_circuit {
  gt_circuit *circuit;
  gt_layer_automaton *automaton;
  const char *name, *type; /* name and type of the layer */
  gt_shape input, output;  /* shapes with a batch of 1 */
  gt_signals *source;      /* signals of the values it reads; empty: not (yet) bits of the circuit */
  gt_signals *value;       /* signals of its output, filled by the layer; left empty if they are not bits */
  bool last;               /* the model's last layer */
  const gt_container *file;
  const char *path;
  gt_arena *arena; /* for temporary memory */
  gt_error *error;
} gt_layer_circuit;

/* Makes the values that the layer reads inputs of the circuit, unless they are already bits of it. */
bool gt_layer_circuit_take(gt_layer_circuit *circuit);
/* Passes on the values that it reads, in the same order; does nothing outside the circuit. */
bool gt_layer_circuit_pass(gt_layer_circuit *circuit);
/* Allocates the signals of this many output values, for the caller to fill in. */
uint32_t *gt_layer_circuit_values(gt_layer_circuit *circuit, size_t count);
/* Reads its gates from the file: the most likely function of each of this many gates, from tensor `logits`,
 * and tensor `wiring`, [rows, columns]. False after reporting a file whose tensors differ. */
bool gt_layer_circuit_gates(gt_layer_circuit *circuit, int64_t gates, int64_t rows, int64_t columns,
                            const uint8_t **op, const int32_t **wiring);
/* GT_ERR_DATA "…: not a circuit of logic gates: layer 'NAME' (TYPE) …"; false. */
bool gt_layer_circuit_refuse(const gt_layer_circuit *circuit, const char *why);
#endif
