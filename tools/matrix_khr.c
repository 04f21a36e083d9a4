/* matrix_khr [--bfloat] IN.spv OUT.spv: converts the cooperative matrices of a SPIR-V module from
 * SPV_NV_cooperative_matrix, the only such extension that older GLSL compilers support, to
 * SPV_KHR_cooperative_matrix, which drivers of several vendors support, and which is faster.
 *
 * The extensions differ in few points. A KHR matrix type states its use, A, B or accumulator, which is
 * derived here from the multiplications. A load or store has the layout as a number instead of a boolean, and
 * before the stride instead of after it. The length of a matrix is an instruction in a function, not a
 * constant. A type with two uses is an error; a shader avoids it with separate specialization constants for
 * the extents of each use. NV has no elementwise product of matrices: shaders write a quotient instead, which
 * is converted to a product.
 * --bfloat: float16 in the source becomes bfloat16 (SPV_KHR_bfloat16), which such compilers do not support:
 * in matrices that are loaded and multiplied, and in vectors that floats are converted to and that are
 * bitcast to 32-bit words. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 5, MAGIC = 0x07230203, MAX_WORDS = 1 << 24, MAX_IDS = 1 << 20 };
enum { /* instructions, with the names of the specification */
       OpName = 5,
       OpMemberName = 6,
       OpExtension = 10,
       OpCapability = 17,
       OpTypeVoid = 19,
       OpTypeFloat = 22,
       OpTypeForwardPointer = 39,
       OpConstantTrue = 41,
       OpConstantFalse = 42,
       OpConstant = 43,
       OpSpecConstantOp = 52,
       OpFunction = 54,
       OpFunctionParameter = 55,
       OpVariable = 59,
       OpDecorate = 71,
       OpMemberDecorate = 72,
       OpFMul = 133,
       OpFDiv = 136,
       OpSelect = 169,
       OpLabel = 248,
       OpTypeCooperativeMatrixKHR = 4456,
       OpCooperativeMatrixLoadKHR,
       OpCooperativeMatrixStoreKHR,
       OpCooperativeMatrixMulAddKHR,
       OpCooperativeMatrixLengthKHR,
       OpTypeCooperativeMatrixNV = 5358,
       OpCooperativeMatrixLoadNV,
       OpCooperativeMatrixStoreNV,
       OpCooperativeMatrixMulAddNV,
       OpCooperativeMatrixLengthNV,
};
enum {
  CAPABILITY_MATRIX_NV = 5357,
  CAPABILITY_MATRIX_KHR = 6022,
  CAPABILITY_BFLOAT = 5116,
  CAPABILITY_BFLOAT_MATRIX = 5118
};
enum { BFLOAT = 0 }; /* the operand of OpTypeFloat for BFloat16KHR */
/* Uses of a matrix, with KHR's numbers: A, B, accumulator. The numbers of layouts are 0, row-major, and 1,
 * column-major. */
enum { LEFT, RIGHT, SUM, ROLES };

typedef struct id { /* what is known about an id */
  uint32_t type;    /* of a value */
  uint32_t roles;   /* of a matrix type: bit LEFT, RIGHT or SUM for each use */
  bool matrix;      /* it is a matrix type */
  uint32_t layout;  /* of a boolean "column-major": the id of the corresponding layout number, or 0 */
  bool length;      /* it is a matrix length, or an OpSpecConstantOp with one as an operand */
} id;

typedef struct module {
  const char *path;
  uint32_t *in, *out;
  size_t count, written, capacity;
  size_t function;        /* offset of the current function's OpFunction; 0: none */
  size_t length_function; /* the same of the function that uses lengths */
  uint32_t bound;         /* bound of the ids, including new ones */
  id *ids;                /* those of the input */
  uint32_t integer;       /* id of the 32-bit integer type */
  uint32_t number[ROLES]; /* ids of its constants 0, 1 and 2 */
  bool bfloat;            /* --bfloat */
  bool matrices;          /* the module declares matrices of NV */
  bool layouts_written;   /* put_layouts has run */
  bool lengths_written;   /* put_lengths has run */
} module;

