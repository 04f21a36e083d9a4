#define _GNU_SOURCE /* memmem */
#include "store/safetensors.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/text.h"
#include "step/half.h"
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char hash_key[] = "gtrain.xxh3";
static const char hash_zeros[] = "0000000000000000";
enum { HASH_DIGITS = 16 };
/* The header holds names and the resolved config. Python's reader allows 100 MB; far less is needed here. */
static const uint64_t max_header_bytes = 16u << 20;
static const uint64_t max_file_bytes = 1ull << 40; /* 1 TiB, far more than any model needs */

/* The types of the format that gtrain does not compute with, and their bits. */
static const struct {
  const char *name;
  int bits;
} foreign_types[] = {{"F64", 64},    {"I64", 64},        {"U64", 64},       {"C64", 64},    {"U32", 32},
                     {"I16", 16},    {"U16", 16},        {"I8", 8},         {"BOOL", 8},    {"F8_E4M3", 8},
                     {"F8_E5M2", 8}, {"F8_E8M0", 8},     {"F6_E2M3", 6},    {"F6_E3M2", 6}, {"F4", 4},
                     {"C128", 128},  {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}};
enum { FOREIGN_TYPES = sizeof foreign_types / sizeof *foreign_types };

/* Index in foreign_types; -1: none. */
static int find_foreign_type(const char *name) {
  for (int i = 0; i < FOREIGN_TYPES; i++)
    if (!strcmp(foreign_types[i].name, name)) return i;
  return -1;
}

static uint64_t bits_of(const gt_stored *tensor) {
  return tensor->foreign_type ? (uint64_t)foreign_types[find_foreign_type(tensor->foreign_type)].bits
                              : 8 * (uint64_t)gt_dtype_size(tensor->dtype);
}

uint64_t gt_stored_bytes(const gt_stored *tensor) {
  return (uint64_t)gt_shape_count(tensor->shape) * bits_of(tensor) / 8;
}

const char *gt_stored_type_name(const gt_stored *tensor, gt_arena *arena) {
  if (!tensor->foreign_type) return gt_dtype_name(tensor->dtype);
  char *name = gt_arena_strdup(arena, tensor->foreign_type);
  for (char *c = name; *c; c++) *c = (char)tolower((unsigned char)*c);
  return name;
}

int64_t gt_stored_find_not_finite(const gt_stored *tensor) {
  const float *value = tensor->data;
  const bool is_float = tensor->dtype == GT_F32 && !tensor->foreign_type;
  const int64_t count = is_float ? gt_shape_count(tensor->shape) : 0;
  for (int64_t i = 0; i < count; i++)
    if (!isfinite(value[i])) return i;
  return -1;
}

static const char *dtype_text(gt_dtype dtype) {
  static const char *const texts[] = {
      [GT_F32] = "F32", [GT_I32] = "I32", [GT_U8] = "U8", [GT_F16] = "F16", [GT_BF16] = "BF16"};
  return texts[dtype];
}

static bool dtype_from_text(const char *text, gt_dtype *dtype) {
  for (int d = GT_F32; d <= GT_BF16; d++) {
    if (strcmp(text, dtype_text((gt_dtype)d))) continue;
    *dtype = (gt_dtype)d;
    return true;
  }
  return false;
}

/* The HASH_DIGITS digits of the hash in the header, or NULL. The first occurrence of the key is the metadata
 * entry: the metadata comes first in the header, and quotes inside strings are escaped. */
static const char *find_digits(const char *header, size_t length) {
  static const char prefix[] = "\"gtrain.xxh3\":\"";
  const char *found = memmem(header, length, prefix, sizeof prefix - 1);
  if (!found) return NULL;
  found += sizeof prefix - 1;
  return found + HASH_DIGITS + 1 <= header + length && found[HASH_DIGITS] == '"' ? found : NULL;
}

/* --- writing --- */

static json_t *tensor_json(const gt_stored *tensor, uint64_t begin) {
  json_t *shape = json_array();
  for (int d = 0; d < tensor->shape.rank; d++)
    json_array_append_new(shape, json_integer(tensor->shape.dim[d]));
  return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtype_text(tensor->dtype), "shape", shape, "data_offsets",
                   (json_int_t)begin, (json_int_t)(begin + gt_stored_bytes(tensor)));
}

