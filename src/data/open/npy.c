/* NPY: NumPy's array file: magic, version, the length of the header, the header (a Python dict literal), the
 * elements (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). The header is parsed
 * strictly; nothing in it is evaluated. */
#include "base/output.h"
#include "data/format.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

typedef struct header {
  const char *path;
  const char *at, *end;
  char descr[16];
  bool fortran;
  bool seen[3]; /* descr, fortran_order, shape */
  gt_raw_array *array;
  gt_error *error;
} header;

static bool fail_header(header *h, const char *expected) {
  const char *at = h->at;
  char shown[24];
  size_t n = 0;
  for (; at < h->end && n < sizeof shown - 1; at++, n++) shown[n] = isprint((unsigned char)*at) ? *at : '?';
  shown[n] = 0;
  return gt_fail(h->error, GT_ERR_DATA, "%s: damaged NPY header: expected %s at '%s'", h->path, expected,
                 shown);
}

static char skip_spaces(header *h) {
  while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t' || *h->at == '\r')) h->at++;
  return h->at < h->end ? *h->at : 0;
}

static bool accept(header *h, char c) {
  if (skip_spaces(h) != c || h->at >= h->end) return false;
  h->at++;
  return true;
}

static bool accept_word(header *h, const char *text) {
  const size_t length = strlen(text);
  skip_spaces(h);
  if ((size_t)(h->end - h->at) < length || memcmp(h->at, text, length)) return false;
  h->at += length;
  return true;
}

/* Parses a quoted string without escapes. */
static bool parse_string(header *h, char *out, size_t size) {
  const char quote = skip_spaces(h);
  if (quote != '\'' && quote != '"') return fail_header(h, "a quoted string");
  const char *start = ++h->at;
  while (h->at < h->end && *h->at != quote && *h->at != '\\') h->at++;
  const size_t length = (size_t)(h->at - start);
  if (h->at >= h->end || *h->at != quote || length >= size || memchr(start, 0, length)) {
    h->at = start - 1;
    return fail_header(h, "a short quoted string");
  }
  memcpy(out, start, length);
  out[length] = 0;
  h->at++;
  return true;
}

static bool parse_dimension(header *h, int64_t *out) {
  skip_spaces(h);
  if (h->at >= h->end || !isdigit((unsigned char)*h->at)) return fail_header(h, "a dimension");
  int64_t value = 0;
  for (; h->at < h->end && isdigit((unsigned char)*h->at); h->at++)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *h->at - '0', &value))
      return fail_header(h, "a smaller dimension");
  *out = value;
  return true;
}

/* Parses (), (3,) or (3, 4). */
static bool parse_shape(header *h) {
  gt_raw_array *a = h->array;
  if (!accept(h, '(')) return fail_header(h, "'('");
  while (!accept(h, ')')) {
    if (a->rank == GT_DATA_MAX_RANK)
      return gt_fail(h->error, GT_ERR_DATA, "%s: the array has more than %d dimensions", h->path,
                     GT_DATA_MAX_RANK);
    if (!parse_dimension(h, &a->dim[a->rank++])) return false;
    if (accept(h, ',')) continue;
    if (skip_spaces(h) != ')') return fail_header(h, "',' or ')'");
    if (a->rank == 1) return fail_header(h, "',' after the only dimension of a shape");
  }
  return true;
}

static bool parse_entry(header *h) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  char key[16];
  int index = 0;
  const char *start = h->at;
  if (!parse_string(h, key, sizeof key)) return false;
  while (index < 3 && strcmp(keys[index], key)) index++;
  if (index == 3 || h->seen[index]) {
    h->at = start;
    return fail_header(h, "each of 'descr', 'fortran_order' and 'shape' once");
  }
  h->seen[index] = true;
  if (!accept(h, ':')) return fail_header(h, "':'");
  if (index == 2) return parse_shape(h);
  if (index == 1) {
    h->fortran = accept_word(h, "True");
    return h->fortran || accept_word(h, "False") || fail_header(h, "True or False");
  }
  if (skip_spaces(h) == '[')
    return gt_fail(h->error, GT_ERR_DATA, "%s: structured arrays are not supported; save one plain array",
                   h->path);
  return parse_string(h, h->descr, sizeof h->descr);
}

static bool parse_dictionary(header *h) {
  if (!accept(h, '{')) return fail_header(h, "'{'");
  while (!accept(h, '}')) {
    if (!parse_entry(h)) return false;
    if (accept(h, ',')) continue;
    if (skip_spaces(h) != '}') return fail_header(h, "',' or '}'");
  }
  if (!h->seen[0] || !h->seen[1] || !h->seen[2])
    return fail_header(h, "'descr', 'fortran_order' and 'shape' before");
  skip_spaces(h);
  return h->at == h->end || fail_header(h, "the header's end");
}

static bool parse_element_type(header *h) {
  static const struct {
    char name[3];
    gt_raw_type type;
  } types[] = {{"f4", GT_RAW_F32}, {"f8", GT_RAW_F64}, {"u1", GT_RAW_U8},  {"i1", GT_RAW_I8},
               {"i2", GT_RAW_I16}, {"i4", GT_RAW_I32}, {"i8", GT_RAW_I64}, {"b1", GT_RAW_BOOL}};
  const char order = h->descr[0];
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (order && strchr("<>|", order) && !strcmp(types[i].name, h->descr + 1) &&
        (order != '|' || gt_raw_size(types[i].type) == 1)) {
      h->array->type = types[i].type;
      h->array->big_endian = order == '>';
      return true;
    }
  for (char *c = h->descr; *c; c++)
    if (!isprint((unsigned char)*c)) *c = '?';
  return gt_fail(
      h->error, GT_ERR_DATA,
      "%s: elements of type '%s' are not supported; save float32, float64, uint8, int8, int16, int32, "
      "int64 or bool (array.astype('float32'))",
      h->path, h->descr);
}

