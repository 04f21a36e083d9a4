/* Row programs on the CPU. Each pass evaluates a part of the program; results of earlier passes are inputs of
 * the part, with one value per row. Instructions with one value per row ("narrow") whose consumers have one
 * value per element are evaluated once per row and are also inputs of the part. */
#include "op/rows_cpu.h"
#include "base/count.h"
#include "op/reduce_cpu.h"
#include "shaders/op/rows.h"
#include "step/program.h"
#include <string.h>

enum {
  REDUCTIONS = GT_PROGRAM_REDUCTIONS,
  NARROWS = 4,                                 /* maximum number of narrow instructions */
  KNOWN = GT_OPERAND_RESULT + GT_PROGRAM_CODE, /* operand codes of known values while a part is built */
  OPERANDS = KNOWN + REDUCTIONS + NARROWS,
  BUFFER = 2048,  /* elements evaluated at once */
  MAX_ROWS = 256, /* rows evaluated at once */
  TILE_ELEMENTS = 4096,
  LANES = GT_REDUCE_LANES
};

/* A program that computes some values of the whole program. */
typedef struct part_program {
  gt_program program;
  gt_program_context context;
  uint32_t source[GT_PROGRAM_INPUTS]; /* for each input: its number in the whole program, or KNOWN + k */
  /* For each output: the number of the reduction, or of the output of the whole program. */
  uint32_t number[GT_PROGRAM_OUTPUTS];
} part_program;

typedef struct job {
  const struct gt_rows_args *args;
  const uint32_t *spec;
  gt_program whole;                  /* of the step, of which each pass evaluates a part */
  uint32_t narrow[NARROWS], narrows; /* narrow instructions */
  uint32_t first, rows;              /* the current rows */
  /* Per row of the tile: the results of the reductions, then those of the narrow instructions. */
  float known[REDUCTIONS + NARROWS][MAX_ROWS];
} job;

/* Number of operands of each instruction. LEAKY_RELU, with 0 inputs in opcodes.h, has an input and an
 * immediate. */
/* clang-format off */
#define OPERANDS_OF(opcode, NAME, name, inputs, ...) [opcode] = (inputs) ? (inputs) : 2,
static const int operands_of[] = {
  GT_INSTRUCTIONS(OPERANDS_OF)
  [GT_I_RANDOM] = 1, [GT_I_ROW_SUM] = 1, [GT_I_ROW_MAX] = 1, [GT_I_ROW_MIN] = 1,
};
/* clang-format on */

/* --- parts ---------------------------------------------------------------------------------------------- */

/* Input k of the whole program, if needed, becomes the next input of the part; false if there is no room. */
static bool keep_input(part_program *part, uint32_t k, uint32_t load, const bool *needed, uint32_t *renamed) {
  gt_program *p = &part->program;
  if (!needed[k]) return true;
  if (p->inputs == GT_PROGRAM_INPUTS) return false;
  part->source[p->inputs] = k;
  p->load[p->inputs] = load;
  renamed[k] = p->inputs++;
  return true;
}

/* Removes the instructions that no output needs, and the inputs that are then unused. False if too many
 * inputs are left. */
static bool keep_needed(part_program *part) {
  gt_program *p = &part->program;
  const gt_program original = *p;
  bool needed[OPERANDS] = {false};
  uint32_t renamed[OPERANDS] = {0};
  for (uint32_t k = 0; k < original.outputs; k++) needed[original.output[k]] = true;
  for (uint32_t i = original.instructions; i-- > 0;)
    for (int k = 0; k < operands_of[gt_code_opcode(original.code[i])] && needed[GT_OPERAND_RESULT + i]; k++)
      needed[gt_code_operand(original.code[i], k)] = true;
  p->inputs = p->immediates = p->instructions = 0;
  for (uint32_t k = 0; k < original.inputs; k++)
    if (!keep_input(part, k, original.load[k], needed, renamed)) return false;
  for (uint32_t k = KNOWN; k < OPERANDS; k++)
    if (!keep_input(part, k, GT_LOAD_COLUMN, needed, renamed)) return false;
  for (uint32_t k = 0; k < original.immediates; k++) {
    if (!needed[GT_OPERAND_IMMEDIATE + k]) continue;
    p->immediate[p->immediates] = original.immediate[k];
    renamed[GT_OPERAND_IMMEDIATE + k] = GT_OPERAND_IMMEDIATE + p->immediates++;
  }
  for (uint32_t i = 0; i < original.instructions; i++) {
    if (!needed[GT_OPERAND_RESULT + i]) continue;
    const uint32_t c = original.code[i];
    p->code[p->instructions] = GT_CODE(gt_code_opcode(c), renamed[gt_code_operand(c, 0)],
                                       renamed[gt_code_operand(c, 1)], renamed[gt_code_operand(c, 2)]);
    renamed[GT_OPERAND_RESULT + i] = GT_OPERAND_RESULT + p->instructions++;
  }
  for (uint32_t k = 0; k < original.outputs; k++) p->output[k] = renamed[original.output[k]];
  return true;
}