/* The header text without padding, to be freed; NULL if a name or value is not UTF-8 or memory ran out. */
static char *header_text(const gt_stored *tensors, int count, const gt_metadata *metadata, int entries) {
  char *text = NULL;
  uint64_t begin = 0;
  json_t *header = json_object(), *extra = json_object();
  bool ok = header && extra && !json_object_set_new(extra, hash_key, json_string(hash_zeros));
  for (int i = 0; i < entries && ok; i++)
    ok = !json_object_set_new(extra, metadata[i].key, json_string(metadata[i].value));
  ok = !json_object_set_new(header, "__metadata__", extra) && ok;
  for (int i = 0; i < count && ok; i++) {
    ok = !json_object_set_new(header, tensors[i].name, tensor_json(&tensors[i], begin));
    begin += gt_stored_bytes(&tensors[i]);
  }
  if (ok) text = json_dumps(header, JSON_COMPACT);
  json_decref(header);
  return text;
}

bool gt_safetensors_write(const char *path, const gt_stored *tensors, int count, const gt_metadata *metadata,
                          int entries, gt_error *error) {
  char *text = header_text(tensors, count, metadata, entries), digits[HASH_DIGITS + 1];
  if (!text) return gt_fail(error, GT_ERR_INTERNAL, "cannot write the header of %s", path);
  size_t length = strlen(text);
  const size_t padded = (length + 7) / 8 * 8;
  text = gt_realloc(text, padded + 1);
  memset(text + length, ' ', padded - length);
  text[padded] = 0;
  length = padded;
  uint8_t length_bytes[8];
  for (int i = 0; i < 8; i++) length_bytes[i] = (uint8_t)((uint64_t)length >> (8 * i));

  gt_span *piece = gt_alloc(((size_t)count + 2) * sizeof *piece);
  piece[0] = (gt_span){length_bytes, 8};
  piece[1] = (gt_span){text, length};
  for (int i = 0; i < count; i++) piece[i + 2] = (gt_span){tensors[i].data, gt_stored_bytes(&tensors[i])};
  snprintf(digits, sizeof digits, "%016llx", (unsigned long long)gt_fingerprint_of(piece, (size_t)count + 2));
  memcpy(text + (find_digits(text, length) - text), digits, HASH_DIGITS);
  const bool ok = gt_write_file_atomic(path, piece, (size_t)count + 2, error);
  free(piece);
  free(text);
  return ok;
}

/* --- reading --- */

typedef struct tensor_span { /* a tensor's place in the data */
  uint64_t begin, end;
  const gt_stored *tensor;
} tensor_span;

typedef struct reader {
  const char *path;
  gt_container *file;
  const char *header;
  uint64_t header_size, data_size;
  const uint8_t *data;
  uint64_t next;     /* offset at which the data of the next tensor must begin: no holes, no overlaps */
  tensor_span *span; /* [tensors] */
  bool accepts_foreign;
  gt_error *error;
} reader;

static bool fail(reader *r, const char *what, const char *name) {
  return gt_fail(r->error, GT_ERR_DATA, "%s: not a valid model or checkpoint file: %s%s%s", r->path, what,
                 name ? " " : "", name ? name : "");
}

/* The formats in which other programs keep weights. ONNX, a protocol buffer, begins with its version and the
 * name of the program. */
static const struct {
  const char *start;
  size_t length;
  const char *name;
} formats[] = {{"PK\3\4", 4, "a zip archive, as torch.save, Keras and numpy.savez write it"},
               {"\x80\2", 2, "a pickle, as torch.save writes it"},
               {"\x80\3", 2, "a pickle"},
               {"\x80\4", 2, "a pickle"},
               {"\x80\5", 2, "a pickle"},
               {"\x89HDF\r\n", 6, "an HDF5 file, as Keras writes it"},
               {"\x93NUMPY", 6, "an array of numpy.save"},
               {"GGUF", 4, "a GGUF file"}};

