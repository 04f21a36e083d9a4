/* gt_layer_circuit: a trained layer on its way into a circuit of gates, which it joins by the function
 * `circuit` of its type. Layers are asked in the model's order. The circuit begins where the first layer
 * takes what it reads (gt_layer_circuit_take): those values are its inputs, and layers before that stay
 * outside. Made by whoever reads the model; tensors are those of its file. */
#ifndef GT_LAYER_CIRCUIT_H
#define GT_LAYER_CIRCUIT_H
#include "circuit/circuit.h"
#include "store/safetensors.h"

typedef struct gt_layer_automaton { /* of a model that is one, not a circuit from inputs to outputs */
  bool made;
  gt_circuit_ca ca;       /* its cell is the circuit */
  int64_t height, width;  /* of the boards that it was trained on */
  int64_t steps, outputs; /* how long it ran in training; the first channels, that are its output */
  double fire_rate;
} gt_layer_automaton;

typedef struct gt_layer_circuit {
  gt_circuit *circuit;
  gt_layer_automaton *automaton;
  const char *name, *type; /* of the layer */
  gt_shape input, output;  /* with a batch of 1 */
  gt_signals *source;      /* of the values it reads; empty: not (yet) bits of the circuit */
  gt_signals *value;       /* of those it gives: filled by the layer; left empty, they are no bits */
  bool last;               /* of the model */
  const gt_container *file;
  const char *path;
  gt_arena *arena; /* for what the circuit does not keep */
  gt_error *error;
} gt_layer_circuit;

/* Makes what the layer reads the circuit's inputs, unless they are bits of it already. */
bool gt_layer_circuit_take(gt_layer_circuit *circuit);
/* Gives what it reads, in the same order; nothing outside the circuit. */
bool gt_layer_circuit_pass(gt_layer_circuit *circuit);
/* Room for so many values that it gives: their signals, for the caller to fill in. */
uint32_t *gt_layer_circuit_values(gt_layer_circuit *circuit, size_t count);
/* Its gates in the file: the most likely function of each of so many, from tensor `logits`, and tensor
 * `wiring`, [rows, columns]. False after refusing a file that has others. */
bool gt_layer_circuit_gates(gt_layer_circuit *circuit, int64_t gates, int64_t rows, int64_t columns,
                            const uint8_t **op, const int32_t **wiring);
/* GT_ERR_DATA "…: not a circuit of logic gates: layer 'NAME' (TYPE) …"; false. */
bool gt_layer_circuit_refuse(const gt_layer_circuit *circuit, const char *why);
#endif
