#include "step/program.h"
#include "base/count.h"
#include "base/philox.h"
#include "base/real.h"
#include "step/arrange.h"
#include "step/math.h"
#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Elements are evaluated one block at a time: a register is one block of floats, and each instruction, or
 * pair of instructions, is one loop over three operand blocks, which the compiler vectorizes. Inputs read
 * with GT_LOAD_SAME, the leader and the outputs are used in place if that is safe. */
enum { CACHE_LINE = 16 /* floats of a cache line */ };
enum { BLOCK = GT_PROGRAM_BLOCK, OPERANDS = GT_OPERAND_RESULT + GT_PROGRAM_CODE };

typedef struct machine {
  const gt_program_context *context;
  gt_program_context shorter; /* the context with `folded` as its program, if selects were folded */
  gt_program folded;
  gt_program_pairs pairs;
  uint32_t first, stride, n;      /* the block's logical elements: first, first + stride, … */
  const float *operand[OPERANDS]; /* current block of each operand */
  float *target[GT_PROGRAM_CODE]; /* memory for each instruction's result */
  float filled[GT_OPERAND_IMMEDIATE + GT_PROGRAM_IMMEDIATES][BLOCK]; /* copies of inputs and immediates */
  float reg[GT_PROGRAM_CODE][BLOCK];                                 /* results that have no other memory */
} machine;

/* Points the operands that change from block to block at this block. */
static void bind_block(machine *m, const float *leader) {
  const gt_program_context *context = m->context;
  m->operand[GT_OPERAND_LEADER] = leader;
  for (uint32_t k = 0; k < context->program->inputs; k++) {
    if (context->program->load[k] == GT_LOAD_SCALAR) continue; /* filled once, by fill_constants */
    if (m->stride == 1) {
      m->operand[k] = gt_program_load(context, k, m->first, m->n, m->filled[k]);
    } else {
      gt_program_load_strided(context, k, m->first, m->stride, m->n, m->filled[k]);
      m->operand[k] = m->filled[k];
    }
  }
}

/* --- random numbers ------------------------------------------------------------------------------------- */

/* The words of Philox blocks block … block + blocks - 1, in order: gt_philox_block, vectorized. */
GT_CLONES static void random_words(const uint32_t clock[3], uint32_t purpose, uint32_t block, uint32_t blocks,
                                   uint32_t (*out)[4]) {
  GT_VECTOR_LOOP
  for (uint32_t i = 0; i < blocks; i++) {
    const uint32_t counter[4] = {block + i, clock[0], purpose, 0x67747261u}; /* "gtra" in ASCII */
    const gt_philox words = gt_philox4x32(counter, clock[1], clock[2]);
    for (int w = 0; w < 4; w++) out[i][w] = words.v[w];
  }
}

/* Uniform numbers in [0, 1), from the upper 24 bits of a word per element. */
static void random_block(const machine *m, uint32_t purpose, float *out) {
  const uint32_t *clock = m->context->clock, block = m->first / 4;
  uint32_t words[BLOCK / 4 + 1][4];
  if (m->stride == 1) {
    random_words(clock, purpose, block, (m->first + m->n - 1) / 4 - block + 1, words);
    const uint32_t *from = &words[0][0] + m->first % 4;
    for (uint32_t i = 0; i < m->n; i++) out[i] = (float)(int32_t)(from[i] >> 8) * 0x1p-24f;
    return;
  }
  const uint64_t seed = clock[1] | (uint64_t)clock[2] << 32;
  for (uint32_t i = 0; i < m->n; i++)
    out[i] = gt_random_uniform(seed, purpose, clock[0], m->first + i * m->stride);
}

/* --- instructions --------------------------------------------------------------------------------------- */

#define LOOP(statement)                       \
  for (uint32_t i = 0; i < n; i++) {          \
    const float a = x[i], b = y[i], c = z[i]; \
    (void)a, (void)b, (void)c;                \
    statement;                                \
  }
#define EACH(value)        \
  do {                     \
    GT_VECTOR_LOOP         \
    LOOP(out[i] = (value)) \
    return;                \
  } while (0)
/* Counts the elements that need the slow form; if there is any, a loop that tests each element computes the
 * whole block. */
#define EACH_GUARDED(simple, value, slow)      \
  do {                                         \
    uint32_t rare = 0;                         \
    LOOP(rare += !(simple))                    \
    if (!rare) EACH(value);                    \
    LOOP(out[i] = (simple) ? (value) : (slow)) \
    return;                                    \
  } while (0)
#define OPERANDS_1 (a)
#define OPERANDS_2 (a, b)

