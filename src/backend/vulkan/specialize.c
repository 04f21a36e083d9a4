/* Folds specialization constants into a SPIR-V module ("SPIR-V Specification", 2.18 and 3.32): constants get
 * their values, branches on them become jumps, and unreachable blocks and functions are removed. A driver
 * would do the same, but only after translating the whole module; a fused program uses a hundredth of it.
 *
 * Supports what glslc generates for our shaders (spirv.h; 32-bit constants, integer and comparison
 * operations on them). For anything else it returns NULL, and the driver specializes the module. */
#include "backend/vulkan/internal.h"
#include "backend/vulkan/spirv.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* HEADER: words before the first instruction. MAX_BOUND: limit for the ids of a module. */
enum { HEADER = 5, MAX_BOUND = 1 << 20, DECORATION_SPEC_ID = 1 };
typedef enum flag {
  KNOWN = 1,   /* a constant whose value is in `value` */
  BOOL = 2,    /* the type of booleans */
  LIVE = 4,    /* defined by an instruction that is kept */
  BLOCK = 8,   /* a reachable block */
  CALLED = 16, /* a reachable function */
} flag;

typedef struct specializer {
  const uint32_t *in;
  size_t count, functions; /* number of words; index where the functions start */
  uint32_t bound;
  uint8_t *flags;            /* per id */
  uint32_t *value, *spec_id; /* per id; spec_id: its SpecId + 1, 0 if it has none */
  uint32_t *start;           /* per label or function id: index of its first word */
  const uint32_t *spec;
  uint32_t specs;
  uint32_t *todo; /* labels of blocks to visit */
  size_t todo_count;
  bool failed; /* the module contains something that is not supported */
} specializer;

static bool is_supported(uint32_t op) {
#define GT_SPIRV_CASE(name, number) case number:
  switch (op) {
    GT_SPIRV_INSTRUCTIONS(GT_SPIRV_CASE)
    return true;
  default: return false;
  }
#undef GT_SPIRV_CASE
}

static uint32_t op_at(const specializer *f, size_t at) { return f->in[at] & 0xffff; }
static uint32_t size_at(const specializer *f, size_t at) { return f->in[at] >> 16; }

static bool get_constant(const specializer *f, uint32_t id, uint32_t *value) {
  *value = f->value[id];
  return f->flags[id] & KNOWN;
}

static void set_constant(specializer *f, uint32_t id, uint32_t value) {
  f->value[id] = value;
  f->flags[id] |= KNOWN;
}

/* Evaluates an operation on n constants; false if it is not supported. */
static bool evaluate(uint32_t op, const uint32_t *v, uint32_t n, uint32_t *out) {
  if (n == 1 && op == OpLogicalNot) return *out = !v[0], true;
  if (n == 1 && op == OpNot) return *out = ~v[0], true;
  if (n == 3 && op == OpSelect) return *out = v[0] ? v[1] : v[2], true;
  if (n != 2) return false;
  switch (op) {
  case OpIAdd: *out = v[0] + v[1]; return true;
  case OpISub: *out = v[0] - v[1]; return true;
  case OpIMul: *out = v[0] * v[1]; return true;
  case OpUDiv: *out = v[1] ? v[0] / v[1] : 0; return v[1] != 0;
  case OpUMod: *out = v[1] ? v[0] % v[1] : 0; return v[1] != 0;
  case OpBitwiseAnd: *out = v[0] & v[1]; return true;
  case OpBitwiseOr: *out = v[0] | v[1]; return true;
  case OpBitwiseXor: *out = v[0] ^ v[1]; return true;
  case OpShiftLeftLogical: *out = v[0] << (v[1] & 31); return true;
  case OpShiftRightLogical: *out = v[0] >> (v[1] & 31); return true;
  case OpLogicalEqual:
  case OpIEqual: *out = v[0] == v[1]; return true;
  case OpLogicalNotEqual:
  case OpINotEqual: *out = v[0] != v[1]; return true;
  case OpLogicalOr: *out = v[0] || v[1]; return true;
  case OpLogicalAnd: *out = v[0] && v[1]; return true;
  case OpULessThan: *out = v[0] < v[1]; return true;
  case OpULessThanEqual: *out = v[0] <= v[1]; return true;
  case OpUGreaterThan: *out = v[0] > v[1]; return true;
  case OpUGreaterThanEqual: *out = v[0] >= v[1]; return true;
  default: return false;
  }
}

