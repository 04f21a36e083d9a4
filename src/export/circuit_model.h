/* The circuit of a trained logic model, read from its file: each gate becomes its most likely function. The
 * inputs of a dense or convolutional model are the values that its first logic layer reads: the bits that
 * the layers before it (such as threshold) compute, for an image row by row, channels last. Kernels of a
 * convolution are copied to every position; pooling becomes gates, too. The circuit of an automaton is that
 * of one cell. */
#ifndef GT_EXPORT_CIRCUIT_MODEL_H
#define GT_EXPORT_CIRCUIT_MODEL_H
#include "layer/circuit.h"
#include "train/file/model_file.h"

typedef struct gt_model_circuit {
  gt_circuit circuit;           /* empty if the model is an automaton */
  gt_layer_automaton automaton; /* if `is_automaton`, the model is this one; its circuit is ca.cell */
} gt_model_circuit;

/* Reads the circuit as trained. GT_ERR_DATA, naming the layer, if a layer cannot become gates. */
bool gt_model_circuit_read(gt_model_circuit *out, const gt_model_file *file, gt_error *error);
/* Replaces the circuit by its simplified form (gt_circuit_simplify). */
void gt_model_circuit_simplify(gt_model_circuit *circuit);
void gt_model_circuit_finish(gt_model_circuit *circuit); /* accepts a zeroed one */
/* The circuit of the model, or of one cell if the model is an automaton. */
const gt_circuit *gt_model_circuit_of(const gt_model_circuit *circuit);
#endif