/* The whole program without outputs, in which the reductions and the first `narrows` narrow instructions are
 * replaced by inputs with known values. */
static part_program begin_part(const job *j, uint32_t narrows) {
  part_program part = {.program = j->whole};
  gt_program *p = &part.program;
  p->outputs = 0;
  for (uint32_t i = 0; i < p->instructions; i++)
    if (gt_reduces_row(gt_code_opcode(p->code[i])))
      p->code[i] = GT_CODE(GT_I_MOVE, KNOWN + gt_code_operand(p->code[i], 1), 0, 0);
  for (uint32_t n = 0; n < narrows; n++)
    p->code[j->narrow[n]] = GT_CODE(GT_I_MOVE, KNOWN + REDUCTIONS + n, 0, 0);
  part.context = (gt_program_context){.clock = GT_PTR(const uint32_t, j->args->clock),
                                      .row_length = j->args->row_length};
  return part;
}

static void add_output(part_program *part, uint32_t operand, uint32_t number) {
  part->number[part->program.outputs] = number;
  part->program.output[part->program.outputs++] = operand;
}

/* The part that computes the operands of the reductions of one pass. */
static part_program pass_part(const job *j, uint32_t pass) {
  part_program part = begin_part(j, 0);
  for (uint32_t i = 0; i < j->whole.instructions; i++) {
    const uint32_t code = j->whole.code[i], r = gt_code_operand(code, 1);
    if (gt_reduces_row(gt_code_opcode(code)) && j->spec[GT_ROWS_SPEC_REDUCTION + r] == pass + 1)
      add_output(&part, gt_code_operand(code, 0), r);
  }
  keep_needed(&part); /* cannot fail: there is room for all reductions as inputs */
  return part;
}

static part_program narrow_part(const job *j, uint32_t n) {
  part_program part = begin_part(j, 0);
  add_output(&part, GT_OPERAND_RESULT + j->narrow[n], n);
  keep_needed(&part);
  return part;
}

/* The part that computes the outputs with one value per element ("wide"). If there are too few inputs for the
 * narrow values, it computes these, too. */
static part_program wide_part(const job *j) {
  part_program part;
  for (uint32_t narrows = j->narrows;; narrows = 0) {
    part = begin_part(j, narrows);
    for (uint32_t k = 0; k < j->whole.outputs; k++)
      if (!(j->spec[GT_ROWS_SPEC_NARROW] >> k & 1)) add_output(&part, j->whole.output[k], k);
    if (keep_needed(&part) || !narrows) return part;
  }
}

static void add_narrow(job *j, uint32_t instruction) {
  for (uint32_t n = 0; n < j->narrows; n++)
    if (j->narrow[n] == instruction) return;
  if (j->narrows < NARROWS) j->narrow[j->narrows++] = instruction;
}

/* Lists the narrow instructions: first those that are outputs, at most NARROWS, then those with per-element
 * consumers, while there is room. */
static void find_narrow(job *j) {
  const gt_program *p = &j->whole;
  bool wide[OPERANDS] = {false};
  for (uint32_t k = 0; k < p->inputs; k++)
    wide[k] = p->load[k] != GT_LOAD_SCALAR && p->load[k] != GT_LOAD_COLUMN;
  for (uint32_t i = 0; i < p->instructions; i++) {
    const uint32_t opcode = gt_code_opcode(p->code[i]);
    bool is_wide = opcode == GT_I_RANDOM;
    for (int k = 0; k < operands_of[opcode] && !gt_reduces_row(opcode); k++)
      is_wide |= wide[gt_code_operand(p->code[i], k)];
    wide[GT_OPERAND_RESULT + i] = is_wide;
  }
  j->narrows = 0;
  for (uint32_t k = 0; k < p->outputs; k++)
    if (j->spec[GT_ROWS_SPEC_NARROW] >> k & 1) add_narrow(j, p->output[k] - GT_OPERAND_RESULT);
  for (uint32_t i = 0; i < p->instructions; i++)
    for (int k = 0; k < operands_of[gt_code_opcode(p->code[i])] && wide[GT_OPERAND_RESULT + i]; k++) {
      const uint32_t operand = gt_code_operand(p->code[i], k);
      if (operand >= GT_OPERAND_RESULT && !wide[operand] &&
          !gt_reduces_row(gt_code_opcode(p->code[operand - GT_OPERAND_RESULT])))
        add_narrow(j, operand - GT_OPERAND_RESULT);
    }
}

/* --- execution ------------------------------------------------------------------------------------------ */

/* Binds the inputs of a part. The address of known values is that of row 0 if the current rows were part of
 * an array of all rows. */
