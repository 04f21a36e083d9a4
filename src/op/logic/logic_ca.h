/* A cellular automaton whose rule is a circuit of soft logic gates (Miotti, Niklasson, Randazzo and
 * Mordvintsev, "Differentiable Logic Cellular Automata", 2025), run for a number of steps
 * (src/op/logic/logic_ca.c).
 *
 * A gate with coefficients c gives c0 + c1 a + c2 b + c3 ab. One step makes of each cell's 3x3 neighbourhood:
 *
 * - perception: for each channel and each of K kernels, layers of gates over the channel's nine values
 *   (row-major, the cell itself fourth, counted from 0). All kernels share the wiring; each has gates of its
 *   own.
 *
 * - update: layers over the cell's own channels, followed by what the perception gave, ordered (channel,
 *   output, kernel). The last layer's outputs replace the cell's channels.
 *
 * Beyond the border lie zeros, or the other side of the grid if it is periodic. With fire_rate < 1 a cell
 * takes its new state only where a uniform number is at most that: one number for a cell and step, the same
 * for its channels and for the whole batch (Philox keyed by seed and purpose, draw = the training step,
 * element = CA step * cells + cell).
 *
 * If `bounded`, states between two steps are held in [0, 1], which soft gates leave by errors of rounding:
 * the XOR of two values that lie e beyond a bit lies 2e beyond one, so a deep circuit run for many steps
 * would end with infinities. The gradient does not see it: it is that of the function only where nothing was
 * held, and finite differences need it off.
 *
 * In training, states between two steps may be driven towards bits, since soft gates else learn to tell each
 * other more than bits can: `rounding` moves each that part of the way to the nearest bit; `sampling` is the
 * probability that it is drawn as a bit instead, 1 with the probability that it is itself (Philox, one block
 * a number). The gradient passes as if nothing had happened (straight through: Bengio, Léonard and Courville,
 * "Estimating or Propagating Gradients Through Stochastic Neurons", 2013).
 *
 * Gates are numbered layer by layer, perception first; within a perception layer kernel by kernel. The wiring
 * lists the perception's layers once: [2, wires], first all a, then all b, each an index into the layer
 * before.
 *
 * The inverse wiring gives, layer by layer, four words for each input of the layer: its first three readers,
 * -1 where there are fewer, and where there are more the word at which the others are counted and follow,
 * else 0. A reader is 2 * gate + (1 if it reads the input as b). */
#ifndef GT_OP_LOGIC_CA_H
#define GT_OP_LOGIC_CA_H
#include "graph/graph.h"

enum { GT_LOGIC_CA_PERCEPTION = 8, GT_LOGIC_CA_UPDATE = 40, GT_LOGIC_CA_LAYERS = 48, GT_LOGIC_CA_PATCH = 9 };

typedef struct gt_logic_ca_attribute {
  uint32_t steps, kernels, periodic, purpose;
  float fire_rate;
  float rounding, sampling;
  uint32_t bounded, sampling_purpose;
  uint32_t perceptions, updates;      /* layers */
  uint32_t width[GT_LOGIC_CA_LAYERS]; /* of the perception's layers, then of the update's */
  uint32_t final_only;                /* gradient: only the last state's gradient is given */
} gt_logic_ca_attribute;

typedef struct gt_logic_ca_layer { /* where a layer's numbers lie */
  uint32_t width, inputs;          /* of one kernel and channel, for perception */
  uint32_t gate, wire, inverse;    /* the first of its gates, wires and inverse words */
} gt_logic_ca_layer;

/* A clock is needed. */
static inline bool gt_logic_ca_clocked(const gt_logic_ca_attribute *a) {
  return a->fire_rate < 1 || a->sampling > 0;
}

/* Layers of an automaton with so many channels. */
void gt_logic_ca_layers(const gt_logic_ca_attribute *attribute, uint32_t channels,
                        gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS]);
int64_t gt_logic_ca_gates(const gt_logic_ca_attribute *attribute);
int64_t gt_logic_ca_wires(const gt_logic_ca_attribute *attribute);
int64_t gt_logic_ca_inverse_words(const gt_logic_ca_attribute *attribute, uint32_t channels);
void gt_logic_ca_inverse(const gt_logic_ca_attribute *attribute, uint32_t channels, const int32_t *wiring,
                         int32_t *inverse);
/* False, with the reason as a user's error, for layers that make no automaton of a state [batch, H, W, C]. */
bool gt_logic_ca_check(const gt_logic_ca_attribute *attribute, gt_shape state, gt_error *error);

/* state F32 [B, H, W, C], coefficients F32 [gates, 4], wiring I32 [2, wires], inverse I32 [inverse words] ->
 * all states F32 [steps + 1, B, H, W, C], the first being `state`. inverse: for the gradient, else GT_NONE;
 * clock: with fire_rate < 1 or sampling > 0, else GT_NONE. The attribute's purposes are set here. */
gt_id gt_logic_ca(gt_graph *graph, gt_id state, gt_id coefficients, gt_id wiring, gt_id inverse, gt_id clock,
                  const gt_logic_ca_attribute *attribute);
#endif