static void fail(const module *m, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
static void fail(const module *m, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: error: ", m->path);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

/* --- reading --- */

static void read_module(module *m) {
  FILE *file = fopen(m->path, "rb");
  if (!file) fail(m, "cannot be read");
  m->in = malloc(sizeof *m->in * MAX_WORDS);
  if (!m->in) fail(m, "out of memory");
  m->count = fread(m->in, sizeof *m->in, MAX_WORDS, file);
  fclose(file);
  if (m->count < HEADER || m->count == MAX_WORDS || m->in[0] != MAGIC || m->in[3] > MAX_IDS)
    fail(m, "no SPIR-V module");
  m->bound = m->in[3];
  m->ids = calloc(m->bound + 1, sizeof *m->ids);
  if (!m->ids) fail(m, "out of memory");
  for (size_t at = HEADER, size; at < m->count; at += size) {
    size = m->in[at] >> 16;
    if (!size || size > m->count - at) fail(m, "no SPIR-V module: an instruction of %zu words", size);
  }
}

static id *id_of(const module *m, uint32_t index) {
  if (index >= m->in[3]) fail(m, "id %u is out of bounds", index);
  return &m->ids[index];
}

/* True if the instruction has a result type and a result id, in this order. */
static bool has_type(uint32_t op) {
  const bool type = (op >= OpTypeVoid && op <= OpTypeForwardPointer) || op == OpTypeCooperativeMatrixNV;
  return !type && op >= OpConstantTrue && op != OpDecorate && op != OpMemberDecorate;
}

static void note_layout(module *m, uint32_t column_major) {
  id *by_columns = id_of(m, column_major);
  if (!by_columns->layout) by_columns->layout = m->bound++;
}

/* Finds lengths, and the only function that may use them. A literal operand that happens to equal the id of a
 * length is treated as a use of it; that is an error only if it is in another function. */
static void note_lengths(module *m, const uint32_t *w, uint32_t size) {
  const uint32_t op = w[0] & 0xffff;
  const bool constant = op == OpSpecConstantOp;
  if (constant && w[3] == OpCooperativeMatrixLengthNV) m->ids[w[2]].length = true;
  for (uint32_t k = constant ? 4 : 1; k < size; k++) {
    if (w[k] >= m->in[3] || !m->ids[w[k]].length || op == OpName) continue;
    if (constant) {
      m->ids[w[2]].length = true;
      continue;
    }
    if (!m->function || (m->length_function && m->length_function != m->function))
      fail(m, "the length %%%u is used outside of one function", w[k]);
    m->length_function = m->function;
  }
}

static void survey_instruction(module *m, size_t at) {
  const uint32_t *w = m->in + at, op = w[0] & 0xffff, size = w[0] >> 16;
  if (op == OpFunction) m->function = at;
  note_lengths(m, w, size);
  /* has_type is also true for instructions without a result (OpStore, a branch). That does no harm: their
   * word 2 is an id that already has a type, or a label. */
  if (size > 2 && has_type(op) && w[2] < m->in[3] && !m->ids[w[2]].type) m->ids[w[2]].type = w[1];
  switch (op) {
  case OpCapability: m->matrices |= w[1] == CAPABILITY_MATRIX_NV; break;
  case OpTypeCooperativeMatrixNV:
    if (size < 6) fail(m, "a matrix type of %u words", size);
    id_of(m, w[1])->matrix = true;
    m->integer = id_of(m, w[4])->type;
    break;
  case OpCooperativeMatrixLoadNV:
  case OpCooperativeMatrixStoreNV:
    if (size < 6 - (op == OpCooperativeMatrixStoreNV)) fail(m, "a load or store of %u words", size);
    note_layout(m, w[op == OpCooperativeMatrixLoadNV ? 5 : 4]);
    break;
  case OpCooperativeMatrixMulAddNV:
    if (size < 6) fail(m, "a multiplication of %u words", size);
    for (uint32_t role = 0; role < ROLES; role++) id_of(m, id_of(m, w[3 + role])->type)->roles |= 1u << role;
    id_of(m, w[1])->roles |= 1u << SUM;
    break;
  default: break;
  }
}

static void survey(module *m) {
  static const char *const name[ROLES] = {"left factor", "right factor", "sum"};
  for (size_t at = HEADER; at < m->count; at += m->in[at] >> 16) survey_instruction(m, at);
  if (!m->matrices) fail(m, "no matrices of SPV_NV_cooperative_matrix");
  for (uint32_t k = 0; k < m->in[3]; k++) {
    const uint32_t roles = m->ids[k].matrix ? m->ids[k].roles : 0;
    if (!(roles & (roles - 1))) continue;
    const int first = roles & 1 << LEFT ? LEFT : RIGHT, second = roles & 1 << SUM ? SUM : RIGHT;
    fail(m, "the matrix type %%%u serves as %s and as %s; give them extents that are constants of their own",
         k, name[first], name[second]);
  }
}

/* The use of a matrix type. Types that are not multiplied become accumulators. */
static uint32_t role_of(const module *m, uint32_t type) {
  const uint32_t roles = id_of(m, type)->roles;
  return roles & 1 << LEFT ? LEFT : roles & 1 << RIGHT ? RIGHT : SUM;
}

/* --- writing --- */

static void put(module *m, uint32_t word) {
  if (m->written == m->capacity) {
    m->capacity = m->capacity ? 2 * m->capacity : 1 << 12;
    m->out = realloc(m->out, m->capacity * sizeof *m->out);
    if (!m->out) fail(m, "out of memory");
  }
  m->out[m->written++] = word;
}

static void put_words(module *m, const uint32_t *w, uint32_t size) {
  for (uint32_t k = 0; k < size; k++) put(m, w[k]);
}

#define PUT(m, op, ...) \
  put_instruction(m, op, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
static void put_instruction(module *m, uint32_t op, const uint32_t *operands, size_t count) {
  put(m, (uint32_t)(count + 1) << 16 | op);
  put_words(m, operands, (uint32_t)count);
}

static bool is_text(const uint32_t *w, uint32_t size, const char *text) {
  return size * 4 > strlen(text) && !strncmp((const char *)w, text, size * 4);
}

static void put_extension(module *m, const char *text) {
  uint32_t words[16] = {0};
  memcpy(words, text, strlen(text));
  put_instruction(m, OpExtension, words, strlen(text) / 4 + 1);
}

/* Writes the constants 0, 1 and 2, to which types and layouts refer, directly after the integer type. */
static void put_numbers(module *m) {
  for (uint32_t k = 0; k < ROLES; k++) PUT(m, OpConstant, m->integer, m->number[k] = m->bound++, k);
}

/* Writes the layout numbers of all booleans "column-major": constants, or expressions of specialization
 * constants. */
static void put_layouts(module *m) {
  for (size_t at = HEADER; at < m->count; at += m->in[at] >> 16) {
    const uint32_t op = m->in[at] & 0xffff, result = m->in[at] >> 16 > 2 ? m->in[at + 2] : 0;
    if (op == OpFunction) break;
    if (!has_type(op) || result >= m->in[3] || !m->ids[result].layout) continue;
    if (op == OpConstantTrue || op == OpConstantFalse)
      PUT(m, OpConstant, m->integer, m->ids[result].layout, op == OpConstantTrue);
    else
      PUT(m, OpSpecConstantOp, m->integer, m->ids[result].layout, OpSelect, result, m->number[1],
          m->number[0]);
  }
  m->layouts_written = true;
}

static bool is_length(const module *m, const uint32_t *w) {
  return (w[0] & 0xffff) == OpSpecConstantOp && m->ids[w[2]].length;
}

/* Writes the lengths as instructions; called at the start of the function that uses them. */
static void put_lengths(module *m) {
  for (size_t at = HEADER; at < m->count; at += m->in[at] >> 16) {
    const uint32_t *w = m->in + at, size = w[0] >> 16;
    if (!is_length(m, w)) continue;
    put(m, (size - 1) << 16 | (w[3] == OpCooperativeMatrixLengthNV ? OpCooperativeMatrixLengthKHR : w[3]));
    put_words(m, w + 1, 2);
    put_words(m, w + 4, size - 4);
  }
  m->lengths_written = true;
}

/* Writes a load or store. `at`: the index of the stride in w, before the layout; in KHR the layout comes
 * before the stride. */
static void put_access(module *m, const uint32_t *w, uint32_t size, uint32_t op, uint32_t at) {
  put(m, size << 16 | op);
  put_words(m, w + 1, at - 1);
  put(m, id_of(m, w[at + 1])->layout);
  put(m, w[at]);
  put_words(m, w + at + 2, size - at - 2);
}

static void rewrite_matrix(module *m, const uint32_t *w, uint32_t size) {
  const uint32_t op = w[0] & 0xffff, role = op == OpTypeCooperativeMatrixNV ? role_of(m, w[1]) : 0;
  switch (op) {
  case OpTypeCooperativeMatrixNV:
    PUT(m, OpTypeCooperativeMatrixKHR, w[1], w[2], w[3], w[4], w[5], m->number[role]);
    break;
  case OpCooperativeMatrixLoadNV: put_access(m, w, size, OpCooperativeMatrixLoadKHR, 4); break;
  case OpCooperativeMatrixStoreNV: put_access(m, w, size, OpCooperativeMatrixStoreKHR, 3); break;
  case OpCooperativeMatrixMulAddNV:
    put(m, size << 16 | OpCooperativeMatrixMulAddKHR);
    put_words(m, w + 1, size - 1);
    break;
  default: put(m, size << 16 | OpCooperativeMatrixLengthKHR); put_words(m, w + 1, size - 1);
  }
}

static void rewrite_instruction(module *m, size_t at) {
  const uint32_t *w = m->in + at, op = w[0] & 0xffff, size = w[0] >> 16;
  if (op == OpFunction) {
    if (!m->layouts_written) put_layouts(m);
    m->function = at;
  }
  /* Lengths are written after the beginning of the function: OpFunction, its parameters, a label and
   * variables. */
  const bool begins = op == OpFunction || op == OpFunctionParameter || op == OpLabel || op == OpVariable;
  if (m->function && m->function == m->length_function && !m->lengths_written && !begins) put_lengths(m);
  if (op >= OpTypeCooperativeMatrixNV && op <= OpCooperativeMatrixLengthNV)
    rewrite_matrix(m, w, size);
  else if (op == OpCapability && w[1] == CAPABILITY_MATRIX_NV) {
    PUT(m, OpCapability, CAPABILITY_MATRIX_KHR);
    if (m->bfloat) PUT(m, OpCapability, CAPABILITY_BFLOAT);
    if (m->bfloat) PUT(m, OpCapability, CAPABILITY_BFLOAT_MATRIX);
  } else if (op == OpExtension && is_text(w + 1, size - 1, "SPV_NV_cooperative_matrix")) {
    put_extension(m, "SPV_KHR_cooperative_matrix");
    if (m->bfloat) put_extension(m, "SPV_KHR_bfloat16");
  } else if (m->bfloat && op == OpTypeFloat && w[2] == 16)
    PUT(m, OpTypeFloat, w[1], 16, BFLOAT);
  else if (op == OpFDiv && id_of(m, w[1])->matrix)
    PUT(m, OpFMul, w[1], w[2], w[3], w[4]);
  else if (!is_length(m, w))
    put_words(m, w, size);
  const bool declares = (op >= OpTypeVoid && op <= OpTypeForwardPointer);
  if (declares && w[1] == m->integer) put_numbers(m);
}

static void rewrite(module *m) {
  m->function = 0;
  put_words(m, m->in, HEADER);
  for (size_t at = HEADER; at < m->count; at += m->in[at] >> 16) rewrite_instruction(m, at);
  m->out[3] = m->bound;
}

static bool write_module(const module *m, const char *path) {
  FILE *file = fopen(path, "wb");
  bool good = file && fwrite(m->out, sizeof *m->out, m->written, file) == m->written;
  if (file) good = fclose(file) == 0 && good;
  if (!good) fprintf(stderr, "%s: error: cannot be written\n", path);
  return good;
}

int main(int argc, char **argv) {
  const bool bfloat = argc > 1 && !strcmp(argv[1], "--bfloat");
  if (argc != 3 + bfloat) {
    fputs("usage: matrix_khr [--bfloat] IN.spv OUT.spv\n", stderr);
    return 2;
  }
  module m = {.path = argv[1 + bfloat], .bfloat = bfloat};
  read_module(&m);
  survey(&m);
  rewrite(&m);
  const bool good = write_module(&m, argv[2 + bfloat]);
  free(m.in);
  free(m.out);
  free(m.ids);
  return good ? 0 : 1;
}
