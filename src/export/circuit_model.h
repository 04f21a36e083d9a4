/* The circuit of a trained logic model, from its file: each gate its most likely function. A dense or
 * convolutional model's inputs are the values that its first logic layer reads: the bits that come out of the
 * layers before it (threshold), those of an image row by row, channels last. Kernels of a convolution stand
 * at every position, what pools them is gates, too. An automaton's circuit is that of one cell. */
#ifndef GT_EXPORT_CIRCUIT_MODEL_H
#define GT_EXPORT_CIRCUIT_MODEL_H
#include "layer/circuit.h"
#include "train/model_file.h"

typedef struct gt_model_circuit {
  gt_circuit circuit;
  gt_layer_automaton automaton; /* if it is made, this is the model, and its cell the circuit */
} gt_model_circuit;

/* The circuit as trained, or simplified. GT_ERR_DATA, naming the layer, if a model is not all gates. */
bool gt_model_circuit_read(gt_model_circuit *out, const gt_model_file *file, gt_error *error);
void gt_model_circuit_simplify(gt_model_circuit *circuit);
void gt_model_circuit_finish(gt_model_circuit *circuit); /* accepts a zeroed one */
const gt_circuit *gt_model_circuit_of(const gt_model_circuit *circuit);
#endif
