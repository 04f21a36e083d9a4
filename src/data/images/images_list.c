/* Lists the images of a folder with a subfolder per class, or of a CSV. */
#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/unicode.h"
#include "data/table/table.h"
#include "data/images/images.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 8 }; /* levels of folders below the folder of a class */

/* --- a folder --- */

typedef struct names {
  const char **items;
  size_t count, capacity;
} names;

/* The entries of a folder, sorted, without hidden files. */
static bool read_names(const char *folder, gt_arena *arena, names *out, gt_error *error) {
  DIR *directory = opendir(folder);
  if (!directory) return gt_fail_errno(error, GT_ERR_IO, "cannot open directory %s", folder);
  /* readdir_r is deprecated, and the directory stream is ours alone. */
  // cppcheck-suppress readdirCalled
  for (const struct dirent *d; errno = 0, (d = readdir(directory));)
    if (d->d_name[0] != '.') *GT_PUSH(out) = gt_arena_strdup(arena, d->d_name);
  const bool ok = !errno || gt_fail_errno(error, GT_ERR_IO, "cannot read directory %s", folder);
  closedir(directory);
  if (out->count) qsort(out->items, out->count, sizeof *out->items, gt_order_texts);
  return ok;
}

/* Lists all images below the folder. Adds the number of other files to *others. */
static bool list_images(const char *folder, int32_t label, int depth, gt_arena *arena, gt_image_files *out,
                        int64_t *others, gt_error *error) {
  names found = {0};
  bool ok = read_names(folder, arena, &found, error);
  for (size_t i = 0; i < found.count && ok; i++) {
    const char *path = gt_arena_printf(arena, "%s/%s", folder, found.items[i]);
    if (gt_is_folder(path))
      ok = depth < MAX_DEPTH
               ? list_images(path, label, depth + 1, arena, out, others, error)
               : gt_fail(error, GT_ERR_DATA, "%s: folders in folders, more than %d", path, MAX_DEPTH);
    else if (gt_image_is_named(path))
      *GT_PUSH(out) = (gt_image_file){.path = {path}, .label = label};
    else
      ++*others;
  }
  free(found.items);
  return ok;
}

static bool is_clean(const char *name) {
  const gt_cell cell = {.text = name, .length = (uint32_t)strlen(name)};
  return gt_cell_is_clean(&cell);
}

static void log_untrusted(gt_data_file folder) {
  if (!folder.untrusted) return;
  gt_info("reading the folder %s, which %s names", folder.path, folder.untrusted);
  gt_data_note_untrusted(folder);
}

/* Finds the folders of classes. Fails if there is an image outside of them. */
static bool find_classes(const char *folder, gt_arena *arena, names *classes, gt_error *error) {
  names found = {0};
  bool ok = read_names(folder, arena, &found, error);
  for (size_t i = 0; i < found.count && ok; i++) {
    const char *path = gt_arena_printf(arena, "%s/%s", folder, found.items[i]);
    if (gt_is_folder(path))
      *GT_PUSH(classes) = found.items[i];
    else if (gt_image_is_named(path))
      ok = gt_fail(error, GT_ERR_DATA, "%s is not in the folder of a class; expected %s/CLASS/%s", path,
                   folder, found.items[i]);
  }
  free(found.items);
  return ok;
}

/* True if the folder has a file named .txt or .md; if `folders` is true, also if a folder in it has one. */
static bool has_texts(const char *folder, bool folders, gt_arena *arena) {
  names found = {0};
  gt_error ignored = {0};
  bool has = false;
  read_names(folder, arena, &found, &ignored);
  for (size_t i = 0; i < found.count && !has; i++) {
    const char *path = gt_arena_printf(arena, "%s/%s", folder, found.items[i]);
    has = folders && gt_is_folder(path) ? has_texts(path, false, arena)
                                        : gt_data_has_suffix(path, ".txt") || gt_data_has_suffix(path, ".md");
  }
  free(found.items);
  return has;
}

static int index_of(const char *const *list, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(list[i], name)) return i;
  return -1;
}

/* The class names in the order of their numbers, from the config, else from a trained model. Returns their
 * number; 0: unknown. */
static int known_classes(const gt_data_reader *reader, const char *const **list) {
  const gt_data_common *common = reader->common;
  const gt_data_target *known = gt_data_model_target(reader, 0);
  *list = common->class_names.count ? common->class_names.items : known->class_names;
  return common->class_names.count ? common->class_names.count : known->class_names ? known->classes : 0;
}

typedef struct listing { /* state of gt_image_list_folder */
  gt_data_reader *reader;
  const char *folder;
  const char *split; /* the key of the config with the folder */
  gt_arena *arena;
  gt_image_files *out;
  const char **added; /* the classes that the folders define; NULL: classes were known before */
  int64_t others;     /* files that are not images */
  names found;        /* folders that contain images */
  bool respelled;     /* two folders are one class, in two Unicode forms */
} listing;

