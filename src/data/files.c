/* Helpers for files and tensors that all data formats use. */
#include "base/locate.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/column.h"
#include "data/format.h"
#include "spec/source.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MAX_LISTED = 1000, /* files of a folder that are considered for a suggestion */
  HEAD = 64          /* number of first bytes from which the format is detected */
};

int64_t gt_input_features(const gt_input *input) {
  int64_t count = 1;
  for (int i = 0; i < input->rank; i++) count *= input->dim[i];
  return count;
}

int64_t gt_input_row_features(const gt_input *input) {
  return gt_input_features(input) / (input->window ? input->dim[0] : 1);
}

bool gt_data_is_bits(const gt_input *input, const gt_tensor *tensor) {
  if (tensor->element != GT_ELEMENT_F32 || !tensor->data) return false;
  const int64_t values = gt_tensor_features(tensor);
  const gt_table *table = input ? input->table : NULL;
  const float *value = tensor->data;
  for (int64_t row = 0; row < tensor->dim[0]; row++, value += values)
    for (int64_t i = 0; i < values; i++)
      if (value[i] != 0 && value[i] != 1 && !gt_table_is_one_hot(table, i)) return false;
  return true;
}

bool gt_data_is_outlined(const gt_data_reader *reader, uint64_t bytes) {
  return reader->wanted->outline && bytes > GT_DATA_OUTLINE;
}

bool gt_data_has_suffix(const char *path, const char *suffix) {
  size_t length = strlen(path);
  const size_t suffix_length = strlen(suffix);
  if (length > 3 && !strcasecmp(path + length - 3, ".gz")) length -= 3;
  return length >= suffix_length && !strncasecmp(path + length - suffix_length, suffix, suffix_length);
}

const gt_spec *gt_data_node(const gt_data_reader *reader, const char *key, const char *sub) {
  const gt_spec *node = gt_spec_find(reader->spec, key);
  return node && sub ? gt_spec_find(node, sub) : node;
}

gt_position gt_data_position(const gt_data_reader *reader, const char *key) {
  const gt_spec *node = key ? gt_data_node(reader, key, NULL) : NULL;
  return node ? node->at : reader->spec->at;
}

bool gt_data_refuse(gt_data_reader *reader, const char *key, const char *what, const char *expected) {
  return gt_refuse(reader->diagnostics, gt_data_position(reader, key), expected, "%s", what);
}

bool gt_data_target_fits(const gt_data_reader *reader, int index, double value, char *text) {
  const gt_data_range *range = reader->wanted->demand[index].range;
  if (!range || (value >= range->low && value <= range->high)) return true;
  snprintf(text, 128, "the target %g is outside %g to %g, the range that %s requires", value, range->low,
           range->high, range->whose);
  return false;
}

const char *gt_data_regression_help(double label) {
  const bool is_fraction = isfinite(label) && label != floor(label);
  return is_fraction ? "; to predict numbers, set loss: mse and data: {task: regression}" : "";
}

void gt_data_class_help(const char *name, gt_strings classes, const char *lists, char *out, size_t size) {
  const int count = classes.count;
  const char *nearest = gt_nearest(name, classes.items, (size_t)count);
  if (count == 1 && !lists) {
    snprintf(out, size, "is not a class; the only class is %s", classes.items[0]);
    return;
  }
  size_t n = lists ? (size_t)snprintf(out, size, "is not in class_names, which lists %s", lists)
                   : (size_t)snprintf(out, size, "is not one of the %d classes", count);
  if (nearest) snprintf(out + n, size - n, "; did you mean '%s'?", nearest);
  for (int i = 0; i < count && !nearest && n < size; i++) {
    const bool fits = n + strlen(classes.items[i]) + 8 < size;
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : ": ", fits ? classes.items[i] : "...");
    if (!fits) break;
  }
}

/* The file in the same folder whose name is nearest to that of `path`, or NULL. */
static const char *nearest_file(gt_arena *arena, const char *path) {
  const char *folder = gt_folder_of(arena, path), *names[MAX_LISTED];
  size_t count = 0;
  DIR *directory = opendir(*folder ? folder : ".");
  if (!directory) return NULL;
  /* readdir_r is deprecated, and the directory stream is ours alone. */
  // cppcheck-suppress readdirCalled
  for (const struct dirent *d; count < MAX_LISTED && (d = readdir(directory));)
    if (d->d_name[0] != '.') names[count++] = gt_arena_strdup(arena, d->d_name);
  closedir(directory);
  const char *found = gt_nearest(path + strlen(folder), names, count);
  return found ? gt_arena_printf(arena, "%s%s", folder, found) : NULL;
}

/* For a missing path datasets/NAME/…: the path of scripts/fetch-NAME.sh, or NULL if it does not exist. */
static const char *fetch_script(gt_arena *arena, const char *folder, const char *path) {
  char absolute[PATH_MAX];
  static const char datasets[] = "datasets/";
  const char *name = strstr(path, datasets);
  if (!name) return NULL;
  name += sizeof datasets - 1;
  const char *script = gt_arena_printf(arena, "scripts/fetch-%.*s.sh", (int)strcspn(name, "/"), name);
  if (gt_file_exists(script)) return gt_arena_printf(arena, "./%s", script);
  script = gt_arena_printf(arena, "%s../%s", folder, script);
  return gt_file_exists(script) && gt_absolute_path(script, absolute, sizeof absolute)
             ? gt_arena_strdup(arena, absolute)
             : NULL;
}