/* The format of a file that is no safetensors file; NULL: unknown. */
static const char *find_format(const gt_bytes *bytes) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (bytes->size >= formats[i].length && !memcmp(bytes->data, formats[i].start, formats[i].length))
      return formats[i].name;
  const uint8_t *b = bytes->data;
  return bytes->size > 3 && b[0] == 8 && b[1] < 32 && b[2] == 0x12 ? "an ONNX model" : NULL;
}

/* Reports a file without a valid header. If the header's length is a possible one, the file is only cut off:
 * a length of 640 has the bytes of a pickle. */
static bool fail_format(reader *r, const char *what) {
  const char *format = r->header_size > max_header_bytes ? find_format(&r->file->bytes) : NULL;
  if (!format) return fail(r, what, NULL);
  return gt_fail(r->error, GT_ERR_DATA,
                 "%s is %s; weights of other programs are taken from safetensors files. In PyTorch: "
                 "safetensors.torch.save_file(model.state_dict(), \"weights.safetensors\")",
                 r->path, format);
}

static bool find_header(reader *r) {
  const gt_bytes *bytes = &r->file->bytes;
  if (bytes->size < 8) return fail(r, "shorter than its 8-byte length field", NULL);
  for (int i = 7; i >= 0; i--) r->header_size = r->header_size << 8 | bytes->data[i];
  if (r->header_size > bytes->size - 8)
    return fail_format(r, "its header is longer than the file (truncated, or another format)");
  if (r->header_size > max_header_bytes) return fail_format(r, "its header is longer than 16 MiB");
  r->header = (const char *)bytes->data + 8;
  r->data = bytes->data + 8 + r->header_size;
  r->data_size = bytes->size - 8 - r->header_size;
  if (!r->header_size || r->header[0] != '{')
    return fail(r, "its header is not JSON (perhaps another format)", NULL);
  return true;
}

/* A changed byte in the name of the hash must not turn a damaged model into the file of another program, so
 * the header of such a file does not mention gtrain at all. */
static bool read_foreign_hash(reader *r) {
  static const char mark[] = "\"gtrain";
  const gt_bytes *bytes = &r->file->bytes;
  if (memmem(r->header, r->header_size, mark, sizeof mark - 1))
    return fail(r,
                "its hash is missing: the file is damaged, or an early build of gtrain wrote it (then train "
                "again)",
                NULL);
  if (!r->accepts_foreign)
    return fail(r,
                "it was written by another program (it has no gtrain.xxh3 in its header); --init MODEL takes "
                "its weights",
                NULL);
  r->file->foreign = true;
  r->file->hash = gt_fingerprint_of(&(gt_span){bytes->data, bytes->size}, 1);
  return true;
}

static bool check_hash(reader *r) {
  char text[HASH_DIGITS + 1];
  const char *digits = find_digits(r->header, r->header_size);
  const gt_bytes *bytes = &r->file->bytes;
  if (!digits) return read_foreign_hash(r);
  /* A header size that is a multiple of 8 aligns the tensors, so that they can be read in place. */
  if (r->header_size % 8) return fail(r, "its header is not padded", NULL);
  const size_t at = (size_t)((const uint8_t *)digits - bytes->data), after = at + HASH_DIGITS;
  const gt_span piece[] = {
      {bytes->data, at}, {hash_zeros, HASH_DIGITS}, {bytes->data + after, bytes->size - after}};
  r->file->hash = gt_fingerprint_of(piece, 3);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)r->file->hash);
  if (memcmp(text, digits, HASH_DIGITS))
    return fail(r, "its bytes do not match their hash: the file is damaged or truncated", NULL);
  return true;
}

static bool read_metadata(reader *r, json_t *metadata) {
  const char *key;
  json_t *value;
  if (!json_is_object(metadata)) return fail(r, "its __metadata__ is not a map", NULL);
  r->file->metadata = GT_NEW_N(&r->file->arena, gt_metadata, json_object_size(metadata) + 1);
  json_object_foreach(metadata, key, value) {
    if (!json_is_string(value)) return fail(r, "a metadata value is not a string:", key);
    r->file->metadata[r->file->entries++] = (gt_metadata){
        gt_arena_strdup(&r->file->arena, key), gt_arena_strdup(&r->file->arena, json_string_value(value))};
  }
  return true;
}

