/* IDX, the format of MNIST and similar data sets: two zero bytes, a type byte, the rank, big-endian 32-bit
 * dimensions, the elements, big-endian and row-major (http://yann.lecun.com/exdb/mnist/). */
#include "data/format.h"
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static bool read_element_type(uint8_t code, gt_raw_type *out) {
  switch (code) {
  case 0x08: *out = GT_RAW_U8; return true;
  case 0x09: *out = GT_RAW_I8; return true;
  case 0x0B: *out = GT_RAW_I16; return true;
  case 0x0C: *out = GT_RAW_I32; return true;
  case 0x0D: *out = GT_RAW_F32; return true;
  case 0x0E: *out = GT_RAW_F64; return true;
  default: return false;
  }
}

static bool parse(gt_raw_array *array, gt_error *error) {
  const uint8_t *bytes = array->file.data;
  const size_t size = array->file.size;
  if (size < 4 || bytes[0] || bytes[1] || !read_element_type(bytes[2], &array->type))
    return gt_fail(
        error, GT_ERR_DATA,
        "%s is not an IDX file: it should begin with two zero bytes, a type (8, 9, 11 … 14) and the rank",
        array->path);
  array->rank = bytes[3];
  if (array->rank < 1 || array->rank > GT_DATA_MAX_RANK)
    return gt_fail(error, GT_ERR_DATA, "%s: the IDX header has %d dimensions; expected 1 to %d", array->path,
                   array->rank, GT_DATA_MAX_RANK);
  const size_t header = 4 + 4 * (size_t)array->rank;
  if (size < header)
    return gt_fail(error, GT_ERR_DATA, "%s is truncated: its IDX header needs %zu bytes, it has %zu",
                   array->path, header, size);
  for (int i = 0; i < array->rank; i++) {
    const uint8_t *d = bytes + 4 + 4 * i;
    array->dim[i] = (int64_t)d[0] << 24 | (int64_t)d[1] << 16 | (int64_t)d[2] << 8 | (int64_t)d[3];
  }
  uint64_t count;
  if (!gt_raw_count(array, &count, error)) return false;
  /* gt_raw_count limits the count to 2^60, so this product cannot overflow. */
  const uint64_t needed = count * gt_raw_size(array->type), present = array->size - header;
  if (needed != present)
    return gt_fail(error, GT_ERR_DATA,
                   "%s is %s: its IDX header asks for %" PRIu64 " bytes of data, it has %" PRIu64,
                   array->path, present < needed ? "truncated" : "too long", needed, present);
  array->data = bytes + header;
  array->big_endian = true;
  return true;
}

static bool probe(const gt_data_probe *p) {
  gt_raw_type type;
  if (p->path && (gt_data_has_suffix(p->path, "-ubyte") || gt_data_has_suffix(p->path, ".idx"))) return true;
  return p->head.size >= 4 && !p->head.data[0] && !p->head.data[1] &&
         read_element_type(p->head.data[2], &type) && p->head.data[3] >= 1 &&
         p->head.data[3] <= GT_DATA_MAX_RANK;
}

static bool open_idx(gt_data_reader *reader, const void *options) {
  return gt_array_open(reader, options, parse);
}

static bool read_inputs(gt_input_reader *reader) { return gt_array_read_inputs(reader, parse); }

static const gt_schema schema = {
    .name = "idx", .help = "IDX files, as used by MNIST (may be gzipped)", .fields = gt_array_fields};

const gt_data_format gt_data_idx = {
    .name = "idx",
    .schema = &schema,
    .options_size = sizeof(gt_array_options),
    .probe = probe,
    .open = open_idx,
    .read_inputs = read_inputs,
};
GT_REGISTER(data, idx)