static const char *untrusted_source(const gt_data_reader *reader, const gt_spec *node) {
  const char *source = reader->wanted->untrusted;
  return source && node->at.file && !strcmp(node->at.file, source) ? source : NULL;
}

bool gt_data_is_untrusted(const gt_data_reader *reader, const gt_spec *node) {
  return untrusted_source(reader, node) != NULL;
}

void gt_data_find_origin(gt_data_reader *reader) {
  char origin[PATH_MAX], here[PATH_MAX];
  const gt_position at = reader->spec->at;
  if (!at.file || gt_position_is_override(at)) return;
  const char *folder = gt_folder_of(reader->arena, at.file);
  if (gt_lock_origin(*folder ? folder : ".", origin, sizeof origin) &&
      (!getcwd(here, sizeof here) || strcmp(origin, here)))
    reader->origin = gt_arena_strdup(reader->arena, origin);
}

/* A path in --set is relative to the working directory, wherever the run was started. */
static gt_located locate(const gt_data_reader *reader, const gt_spec *node) {
  const char *origin = gt_position_is_override(node->at) ? NULL : reader->origin;
  return gt_locate(reader->arena, node->scalar, reader->spec->at.file, origin);
}

gt_data_file gt_data_locate(gt_data_reader *reader, const gt_spec *node) {
  const char *path = locate(reader, node).path;
  if (!path) return (gt_data_file){0};
  return (gt_data_file){.path = path, .untrusted = untrusted_source(reader, node), .trust = &reader->trust};
}

/* Records the absolute path, so that the file is also found when the config, or a copy of it, is used from
 * another folder. */
static void record_resolved_path(gt_data_reader *reader, const gt_spec *node, const char *path) {
  char absolute[PATH_MAX];
  if (!strcmp(path, node->scalar) || !gt_absolute_path(path, absolute, sizeof absolute)) return;
  gt_data_resolved_path *moved = GT_NEW(reader->arena, gt_data_resolved_path);
  *moved = (gt_data_resolved_path){node, gt_arena_strdup(reader->arena, absolute),
                                   reader->dataset->resolved_paths};
  reader->dataset->resolved_paths = moved;
}

void gt_data_record_found(gt_data_reader *reader, const char *map, const char *column, const char *key,
                          const char *value) {
  if (reader->wanted->signature) return;
  gt_data_found *found = GT_NEW(reader->arena, gt_data_found);
  *found = (gt_data_found){map, column, key, value, reader->dataset->found};
  reader->dataset->found = found;
}

/* The map at this key; a short form becomes the value of `whole` in a map. */
static gt_spec *map_at(gt_spec *parent, const char *key, const char *whole, gt_arena *arena) {
  gt_spec *node = gt_spec_find(parent, key);
  if (node && node->kind == GT_SPEC_MAP) return node;
  gt_spec *map = gt_spec_new(arena, GT_SPEC_MAP);
  if (!gt_spec_is_null(node)) gt_spec_add(arena, map, whole, gt_spec_copy(arena, node));
  gt_spec_remove(parent, key);
  return gt_spec_add(arena, parent, key, map);
}

void gt_dataset_write_found(const gt_dataset *dataset, gt_spec *data, gt_arena *arena) {
  for (const gt_data_found *f = dataset->found; f; f = f->next) {
    /* A name may be longer than a key; the order of the column's dates is then in the model alone. */
    if (f->column && gt_character_count(f->column, strlen(f->column)) > GT_SPEC_MAX_KEY) continue;
    gt_spec *map = f->map ? map_at(data, f->map, "window", arena) : data;
    if (f->column) map = map_at(map, f->column, "type", arena);
    gt_spec_remove(map, f->key);
    gt_spec_add(arena, map, f->key, gt_spec_text(arena, f->value));
  }
}

/* Help for a trained model whose data file has moved: the --set option for this node, or NULL. */
static const char *set_option_for(const gt_data_reader *reader, const gt_spec *node) {
  const gt_spec *data = reader->spec;
  for (int i = 0; i < data->count; i++) {
    const gt_spec *split = data->child[i];
    const char *key = split->key;
    if (reader->dataset->only_test) key = !strcmp(key, "targets") ? "test_targets" : "test";
    if (split == node) return gt_arena_printf(reader->arena, "--set data.%s=FILE, if it has moved", key);
    for (int k = 0; k < split->count; k++)
      if (split->kind == GT_SPEC_MAP && split->child[k] == node)
        return gt_arena_printf(reader->arena, "--set data.%s.%s=FILE, if it has moved", key, node->key);
  }
  return NULL;
}