/* Reads a shape and its number of elements with overflow checks; the count cannot exceed the size of the
 * data. */
static bool read_shape(reader *r, json_t *array, const char *name, gt_shape *shape, uint64_t *count) {
  if (!json_is_array(array) || json_array_size(array) > GT_MAX_RANK)
    return fail(r, "bad shape for tensor", name);
  *count = 1;
  shape->rank = (int)json_array_size(array);
  for (int d = 0; d < shape->rank; d++) {
    json_t *item = json_array_get(array, (size_t)d);
    const json_int_t dim = json_is_integer(item) ? json_integer_value(item) : -1;
    /* At most two values in a byte. */
    if (dim < 0 || __builtin_mul_overflow(*count, (uint64_t)dim, count) || *count / 2 > r->data_size)
      return fail(r, "bad shape for tensor", name);
    shape->dim[d] = dim;
  }
  return true;
}

static bool read_type(reader *r, const char *text, const char *name, gt_stored *tensor) {
  const int foreign = text && r->file->foreign ? find_foreign_type(text) : -1;
  if (foreign >= 0) tensor->foreign_type = foreign_types[foreign].name;
  return foreign >= 0 || (text && dtype_from_text(text, &tensor->dtype)) ||
         fail(r, "unknown dtype for tensor", name);
}

/* The data of a tensor that begins at `begin`: in place, or a copy if it is not aligned there. */
static const void *locate_data(reader *r, const gt_stored *tensor, uint64_t begin) {
  const uint64_t size = gt_stored_bytes(tensor);
  const bool is_aligned = (uintptr_t)(r->data + begin) % 8 == 0 || !size;
  return is_aligned || !r->file->foreign ? r->data + begin
                                         : gt_arena_copy(&r->file->arena, r->data + begin, size);
}

static bool read_tensor(reader *r, const char *name, json_t *entry, gt_stored *tensor) {
  uint64_t count = 0, bits;
  json_t *offsets = json_object_get(entry, "data_offsets");
  if (!json_is_object(entry) || json_object_size(entry) != 3) return fail(r, "bad entry for tensor", name);
  if (!read_type(r, json_string_value(json_object_get(entry, "dtype")), name, tensor)) return false;
  if (!read_shape(r, json_object_get(entry, "shape"), name, &tensor->shape, &count)) return false;
  if (__builtin_mul_overflow(count, bits_of(tensor), &bits) || bits % 8)
    return fail(r, "bad shape for tensor", name);
  json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
  if (json_array_size(offsets) != 2 || !json_is_integer(first) || !json_is_integer(last))
    return fail(r, "bad data_offsets for tensor", name);
  const json_int_t begin = json_integer_value(first), end = json_integer_value(last);
  if (begin < 0 || end < begin || (uint64_t)end > r->data_size || (uint64_t)(end - begin) != bits / 8)
    return fail(r, "data_offsets do not match the shape or the file for tensor", name);
  tensor->name = gt_arena_strdup(&r->file->arena, name);
  tensor->data = locate_data(r, tensor, (uint64_t)begin);
  r->span[r->file->tensors] = (tensor_span){(uint64_t)begin, (uint64_t)end, tensor};
  return true;
}

static int compare_spans(const void *a, const void *b) {
  const tensor_span *s = a, *t = b;
  if (s->begin != t->begin) return s->begin < t->begin ? -1 : 1;
  return (s->end > t->end) - (s->end < t->end);
}

/* True if the tensors cover the data without holes and overlaps. gtrain writes them in the order of the
 * header; other programs in any order. */
static bool check_spans(reader *r) {
  const int count = r->file->tensors;
  if (r->file->foreign) qsort(r->span, (size_t)count, sizeof *r->span, compare_spans);
  for (int i = 0; i < count; i++) {
    const tensor_span *span = &r->span[i];
    if (span->begin != r->next)
      return fail(r, "data has a hole or an overlap before tensor", span->tensor->name);
    if (!r->file->foreign && span->begin % gt_dtype_size(span->tensor->dtype))
      return fail(r, "data is not aligned for tensor", span->tensor->name);
    r->next = span->end;
  }
  return r->next == r->data_size || fail(r, "it has bytes that belong to no tensor", NULL);
}