static void read_spec_op(specializer *f, const uint32_t *w, uint32_t size) {
  uint32_t v[3], result;
  if (size < 5 || size > 7) f->failed = true;
  for (uint32_t k = 4; !f->failed && k < size; k++)
    if (!get_constant(f, w[k], &v[k - 4])) f->failed = true;
  if (!f->failed && evaluate(w[3], v, size - 4, &result))
    set_constant(f, w[2], result);
  else
    f->failed = true;
}

/* Reads the instructions before the functions and records types, constants and their values. */
static void read_globals(specializer *f) {
  size_t at = HEADER;
  for (; at < f->count && op_at(f, at) != OpFunction && !f->failed; at += size_at(f, at)) {
    const uint32_t *w = f->in + at, size = size_at(f, at);
    uint32_t id;
    switch (op_at(f, at)) {
    case OpDecorate:
      if (w[2] == DECORATION_SPEC_ID) f->spec_id[w[1]] = w[3] + 1;
      break;
    case OpTypeBool: f->flags[w[1]] |= BOOL; break;
    case OpConstantTrue: set_constant(f, w[2], 1); break;
    case OpConstantFalse: set_constant(f, w[2], 0); break;
    case OpConstant:
      if (size == 4) set_constant(f, w[2], w[3]);
      break;
    case OpSpecConstant:
    case OpSpecConstantTrue:
    case OpSpecConstantFalse:
      id = f->spec_id[w[2]];
      if (size > 4)
        f->failed = true;
      else if (id && id <= f->specs)
        set_constant(f, w[2], f->spec[id - 1]);
      else
        set_constant(f, w[2], size == 4 ? w[3] : op_at(f, at) == OpSpecConstantTrue);
      break;
    case OpSpecConstantOp: read_spec_op(f, w, size); break;
    default: break;
    }
  }
  f->functions = at;
}

static bool ends_block(uint32_t op) {
  return op == OpBranch || op == OpBranchConditional || op == OpSwitch || op == OpReturn ||
         op == OpReturnValue || op == OpKill || op == OpUnreachable;
}

/* True if the branch at `at` depends on a constant; *target: the label it jumps to. */
static bool branch_folds(const specializer *f, size_t at, uint32_t *target) {
  const uint32_t *w = f->in + at;
  uint32_t value;
  if (op_at(f, at) == OpBranchConditional && get_constant(f, w[1], &value))
    return *target = w[value ? 2 : 3], true;
  if (op_at(f, at) != OpSwitch || !get_constant(f, w[1], &value)) return false;
  *target = w[2];
  for (uint32_t k = 3; k + 1 < size_at(f, at); k += 2)
    if (w[k] == value) *target = w[k + 1];
  return true;
}

/* True if the merge instruction at `at` is removed with the branch after it. */
static bool merge_is_removed(const specializer *f, size_t at) {
  uint32_t target;
  return op_at(f, at) == OpSelectionMerge && branch_folds(f, at + size_at(f, at), &target);
}

/* Marks a block and adds it to those to visit, unless it is marked already. */
static void reach(specializer *f, uint32_t id, flag mark) {
  if (f->flags[id] & mark) return;
  f->flags[id] |= mark;
  f->todo[f->todo_count++] = id;
}

