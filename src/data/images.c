/* Images: pictures in files of their own, PNG or JPEG, in a folder for each class, or named by a CSV. The
 * samples are bytes, [height, width, channels]. */
#include "data/images.h"
#include "base/log.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_PIXELS "100000000"

typedef gt_image_options options;

static const char *const fits[] = {"crop", "stretch", NULL}, *const errors[] = {"stop", "skip", NULL};

static const gt_field fields[] = {
    GT_ROW(options, train, GT_FIELD_PATH, .flags = GT_FIELD_REQUIRED | GT_FIELD_MAY_BE_ABSENT,
           .help =
               "folder of the training split: a folder in it for each class; or a CSV of paths, seen from "
               "its own folder, and targets"),
    GT_ROW(options, test, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help = "the same of the test split"),
    GT_ROW(options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "part of the training pictures set apart for testing, where there are no others"),
    GT_ROW(options, size, GT_FIELD_INTS, .min = 1, .max = GT_IMAGE_MOST_SIDE,
           .help = "[height, width] of a sample, or one number for both; default: that of the pictures, if "
                   "all have the same"),
    GT_ROW(options, fit, GT_FIELD_CHOICE, .fallback = "crop", .choices = fits,
           .help = "how a picture gets that size, bilinear with antialiasing. crop: until it covers it, then "
                   "the middle is cut out; stretch: height and width each by their own scale"),
    GT_ROW(options, channels, GT_FIELD_INT, .fallback = "3", .min = 1, .max = 3,
           .help = "1: grey; 3: red, green, blue"),
    GT_ROW(options, max_pixels, GT_FIELD_INT, .fallback = MOST_PIXELS, .min = 1, .max = 4e9,
           .help = "a picture of more pixels, by its header, is refused before it is decoded"),
    GT_ROW(options, on_error, GT_FIELD_CHOICE, .fallback = "stop", .choices = errors,
           .help = "a picture that cannot be read ends the run, or is left out, named and counted"),
    GT_ROW(options, cache, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help =
               "file to keep the decoded pictures in, for the next run; it is made anew when a picture or "
               "an option has changed"),
    GT_ROW(options, path, GT_FIELD_STRING, .help = "CSV: column of the paths; default: the first"),
    GT_ROW(options, target, GT_FIELD_STRINGS, .help = "CSV: target column or columns; default: the last"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "images", .help = "pictures: a folder for each class, or a CSV of paths", .fields = fields};

static bool refuse(gt_data_reader *reader, const char *key, const char *what, const char *expected) {
  gt_error_at(reader->diagnostics, gt_data_position(reader, key), "%s", what)->expected = expected;
  return false;
}

static bool is_folder(const char *path) {
  struct stat s;
  return path && stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool read_form(gt_data_reader *reader, const options *o, gt_image_form *form) {
  if (o->channels == 2) return refuse(reader, "channels", "no picture has two channels", "1 or 3");
  if (o->size.count > 2)
    return refuse(reader, "size", "this is not the size of a picture", "[HEIGHT, WIDTH]");
  *form = (gt_image_form){.channels = o->channels,
                          .resized = o->size.count > 0,
                          .stretched = !strcmp(o->fit, "stretch"),
                          .max_pixels = o->max_pixels};
  if (!o->size.count) return true;
  form->height = o->size.items[0];
  form->width = o->size.items[o->size.count - 1];
  return true;
}

/* --- the splits --- */

enum { TRAIN, TEST, SETS };

typedef struct opening {
  gt_data_reader *reader;
  const options *options;
  gt_data_file file[SETS];
  gt_image_set set[SETS];
  int sets;
  gt_csv_labels labels;
  gt_image_form form;
  gt_arena arena; /* of the paths */
} opening;

/* The targets are those of all the files, until it is known which pictures are good. */
static bool list_folder(opening *o, int k, gt_split *split) {
  gt_data_reader *reader = o->reader;
  gt_image_files *files = &o->set[k].files;
  if (reader->task == GT_TASK_REGRESSION)
    return refuse(reader, "task", "folders are classes",
                  "task: classification, or a CSV of paths and targets");
  reader->dataset->classification = reader->dataset->text_labels = true;
  if (!gt_image_list_folder(reader, o->file[k], k == TRAIN, &o->arena, files)) return false;
  split->targets = (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {(int64_t)files->count}};
  if (!gt_tensor_alloc(&split->targets, o->file[k].path, reader->error)) return false;
  int32_t *label = split->targets.data;
  for (size_t i = 0; i < files->count; i++) label[i] = files->items[i].label;
  return true;
}

static bool list(opening *o, int k, gt_split *split) {
  const bool folder = is_folder(o->file[k].path);
  if (k && folder != is_folder(o->file[TRAIN].path))
    return refuse(o->reader, "test", "train and test are a folder and a file", "two folders, or two CSVs");
  return folder ? list_folder(o, k, split)
                : gt_image_list_table(o->reader, o->options, o->file[k], &o->labels, k == TRAIN, &o->arena,
                                      &o->set[k].files, split);
}

/* Is a picture, of which the header says how large it is, whole? */
static bool is_whole(const char *path, const gt_image_form *form, gt_error *error) {
  void *sample;
  if (!gt_try_alloc(&sample, (uint64_t)gt_image_bytes(form), 1, path, error)) return false;
  const bool ok = gt_image_load(path, form, sample, error);
  free(sample);
  return ok;
}

/* The first picture says what size all have: the first that is good, where others are left out. */
static bool measure(opening *o, bool skip) {
  const gt_image_files *files = &o->set[TRAIN].files;
  gt_error error = {0};
  if (o->form.resized) return true;
  for (size_t i = 0; i < files->count; i++) {
    const char *path = files->items[i].path;
    error = (gt_error){0};
    if (gt_image_measure(path, &o->form, &error) && (!skip || is_whole(path, &o->form, &error))) return true;
    if (!skip || error.status == GT_ERR_MEMORY) break;
  }
  return gt_fail(o->reader->error, error.status, "%s", error.message);
}

/* Targets of pictures that were left out go. */
static void keep_good(const gt_image_set *set, gt_split *split) {
  const size_t row = (size_t)gt_tensor_features(&split->targets) * gt_element_size(split->targets.element);
  uint8_t *to = split->targets.data;
  for (size_t i = 0; i < set->files.count; i++) {
    const uint8_t *from = (const uint8_t *)split->targets.data + i * row;
    if (!set->good[i]) continue;
    if (from > to) memcpy(to, from, row);
    to += row;
  }
  split->targets.dim[0] = split->samples = set->samples.dim[0];
}

static bool read_sets(opening *o, bool skip) {
  const gt_image_policy policy = !skip                ? GT_IMAGE_STOP
                                 : o->reader->strange ? GT_IMAGE_SKIP_QUIETLY
                                                      : GT_IMAGE_SKIP;
  const gt_spec *node = gt_data_node(o->reader, "cache", NULL);
  const char *cache = o->options->cache;
  if (cache && !gt_image_cache_is_ours(cache))
    return refuse(o->reader, "cache", "this file was not made to keep decoded pictures",
                  "the name of a new file, or of one that was");
  for (int k = 0; k < o->sets; k++) gt_image_set_key(&o->set[k], &o->form, skip);
  const bool whole = cache && gt_image_cache_load(cache, o->set, o->sets, &o->form);
  for (int k = 0; k < o->sets; k++)
    if (!o->set[k].samples.data && !gt_image_set_read(&o->set[k], &o->form, policy, o->reader->error))
      return false;
  /* Who does not vouch for the config does not want files written where it says. */
  if (cache && !whole && !gt_data_is_strange(o->reader, node))
    gt_image_cache_save(cache, o->set, o->sets, &o->form);
  return true;
}

static bool read_splits(opening *o) {
  gt_dataset *dataset = o->reader->dataset;
  gt_split *const split[SETS] = {&dataset->train, &dataset->test};
  const bool skip = !strcmp(o->options->on_error, "skip");
  for (int k = 0; k < o->sets; k++)
    if (!list(o, k, split[k])) return false;
  if (!measure(o, skip) || !read_sets(o, skip)) return false;
  for (int k = 0; k < o->sets; k++) {
    split[k]->input[0] = o->set[k].samples;
    o->set[k].samples.data = NULL;
    keep_good(&o->set[k], split[k]);
    if (o->set[k].skipped)
      gt_warn("%" PRId64 " of %zu pictures of the %s split could not be read and are left out",
              o->set[k].skipped, o->set[k].files.count, k == TRAIN ? "training" : "test");
  }
  return true;
}

static bool open_images(gt_data_reader *reader, const void *given) {
  const options *given_options = given;
  opening o = {.reader = reader, .options = given_options, .sets = given_options->test ? 2 : 1};
  bool ok = read_form(reader, given_options, &o.form);
  o.file[TRAIN] = gt_data_find_file(reader, gt_data_node(reader, "train", NULL));
  if (o.sets > 1) o.file[TEST] = gt_data_find_file(reader, gt_data_node(reader, "test", NULL));
  if (!ok || !o.file[TRAIN].path || (o.sets > 1 && !o.file[TEST].path)) return false;
  reader->train_name = o.file[TRAIN].path;
  reader->test_name = o.file[TEST].path;
  reader->test_fraction = given_options->test_fraction;
  gt_arena_init(&o.arena);
  ok = read_splits(&o);
  /* What lies in a stranger's folder is as little to be shown as what its files hold. */
  if (reader->strange && reader->error->status == GT_ERR_IO) reader->error->status = GT_ERR_DATA;
  for (int k = 0; k < SETS; k++) gt_image_set_finish(&o.set[k]);
  gt_arena_finish(&o.arena);
  return ok;
}

/* --- predictions --- */

static const char *setting(const gt_spec *data, const char *key) {
  const gt_spec *node = gt_spec_find(data, key);
  return node && node->kind == GT_SPEC_SCALAR && !gt_spec_is_null(node) ? node->scalar : "";
}

/* The form that a model's pictures had: by the shape of its input and, of pictures, by how they were read. */
static bool taught_form(const gt_data_signature *signature, const char *path, gt_image_form *form,
                        gt_error *error) {
  const gt_input *input = &signature->input[0];
  const int64_t *dim = input->dim, channels = input->rank == 3 ? dim[2] : 1;
  int64_t most;
  if (signature->inputs > 1)
    return gt_fail(error, GT_ERR_DATA, "%s is a picture, but the model reads %d inputs: name each file's",
                   path, signature->inputs);
  if (input->element != GT_ELEMENT_U8)
    return gt_fail(error, GT_ERR_DATA,
                   "%s is a picture, but the model was trained on other numbers than a picture's bytes",
                   path);
  if (input->rank < 2 || input->rank > 3 || (channels != 1 && channels != 3) || dim[0] > GT_IMAGE_MOST_SIDE ||
      dim[1] > GT_IMAGE_MOST_SIDE)
    return gt_fail(
        error, GT_ERR_DATA,
        "%s is a picture, but samples of the model are not [height, width] or [height, width, 1 or 3]", path);
  const gt_spec *limit = gt_spec_find(signature->data, "max_pixels");
  *form = (gt_image_form){.height = dim[0],
                          .width = dim[1],
                          .channels = channels,
                          .resized = true,
                          .stretched = !strcmp(setting(signature->data, "fit"), "stretch"),
                          .max_pixels = strtoll(MOST_PIXELS, NULL, 10)};
  if (limit && gt_spec_int(limit, &most) && most > 0 && most <= UINT32_MAX) form->max_pixels = most;
  return true;
}

static bool read_samples(const char *const *path, int count, const gt_data_signature *signature,
                         gt_tensor *out, gt_error *error) {
  gt_image_form form;
  gt_image_set set = {0};
  if (!taught_form(signature, path[0], &form, error)) return false;
  for (int i = 0; i < count; i++) *GT_PUSH(&set.files) = (gt_image_file){path[i], 0};
  const bool ok = gt_image_set_read(&set, &form, GT_IMAGE_REFUSE, error);
  if (ok) {
    *out = set.samples;
    set.samples.data = NULL;
  }
  gt_image_set_finish(&set);
  return ok && gt_data_fit(path[0], &signature->input[0], out, error);
}

static bool read_inputs(const char *path, const gt_data_signature *signature, gt_tensor *out,
                        gt_error *error) {
  return read_samples(&path, 1, signature, out, error);
}

static bool probe(const gt_data_probe *p) {
  return is_folder(p->path) || (p->path && gt_image_is_named(p->path)) || gt_image_is_one(&p->head);
}

const gt_data_format gt_data_images = {
    .name = "images",
    .schema = &schema,
    .options_size = sizeof(options),
    .probe = probe,
    .open = open_images,
    .read_inputs = read_inputs,
    .read_samples = read_samples,
};
GT_REGISTER(data, images)