/* Finds the position and length of the header dict, which depend on the version. */
static bool find_header(const gt_raw_array *array, size_t *start, size_t *length, gt_error *error) {
  const uint8_t *b = array->file.data;
  const size_t size = array->file.size;
  if (size < 10 || memcmp(b, magic, sizeof magic))
    return gt_fail(
        error, GT_ERR_DATA, "%s is not an NPY file: it does not start with \\x93NUMPY%s", array->path,
        size >= 2 && b[0] == 'P' && b[1] == 'K' ? " (if it is an .npz, name it so, or set data.format: npz)"
                                                : "");
  if (b[6] < 1 || b[6] > 3 || b[7])
    return gt_fail(error, GT_ERR_DATA, "%s: NPY version %d.%d is not supported; expected 1.0, 2.0 or 3.0",
                   array->path, b[6], b[7]);
  *start = b[6] == 1 ? 10 : 12;
  *length = (size_t)b[8] | (size_t)b[9] << 8;
  if (b[6] > 1 && size >= 12) *length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  if (size >= *start && *length <= size - *start) return true;
  return gt_fail(error, GT_ERR_DATA, "%s is truncated: its NPY header is incomplete", array->path);
}

bool gt_npy_parse(gt_raw_array *array, gt_error *error) {
  size_t start = 0, length = 0;
  if (!find_header(array, &start, &length, error)) return false;
  const char *text = (const char *)array->file.data + start;
  header h = {.path = array->path, .at = text, .end = text + length, .array = array, .error = error};
  if (!parse_dictionary(&h) || !parse_element_type(&h)) return false;
  array->fortran = h.fortran && array->rank > 1;
  if (array->rank < 1)
    return gt_fail(error, GT_ERR_DATA,
                   "%s holds a single number; expected an array whose first dimension is the number of "
                   "samples",
                   array->path);
  uint64_t count;
  if (!gt_raw_count(array, &count, error)) return false;
  /* gt_raw_count limits the count to 2^60, so this product cannot overflow. */
  const uint64_t needed = count * gt_raw_size(array->type), present = array->size - start - length;
  if (needed != present)
    return gt_fail(error, GT_ERR_DATA,
                   "%s is %s: its NPY header asks for %" PRIu64 " bytes of data, it has %" PRIu64,
                   array->path, present < needed ? "truncated" : "too long", needed, present);
  array->data = array->file.data + start + length;
  return true;
}

static bool probe(const gt_data_probe *p) {
  if (p->path && gt_data_has_suffix(p->path, ".npy")) return true;
  return p->head.size >= sizeof magic && !memcmp(p->head.data, magic, sizeof magic);
}

static bool open_npy(gt_data_reader *reader, const void *options) {
  return gt_array_open(reader, options, gt_npy_parse);
}

static bool read_inputs(gt_input_reader *reader) { return gt_array_read_inputs(reader, gt_npy_parse); }

static const gt_schema schema = {.name = "npy", .help = "NumPy arrays (.npy)", .fields = gt_array_fields};

const gt_data_format gt_data_npy = {
    .name = "npy",
    .schema = &schema,
    .options_size = sizeof(gt_array_options),
    .probe = probe,
    .open = open_npy,
    .read_inputs = read_inputs,
};
GT_REGISTER(data, npy)

bool gt_data_write_npy(const char *path, const gt_tensor *tensor, gt_error *error) {
  static const char *const types[] = {
      [GT_ELEMENT_U8] = "|u1", [GT_ELEMENT_F32] = "<f4", [GT_ELEMENT_I32] = "<i4"};
  /* HEADER fits eight dimensions of 19 digits, and is a multiple of 64, as the format requires. PREFIX: the
   * bytes before the dict: magic, version, length. */
  enum { HEADER = 384, PREFIX = 10 };
  char head[HEADER + 1];
  int n = snprintf(head + PREFIX, HEADER - PREFIX, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                   types[tensor->element]);
  size_t count = 1;
  for (int i = 0; i < tensor->rank; i++) {
    n += snprintf(head + PREFIX + n, (size_t)(HEADER - PREFIX - n), "%" PRId64 ",%s", tensor->dim[i],
                  i + 1 < tensor->rank ? " " : "");
    count *= (size_t)tensor->dim[i];
  }
  n += snprintf(head + PREFIX + n, (size_t)(HEADER - PREFIX - n), "), }");
  memset(head + PREFIX + n, ' ', (size_t)(HEADER - PREFIX - n));
  head[HEADER - 1] = '\n';
  memcpy(head, magic, sizeof magic);
  head[6] = 1;
  head[7] = 0;
  head[8] = (char)((HEADER - PREFIX) & 255);
  head[9] = (char)((HEADER - PREFIX) >> 8);
  const gt_span pieces[] = {{head, HEADER}, {tensor->data, count * gt_element_size(tensor->element)}};
  return gt_write_output(path, pieces, 2, error);
}
