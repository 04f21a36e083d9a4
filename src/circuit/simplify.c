/* Simplification in one forward pass over the gates and one backward pass from the outputs.
 *
 * The forward pass builds a network whose nodes are gates with f(0,0) = 0 that read two different nodes. A
 * *literal* is a node or its negation, as a number: 2 * node, + 1 if negated. Every gate of the circuit
 * becomes a literal. All 16 functions are available, so negations, copies and constants are absorbed by the
 * gates that read them. A hash table finds nodes that already exist. */
#include "circuit/circuit.h"
#include "base/arena.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { FALSE_NODE = 0 }; /* the first node; then the inputs, then the gates */

typedef struct network {
  gt_arena arena; /* working memory, of the way back to a circuit, too */
  gt_circuit_gates node;
  uint32_t first;        /* index of the first gate */
  uint32_t *table, mask; /* hash table of nodes; its size - 1 */
} network;

/* The truth table of a function with input a negated, with b negated, with a and b exchanged. */
static unsigned negate_a(unsigned op) { return (op >> 2 | op << 2) & 15; }
static unsigned negate_b(unsigned op) { return (op >> 1 & 5) | (op << 1 & 10); }
static unsigned swap_inputs(unsigned op) { return (op & 9) | (op >> 1 & 2) | (op << 1 & 4); }

/* --- the table of nodes --- */