static bool fail_unknown_class(const listing *l, const char *name) {
  const gt_dataset *dataset = l->reader->dataset;
  const gt_strings known = {.items = dataset->target[0].class_names, .count = dataset->target[0].classes};
  char help[256];
  gt_data_class_help(name, known, l->reader->common->class_names.count ? "the folders" : NULL, help,
                     sizeof help);
  return gt_fail(l->reader->error, GT_ERR_DATA, "%s/%s: '%s' %s", l->folder, name, name, help);
}

static bool add_class(const listing *l, const char *name) {
  gt_dataset *dataset = l->reader->dataset;
  if (dataset->target[0].classes == GT_DATA_MAX_CLASSES)
    return gt_fail(l->reader->error, GT_ERR_DATA, "%s holds more than %d classes", l->folder,
                   GT_DATA_MAX_CLASSES);
  l->added[dataset->target[0].classes++] = gt_arena_strdup(l->reader->arena, name);
  return true;
}

/* Lists the images of one class. A folder without images is not a class. */
static bool list_class(listing *l, const char *name) {
  const char *class = gt_nfc_in(l->arena, name);
  const gt_dataset *dataset = l->reader->dataset;
  const char *path = gt_arena_printf(l->arena, "%s/%s", l->folder, name);
  const size_t before = l->out->count;
  const bool is_new = l->added && !l->respelled; /* no need to search all class names */
  const int known = is_new ? -1 : index_of(dataset->target[0].class_names, dataset->target[0].classes, class),
            label = known < 0 && l->added ? dataset->target[0].classes : known;
  if (!list_images(path, label, 0, l->arena, l->out, &l->others, l->reader->error)) return false;
  if (l->out->count == before) {
    if (!l->reader->trust.untrusted)
      gt_finding_at(l->reader->diagnostics, GT_FINDING_empty_folder, gt_data_position(l->reader, l->split),
                    "%s contains no pictures (.png, .jpg, .jpeg), so it is not a class", path)
          ->help = "put pictures in it, or remove the folder";
    return true;
  }
  *GT_PUSH(&l->found) = name;
  if (!is_clean(name))
    return gt_fail(l->reader->error, GT_ERR_DATA, "%s: the name of a class must be clean UTF-8 text", path);
  if (l->added && known < 0) return add_class(l, class);
  return label >= 0 || l->reader->common->classes.listed || fail_unknown_class(l, name);
}

/* Reports folders whose names differ only in their Unicode normalization form; they are one class. */
static void find_respelled(listing *l, const names *folders) {
  const gt_data_reader *reader = l->reader;
  const char **class = GT_NEW_N(l->arena, const char *, folders->count + 1);
  for (size_t i = 0; i < folders->count; i++) class[i] = gt_nfc_in(l->arena, folders->items[i]);
  qsort(class, folders->count, sizeof *class, gt_order_texts);
  for (size_t i = 1; i < folders->count; i++) {
    if (strcmp(class[i], class[i - 1])) continue;
    l->respelled = true;
    if (reader->trust.untrusted) continue;
    gt_finding_at(reader->diagnostics, GT_FINDING_similar_names, gt_data_position(reader, "train"),
                  "%s has two folders named '%s', in two Unicode forms; they count as one class", l->folder,
                  class[i]);
  }
}

bool gt_image_list_folder(gt_data_reader *reader, gt_data_file folder, bool is_training, gt_arena *arena,
                          gt_image_files *out) {
  gt_dataset *dataset = reader->dataset;
  listing l = {.reader = reader,
               .folder = folder.path,
               .split = is_training ? "train" : "test",
               .arena = arena,
               .out = out};
  names classes = {0};
  log_untrusted(folder);
  bool ok = find_classes(folder.path, arena, &classes, reader->error);
  if (is_training) dataset->target[0].classes = known_classes(reader, &dataset->target[0].class_names);
  if (!dataset->target[0].classes)
    dataset->target[0].class_names = l.added = GT_NEW_N(reader->arena, const char *, classes.count + 1);
  find_respelled(&l, &classes);
  for (size_t i = 0; i < classes.count && ok; i++) ok = list_class(&l, classes.items[i]);
  if (ok && l.added) gt_image_review_splits(reader, folder.path, l.found.items, (int)l.found.count);
  free(classes.items);
  free(l.found.items);
  if (ok && l.others && !reader->trust.untrusted)
    gt_info("%s: skipped %" PRId64 " file%s not PNG or JPEG", folder.path, l.others,
            l.others == 1 ? " that is" : "s that are");
  if (!ok || out->count) return ok;
  return gt_fail(reader->error, GT_ERR_DATA,
                 "%s: no folder in it holds pictures (.png, .jpg, .jpeg); expected %s/CLASS/PICTURE%s",
                 folder.path, folder.path,
                 has_texts(folder.path, true, arena)
                     ? "; a text is a single file, text: {vocabulary: char}, and texts with labels are a "
                       "column of a CSV, text: {column: NAME}"
                     : "");
}