static void report_not_found(gt_data_reader *reader, const gt_spec *node) {
  const char *path = node->scalar, *config = reader->spec->at.file;
  const char *folder = config ? gt_folder_of(reader->arena, config) : "";
  gt_diagnostic *d = gt_error_at(reader->diagnostics, node->at, "file '%s' not found", path);
  const char *script = fetch_script(reader->arena, folder, path);
  if (script)
    d->expected = gt_arena_printf(reader->arena, "a file; %s downloads it", script);
  else if (path[0] != '/')
    d->expected = gt_arena_printf(reader->arena, "a file, relative to the working directory%s%s",
                                  *folder ? " or to " : "", folder);
  if (!untrusted_source(reader, node)) d->suggestion = nearest_file(reader->arena, path);
  if (reader->wanted->signature && !gt_position_is_override(node->at)) d->help = set_option_for(reader, node);
}

gt_data_file gt_data_find_file(gt_data_reader *reader, const gt_spec *node) {
  const gt_data_file found = gt_data_locate(reader, node);
  if (found.path) {
    record_resolved_path(reader, node, found.path);
    const gt_located all = locate(reader, node);
    if (!found.untrusted && !gt_position_is_override(node->at))
      gt_schema_review_path(node, &all, reader->diagnostics);
  } else
    report_not_found(reader, node);
  reader->dataset->from_files = true;
  reader->dataset->overridden |= gt_position_is_override(node->at);
  reader->after_lookup = *reader->diagnostics;
  return found;
}

static uint64_t regular_file_size(int fd) {
  struct stat s;
  return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 ? (uint64_t)s.st_size : 0;
}

/* Returns -1 if it is not a regular file: opening and closing a pipe would break it for its writer. */
static int open_regular(const char *path) {
  struct stat s;
  gt_error error = {0};
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) ? gt_open_input(path, true, &error) : -1;
}

uint64_t gt_data_file_size(const char *path) {
  const int fd = open_regular(path);
  if (fd < 0) return 0;
  const uint64_t size = gt_inflate_limit(fd) == UINT64_MAX ? regular_file_size(fd) : 0;
  close(fd);
  return size;
}

uint64_t gt_data_memory_limit(const char *path) {
  const int fd = open_regular(path);
  if (fd < 0) return UINT64_MAX;
  const uint64_t limit = gt_inflate_limit(fd);
  close(fd);
  return limit;
}

static uint64_t size_limit(int fd) {
  const uint64_t size = regular_file_size(fd);
  return size > GT_DATA_INFLATE_LIMIT ? size : GT_DATA_INFLATE_LIMIT;
}

bool gt_data_read_file(gt_data_file file, gt_bytes *out, gt_error *error) {
  *out = (gt_bytes){0};
  if (file.untrusted) gt_info("reading the data file %s, which %s names", file.path, file.untrusted);
  const int fd = gt_open_input(file.path, file.untrusted, error);
  if (fd >= 0) gt_data_note_untrusted(file);
  return fd >= 0 && gt_read_input(fd, file.path, size_limit(fd), out, error);
}

bool gt_data_read_head(const char *path, gt_bytes *head, gt_error *error) {
  struct stat s;
  *head = (gt_bytes){0};
  if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
    return true; /* bytes read from a pipe could not be read again */
  return gt_read_head(path, HEAD, head, error);
}

static const char *shape_text(int rank, const int64_t *dim, char *out, size_t size) {
  size_t n = (size_t)snprintf(out, size, "[");
  for (int i = 0; i < rank && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%" PRId64, i ? ", " : "", dim[i]);
  if (n < size) snprintf(out + n, size - n, "]");
  return out;
}

bool gt_data_to_floats(gt_tensor *tensor, const char *path, gt_error *error) {
  gt_tensor wide = *tensor;
  wide.element = GT_ELEMENT_F32;
  if (!tensor->data) {
    *tensor = wide;
    return true;
  }
  if (!gt_tensor_alloc(&wide, path, error)) return false;
  const size_t count = (size_t)(tensor->dim[0] * gt_tensor_features(tensor));
  const uint8_t *from = tensor->data;
  float *to = wide.data;
  for (size_t i = 0; i < count; i++) to[i] = from[i];
  free(tensor->data);
  *tensor = wide;
  return true;
}

bool gt_data_fit_shape(const char *path, const gt_input *input, gt_tensor *tensor, gt_error *error) {
  char want[200], have[200];
  if (gt_tensor_features(tensor) != gt_input_features(input) || input->rank + 1 > GT_DATA_MAX_RANK)
    return gt_fail(error, GT_ERR_DATA, "%s holds samples of shape %s; the model takes %s", path,
                   shape_text(tensor->rank - 1, tensor->dim + 1, have, sizeof have),
                   shape_text(input->rank, input->dim, want, sizeof want));
  tensor->rank = input->rank + 1;
  memcpy(tensor->dim + 1, input->dim, (size_t)input->rank * sizeof *input->dim);
  if (tensor->element == GT_ELEMENT_U8 && input->element == GT_ELEMENT_F32)
    return gt_data_to_floats(tensor, path, error);
  return input->element != GT_ELEMENT_I32 || tensor->element == GT_ELEMENT_I32 ||
         gt_data_to_integers(path, tensor, error);
}