static bool read_header(reader *r, json_t *root) {
  const char *name;
  json_t *entry;
  if (!json_is_object(root)) return fail(r, "its header is not a JSON map", NULL);
  r->file->tensor = GT_NEW_N(&r->file->arena, gt_stored, json_object_size(root) + 1);
  r->span = GT_NEW_N(&r->file->arena, tensor_span, json_object_size(root) + 1);
  json_object_foreach(root, name, entry) { /* jansson keeps the order of the text */
    if (!strcmp(name, "__metadata__")) {
      if (!read_metadata(r, entry)) return false;
    } else if (!read_tensor(r, name, entry, &r->file->tensor[r->file->tensors])) {
      return false;
    } else {
      r->file->tensors++;
    }
  }
  return check_spans(r);
}

static bool read_file(const char *path, bool accepts_foreign, gt_container *out, gt_error *error) {
  json_error_t where;
  json_t *root = NULL;
  *out = (gt_container){0};
  reader r = {.path = path, .file = out, .error = error, .accepts_foreign = accepts_foreign};
  gt_arena_init(&out->arena);
  const bool is_intact =
      gt_read_file(path, max_file_bytes, &out->bytes, error) && find_header(&r) && check_hash(&r);
  bool ok = is_intact;
  if (is_intact) {
    root = json_loadb(r.header, r.header_size, JSON_REJECT_DUPLICATES, &where);
    ok = root ? read_header(&r, root) : fail(&r, "its header is not JSON:", where.text);
  }
  json_decref(root);
  if (!ok) gt_container_finish(out);
  out->damaged = !is_intact && error->status == GT_ERR_DATA;
  return ok;
}

bool gt_safetensors_read(const char *path, gt_container *out, gt_error *error) {
  return read_file(path, false, out, error);
}

bool gt_safetensors_read_any(const char *path, gt_container *out, gt_error *error) {
  return read_file(path, true, out, error);
}

static bool is_type(const gt_stored *tensor, const char *type) {
  return tensor->foreign_type && !strcmp(tensor->foreign_type, type);
}

/* Value i as F32; the tensor has one of the types that gt_container_convert converts. */
static float value_at(const gt_stored *tensor, int64_t i) {
  if (is_type(tensor, "F64")) return (float)((const double *)tensor->data)[i];
  if (is_type(tensor, "I64")) return (float)((const int64_t *)tensor->data)[i];
  const uint16_t half = ((const uint16_t *)tensor->data)[i];
  return tensor->dtype == GT_F16 ? gt_from_f16(half) : gt_from_bf16(half);
}

void gt_container_convert(gt_container *file) {
  for (int i = 0; i < file->tensors; i++) {
    gt_stored *tensor = &file->tensor[i];
    const int64_t count = gt_shape_count(tensor->shape);
    const bool is_half = !tensor->foreign_type && (tensor->dtype == GT_F16 || tensor->dtype == GT_BF16);
    if (!tensor->shape.rank) tensor->shape = gt_shape_1(1);
    if (!is_half && !is_type(tensor, "F64") && !(is_type(tensor, "I64") && count == 1)) continue;
    float *value = GT_NEW_N(&file->arena, float, count);
    for (int64_t k = 0; k < count; k++) value[k] = value_at(tensor, k);
    *tensor = (gt_stored){.name = tensor->name, .dtype = GT_F32, .shape = tensor->shape, .data = value};
  }
}

void gt_container_finish(gt_container *file) {
  gt_bytes_finish(&file->bytes);
  gt_arena_finish(&file->arena);
  *file = (gt_container){0};
}

const gt_stored *gt_container_tensor(const gt_container *file, const char *name) {
  for (int i = 0; i < file->tensors; i++)
    if (!strcmp(file->tensor[i].name, name)) return &file->tensor[i];
  return NULL;
}

const char *gt_container_metadata(const gt_container *file, const char *key) {
  for (int i = 0; i < file->entries; i++)
    if (!strcmp(file->metadata[i].key, key)) return file->metadata[i].value;
  return NULL;
}