/* The id that an instruction defines, or 0. */
static uint32_t result_of(const specializer *f, size_t at) {
  uint32_t op = op_at(f, at);
  switch (op) {
  case OpLabel:
  case OpExtInstImport:
  case OpTypeCooperativeMatrixKHR: return f->in[at + 1];
  case OpTypeForwardPointer:
  case OpStore:
  case OpCopyMemory:
  case OpControlBarrier:
  case OpMemoryBarrier:
  case OpAtomicStore:
  case OpCooperativeMatrixStoreKHR:
  case OpLoopMerge:
  case OpSelectionMerge:
  case OpFunctionEnd: return 0;
  default: break;
  }
  if (op >= OpTypeVoid && op < OpTypeForwardPointer) return f->in[at + 1];
  if (op == OpExtInst) return f->in[at + 2];
  if (ends_block(op) || op < OpConstantTrue || op == OpDecorate || op == OpMemberDecorate) return 0;
  return size_at(f, at) > 2 ? f->in[at + 2] : 0;
}

/* Visits one reachable block: marks the ids it defines and the blocks and functions that it refers to.
 * called: a stack of *calls functions to visit. */
static void visit_block(specializer *f, uint32_t label, uint32_t *called, size_t *calls) {
  for (size_t at = f->start[label];; at += size_at(f, at)) {
    const uint32_t *w = f->in + at, size = size_at(f, at), op = op_at(f, at);
    uint32_t target, id = result_of(f, at);
    if (id) f->flags[id] |= LIVE;
    if (op == OpFunctionCall && !(f->flags[w[3]] & CALLED)) {
      f->flags[w[3]] |= CALLED;
      called[(*calls)++] = w[3];
    }
    if ((op == OpSelectionMerge || op == OpLoopMerge) && !merge_is_removed(f, at)) {
      reach(f, w[1], BLOCK);
      if (op == OpLoopMerge) reach(f, w[2], BLOCK);
    }
    if (!ends_block(op)) continue;
    if (branch_folds(f, at, &target))
      reach(f, target, BLOCK);
    else if (op == OpBranch)
      reach(f, w[1], BLOCK);
    else if (op == OpBranchConditional)
      reach(f, w[2], BLOCK), reach(f, w[3], BLOCK);
    else if (op == OpSwitch)
      for (uint32_t k = 2; k < size; k += 2) reach(f, w[k], BLOCK);
    return;
  }
}

/* Marks the functions and blocks that are reachable from the entry point, and the ids they define. */
static void mark_reachable(specializer *f) {
  uint32_t *called = gt_alloc(f->bound * sizeof *called);
  size_t calls = 0;
  for (size_t at = HEADER; at < f->functions; at += size_at(f, at))
    if (op_at(f, at) == OpEntryPoint && !(f->flags[f->in[at + 2]] & CALLED)) {
      f->flags[f->in[at + 2]] |= CALLED;
      called[calls++] = f->in[at + 2];
    }
  while (calls > 0) {
    size_t at = f->start[called[--calls]];
    for (; op_at(f, at) != OpLabel; at += size_at(f, at)) f->flags[result_of(f, at)] |= LIVE;
    reach(f, f->in[at + 1], BLOCK);
    while (f->todo_count > 0) visit_block(f, f->todo[--f->todo_count], called, &calls);
  }
  free(called);
}

/* True if block `from` still branches to block `to`. */
static bool branches_to(const specializer *f, uint32_t from, uint32_t to) {
  uint32_t target;
  if (!(f->flags[from] & BLOCK)) return false;
  size_t at = f->start[from];
  while (!ends_block(op_at(f, at))) at += size_at(f, at);
  return !branch_folds(f, at, &target) || target == to;
}

/* Writes one instruction of a function that is kept. */
static size_t write_instruction(const specializer *f, size_t at, uint32_t label, uint32_t *out) {
  const uint32_t *w = f->in + at, size = size_at(f, at), op = op_at(f, at);
  uint32_t target, n = 3;
  if (merge_is_removed(f, at)) return 0;
  if (branch_folds(f, at, &target)) {
    out[0] = 2 << 16 | OpBranch;
    out[1] = target;
    return 2;
  }
  memcpy(out, w, size * sizeof *out);
  if (op != OpPhi) return size;
  for (uint32_t k = 3; k + 1 < size; k += 2)
    if (branches_to(f, w[k + 1], label)) out[n] = w[k], out[n + 1] = w[k + 1], n += 2;
  out[0] = n << 16 | OpPhi;
  return n;
}

