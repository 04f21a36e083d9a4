/* Circuits: the sixteen gates, and that neither simplification nor bit slicing changes a result. */
#include "circuit/circuit.h"
#include "circuit_support.h"
#include "circuit/sliced_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* The gates as C expressions; src has them as truth tables. */
static unsigned gate_by_expression(unsigned op, unsigned a, unsigned b) {
  switch (op) {
  case 0: return 0;
  case 1: return a && b;
  case 2: return a && !b;
  case 3: return a;
  case 4: return !a && b;
  case 5: return b;
  case 6: return a != b;
  case 7: return a || b;
  case 8: return !(a || b);
  case 9: return a == b;
  case 10: return !b;
  case 11: return a || !b;
  case 12: return !a;
  case 13: return !a || b;
  case 14: return !(a && b);
  default: return 1;
  }
}

static void sixteen_gates(void **unused) {
  (void)unused;
  for (unsigned op = 0; op < 16; op++)
    for (unsigned i = 0; i < 4; i++)
      assert_int_equal(gt_gate_value(op, i >> 1, i & 1), gate_by_expression(op, i >> 1, i & 1));
}

/* Evaluates the circuit on all samples, a block at a time. */
static void run_sliced(const gt_sliced *sliced, const gt_circuit *c, const uint8_t *in, size_t samples,
                       uint8_t *out) {
  const size_t outputs = c->outputs.count, size = gt_sliced_memory(sliced);
  uint64_t *memory = aligned_alloc(64, size);
  assert_non_null(memory);
  for (size_t first = 0; first < samples; first += GT_BLOCK_BITS) {
    const size_t last = first + GT_BLOCK_BITS < samples ? first + GT_BLOCK_BITS : samples;
    memset(memory, 0, size);
    for (size_t s = first; s < last; s++)
      for (uint32_t i = 0; i < c->inputs; i++)
        memory[i * GT_BLOCK_WORDS + (s - first) / 64] |= (uint64_t)in[s * c->inputs + i] << (s - first) % 64;
    gt_sliced_block(sliced, memory);
    for (size_t s = first; s < last; s++)
      for (size_t k = 0; k < outputs; k++)
        out[s * outputs + k] = gt_sliced_output(sliced, memory, k)[(s - first) / 64] >> (s - first) % 64 & 1;
  }
  free(memory);
}

/* Scalar evaluation, scalar evaluation of the simplified circuit and bit-sliced evaluation agree: on all
 * inputs of a circuit with up to ten, otherwise on random ones. */
static void check_evaluations(const gt_circuit *c, uint64_t seed, size_t random_samples) {
  const size_t samples = c->inputs <= 10 ? (size_t)1 << c->inputs : random_samples;
  const size_t outputs = c->outputs.count;
  uint8_t *in = gt_alloc(samples * c->inputs), *want = gt_alloc(samples * outputs),
          *got = gt_alloc(samples * outputs);
  draw d = {seed ^ 0xabcdef, 0};
  gt_circuit simple;
  gt_circuit_simplify(c, &simple);
  assert_int_equal(simple.inputs, c->inputs);
  assert_int_equal(simple.outputs.count, outputs);
  if (c->inputs <= 10)
    for (size_t i = 0; i < samples * c->inputs; i++)
      in[i] = i / c->inputs >> i % c->inputs & 1; /* input k of sample s is bit k of s */
  else
    random_bits(&d, in, samples * c->inputs);
  for (size_t s = 0; s < samples; s++) {
    gt_circuit_evaluate(c, in + s * c->inputs, want + s * outputs);
    gt_circuit_evaluate(&simple, in + s * c->inputs, got + s * outputs);
  }
  assert_memory_equal(want, got, samples * outputs);
  const gt_circuit *circuits[2] = {c, &simple};
  for (int i = 0; i < 2; i++) {
    gt_sliced *sliced = gt_sliced_create(circuits[i]);
    gt_sliced_loops *loops;
    for (int l = 0; (loops = gt_sliced_loops_at(l)); l++) {
      sliced->loops = loops;
      memset(got, 7, samples * outputs); /* neither 0 nor 1 */
      run_sliced(sliced, circuits[i], in, samples, got);
      assert_memory_equal(want, got, samples * outputs);
    }
    gt_sliced_destroy(sliced);
  }
  gt_circuit_finish(&simple);
  free(in);
  free(want);
  free(got);
}

/* A gate of two inputs, or of the same one twice; and an input that is an output. */
static void single_gates(void **unused) {
  (void)unused;
  for (unsigned op = 0; op < 16; op++)
    for (uint32_t b = 0; b < 2; b++) {
      gt_circuit c;
      gt_circuit_init(&c, 2);
      gt_circuit_add_output(&c, gt_circuit_add(&c, op, 0, b));
      gt_circuit_add_output(&c, 1);
      check_evaluations(&c, 0, 0);
      gt_circuit_finish(&c);
    }
}

/* All circuits of two gates on the same two inputs and a third gate that reads them. One in 16 of these
 * circuits also runs check_evaluations, which is slower. */