static uint32_t slot_of(const network *n, unsigned op, uint32_t a, uint32_t b) {
  uint64_t key = ((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15ull + op * 0xC2B2AE3D27D4EB4Full;
  key ^= key >> 29;
  uint32_t slot = (uint32_t)(key * 0xBF58476D1CE4E5B9ull >> 32) & n->mask;
  for (;; slot = (slot + 1) & n->mask) {
    const uint32_t found = n->table[slot];
    if (!found) return slot;
    const gt_circuit_gate *node = &n->node.items[found];
    if (node->op == op && node->a == a && node->b == b) return slot;
  }
}

static void make_table(network *n, size_t gates) {
  n->mask = 15;
  while (n->mask < 2 * gates) n->mask = 2 * n->mask + 1;
  n->table = GT_NEW_N(&n->arena, uint32_t, (size_t)n->mask + 1); /* node 0 marks an empty entry */
}

static uint32_t node_of(network *n, unsigned op, uint32_t a, uint32_t b) {
  const uint32_t slot = slot_of(n, op, a, b);
  if (!n->table[slot]) {
    n->table[slot] = (uint32_t)n->node.count;
    *GT_PUSH(&n->node) = (gt_circuit_gate){op, a, b};
  }
  return n->table[slot];
}

/* --- gates become literals --- */

/* The literal of a function of one node, given as f(0) and f(1). */
static uint32_t unary(unsigned at_0, unsigned at_1, uint32_t node) {
  return at_0 == at_1 ? 2 * FALSE_NODE + at_0 : 2 * node + at_0;
}

/* Value of node k if x has value vx and y has vy; k is x, y or a gate that reads both. */
static unsigned value_of(const network *n, uint32_t k, uint32_t x, uint32_t y, unsigned vx, unsigned vy) {
  if (k == x) return vx;
  if (k == y) return vy;
  return gt_gate_value(n->node.items[k].op, vx, vy);
}

/* The truth table of op(a, b) as a function of x and y, where a and b each are x, y or a gate that reads
 * both. */
static unsigned compose(const network *n, unsigned op, uint32_t a, uint32_t b, uint32_t x, uint32_t y) {
  unsigned result = 0;
  for (unsigned i = 0; i < 4; i++) {
    const unsigned vx = i >> 1 ^ 1, vy = (i & 1) ^ 1;
    const unsigned value = gt_gate_value(op, value_of(n, a, x, y, vx, vy), value_of(n, b, x, y, vx, vy));
    result |= value << i;
  }
  return result;
}

/* If a and b depend only on the two inputs of one of them, rewrites the gate to read these inputs and returns
 * true. Gates in between may then be unused, and the depth decreases. */
static bool share_inputs(const network *n, unsigned *op, uint32_t *a, uint32_t *b) {
  const uint32_t pair[2] = {*a, *b};
  for (int i = 0; i < 2; i++) {
    const uint32_t gate = pair[i], other = pair[1 - i];
    if (gate < n->first) continue;
    const uint32_t x = n->node.items[gate].a, y = n->node.items[gate].b;
    const bool same = other >= n->first && n->node.items[other].a == x && n->node.items[other].b == y;
    if (other != x && other != y && !same) continue;
    *op = compose(n, *op, *a, *b, x, y);
    *a = x;
    *b = y;
    return true;
  }
  return false;
}

/* The literal of a gate whose inputs are two literals. */
static uint32_t literal(network *n, unsigned op, uint32_t literal_a, uint32_t literal_b) {
  uint32_t a = literal_a >> 1, b = literal_b >> 1;
  if (literal_a & 1) op = negate_a(op);
  if (literal_b & 1) op = negate_b(op);
  do {
    const unsigned f11 = op & 1, f10 = op >> 1 & 1, f01 = op >> 2 & 1, f00 = op >> 3;
    if (a == b) return unary(f00, f11, a);
    if (a == FALSE_NODE || (f00 == f10 && f01 == f11)) return unary(f00, f01, b);
    if (b == FALSE_NODE || (f00 == f01 && f10 == f11)) return unary(f00, f10, a);
  } while (share_inputs(n, &op, &a, &b));
  const unsigned negative = op >> 3;
  if (negative) op = 15 - op;
  return 2 * (a < b ? node_of(n, op, a, b) : node_of(n, swap_inputs(op), b, a)) + negative;
}

/* --- back to a circuit --- */

typedef struct emission {
  const network *n;
  gt_circuit *out;
  /* For each node: */
  uint8_t *done;      /* its gate is emitted */
  uint8_t *wanted_as; /* outputs need it: 1: as it is, 2: negated, 3: both */
  uint8_t *flipped;   /* its gate is emitted negated, because outputs need only its negation */
  uint32_t *signal;   /* of its gate; for the constant FALSE: 1 + signal, 0: not emitted yet */
  uint32_t *negation; /* 1 + signal of the negation, 0: not emitted yet */
} emission;

static void emit_gate(emission *e, uint32_t k) {
  const gt_circuit_gate *node = &e->n->node.items[k];
  unsigned op = node->op;
  if (e->flipped[node->a]) op = negate_a(op);
  if (e->flipped[node->b]) op = negate_b(op);
  e->flipped[k] = e->wanted_as[k] == 2;
  if (e->flipped[k]) op = 15 - op;
  e->signal[k] = gt_circuit_add(e->out, op, e->signal[node->a], e->signal[node->b]);
  e->done[k] = 1;
}

/* Emits a node and all nodes that it depends on, depth first: most inputs of a gate are then computed just
 * before it, which makes exported straight-line code twice as fast as layer order does. Uses an explicit
 * stack, because the depth of a circuit may equal its number of gates. */
static void emit_cone(emission *e, uint32_t root, gt_signals *stack) {
  *GT_PUSH(stack) = root;
  while (stack->count) {
    const uint32_t k = stack->items[stack->count - 1];
    const gt_circuit_gate *node = &e->n->node.items[k];
    if (!e->done[k] && !e->done[node->a])
      *GT_PUSH(stack) = node->a;
    else if (!e->done[k] && !e->done[node->b])
      *GT_PUSH(stack) = node->b;
    else {
      if (!e->done[k]) emit_gate(e, k);
      stack->count--;
    }
  }
}

static void emit_gates(emission *e, const uint32_t *literals, size_t count) {
  gt_signals stack = {0};
  memset(e->done, 1, e->n->first);
  for (size_t i = 0; i < count; i++) emit_cone(e, literals[i] >> 1, &stack);
  free(stack.items);
}

static void emit_output(emission *e, uint32_t wanted_literal) {
  const uint32_t k = wanted_literal >> 1, negative = (wanted_literal & 1) ^ e->flipped[k];
  if (k != FALSE_NODE && !negative) {
    gt_circuit_add_output(e->out, e->signal[k]);
    return;
  }
  uint32_t *cached = k == FALSE_NODE && !negative ? &e->signal[k] : &e->negation[k];
  const unsigned op = k != FALSE_NODE ? GT_GATE_NOT_A : negative ? GT_GATE_TRUE : GT_GATE_FALSE;
  if (!*cached) {
    const uint32_t from = k == FALSE_NODE ? 0 : e->signal[k];
    *cached = gt_circuit_add(e->out, op, from, from) + 1;
  }
  gt_circuit_add_output(e->out, *cached - 1);
}

static void emit(network *n, gt_circuit *out, const uint32_t *literals, size_t count) {
  const size_t nodes = n->node.count;
  emission e = {.n = n,
                .out = out,
                .done = GT_NEW_N(&n->arena, uint8_t, nodes),
                .wanted_as = GT_NEW_N(&n->arena, uint8_t, nodes),
                .flipped = GT_NEW_N(&n->arena, uint8_t, nodes),
                .signal = GT_NEW_N(&n->arena, uint32_t, nodes),
                .negation = GT_NEW_N(&n->arena, uint32_t, nodes)};
  for (uint32_t k = 1; k < n->first; k++) e.signal[k] = k - 1;
  for (size_t i = 0; i < count; i++) e.wanted_as[literals[i] >> 1] |= (uint8_t)(1 + (literals[i] & 1));
  emit_gates(&e, literals, count);
  for (size_t i = 0; i < count; i++) emit_output(&e, literals[i]);
}

void gt_circuit_simplify(const gt_circuit *circuit, gt_circuit *out) {
  const size_t signals = circuit->inputs + circuit->gates.count;
  network n = {.first = circuit->inputs + 1};
  make_table(&n, circuit->gates.count);
  for (uint32_t k = 0; k < n.first; k++) *GT_PUSH(&n.node) = (gt_circuit_gate){0, k, k};
  uint32_t *literal_of = GT_NEW_N(&n.arena, uint32_t, signals);
  for (uint32_t i = 0; i < circuit->inputs; i++) literal_of[i] = 2 * (i + 1);
  for (size_t g = 0; g < circuit->gates.count; g++) {
    const gt_circuit_gate *gate = &circuit->gates.items[g];
    const bool constant =
        gate->op == GT_GATE_FALSE || gate->op == GT_GATE_TRUE; /* their inputs may be anything */
    literal_of[circuit->inputs + g] = constant
                                          ? 2 * FALSE_NODE + (gate->op == GT_GATE_TRUE)
                                          : literal(&n, gate->op, literal_of[gate->a], literal_of[gate->b]);
  }
  uint32_t *literals = GT_NEW_N(&n.arena, uint32_t, circuit->outputs.count);
  for (size_t i = 0; i < circuit->outputs.count; i++) literals[i] = literal_of[circuit->outputs.items[i]];
  gt_circuit_init(out, circuit->inputs);
  out->groups = circuit->groups;
  emit(&n, out, literals, circuit->outputs.count);
  gt_arena_finish(&n.arena);
  free(n.node.items);
}