/* Writes one instruction from before the functions. */
static size_t write_global(const specializer *f, size_t at, uint32_t *out) {
  const uint32_t *w = f->in + at, size = size_at(f, at), op = op_at(f, at);
  uint32_t value;
  switch (op) {
  case OpName:
  case OpMemberName:
  case OpString:
  case OpSource:
  case OpSourceExtension: return 0;
  case OpDecorate:
    if (w[2] == DECORATION_SPEC_ID || !(f->flags[w[1]] & LIVE)) return 0;
    break;
  case OpSpecConstant:
  case OpSpecConstantTrue:
  case OpSpecConstantFalse:
  case OpSpecConstantOp:
    get_constant(f, w[2], &value);
    memcpy(out, w, 3 * sizeof *out);
    if (f->flags[w[1]] & BOOL) {
      out[0] = 3 << 16 | (value ? OpConstantTrue : OpConstantFalse);
      return 3;
    }
    out[0] = 4 << 16 | OpConstant;
    out[3] = value;
    return 4;
  case OpSpecConstantComposite:
    memcpy(out, w, size * sizeof *out);
    out[0] = size << 16 | OpConstantComposite;
    return size;
  default: break;
  }
  memcpy(out, w, size * sizeof *out);
  return size;
}

static uint32_t *write_module(const specializer *f, size_t *size) {
  /* The result is not longer: an operation of at least five words becomes a constant of at most four. */
  uint32_t *out = gt_alloc(f->count * sizeof *out), label = 0;
  bool function_kept = false, kept = false; /* the current function; the current instruction */
  size_t n = HEADER;
  memcpy(out, f->in, HEADER * sizeof *out);
  for (size_t at = HEADER; at < f->count; at += size_at(f, at)) {
    uint32_t op = op_at(f, at);
    if (at < f->functions) {
      n += write_global(f, at, out + n);
      continue;
    }
    if (op == OpFunction) kept = function_kept = f->flags[f->in[at + 2]] & CALLED;
    if (op == OpLabel) {
      label = f->in[at + 1];
      kept = f->flags[label] & BLOCK;
    }
    if (op == OpFunctionEnd) kept = function_kept;
    if (kept && op != OpLine && op != OpNoLine) n += write_instruction(f, at, label, out + n);
  }
  *size = n;
  return out;
}

/* Checks that all instructions are supported, and records where blocks and functions start and which ids are
 * defined outside functions. */
static bool check_instructions(specializer *f) {
  for (size_t at = HEADER; at < f->count; at += size_at(f, at)) {
    uint32_t op = op_at(f, at), size = size_at(f, at);
    if (!size || size > f->count - at || !is_supported(op)) return false;
    if (op == OpLabel) f->start[f->in[at + 1]] = (uint32_t)at;
    if (op == OpFunction) f->start[f->in[at + 2]] = (uint32_t)at;
    if (at < f->functions && result_of(f, at)) f->flags[result_of(f, at)] |= LIVE;
  }
  return true;
}

uint32_t *gt_spirv_specialize(const uint32_t *words, size_t count, const uint32_t *spec, uint32_t specs,
                              size_t *size) {
  if (count < HEADER || words[0] != 0x07230203 || words[3] > MAX_BOUND) return NULL;
  specializer f = {.in = words, .count = count, .bound = words[3], .spec = spec, .specs = specs};
  uint32_t *out = NULL;
  f.flags = gt_alloc(f.bound);
  f.value = gt_alloc(f.bound * sizeof *f.value);
  f.spec_id = gt_alloc(f.bound * sizeof *f.spec_id);
  f.start = gt_alloc(f.bound * sizeof *f.start);
  f.todo = gt_alloc(f.bound * sizeof *f.todo);
  read_globals(&f);
  if (!f.failed && check_instructions(&f)) {
    mark_reachable(&f);
    out = write_module(&f, size);
  }
  free(f.flags);
  free(f.value);
  free(f.spec_id);
  free(f.start);
  free(f.todo);
  return out;
}