/* The case of an instruction in simple_instruction and function_instruction. These are separate because
 * setting up the stack frame of the large one costs more than a simple loop. */
/* clang-format off */
#define SIMPLE_SIMPLE(opcode, name, inputs, value) case opcode: EACH(value);
#define SIMPLE_FUNCTION(...)
#define SIMPLE_GUARDED(...)
#define SIMPLE_CASE(opcode, NAME, name, inputs, slope, formula, loop, float_value, ...) \
  SIMPLE_##loop(opcode, name, inputs, float_value)
#define FUNCTION_SIMPLE(...)
#define FUNCTION_FUNCTION(opcode, name, inputs, value) case opcode: EACH(value);
#define FUNCTION_GUARDED(opcode, name, inputs, value) case opcode: \
  EACH_GUARDED(gt_##name##_simple OPERANDS_##inputs, value, gt_##name##_slow OPERANDS_##inputs);
#define FUNCTION_CASE(opcode, NAME, name, inputs, slope, formula, loop, float_value, ...) \
  FUNCTION_##loop(opcode, name, inputs, float_value)
/* clang-format on */

GT_CLONES static void simple_instruction(uint32_t opcode, const float *x, const float *y, const float *z,
                                         float *out, uint32_t n) {
  switch (opcode) {
    GT_INSTRUCTIONS(SIMPLE_CASE)
  default: assert(!"instruction without a loop");
  }
}

GT_CLONES static void function_instruction(uint32_t opcode, const float *x, const float *y, const float *z,
                                           float *out, uint32_t n) {
  switch (opcode) {
    GT_INSTRUCTIONS(FUNCTION_CASE)
  default: assert(!"instruction without a loop");
  }
}

/* is_function[opcode]: true if function_instruction runs the instruction. */
#define IS_SIMPLE   false
#define IS_FUNCTION true
#define IS_GUARDED  true

#define IS_OF(opcode, NAME, name, inputs, slope, formula, loop, ...) [opcode] = IS_##loop,
static const bool is_function[] = {GT_INSTRUCTIONS(IS_OF)};

/* Runs the pair of instructions r and s. */
static void run_pair(const machine *m, uint32_t r, uint32_t s) {
  const uint32_t first = m->context->program->code[r], second = m->context->program->code[s];
  const bool right = gt_code_operand(second, 0) != GT_OPERAND_RESULT + r;
  gt_pair(gt_code_opcode(first), gt_code_opcode(second), right, m->operand[gt_code_operand(first, 0)],
          m->operand[gt_code_operand(first, 1)], m->operand[gt_code_operand(second, !right)], m->target[s],
          m->n);
}

static void run_instruction(const machine *m, uint32_t r) {
  const uint32_t code = m->context->program->code[r], opcode = gt_code_opcode(code);
  const float *a = m->operand[gt_code_operand(code, 0)], *b = m->operand[gt_code_operand(code, 1)],
              *c = m->operand[gt_code_operand(code, 2)];
  if (opcode == GT_I_RANDOM)
    random_block(m, gt_bits(a[0]), m->target[r]);
  else if (is_function[opcode])
    function_instruction(opcode, a, b, c, m->target[r], m->n);
  else
    simple_instruction(opcode, a, b, c, m->target[r], m->n);
}

static void run_block(const machine *m) {
  for (uint32_t r = 0; r < m->context->program->instructions; r++) {
    if (m->pairs.gone[r]) continue;
    if (m->pairs.with[r])
      run_pair(m, m->pairs.with[r] - 1u, r);
    else
      run_instruction(m, r);
  }
}

/* --- programs ------------------------------------------------------------------------------------------- */

bool gt_program_is_plain(const gt_program *program) {
  return !program->instructions && program->outputs == 1 && program->output[0] == GT_OPERAND_LEADER;
}

bool gt_program_is_vec4(const gt_program *program, uint64_t count, uint32_t row) {
  enum { MANY = 1 << 16 };
  bool by_rows = false;
  for (uint32_t k = 0; k < program->inputs; k++) {
    const uint32_t mode = GT_LOAD_MODE(program->load[k]);
    by_rows |= mode != GT_LOAD_SAME && mode != GT_LOAD_SCALAR && mode != GT_LOAD_GENERAL;
  }
  return count >= MANY && count % 4 == 0 && (!by_rows || row % 4 == 0);
}

/* True if an instruction after number r, or an output of the program, reads operand `operand`. */
static bool read_after(const gt_program *program, uint32_t operand, uint32_t r) {
  for (uint32_t k = 0; k < program->outputs; k++)
    if (program->output[k] == operand) return true;
  for (uint32_t i = r + 1; i < program->instructions; i++)
    for (int k = 0; k < GT_CODE_OPERANDS; k++)
      if (gt_code_operand(program->code[i], k) == operand) return true;
  return false;
}

/* True if instruction r may write its result directly to `out`: no input that lies there is read later. */
static bool may_write(const gt_program_context *context, uint32_t first, const float *leader, uint32_t r,
                      const float *out) {
  const gt_program *program = context->program;
  if (leader == out && read_after(program, GT_OPERAND_LEADER, r)) return false;
  for (uint32_t k = 0; k < program->inputs; k++)
    if (program->load[k] == GT_LOAD_SAME && context->x[k] + first == out && read_after(program, k, r))
      return false;
  return true;
}

/* Fills the operands that are the same for all blocks of at most n elements: immediates, scalar inputs. */
static void fill_constants(machine *m, uint32_t n) {
  const gt_program_context *context = m->context;
  const gt_program *program = context->program;
  for (uint32_t k = 0; k < OPERANDS; k++)
    m->operand[k] = m->filled[0]; /* a valid pointer for operands that an instruction does not have */
  for (uint32_t k = 0; k < program->immediates; k++) {
    float *filled = m->filled[GT_OPERAND_IMMEDIATE + k];
    for (uint32_t i = 0; i < n; i++) filled[i] = program->immediate[k];
    m->operand[GT_OPERAND_IMMEDIATE + k] = filled;
  }
  for (uint32_t k = 0; k < program->inputs; k++)
    if (program->load[k] == GT_LOAD_SCALAR) {
      m->operand[k] = gt_program_load(context, k, 0, n, m->filled[k]);
    }
}

/* Sets up everything that is the same for all blocks; they have `all` elements together. direct[k]: output k
 * is written directly to out[k]. */
static void prepare(machine *m, const gt_program_context *context, const float *leader, float *const *out,
                    uint64_t all, bool direct[GT_PROGRAM_OUTPUTS]) {
  enum { MIN_ELEMENTS = 2 * BLOCK }; /* for fewer, shortening a program costs more than it saves */
  bool writes[GT_PROGRAM_CODE] = {false};
  m->context = context;
  if (all >= MIN_ELEMENTS && gt_program_fold_selects(context, &m->folded)) {
    m->shorter = *context;
    m->shorter.program = &m->folded;
    m->context = &m->shorter;
  }
  const gt_program *program = m->context->program;
  fill_constants(m, (uint32_t)gt_min_i64((int64_t)all, BLOCK));
  for (uint32_t r = 0; r < program->instructions; r++) {
    m->target[r] = m->reg[r];
    m->operand[GT_OPERAND_RESULT + r] = m->reg[r];
  }
  for (uint32_t k = 0; k < program->outputs; k++) {
    const uint32_t r = program->output[k] - GT_OPERAND_RESULT;
    direct[k] = program->output[k] >= GT_OPERAND_RESULT && m->target[r] == m->reg[r] &&
                may_write(m->context, m->first, leader, r, out[k]);
    if (direct[k]) m->operand[program->output[k]] = m->target[r] = out[k], writes[r] = true;
  }
  if (all >= MIN_ELEMENTS)
    gt_program_find_pairs(program, writes, &m->pairs);
  else
    memset(&m->pairs, 0, sizeof m->pairs);
}

/* Prefetches the inputs of the next block that are read in place, while this block is computed. */
static void prefetch_next(const machine *m, uint32_t left) {
  const gt_program *program = m->context->program;
  const uint32_t n = gt_min_u32(left, BLOCK);
  for (uint32_t k = 0; k < program->inputs; k++)
    for (uint32_t i = 0; program->load[k] == GT_LOAD_SAME && i < n; i += CACHE_LINE)
      __builtin_prefetch(m->context->x[k] + m->first + m->n + i);
}

void gt_program_evaluate_rows(const gt_program_context *context, uint32_t first, uint32_t apart,
                              uint32_t rows, uint32_t n, const float *leader, size_t ld, float *const *out) {
  machine m; /* not cleared: only the registers in use are touched */
  bool direct[GT_PROGRAM_OUTPUTS];
  m.first = first;
  m.stride = 1;
  prepare(&m, context, leader, out, (uint64_t)rows * n, direct);
  const gt_program *program = m.context->program;
  for (uint32_t row = 0; row < rows; row++, first += apart, leader += leader ? ld : 0) {
    const size_t row_offset = (size_t)row * apart;
    for (uint32_t done = 0; done < n; done += m.n) {
      m.first = first + done;
      m.n = gt_min_u32(n - done, BLOCK);
      bind_block(&m, leader ? leader + done : NULL);
      prefetch_next(&m, n - done - m.n);
      for (uint32_t k = 0; k < program->outputs; k++) /* advances the targets to the block */
        if (direct[k])
          m.operand[program->output[k]] = m.target[program->output[k] - GT_OPERAND_RESULT] =
              out[k] + row_offset + done;
      run_block(&m);
      for (uint32_t k = 0; k < program->outputs; k++) {
        const float *from = m.operand[program->output[k]];
        float *to = out[k] + row_offset + done;
        if (!direct[k] && from != to) memcpy(to, from, m.n * sizeof *from);
      }
    }
  }
}

void gt_program_evaluate(const gt_program_context *context, uint32_t first, uint32_t n, const float *leader,
                         float *const *out) {
  gt_program_evaluate_rows(context, first, 0, 1, n, leader, 0, out);
}

void gt_program_gather(const gt_program_context *context, uint32_t first, uint32_t stride, uint32_t n,
                       float *out) {
  machine m;
  bool direct[GT_PROGRAM_OUTPUTS];
  assert(context->program->outputs == 1);
  m.first = first;
  m.stride = stride;
  prepare(&m, context, NULL, &out, n, direct);
  const uint32_t output = m.context->program->output[0];
  for (uint32_t done = 0; done < n; done += m.n) {
    m.first = first + done * stride;
    m.n = gt_min_u32(n - done, BLOCK);
    if (direct[0]) {
      float **target = &m.target[output - GT_OPERAND_RESULT];
      m.operand[output] = *target = out + done;
    }
    bind_block(&m, NULL);
    run_block(&m);
    const float *from = m.operand[output];
    if (from != out + done) memcpy(out + done, from, m.n * sizeof *from);
  }
}

/* Immediates are passed as bits, code words unchanged. */
void gt_program_to_spec(const gt_program *program, uint32_t spec[GT_SPEC_COUNT]) {
  memset(spec + GT_SPEC_CODE_COUNT, 0, (GT_SPEC_COUNT - GT_SPEC_CODE_COUNT) * sizeof *spec);
  spec[GT_SPEC_CODE_COUNT] = program->instructions;
  spec[GT_SPEC_INPUT_COUNT] = program->inputs;
  spec[GT_SPEC_OUTPUT_COUNT] = program->outputs;
  memcpy(spec + GT_SPEC_CODE, program->code, program->instructions * sizeof *spec);
  memcpy(spec + GT_SPEC_IMMEDIATE, program->immediate, program->immediates * sizeof *spec);
  memcpy(spec + GT_SPEC_LOAD, program->load, program->inputs * sizeof *spec);
  memcpy(spec + GT_SPEC_OUTPUT, program->output, program->outputs * sizeof *spec);
}

/* The number of immediates is not encoded: it is one more than the highest one in use. */
static void count_immediate(gt_program *program, uint32_t operand) {
  if (operand < GT_OPERAND_IMMEDIATE || operand >= GT_OPERAND_IMMEDIATE + GT_PROGRAM_IMMEDIATES) return;
  const uint32_t count = operand - GT_OPERAND_IMMEDIATE + 1;
  if (count > program->immediates) program->immediates = count;
}

void gt_program_from_spec(const uint32_t spec[GT_SPEC_COUNT], gt_program *program) {
  *program = (gt_program){.instructions = spec[GT_SPEC_CODE_COUNT],
                          .inputs = spec[GT_SPEC_INPUT_COUNT],
                          .outputs = spec[GT_SPEC_OUTPUT_COUNT]};
  memcpy(program->code, spec + GT_SPEC_CODE, program->instructions * sizeof *spec);
  memcpy(program->load, spec + GT_SPEC_LOAD, program->inputs * sizeof *spec);
  memcpy(program->output, spec + GT_SPEC_OUTPUT, program->outputs * sizeof *spec);
  memcpy(program->immediate, spec + GT_SPEC_IMMEDIATE, sizeof program->immediate);
  for (uint32_t i = 0; i < program->instructions; i++)
    for (int k = 0; k < GT_CODE_OPERANDS; k++) count_immediate(program, gt_code_operand(program->code[i], k));
  for (uint32_t k = 0; k < program->outputs; k++) count_immediate(program, program->output[k]);
}

#define REFERENCE(opcode, NAME, name, inputs, slope, formula, loop, float_value, glsl_value, real_value) \
  case opcode: return real_value;

double gt_instruction_reference(uint32_t opcode, double a, double b, double c) {
  switch (opcode) {
    GT_INSTRUCTIONS(REFERENCE)
  default: return NAN;
  }
}
