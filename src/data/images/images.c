/* Format `images`: PNG or JPEG files in one folder per class, or listed in a CSV. Samples are bytes,
 * [height, width, channels]. */
#include "data/images/images.h"
#include "base/log.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PIXELS "100000000"

typedef gt_image_options options;

static const char *const fits[] = {"crop", "stretch", NULL}, *const errors[] = {"stop", "skip", NULL};

static const gt_field fields[] = {
    GT_ROW(options, train, GT_FIELD_PATH, .flags = GT_FIELD_REQUIRED | GT_FIELD_MAY_BE_ABSENT,
           .help = "training images: a folder with a folder per class, or a CSV of paths (relative to "
                   "the CSV) and targets"),
    GT_ROW(options, test, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help = "test images: a folder with a folder per class, or a CSV of paths and targets"),
    GT_ROW(options, targets, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help = "folder of target images, such as masks, with the names of the training images "
                   "(extensions may differ); values are scaled to [0, 1]"),
    GT_ROW(options, test_targets, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help = "folder of target images of the test split"),
    GT_ROW(options, target_channels, GT_FIELD_INT, .fallback = "0", .min = 0, .max = 3,
           .help = "channels of the target images: 1 is grayscale, 3 is RGB, 0 is the same as `channels`"),
    GT_ROW(options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the training images to use as the test split, if there are no test images"),
    GT_ROW(options, size, GT_FIELD_INTS, .min = 1, .max = GT_IMAGE_MAX_SIDE,
           .help = "[height, width] to resize images to, or one number for both (default: the images' "
                   "own size, if all have the same)"),
    GT_ROW(options, fit, GT_FIELD_CHOICE, .fallback = "crop", .choices = fits,
           .help = "how to resize (bilinear, antialiased): crop keeps the aspect ratio and cuts out "
                   "the center, stretch scales height and width separately"),
    GT_ROW(options, channels, GT_FIELD_INT, .fallback = "3", .min = 1, .max = 3,
           .help = "channels of the images: 1 is grayscale, 3 is RGB"),
    GT_ROW(options, max_pixels, GT_FIELD_INT, .fallback = MAX_PIXELS, .min = 1, .max = 4e9,
           .help = "refuse to decode images with more pixels than this"),
    GT_ROW(options, on_error, GT_FIELD_CHOICE, .fallback = "stop", .choices = errors,
           .help = "what to do with an image that cannot be read: end the run (stop) or leave it out "
                   "with a message (skip)"),
    GT_ROW(options, cache, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help = "file that caches decoded images for later runs; it is rewritten when a file "
                   "(name, size, inode, mtime, ctime) or an option changes"),
    GT_ROW(options, path, GT_FIELD_STRING, .help = "CSV column of the paths (default: the first)"),
    GT_ROW(options, target, GT_FIELD_STRINGS, .help = "CSV target column or columns (default: the last)"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "images", .help = "PNG and JPEG images: a folder per class, or a CSV of paths", .fields = fields};

static bool read_form(gt_data_reader *reader, const options *o, gt_image_form *form) {
  if (o->channels == 2 || o->target_channels == 2)
    return gt_data_refuse(reader, o->channels == 2 ? "channels" : "target_channels",
                          "images with two channels are not supported", "1 or 3");
  if (o->size.count > 2)
    return gt_data_refuse(reader, "size", "this is not an image size", "[HEIGHT, WIDTH]");
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
static const char *const keys[SETS][GT_IMAGE_ROLES] = {{"train", "targets"}, {"test", "test_targets"}};

typedef struct opening { /* state of open_images */
  gt_data_reader *reader;
  const options *options;
  gt_data_file file[SETS][GT_IMAGE_ROLES];
  gt_image_set set[SETS];
  int sets, roles;
  gt_image_form form;
  gt_arena arena; /* holds the paths */
} opening;

static void set_trust(opening *o, int k) {
  gt_data_set_trust(o->reader, k == TRAIN ? GT_PART_TRAIN : GT_PART_TEST,
                    gt_data_are_trusted(o->file[k], o->roles));
}

/* Sets the labels of all listed files; drop_unreadable removes those of images that cannot be read. */
static bool list_folder(opening *o, int k, gt_split *split) {
  gt_data_reader *reader = o->reader;
  gt_image_files *files = &o->set[k].files;
  const char *path = o->file[k][GT_IMAGE_INPUT].path;
  if (reader->task[0] == GT_TASK_REGRESSION)
    return gt_data_refuse(reader, "task", "a folder per class gives classification targets",
                          "task: classification, a folder of target images, or a CSV of paths and targets");
  reader->dataset->target[0].classification = reader->dataset->target[0].text_labels = true;
  if (!gt_image_list_folder(reader, o->file[k][GT_IMAGE_INPUT], k == TRAIN, &o->arena, files)) return false;
  gt_tensor *labels =
      gt_split_add(split, GT_SAMPLE_TARGET, 0,
                   (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {(int64_t)files->count}});
  if (!gt_tensor_alloc(labels, path, reader->error)) return false;
  int32_t *label = labels->data;
  for (size_t i = 0; i < files->count; i++) label[i] = files->items[i].label;
  return true;
}

static bool list_pairs(opening *o, int k) {
  gt_data_reader *reader = o->reader;
  if (reader->task[0] == GT_TASK_CLASSIFICATION)
    return gt_data_refuse(reader, "task", "the targets are images, not classes", "task: regression");
  return gt_image_list_pairs(reader, o->file[k][GT_IMAGE_INPUT], o->file[k][GT_IMAGE_TARGET], &o->arena,
                             &o->set[k].files);
}

static bool list_files(opening *o, int k, gt_split *split) {
  const bool folder = gt_is_folder(o->file[k][GT_IMAGE_INPUT].path);
  set_trust(o, k);
  if (k && folder != gt_is_folder(o->file[TRAIN][GT_IMAGE_INPUT].path))
    return gt_data_refuse(o->reader, "test", "one of train and test is a folder, the other a file",
                          "two folders, or two CSVs");
  if (o->roles > 1 && !folder)
    return gt_data_refuse(o->reader, "targets", "the targets of a CSV are columns of that CSV",
                          "a folder in 'train', or no 'targets'");
  return o->roles > 1 ? list_pairs(o, k)
         : folder     ? list_folder(o, k, split)
                      : gt_image_list_table(o->reader, o->options, o->file[k][GT_IMAGE_INPUT], k == TRAIN,
                                            &o->arena, &o->set[k].files, split);
}

/* True if the whole image can be decoded. */
static bool is_decodable(const char *path, const gt_image_form *form, gt_error *error) {
  void *sample;
  if (!gt_try_alloc(&sample, (uint64_t)gt_image_bytes(form), 1, path, error)) return false;
  const bool ok = gt_image_load(path, form, 0, sample, NULL, error);
  free(sample);
  return ok;
}

/* Sets the form's size to the size of the image. */
static bool use_image_size(const char *path, gt_image_form *form, gt_error *error) {
  gt_image_view view;
  if (!gt_image_measure(path, form, 0, &view, error)) return false;
  if (view.height > GT_IMAGE_MAX_SIDE || view.width > GT_IMAGE_MAX_SIDE)
    return gt_fail(error, GT_ERR_DATA, "%s: %" PRId64 " x %" PRId64 " pixels; set size: [HEIGHT, WIDTH]",
                   path, view.width, view.height);
  form->height = view.height;
  form->width = view.width;
  return true;
}

/* Without `size`: takes the size of the first image, or with on_error: skip, of the first readable image. */
static bool measure(opening *o, bool skip) {
  const gt_image_files *files = &o->set[TRAIN].files;
  gt_error error = {0};
  if (o->form.resized) return true;
  for (size_t i = 0; i < files->count; i++) {
    const char *path = files->items[i].path[GT_IMAGE_INPUT];
    gt_image_form form = o->form;
    error = (gt_error){0};
    if (use_image_size(path, &form, &error) && (!skip || is_decodable(path, &form, &error))) {
      o->form = form;
      return true;
    }
    if (!skip || error.status == GT_ERR_MEMORY) break;
  }
  return gt_fail(o->reader->error, error.status, "%s", error.message);
}

static void prepare_sets(opening *o, bool skip) {
  for (int k = 0; k < o->sets; k++) {
    gt_image_set *set = &o->set[k];
    set->roles = o->roles;
    for (int t = 0; t < o->roles; t++) set->form[t] = o->form;
    if (o->options->target_channels) set->form[GT_IMAGE_TARGET].channels = o->options->target_channels;
    gt_image_set_key(set, skip);
  }
}

/* True if the files are too large to be decoded for an outline. */
static bool is_outlined(const opening *o) {
  uint64_t bytes = 0;
  for (int k = 0; k < o->sets; k++)
    for (size_t i = 0; i < o->set[k].files.count; i++)
      for (int t = 0; t < o->roles; t++) bytes += gt_data_file_size(o->set[k].files.items[i].path[t]);
  return gt_data_is_outlined(o->reader, bytes);
}

static bool read_sets(opening *o, bool skip) {
  const gt_image_policy policy = !skip                        ? GT_IMAGE_STOP
                                 : o->reader->trust.untrusted ? GT_IMAGE_SKIP_QUIETLY
                                                              : GT_IMAGE_SKIP;
  const gt_spec *node = gt_data_node(o->reader, "cache", NULL);
  const char *cache = o->options->cache;
  if (cache && !gt_image_cache_may_replace(cache))
    return gt_data_refuse(o->reader, "cache", "this file exists and is not an image cache",
                          "the name of a new file or of an existing image cache");
  prepare_sets(o, skip);
  if (o->reader->wanted->outline && is_outlined(o)) {
    gt_info("reading only the headers of the images");
    cache = NULL;
    for (int k = 0; k < o->sets; k++) o->set[k].outline = true;
  }
  const bool is_cached = cache && gt_image_cache_load(cache, o->set, o->sets);
  for (int k = 0; k < o->sets; k++) {
    set_trust(o, k);
    if (!o->set[k].readable && !gt_image_set_read(&o->set[k], policy, o->reader->error)) return false;
  }
  /* An untrusted config must not choose a file to write. */
  if (!cache || gt_data_is_untrusted(o->reader, node)) return true;
  if (is_cached)
    gt_remove_leftovers(cache);
  else
    gt_image_cache_save(cache, o->set, o->sets);
  return true;
}

/* Removes the targets of images that were skipped. */
static void drop_unreadable(const gt_image_set *set, gt_tensor *targets) {
  const size_t size = (size_t)gt_tensor_features(targets) * gt_element_size(targets->element);
  uint8_t *to = targets->data;
  for (size_t i = 0; i < set->files.count; i++) {
    const uint8_t *from = (const uint8_t *)targets->data + i * size;
    if (!set->readable[i]) continue;
    if (from > to) memcpy(to, from, size);
    to += size;
  }
  targets->dim[0] -= set->skipped;
}

/* Moves target images into the split, with bytes scaled to values from 0 to 1. */
static bool move_targets(gt_image_set *set, gt_split *split, gt_error *error) {
  gt_tensor *targets = gt_split_add(split, GT_SAMPLE_TARGET, 0, set->pixels[GT_IMAGE_TARGET]);
  set->pixels[GT_IMAGE_TARGET].data = NULL;
  if (!gt_data_to_floats(targets, "the targets", error)) return false;
  const int64_t count = targets->dim[0] * gt_tensor_features(targets);
  float *value = targets->data;
  for (int64_t i = 0; i < count && value; i++) value[i] /= 255;
  return true;
}

/* Warns of pictures whose EXIF data turn them while their targets, which have none, are not turned. */
static void review_orientations(opening *o, int k) {
  const gt_image_set *set = &o->set[k];
  gt_data_reader *reader = o->reader;
  size_t pairs = 0, first = 0;
  for (size_t i = 0; i < set->files.count; i++)
    if (set->readable[i] & GT_IMAGE_IN_DOUBT && !pairs++) first = i;
  if (!pairs || reader->trust.untrusted) return;
  const unsigned bits = set->readable[first];
  const int turned = bits & GT_IMAGE_TARGET_IS_TURNED ? GT_IMAGE_TARGET : GT_IMAGE_INPUT;
  const char *const *path = set->files.items[first].path;
  gt_finding_at(reader->diagnostics, GT_FINDING_turned_pictures, gt_data_position(reader, keys[k][1]),
                "%s has the EXIF orientation %u and is turned, but %s has none and is not (%zu of %zu pairs "
                "of picture and target)",
                path[turned], bits / GT_IMAGE_ORIENTATION % 8 + 1, path[!turned], pairs, set->files.count)
      ->help =
      "that is right for targets drawn on the pictures as displayed; for targets drawn on the stored "
      "pixels, remove the orientation from the files: exiftool -Orientation= FOLDER";
}

static bool move_split(opening *o, int k, gt_split *split) {
  gt_image_set *set = &o->set[k];
  gt_split_add(split, GT_SAMPLE_INPUT, 0, set->pixels[GT_IMAGE_INPUT]);
  split->samples = set->pixels[GT_IMAGE_INPUT].dim[0];
  set->pixels[GT_IMAGE_INPUT].data = NULL;
  const char *name = gt_data_part_name(o->reader, k == TRAIN ? GT_PART_TRAIN : GT_PART_TEST);
  const int64_t damaged = set->skipped - set->other_sizes;
  if (set->other_sizes)
    gt_warn("skipped %" PRId64
            " of %zu images of the %s split: their size differs; set size: [HEIGHT, WIDTH] to "
            "use them",
            set->other_sizes, set->files.count, name);
  if (damaged)
    gt_warn("skipped %" PRId64 " of %zu images of the %s split: they could not be read", damaged,
            set->files.count, name);
  if (o->roles > 1) review_orientations(o, k);
  if (o->roles > 1) return move_targets(set, split, o->reader->error);
  drop_unreadable(set, gt_split_edit(split, GT_SAMPLE_TARGET, 0));
  return true;
}

static bool read_splits(opening *o) {
  gt_dataset *dataset = o->reader->dataset;
  gt_split *const split[SETS] = {&dataset->split[GT_PART_TRAIN], &dataset->split[GT_PART_TEST]};
  const bool skip = !strcmp(o->options->on_error, "skip");
  for (int k = 0; k < o->sets; k++)
    if (!list_files(o, k, split[k])) return false;
  set_trust(o, TRAIN);
  if (!measure(o, skip) || !read_sets(o, skip)) return false;
  for (int k = 0; k < o->sets; k++)
    if (!move_split(o, k, split[k])) return false;
  return true;
}

/* Reports every missing file, not only the first. */
static bool find_files(opening *o) {
  gt_data_reader *reader = o->reader;
  bool ok = true;
  if (o->sets > 1 && !o->options->test_targets != !o->options->targets)
    return gt_data_refuse(reader, o->options->targets ? "test" : "test_targets",
                          "only one of the training and the test split has target images",
                          "both targets and test_targets");
  for (int k = 0; k < o->sets; k++)
    for (int t = 0; t < o->roles; t++) {
      o->file[k][t] = gt_data_find_file(reader, gt_data_node(reader, keys[k][t], NULL));
      ok &= o->file[k][t].path != NULL;
    }
  return ok;
}

static bool open_images(gt_data_reader *reader, const void *given) {
  const options *settings = given;
  opening o = {.reader = reader,
               .options = settings,
               .sets = settings->test ? 2 : 1,
               .roles = settings->targets ? 2 : 1};
  bool ok = read_form(reader, settings, &o.form);
  ok = find_files(&o) && ok;
  if (!ok) return false;
  reader->train_name = o.file[TRAIN][GT_IMAGE_INPUT].path;
  reader->test_name = o.file[TEST][GT_IMAGE_INPUT].path;
  reader->test_fraction = settings->test_fraction;
  gt_arena_init(&o.arena);
  ok = read_splits(&o);
  /* Errors about files in an untrusted folder are hidden, too; gt_dataset_open hides only GT_ERR_DATA. */
  if (reader->trust.hidden && reader->error->status == GT_ERR_IO) reader->error->status = GT_ERR_DATA;
  for (int k = 0; k < SETS; k++) gt_image_set_finish(&o.set[k]);
  gt_arena_finish(&o.arena);
  return ok;
}

/* --- predictions --- */

static const char *setting(const gt_spec *data, const char *key) {
  const gt_spec *node = gt_spec_find(data, key);
  return node && node->kind == GT_SPEC_SCALAR && !gt_spec_is_null(node) ? node->scalar : "";
}

/* The image form that the model was trained with: size and channels from the input's shape, the rest from
 * its config. */
static bool read_trained_form(const gt_data_signature *signature, const char *path, gt_image_form *form,
                              gt_error *error) {
  const gt_input *input = &signature->input[0];
  const int64_t *dim = input->dim, channels = input->rank == 3 ? dim[2] : 1;
  int64_t max_pixels;
  if (signature->inputs > 1)
    return gt_fail(error, GT_ERR_DATA,
                   "%s is an image, but the model reads %d inputs; pass --input NAME=FILE for each", path,
                   signature->inputs);
  if (input->element != GT_ELEMENT_U8)
    return gt_fail(error, GT_ERR_DATA, "%s is an image, but the model was not trained on image bytes", path);
  if (input->rank < 2 || input->rank > 3 || (channels != 1 && channels != 3) || dim[0] > GT_IMAGE_MAX_SIDE ||
      dim[1] > GT_IMAGE_MAX_SIDE)
    return gt_fail(
        error, GT_ERR_DATA,
        "%s is an image, but the model's samples are not [height, width] or [height, width, 1 or 3]", path);
  const gt_spec *limit = gt_spec_find(signature->data, "max_pixels");
  *form = (gt_image_form){.height = dim[0],
                          .width = dim[1],
                          .channels = channels,
                          .resized = true,
                          .stretched = !strcmp(setting(signature->data, "fit"), "stretch"),
                          .max_pixels = strtoll(MAX_PIXELS, NULL, 10)};
  if (limit && gt_spec_int(limit, &max_pixels) && max_pixels > 0 && max_pixels <= UINT32_MAX)
    form->max_pixels = max_pixels;
  return true;
}

static bool read_inputs(gt_input_reader *reader) {
  gt_image_set set = {.roles = 1};
  const bool skips = reader->files > 1 && reader->file[0]->bad;
  if (!read_trained_form(reader->signature, reader->file[0]->path, &set.form[GT_IMAGE_INPUT], reader->error))
    return false;
  for (int i = 0; i < reader->files; i++)
    *GT_PUSH(&set.files) = (gt_image_file){.path = {reader->file[i]->path}};
  const bool ok = gt_image_set_read(&set, skips ? GT_IMAGE_SKIP : GT_IMAGE_REFUSE, reader->error);
  for (int i = 0; i < reader->files && skips && ok; i++) *reader->file[i]->bad = !set.readable[i];
  if (ok) {
    gt_split_add(reader->out, GT_SAMPLE_INPUT, 0, set.pixels[GT_IMAGE_INPUT]);
    set.pixels[GT_IMAGE_INPUT].data = NULL;
  }
  gt_image_set_finish(&set);
  return ok && gt_data_fit_shape(reader->file[0]->path, &reader->signature->input[0],
                                 gt_split_edit(reader->out, GT_SAMPLE_INPUT, 0), reader->error);
}

static bool probe(const gt_data_probe *p) {
  if (p->tokens || gt_spec_find(p->spec, "text")) return false;
  return gt_is_folder(p->path) || (p->path && gt_image_is_named(p->path)) || gt_image_is_one(&p->head);
}

const gt_data_format gt_data_images = {
    .name = "images",
    .schema = &schema,
    .options_size = sizeof(options),
    .probe = probe,
    .open = open_images,
    .read_inputs = read_inputs,
    .reads_samples = true,
};
GT_REGISTER(data, images)