static void gates_of_gates(void **unused) {
  (void)unused;
  for (unsigned x = 0; x < 16; x++)
    for (unsigned y = 0; y < 16; y++)
      for (unsigned z = 0; z < 16; z++) {
        gt_circuit c, simple;
        gt_circuit_init(&c, 2);
        const uint32_t g = gt_circuit_add(&c, x, 0, 1), h = gt_circuit_add(&c, y, 1, 0);
        gt_circuit_add_output(&c, gt_circuit_add(&c, z, g, h));
        if ((x + 3 * y + 5 * z) % 16 == 0) check_evaluations(&c, 0, 0);
        gt_circuit_simplify(&c, &simple);
        assert_true(simple.gates.count <= 1); /* any function of two inputs is one gate */
        for (unsigned i = 0; i < 4; i++) {
          const uint8_t in[2] = {i & 1, i >> 1 & 1};
          uint8_t want, got;
          gt_circuit_evaluate(&c, in, &want);
          gt_circuit_evaluate(&simple, in, &got);
          assert_int_equal(want, got);
        }
        gt_circuit_finish(&simple);
        gt_circuit_finish(&c);
      }
}

static void random_small(void **unused) {
  (void)unused;
  for (uint64_t seed = 0; seed < 400; seed++) {
    gt_circuit c;
    random_circuit(&c, seed, 1 + (uint32_t)(seed % 10), (uint32_t)(seed * 7 % 120),
                   1 + (uint32_t)(seed % 13));
    check_evaluations(&c, seed, 0);
    gt_circuit_finish(&c);
  }
}

static void random_large(void **unused) {
  (void)unused;
  for (uint64_t seed = 0; seed < 12; seed++) {
    gt_circuit c;
    random_circuit(&c, seed, 30 + (uint32_t)seed * 9, 4000, 50);
    check_evaluations(&c, seed, 1 + seed * 97);
    gt_circuit_finish(&c);
    layered_circuit(&c, seed, 100, 1000, 5, 0);
    check_evaluations(&c, seed, 600);
    gt_circuit_finish(&c);
  }
}

static void simplifies(void **unused) {
  (void)unused;
  gt_circuit c, simple;
  gt_circuit_init(&c, 3);
  /* Two equal gates written differently, a copy, a double negation and a dead gate. */
  const uint32_t x = gt_circuit_add(&c, GT_GATE_A_NOT_B, 0, 1), y = gt_circuit_add(&c, GT_GATE_NOT_A_B, 1, 0);
  const uint32_t copy = gt_circuit_add(&c, GT_GATE_A, x, 2);
  const uint32_t twice = gt_circuit_add(&c, GT_GATE_NOT_A, gt_circuit_add(&c, GT_GATE_NOT_B, 2, y), 0);
  gt_circuit_add(&c, GT_GATE_XOR, 0, 2);
  gt_circuit_add_output(&c, gt_circuit_add(&c, GT_GATE_OR, copy, 2));
  gt_circuit_add_output(&c, twice);
  gt_circuit_simplify(&c, &simple);
  assert_int_equal(simple.gates.count, 2); /* x, and "x or input 2" */
  gt_circuit_finish(&simple);
  gt_circuit_finish(&c);

  /* "a and (a or b)" is input a, which is output 0; output 2 is its negation. */
  gt_circuit_init(&c, 2);
  const uint32_t or = gt_circuit_add(&c, GT_GATE_OR, 0, 1);
  gt_circuit_add_output(&c, gt_circuit_add(&c, GT_GATE_AND, 0, or));
  gt_circuit_add_output(&c, gt_circuit_add(&c, GT_GATE_XNOR, 0, 1));
  gt_circuit_add_output(&c, gt_circuit_add(&c, GT_GATE_NOT_A, 3, 0));
  gt_circuit_add_output(&c, gt_circuit_add(&c, GT_GATE_TRUE, 1, 1));
  gt_circuit_simplify(&c, &simple);
  assert_int_equal(simple.outputs.items[0], 0);
  assert_int_equal(simple.gates.count, 3); /* outputs 1 to 3 */
  gt_circuit_finish(&simple);
  gt_circuit_finish(&c);
}

/* Each gate gets its most likely function; a layer whose wiring is outside its source is rejected. */
static void layers(void **unused) {
  (void)unused;
  const float logits[3 * 16] = {[3] = 1, [16 + 6] = 2, [16 + 9] = 2, [32 + 15] = 0.5f};
  const int32_t a[] = {0, 1, 2}, b[] = {2, 1, 0}, wrong[] = {0, 3, 1}, negative[] = {0, 0, -1};
  uint8_t op[3];
  uint32_t out[3];
  gt_error error = {0};
  gt_circuit c;
  gt_circuit_choose_functions(logits, 3, op);
  assert_int_equal(op[0], 3);
  assert_int_equal(op[1], 6); /* the first one on a tie */
  assert_int_equal(op[2], 15);
  gt_circuit_init(&c, 3);
  const uint32_t source[] = {0, 1, 2};
  assert_true(gt_circuit_add_layer(&c, &(gt_circuit_layer){3, a, b, op}, source, 3, out, &error));
  assert_int_equal(out[2], 5); /* gate 2 after three inputs */
  assert_false(gt_circuit_add_layer(&c, &(gt_circuit_layer){3, a, wrong, op}, source, 3, out, &error));
  assert_int_equal(error.status, GT_ERR_DATA);
  assert_false(gt_circuit_add_layer(&c, &(gt_circuit_layer){3, negative, b, op}, source, 3, out, &error));
  gt_circuit_finish(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sixteen_gates), cmocka_unit_test(single_gates), cmocka_unit_test(gates_of_gates),
      cmocka_unit_test(random_small),  cmocka_unit_test(random_large), cmocka_unit_test(simplifies),
      cmocka_unit_test(layers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