/* --- a folder of pictures without targets --- */

const char *const *gt_data_list_pictures(const char *folder, gt_arena *arena, size_t *count,
                                         gt_error *error) {
  gt_image_files files = {0};
  int64_t others = 0;
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  const char *path = gt_arena_strndup(arena, folder, length), **list = NULL;
  const bool ok = list_images(path, 0, 0, arena, &files, &others, error);
  if (ok && !files.count)
    gt_fail(
        error, GT_ERR_DATA,
        "%s is a folder without pictures (.png, .jpg, .jpeg); expected a file of samples (csv, npy, idx) or a "
        "folder of pictures",
        path);
  if (ok && files.count) list = GT_NEW_N(arena, const char *, files.count);
  for (size_t i = 0; list && i < files.count; i++) list[i] = files.items[i].path[GT_IMAGE_INPUT];
  if (list && others)
    gt_info("%s: skipped %" PRId64 " file%s not PNG or JPEG", path, others,
            others == 1 ? " that is" : "s that are");
  *count = files.count;
  free(files.items);
  return list;
}

/* --- a folder of pictures, and one of their targets --- */

/* The path of the target of the image `name` (relative to the inputs' folder). If no file is there, returns
 * the path with the same extension, so that reading it reports the missing file. */
static const char *target_of(const char *folder, const char *name, gt_arena *arena) {
  static const char *const endings[] = {".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG"};
  const char *same = gt_arena_printf(arena, "%s/%s", folder, name), *dot = strrchr(same, '.');
  if (gt_file_exists(same)) return same;
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
    const char *other = gt_arena_printf(arena, "%.*s%s", (int)(dot - same), same, endings[i]);
    if (gt_file_exists(other)) return other;
  }
  return same;
}

bool gt_image_list_pairs(gt_data_reader *reader, gt_data_file folder, gt_data_file targets, gt_arena *arena,
                         gt_image_files *out) {
  int64_t others = 0;
  log_untrusted(folder);
  log_untrusted(targets);
  if (!list_images(folder.path, 0, 0, arena, out, &others, reader->error)) return false;
  for (size_t i = 0; i < out->count; i++) {
    const char *name = out->items[i].path[GT_IMAGE_INPUT] + strlen(folder.path) + 1;
    out->items[i].path[GT_IMAGE_TARGET] = target_of(targets.path, name, arena);
  }
  return out->count ||
         gt_fail(reader->error, GT_ERR_DATA, "%s contains no pictures (.png, .jpg, .jpeg)", folder.path);
}

/* --- a CSV --- */

/* Adds the path in a cell, which is relative to the CSV's folder. */
static bool add_path(const gt_csv *csv, const gt_cell *cell, gt_arena *arena, gt_image_files *out) {
  const char *slash = strrchr(csv->path, '/'), *path = gt_arena_strndup(arena, cell->text, cell->length);
  if (!cell->length) return gt_csv_fail(csv, cell, "missing path of a picture");
  if (strlen(path) != cell->length) return gt_csv_fail(csv, cell, "a zero byte in the path of a picture");
  if (*path != '/' && slash)
    path = gt_arena_printf(arena, "%.*s%s", (int)(slash + 1 - csv->path), csv->path, path);
  *GT_PUSH(out) = (gt_image_file){.path = {path}};
  return true;
}

static bool add_paths(const gt_table_file *file, gt_arena *arena, gt_image_files *out) {
  const gt_table_column *path = gt_table_find(file, GT_USE_SOURCE);
  for (size_t row = 0; row < file->rows; row++)
    if (!add_path(&file->csv, gt_table_cell(file, path, row), arena, out)) return false;
  return true;
}

bool gt_image_list_table(gt_data_reader *reader, const gt_image_options *options, gt_data_file file,
                         bool is_training, gt_arena *arena, gt_image_files *out, gt_split *split) {
  const gt_strings path = {.items = &options->path, .count = options->path ? 1 : 0};
  const gt_csv_form form = {.known = {options->target, path}};
  gt_table_file table = {0};
  const bool ok =
      gt_table_open(&table, file, &form, reader->error) &&
      gt_csv_choose_source(reader, &table, options->target, options->path, gt_data_position(reader, "path"),
                           "would hold both the pictures and their targets; expected PATH,LABEL") &&
      gt_table_read(&table) && add_paths(&table, arena, out) &&
      gt_csv_read_targets(reader, &table, is_training, split);
  gt_table_close(&table);
  return ok;
}