static void bind(part_program *part, const job *j) {
  const uint64_t bytes_before = sizeof(float) * (uint64_t)j->first;
  part->context.program = &part->program;
  for (uint32_t k = 0; k < part->program.inputs; k++) {
    const uint32_t s = part->source[k];
    part->context.x[k] = s < GT_PROGRAM_INPUTS
                             ? GT_PTR(const float, j->args->x[s])
                             : GT_PTR(const float, (uintptr_t)j->known[s - KNOWN] - bytes_before);
  }
}

/* The values of output k from element `first` on: in memory, or in `buffer`. */
static const float *values_of(const part_program *part, uint32_t k, uint32_t first, const float *buffer) {
  const gt_program *p = &part->program;
  const uint32_t operand = p->output[k];
  const bool in_memory = operand < p->inputs && p->load[operand] == GT_LOAD_SAME;
  return in_memory ? part->context.x[operand] + first : buffer;
}

/* Runs one pass over the current rows, or over one long row piece by piece. */
static void run_pass(job *j, part_program *part) {
  const uint32_t width = j->args->row_length, outputs = part->program.outputs, elements = width * j->rows;
  float buffer[REDUCTIONS][BUFFER], lane[REDUCTIONS][LANES], *out[GT_PROGRAM_OUTPUTS];
  bool in_memory = true;
  bind(part, j);
  for (uint32_t k = 0; k < outputs; k++) {
    out[k] = buffer[k];
    in_memory &= values_of(part, k, 0, NULL) != NULL;
  }
  for (uint32_t done = 0, n; done < elements; done += n) {
    const uint32_t first = j->first * width + done;
    n = gt_min_u32(elements - done, BUFFER);
    if (!in_memory) gt_program_evaluate(&part->context, first, n, NULL, out);
    for (uint32_t from = 0, count; from < n; from += count) {
      const uint32_t column = (done + from) % width, row = (done + from) / width;
      count = gt_min_u32(width - column, n - from);
      for (uint32_t k = 0; k < outputs; k++) {
        const uint32_t r = part->number[k], kind = j->spec[GT_ROWS_SPEC_OPCODE + r] - GT_I_ROW_SUM;
        for (int l = 0; l < LANES && column == 0; l++) lane[k][l] = gt_reduce_neutral(kind);
        gt_reduce_accumulate(kind, lane[k], values_of(part, k, first, buffer[k]) + from, count);
        if (column + count == width) j->known[r][row] = gt_reduce_fold(kind, lane[k]);
      }
    }
  }
}

static void write_rows(job *j, part_program *wide, part_program *narrow) {
  const uint32_t first = j->first * j->args->row_length;
  float *out[GT_PROGRAM_OUTPUTS];
  for (uint32_t n = 0; n < j->narrows; n++) { /* before their inputs are overwritten */
    bind(&narrow[n], j);
    gt_program_gather(&narrow[n].context, first, j->args->row_length, j->rows, j->known[REDUCTIONS + n]);
  }
  bind(wide, j);
  for (uint32_t k = 0; k < wide->program.outputs; k++)
    out[k] = GT_PTR(float, j->args->y[wide->number[k]]) + first;
  if (wide->program.outputs)
    gt_program_evaluate(&wide->context, first, j->args->row_length * j->rows, NULL, out);
  for (uint32_t k = 0, n; k < j->whole.outputs; k++) {
    if (!(j->spec[GT_ROWS_SPEC_NARROW] >> k & 1)) continue;
    for (n = 0; j->narrow[n] != j->whole.output[k] - GT_OPERAND_RESULT; n++) continue;
    memcpy(GT_PTR(float, j->args->y[k]) + j->first, j->known[REDUCTIONS + n], sizeof(float) * j->rows);
  }
}

static uint32_t rows_per_tile(uint32_t width) { return width >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / width; }

uint32_t gt_rows_tiles(const struct gt_rows_args *args) {
  return (uint32_t)gt_ceil_div(args->rows, rows_per_tile(args->row_length));
}

void gt_rows_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_rows_args *args = arguments;
  const uint32_t per_tile = rows_per_tile(args->row_length), passes = spec[GT_ROWS_SPEC_PASSES];
  const uint32_t end = gt_min_u32(args->rows, (tile + 1) * per_tile);
  const uint32_t at_once = args->row_length <= BUFFER ? gt_min_u32(BUFFER / args->row_length, MAX_ROWS) : 1;
  part_program pass[REDUCTIONS], narrow[NARROWS], wide;
  job j; /* not cleared: known values are written before they are read */
  j.args = args, j.spec = spec, j.first = tile * per_tile;
  gt_program_from_spec(spec, &j.whole);
  find_narrow(&j);
  for (uint32_t p = 0; p < passes; p++) pass[p] = pass_part(&j, p);
  for (uint32_t n = 0; n < j.narrows; n++) narrow[n] = narrow_part(&j, n);
  wide = wide_part(&j);
  for (; j.first < end; j.first += j.rows) {
    j.rows = gt_min_u32(at_once, end - j.first);
    for (uint32_t p = 0; p < passes; p++) run_pass(&j, &pass[p]);
    write_rows(&j, &wide, narrow);
  }
}
