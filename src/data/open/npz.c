/* NPZ: several NPY arrays in one ZIP archive, as numpy.savez writes it; array NAME is the file NAME.npy.
 * libzip reads the archive, npy.c the arrays. Default names of the arrays are x and y, or x_train, y_train,
 * x_test and y_test as in Keras's data sets. */
#include "base/memory.h"
#include "base/log.h"
#include "data/format.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

/* libzip is loaded only when an archive is read: linked, a release would need libcrypto, on which it
 * depends. */
#define FUNCTIONS(X)          \
  X(zip_discard)              \
  X(zip_error_fini)           \
  X(zip_error_init)           \
  X(zip_error_strerror)       \
  X(zip_fclose)               \
  X(zip_file_strerror)        \
  X(zip_fopen_index)          \
  X(zip_fread)                \
  X(zip_get_name)             \
  X(zip_get_num_entries)      \
  X(zip_name_locate)          \
  X(zip_open_from_source)     \
  X(zip_source_buffer_create) \
  X(zip_source_free)          \
  X(zip_stat_index)           \
  X(zip_strerror)
#define X(function) __typeof__(&(function)) function;
static struct { FUNCTIONS(X) } library;
#undef X

static bool open_library(gt_error *error) {
  static const char *const names[] = {"libzip.so.5", "libzip.so.4"};
  void *handle = NULL;
  if (library.zip_open_from_source) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
    handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return gt_fail(
        error, GT_ERR_IO,
        "NPZ archives need libzip (Debian package libzip4), which is not installed; or save the arrays "
        "as .npy files");
#define X(function)                                                          \
  library.function = (__typeof__(library.function))dlsym(handle, #function); \
  if (!library.function) return gt_fail(error, GT_ERR_IO, "libzip lacks " #function);
  FUNCTIONS(X)
#undef X
  // cppcheck-suppress resourceLeak ; stays open until the process ends
  return true;
}

typedef struct gt_npz {
  const char *path;
  gt_bytes bytes;
  zip_t *zip;
} gt_npz;

typedef struct options {
  const char *train, *test;
  gt_named inputs;  /* of gt_strings: names of arrays */
  gt_named targets; /* of const char *: names of arrays */
  double test_fraction;
} options;

static const gt_field fields[] = {
    GT_ROW(options, train, GT_FIELD_PATH, .flags = GT_FIELD_REQUIRED | GT_FIELD_MAY_BE_ABSENT,
           .help = "archive of the training arrays; the first dimension of each counts samples"),
    GT_ROW(options, test, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help = "archive of the test arrays (default: x_test and y_test of the training archive, if it "
                   "has x_train and y_train)"),
    GT_ROW(options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the training samples to use as the test split, if there are no test arrays"),
    GT_ROW(options, inputs, GT_FIELD_STRINGS, .flags = GT_FIELD_BY_NAME,
           .help = "name of the array of inputs (default: x or x_train); for several inputs, a map from "
                   "names to arrays: {wide: a, deep: b}"),
    GT_ROW(options, targets, GT_FIELD_STRING, .flags = GT_FIELD_BY_NAME,
           .help = "name of the array of targets (default: y or y_train); for several targets, a map from "
                   "names to arrays"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "npz", .help = "NumPy archives (.npz) of inputs and targets", .fields = fields};

static void close_archive(gt_npz *archive) {
  if (archive->zip) library.zip_discard(archive->zip);
  gt_bytes_finish(&archive->bytes);
}

/* Call close_archive after it, also if it fails. */
static bool open_archive(gt_npz *archive, gt_data_file file, gt_error *error) {
  zip_error_t why;
  *archive = (gt_npz){.path = file.path};
  if (!open_library(error) || !gt_data_read_file(file, &archive->bytes, error)) return false;
  library.zip_error_init(&why);
  zip_source_t *source = library.zip_source_buffer_create(archive->bytes.data, archive->bytes.size, 0, &why);
  if (source) archive->zip = library.zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &why);
  if (!archive->zip)
    gt_fail(error, GT_ERR_DATA, "%s is not a whole NPZ archive: %s", file.path,
            library.zip_error_strerror(&why));
  if (source && !archive->zip) library.zip_source_free(source);
  library.zip_error_fini(&why);
  return archive->zip;
}

/* The index of the array in the archive; -1: none. */
static int64_t find(const gt_npz *archive, const char *member) {
  char name[300];
  if ((size_t)snprintf(name, sizeof name, "%s.npy", member) >= sizeof name) return -1;
  return library.zip_name_locate(archive->zip, name, ZIP_FL_ENC_RAW);
}

static bool fail_no_array(const gt_npz *archive, const char *member, gt_error *error) {
  char list[400] = "";
  size_t n = 0;
  const int64_t count = library.zip_get_num_entries(archive->zip, 0);
  for (int64_t i = 0; i < count && n < sizeof list - 80; i++) { /* a name is cut to 60 bytes below */
    const char *name = library.zip_get_name(archive->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
    const size_t length = name ? strlen(name) : 0,
                 suffix = length > 4 && !strcmp(name + length - 4, ".npy") ? 4 : 0;
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%.*s", i ? ", " : "",
                          (int)(length - suffix < 60 ? length - suffix : 60), name ? name : "");
  }
  for (char *c = list; *c; c++)
    if ((unsigned char)*c < 32 || *c == 127) *c = '?';
  return gt_fail(error, GT_ERR_DATA, "%s: there is no array '%s'; it has: %s", archive->path, member, list);
}

static bool read_entry(gt_npz *archive, uint64_t index, const char *member, gt_bytes *out, gt_error *error) {
  zip_file_t *entry = library.zip_fopen_index(archive->zip, index, 0);
  size_t done = 0;
  int64_t got = entry ? 1 : -1;
  while (got > 0 && done < out->size) {
    got = library.zip_fread(entry, out->data + done, out->size - done);
    if (got > 0) done += (size_t)got;
  }
  uint8_t more; /* libzip compares the checksum when the end is read */
  const bool ok = done == out->size && library.zip_fread(entry, &more, 1) == 0;
  if (!ok)
    gt_fail(error, GT_ERR_DATA, "%s: array '%s' is damaged: %s", archive->path, member,
            entry ? library.zip_file_strerror(entry) : library.zip_strerror(archive->zip));
  if (entry) library.zip_fclose(entry);
  return ok;
}

bool gt_npz_read(gt_npz *archive, const char *member, gt_bytes *out, gt_error *error) {
  zip_stat_t about;
  const int64_t index = find(archive, member);
  if (index < 0) return fail_no_array(archive, member, error);
  if (library.zip_stat_index(archive->zip, (zip_uint64_t)index, 0, &about) || !(about.valid & ZIP_STAT_SIZE))
    return gt_fail(error, GT_ERR_DATA, "%s: array '%s': %s", archive->path, member,
                   library.zip_strerror(archive->zip));
  const uint64_t limit = archive->bytes.size * GT_INFLATE_RATIO + GT_INFLATE_SLACK;
  if (about.size > limit || about.size > SIZE_MAX / 2)
    return gt_fail(error, GT_ERR_DATA,
                   "%s: array '%s' needs %" PRIu64 " bytes, which is too much for an archive of %zu bytes",
                   archive->path, member, (uint64_t)about.size, archive->bytes.size);
  void *data;
  if (!gt_try_alloc(&data, about.size + 1, 1, archive->path, error)) return false;
  *out = (gt_bytes){data, about.size};
  if (read_entry(archive, (uint64_t)index, member, out, error)) return true;
  gt_bytes_finish(out);
  return false;
}

static gt_array_source member_of(gt_npz *archive, gt_data_file file, const char *member, gt_arena *arena) {
  return (gt_array_source){.file = file,
                           .archive = archive,
                           .member = member,
                           .name = gt_arena_printf(arena, "%s: array '%s'", file.path, member)};
}

/* The first of the two names that is in the archive; `first` if none is. */
static const char *default_name(const gt_npz *archive, const char *first, const char *second) {
  return find(archive, first) < 0 && find(archive, second) >= 0 ? second : first;
}

/* The array of an input by the config; NULL: not given. */
static const char *named_array(const gt_spec *inputs, const char *input) {
  if (inputs && inputs->kind == GT_SPEC_MAP) inputs = gt_spec_find(inputs, input);
  if (inputs && inputs->kind == GT_SPEC_SEQUENCE && inputs->count == 1) inputs = inputs->child[0];
  return inputs && inputs->kind == GT_SPEC_SCALAR ? inputs->scalar : NULL;
}

static bool check_one_array_each(gt_data_reader *reader, const options *o) {
  for (int k = 0; k < o->inputs.count; k++) {
    const gt_strings list = ((const gt_strings *)o->inputs.items)[k];
    if (list.count == 1) continue;
    gt_error_at(reader->diagnostics, gt_data_position(reader, "inputs"), "an input is one array")->expected =
        "inputs: x, or a map from names of inputs to arrays";
    return false;
  }
  return true;
}

static gt_array_files arrays_of(gt_data_reader *reader, const options *o, gt_npz *archive, gt_data_file file,
                                bool test) {
  gt_array_files files = {0};
  const gt_spec *inputs = gt_data_node(reader, "inputs", NULL);
  for (int k = 0; k < reader->dataset->inputs; k++) {
    const char *name = named_array(inputs, reader->dataset->input[k].name);
    if (!name) name = default_name(archive, "x", test ? "x_test" : "x_train");
    files.input[k] = member_of(archive, file, name, reader->arena);
  }
  for (int k = 0; k < reader->dataset->targets; k++) {
    const char *name = o->targets.count ? ((const char *const *)o->targets.items)[k]
                                        : default_name(archive, "y", test ? "y_test" : "y_train");
    files.target[k] = member_of(archive, file, name, reader->arena);
  }
  return files;
}

/* True if the archive also has the test split, as in Keras's data sets. */
static bool has_test_arrays(const gt_data_reader *reader, const options *o, const gt_npz *archive) {
  return !reader->dataset->only_test && !o->inputs.count && !o->targets.count && o->test_fraction == 0 &&
         reader->dataset->inputs == 1 && find(archive, "x") < 0 && find(archive, "x_train") >= 0 &&
         find(archive, "x_test") >= 0 && find(archive, "y_test") >= 0;
}

static bool read_archives(gt_data_reader *reader, const options *o, gt_data_file train_file,
                          gt_data_file test_file) {
  gt_npz train = {0}, test = {0};
  gt_array_files train_arrays, test_arrays;
  gt_data_set_trust(reader, GT_PART_TRAIN, gt_data_are_trusted(&train_file, 1));
  bool ok = open_archive(&train, train_file, reader->error);
  bool has_test = test_file.path != NULL;
  if (ok && has_test) ok = open_archive(&test, test_file, reader->error);
  if (ok) {
    const bool in_train_file = !has_test && has_test_arrays(reader, o, &train);
    train_arrays = arrays_of(reader, o, &train, train_file, reader->dataset->only_test);
    if (has_test || in_train_file)
      test_arrays = arrays_of(reader, o, has_test ? &test : &train, has_test ? test_file : train_file, true);
    if (in_train_file) gt_info("%s: x_test and y_test are the test split", train_file.path);
    has_test |= in_train_file;
    ok = gt_array_read_splits(reader, &train_arrays, has_test ? &test_arrays : NULL, gt_npy_parse);
  }
  close_archive(&train);
  close_archive(&test);
  return ok;
}

static bool open_npz(gt_data_reader *reader, const void *given) {
  const options *o = given;
  const gt_spec *inputs = gt_data_node(reader, "inputs", NULL);
  if (!check_one_array_each(reader, o) ||
      !gt_data_name_inputs(reader, inputs && inputs->kind == GT_SPEC_MAP ? inputs : NULL) ||
      !gt_data_name_targets(reader, gt_data_node(reader, "targets", NULL)))
    return false;
  const gt_data_file train = gt_data_find_file(reader, gt_data_node(reader, "train", NULL));
  const gt_data_file test =
      o->test ? gt_data_find_file(reader, gt_data_node(reader, "test", NULL)) : (gt_data_file){0};
  if (!train.path || (o->test && !test.path)) return false;
  reader->test_fraction = o->test_fraction;
  return read_archives(reader, o, train, test);
}

static bool read_inputs(gt_input_reader *reader) {
  const gt_data_signature *signature = reader->signature;
  gt_npz archive;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_data_file file = {.path = reader->file[0]->path};
  const gt_spec *inputs = signature->data ? gt_spec_find(signature->data, "inputs") : NULL;
  bool ok = open_archive(&archive, file, reader->error);
  for (int k = 0; k < signature->inputs && ok; k++) {
    const char *input = signature->input[k].name, *name = named_array(inputs, input);
    if (!name) name = signature->inputs > 1 ? input : default_name(&archive, "x", "x_test");
    ok = gt_array_read_input(member_of(&archive, file, name, &arena), gt_npy_parse, &signature->input[k],
                             gt_split_new(reader->out, GT_SAMPLE_INPUT, k), reader->error);
  }
  close_archive(&archive);
  gt_arena_finish(&arena);
  return ok;
}

static bool probe(const gt_data_probe *p) {
  if (p->path && gt_data_has_suffix(p->path, ".npz")) return true;
  return p->head.size >= 4 && !memcmp(p->head.data, "PK\3\4", 4);
}

const gt_data_format gt_data_npz = {
    .name = "npz",
    .schema = &schema,
    .options_size = sizeof(options),
    .probe = probe,
    .open = open_npz,
    .read_inputs = read_inputs,
};
GT_REGISTER(data, npz)
