#include "step/arrange.h"
#include "step/arrange.h"
#include <string.h>

enum { RESULT = GT_OPERAND_RESULT, OPERANDS = RESULT + GT_PROGRAM_CODE };

/* True for a select whose condition is a scalar input: the context holds its value. */
static bool is_uniform_select(const gt_program_context *context, uint32_t code) {
  const uint32_t condition = gt_code_operand(code, 0);
  return gt_code_opcode(code) == GT_I_WHERE && condition < context->program->inputs &&
         context->program->load[condition] == GT_LOAD_SCALAR;
}

/* Finds the operand that replaces each operand (itself, if nothing does); true if any is replaced. */
static bool find_replacements(const gt_program_context *context, uint8_t *replacement) {
  const gt_program *p = context->program;
  bool any = false;
  for (uint32_t o = 0; o < OPERANDS; o++) replacement[o] = (uint8_t)o;
  for (uint32_t r = 0; r < p->instructions; r++) {
    if (!is_uniform_select(context, p->code[r])) continue;
    const bool holds = context->x[gt_code_operand(p->code[r], 0)][0] != 0;
    replacement[RESULT + r] = replacement[gt_code_operand(p->code[r], holds ? 1 : 2)];
    any = true;
  }
  return any;
}

/* Marks the instructions that the outputs depend on, directly or indirectly. */
static void find_needed(const gt_program *p, const uint8_t *replacement, bool *needed) {
  memset(needed, 0, GT_PROGRAM_CODE);
  for (uint32_t k = 0; k < p->outputs; k++) needed[replacement[p->output[k]] - RESULT] = true;
  for (uint32_t r = p->instructions; r-- > 0;)
    for (int i = 0; i < GT_CODE_OPERANDS && needed[r]; i++) {
      const uint32_t o = replacement[gt_code_operand(p->code[r], i)];
      if (o >= RESULT) needed[o - RESULT] = true;
    }
}

bool gt_program_fold_selects(const gt_program_context *context, gt_program *folded) {
  const gt_program *p = context->program;
  uint8_t replacement[OPERANDS], place[OPERANDS]; /* place: the index of an operand in the new program */
  bool needed[GT_PROGRAM_CODE];
  if (!find_replacements(context, replacement)) return false;
  for (uint32_t k = 0; k < p->outputs; k++)
    if (replacement[p->output[k]] < RESULT) return false;
  find_needed(p, replacement, needed);
  *folded = *p;
  folded->instructions = 0;
  for (uint32_t o = 0; o < OPERANDS; o++) place[o] = (uint8_t)o;
  for (uint32_t r = 0; r < p->instructions; r++) {
    if (!needed[r]) continue;
    uint32_t code = gt_code_opcode(p->code[r]);
    for (int i = 0; i < GT_CODE_OPERANDS; i++)
      code |= (uint32_t)place[replacement[gt_code_operand(p->code[r], i)]] << 8 * (i + 1);
    folded->code[folded->instructions] = code;
    place[RESULT + r] = (uint8_t)(RESULT + folded->instructions++);
  }
  for (uint32_t k = 0; k < p->outputs; k++) folded->output[k] = place[replacement[p->output[k]]];
  return true;
}

/* Counts the reads of each result. A program output counts as two reads, so that its instruction never
 * becomes the first of a pair, whose result is not stored. */
static void count_uses(const gt_program *p, uint8_t *uses) {
  memset(uses, 0, GT_PROGRAM_CODE);
  for (uint32_t r = 0; r < p->instructions; r++)
    for (int i = 0; i < GT_CODE_OPERANDS; i++)
      if (gt_code_operand(p->code[r], i) >= RESULT) uses[gt_code_operand(p->code[r], i) - RESULT]++;
  for (uint32_t k = 0; k < p->outputs; k++)
    if (p->output[k] >= RESULT) uses[p->output[k] - RESULT] += 2;
}

/* True if instruction r can be paired with s, its only consumer. */
static bool may_pair(const gt_program *p, const bool *writes, uint32_t r, uint32_t s) {
  if (!gt_pair_exists(gt_code_opcode(p->code[r]), gt_code_opcode(p->code[s]))) return false;
  for (uint32_t between = r + 1; between < s; between++)
    if (writes[between]) return false;
  return true;
}

void gt_program_find_pairs(const gt_program *p, const bool *writes, gt_program_pairs *pairs) {
  uint8_t uses[GT_PROGRAM_CODE];
  memset(pairs, 0, sizeof *pairs);
  count_uses(p, uses);
  for (uint32_t s = p->instructions; s-- > 0;)
    for (int side = 0; side < 2 && !pairs->gone[s] && !pairs->with[s]; side++) {
      const uint32_t o = gt_code_operand(p->code[s], side), r = o - RESULT;
      if (o < RESULT || uses[r] != 1 || !may_pair(p, writes, r, s)) continue;
      pairs->gone[r] = true;
      pairs->with[s] = (uint8_t)(r + 1);
    }
}
