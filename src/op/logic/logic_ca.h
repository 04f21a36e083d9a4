/* A cellular automaton whose rule is a circuit of soft logic gates (Miotti, Niklasson, Randazzo and
 * Mordvintsev, "Differentiable Logic Cellular Automata", 2025), run for a number of steps
 * (src/op/logic/logic_ca.c).
 *
 * A gate with coefficients c computes c0 + c1 a + c2 b + c3 ab. One step maps the 3x3 neighborhood of each
 * cell to its new state:
 * - perception: for each channel and each of K kernels, layers of gates over the channel's nine values
 *   (row-major from 0, so that the cell itself is number 4). All kernels share the wiring; each has its own
 *   gates.
 * - update: layers over the cell's own channels, followed by the outputs of the perception in the order
 *   (channel, output, kernel). The outputs of the last layer replace the cell's channels.
 * Cells outside the board are zero, or wrap around if the board is periodic. With fire_rate < 1 a cell is
 * updated ("fires") only if a uniform random number is at most fire_rate: one number per cell and step, the
 * same for its channels and for the whole batch (Philox keyed by seed and purpose, draw = the training step,
 * element = CA step * cells + cell).
 *
 * If `bounded`, states between two steps are clamped to [0, 1], because soft gates exceed these bounds by
 * rounding errors: the XOR of two values that exceed a bit by e exceeds it by 2e, so a deep circuit would
 * reach infinity after many steps. The gradient ignores the clamping, so it is exact only where nothing was
 * clamped; checks by finite differences need `bounded` off.
 *
 * In training, states between two steps can be moved towards bits; otherwise soft gates learn to encode more
 * than a bit in a state. `rounding` moves each state by that fraction of the distance to the nearest bit;
 * `sampling` is the probability that a state is replaced by a random bit, which is 1 with the state's value
 * as its probability (Philox, one block per number). The gradient is straight-through (Bengio, Léonard and
 * Courville, "Estimating or Propagating Gradients Through Stochastic Neurons", 2013).
 *
 * Gates are numbered layer by layer, perception first; within a perception layer kernel by kernel. The wiring
 * has the perception's layers once, not for each kernel: [2, wires], first all a, then all b, each an index
 * into the outputs of the layer before.
 *
 * The inverse wiring has, layer by layer, four words for each input of the layer: its first three readers (-1
 * if there are fewer), then 0 or, if there are more readers, the index of a word with the number of the
 * others, which follow that word. A reader is 2 * gate + (1 if it reads the input as b). */
#ifndef GT_OP_LOGIC_CA_H
#define GT_OP_LOGIC_CA_H
#include "graph/graph.h"

/* Maximum numbers of layers, and values in a neighborhood. */
enum { GT_LOGIC_CA_PERCEPTION = 8, GT_LOGIC_CA_UPDATE = 40, GT_LOGIC_CA_LAYERS = 48, GT_LOGIC_CA_PATCH = 9 };

typedef struct gt_logic_ca_attribute {
  uint32_t steps, kernels, periodic, purpose;
  float fire_rate;
  float rounding, sampling;
  uint32_t bounded, sampling_purpose;
  uint32_t perceptions, updates;      /* numbers of layers */
  uint32_t width[GT_LOGIC_CA_LAYERS]; /* of the perception's layers, then of the update's */
  uint32_t final_only; /* of the gradient op: its input is the gradient of the last state only */
} gt_logic_ca_attribute;

typedef struct gt_logic_ca_layer { /* the sizes and offsets of a layer */
  uint32_t width, inputs;          /* for perception: of one kernel and channel */
  uint32_t gate, wire, inverse;    /* indices of its first gate, wire and word of the inverse wiring */
} gt_logic_ca_layer;

/* True if the op needs a clock. */
static inline bool gt_logic_ca_clocked(const gt_logic_ca_attribute *a) {
  return a->fire_rate < 1 || a->sampling > 0;
}

/* The layers of an automaton with this number of channels. */
void gt_logic_ca_layers(const gt_logic_ca_attribute *attribute, uint32_t channels,
                        gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS]);
int64_t gt_logic_ca_gates(const gt_logic_ca_attribute *attribute);
int64_t gt_logic_ca_wires(const gt_logic_ca_attribute *attribute);
int64_t gt_logic_ca_inverse_words(const gt_logic_ca_attribute *attribute, uint32_t channels);
void gt_logic_ca_inverse(const gt_logic_ca_attribute *attribute, uint32_t channels, const int32_t *wiring,
                         int32_t *inverse);
/* False, with an error for the user, if the layers do not fit a state [batch, H, W, C]. */
bool gt_logic_ca_check(const gt_logic_ca_attribute *attribute, gt_shape state, gt_error *error);

/* state F32 [B, H, W, C], coefficients F32 [gates, 4], wiring I32 [2, wires], inverse I32 [inverse words] ->
 * all states F32 [steps + 1, B, H, W, C], the first being `state`. inverse: for the gradient, else GT_NONE;
 * clock: with fire_rate < 1 or sampling > 0, else GT_NONE. The builder sets the purposes in the attribute. */
gt_id gt_logic_ca(gt_graph *graph, gt_id state, gt_id coefficients, gt_id wiring, gt_id inverse, gt_id clock,
                  const gt_logic_ca_attribute *attribute);
#endif
