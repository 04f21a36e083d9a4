/* gt_circuit: a netlist of two-input gates: a trained logic model in which each gate is replaced by its most
 * likely function. Signals are numbers: 0 … inputs-1 are the inputs, inputs+g is gate g. A gate reads only
 * signals with smaller numbers, so the list is in topological order. This room does not depend on models,
 * graphs or devices: a circuit is built from plain arrays, simplified (circuit.h), evaluated on many samples
 * at once (sliced.h) and stepped as a cellular automaton (board.h).
 *
 * The number of a gate's function (GT_GATE_…) is its truth table: bit 0 is f(1,1), bit 1 f(1,0), bit 2
 * f(0,1), bit 3 f(0,0). Hence 15 - op is the negation, and 0 … 7 are the functions with f(0,0) = 0.
 *
 * Owner: the caller of init; heap memory, freed by finish. */
#ifndef GT_CIRCUIT_CIRCUIT_H
#define GT_CIRCUIT_CIRCUIT_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  GT_GATE_FALSE,
  GT_GATE_AND,
  GT_GATE_A_NOT_B,
  GT_GATE_A,
  GT_GATE_NOT_A_B,
  GT_GATE_B,
  GT_GATE_XOR,
  GT_GATE_OR,
  GT_GATE_NOR,
  GT_GATE_XNOR,
  GT_GATE_NOT_B,
  GT_GATE_A_OR_NOT_B,
  GT_GATE_NOT_A,
  GT_GATE_NOT_A_OR_B,
  GT_GATE_NAND,
  GT_GATE_TRUE,
  GT_GATE_OPS
};
extern const char *const gt_gate_op_name[GT_GATE_OPS]; /* "false", "a and b", … */

static inline unsigned gt_gate_value(unsigned op, unsigned a, unsigned b) {
  return op >> (3 - 2 * a - b) & 1;
}

typedef struct gt_circuit_gate {
  uint32_t op, a, b;
} gt_circuit_gate;

typedef struct gt_circuit_gates {
  gt_circuit_gate *items;
  size_t count, capacity;
} gt_circuit_gates;

typedef struct gt_signals {
  uint32_t *items;
  size_t count, capacity;
} gt_signals;

typedef struct gt_circuit {
  uint32_t inputs;
  gt_circuit_gates gates;
  gt_signals outputs;
  /* 0: the outputs are the result. Otherwise the outputs form this many consecutive groups of equal size, and
   * the result is the index of the group with the most ones, the first one on a tie. */
  uint32_t groups;
} gt_circuit;

/* Signals are uint32_t, and simplification uses two numbers per signal. */
#define GT_CIRCUIT_MAX_SIGNALS (UINT32_C(1) << 30)

void gt_circuit_init(gt_circuit *circuit, uint32_t inputs);
void gt_circuit_finish(gt_circuit *circuit);                                       /* accepts a zeroed one */
uint32_t gt_circuit_add(gt_circuit *circuit, unsigned op, uint32_t a, uint32_t b); /* returns its signal */
void gt_circuit_add_output(gt_circuit *circuit, uint32_t signal);                  /* adds an output */

/* A layer as stored in a model: gate g is op[g] of signals a[g] and b[g] of its source. */
typedef struct gt_circuit_layer {
  uint32_t gates;
  const int32_t *a, *b;
  const uint8_t *op;
} gt_circuit_layer;

/* Adds a layer that reads signals source[0 … count) and writes the signals of its gates to out[0 …
 * layer->gates). GT_ERR_DATA if its wiring has an index outside the source. */
bool gt_circuit_add_layer(gt_circuit *circuit, const gt_circuit_layer *layer, const uint32_t *source,
                          uint32_t count, uint32_t *out, gt_error *error);

/* A convolution as stored in a model (op/logic/logic_conv.h): kernel k is a tree of gates op[k][…] whose leaf
 * l reads element leaf[k][l] = (row * field + column) * channels + channel of the receptive field. */
typedef struct gt_circuit_convolution {
  uint32_t height, width, channels; /* of the image */
  uint32_t field, stride, padding;  /* field: height and width of the receptive field */
  uint32_t pool;                    /* an output is the OR of a window of pool * pool positions */
  uint32_t rows, columns;           /* output size, after pooling */
  uint32_t kernels, depth;          /* depth: levels of gates in a tree */
  const int32_t *leaf;              /* [kernels, 2^depth] */
  const uint8_t *op;                /* [kernels, 2^depth - 1] */
} gt_circuit_convolution;

/* Adds the kernels at every position; pixels outside the image are false. source: the image's signals
 * [height, width, channels]; out: room for [rows, columns, kernels]. GT_ERR_DATA if a leaf is outside the
 * field. */
bool gt_circuit_add_convolution(gt_circuit *circuit, const gt_circuit_convolution *convolution,
                                const uint32_t *source, uint32_t *out, gt_error *error);
/* Chooses the most likely function of each gate, the first one on a tie, from logits [gates, 16]. */
void gt_circuit_choose_functions(const float *logits, size_t gates, uint8_t *op);

/* Evaluates one sample, gate by gate; the reference for the fast evaluators. in[inputs], out[outputs.count]
 * of 0 and 1. */
void gt_circuit_evaluate(const gt_circuit *circuit, const uint8_t *in, uint8_t *out);
/* The index of the group with the most ones among the output bits, for a circuit with groups. */
uint32_t gt_circuit_class(const gt_circuit *circuit, const uint8_t *out);

/* Computes the same function with fewer gates: folds constants, absorbs copies and negations into the gates
 * that read them, merges gates with equal function and inputs, rewrites gates whose inputs share a source to
 * read that source, and removes gates that no output needs. *out is initialised here. */
void gt_circuit_simplify(const gt_circuit *circuit, gt_circuit *out);

typedef struct gt_circuit_report {              /* how many gates there are, in total and by function */
  size_t gates, active, histogram[GT_GATE_OPS]; /* active: gates whose function is neither a nor b */
} gt_circuit_report;

/* --- cellular automata: the circuit of one cell --- */

enum { GT_CA_PATCH = 9, GT_CA_CENTRE = 4 };

typedef struct gt_circuit_ca {
  /* Input p*channels + c is channel c of the cell at (p/3 - 1, p%3 - 1) from this one, rows before columns;
   * output c is the cell's new channel c. */
  gt_circuit cell;
  uint32_t channels;
  bool periodic; /* the board is a torus; false: cells outside are 0 */
} gt_circuit_ca;

/* The parts of a trained automaton. Perception: `kernels` circuits with the same wiring on the 3×3 patch of
 * each channel, op [kernels, gates] in each layer. Update: on the cell's channels followed by the outputs of
 * perception, ordered (channel, output, kernel); its outputs are the new channels. */
typedef struct gt_ca_parts {
  uint32_t channels, kernels;
  bool periodic;
  const gt_circuit_layer *perception, *update;
  int perception_layers, update_layers;
} gt_ca_parts;
bool gt_circuit_ca_build(gt_circuit_ca *ca, const gt_ca_parts *parts, gt_error *error);
void gt_circuit_ca_finish(gt_circuit_ca *ca); /* accepts a zeroed one */
#endif
