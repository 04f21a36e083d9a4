/* CIFAR: the binary files of CIFAR-10 and CIFAR-100. A record is one label byte (CIFAR-10) or a coarse and a
 * fine one (CIFAR-100), then 32x32 pixels: the red plane, the green, the blue. Samples are [32, 32, 3], like
 * those of `images`. */
#include "base/memory.h"
#include "data/format.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, CHANNELS = 3, PLANE = SIDE * SIDE, SAMPLE = PLANE * CHANNELS, MAX_FILES = 1000 };

typedef struct options {
  gt_strings train, test;
  const char *labels;
  double test_fraction;
} options;

static const char *const label_names[] = {"coarse", "fine", NULL}; /* in the order of the bytes of a record */

static const gt_field fields[] = {
    GT_ROW(options, train, GT_FIELD_STRINGS, .flags = GT_FIELD_REQUIRED,
           .help = "training file or files: data_batch_1.bin, …, or train.bin of CIFAR-100"),
    GT_ROW(options, test, GT_FIELD_STRINGS, .help = "test file or files: test_batch.bin, or test.bin"),
    GT_ROW(options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the training samples to use as the test split, if there are no test files"),
    GT_ROW(options, labels, GT_FIELD_CHOICE, .choices = label_names,
           .help = "for CIFAR-100, which labels to use: 100 fine or 20 coarse classes (default: fine; "
                   "the file size tells CIFAR-10 from CIFAR-100)"),
    {.name = NULL},
};

typedef struct form { /* how a record is laid out */
  size_t labels;      /* number of label bytes before the pixels */
  size_t label;       /* index of the label byte to use */
} form;

static size_t record_size(form f) { return f.labels + SAMPLE; }

/* The form of CIFAR-100 if the config has the key `labels` or the first file does not consist of records of
 * CIFAR-10. */
static form form_of(const options *o, const gt_bytes *bytes) {
  const form one = {1, 0}, two = {2, o->labels && !strcmp(o->labels, label_names[0]) ? 0 : 1};
  return o->labels || bytes->size % record_size(one) ? two : one;
}

static bool grow(gt_tensor *tensor, size_t size, const char *path, gt_error *error) {
  void *data = realloc(tensor->data, size);
  if (!data) return gt_fail(error, GT_ERR_MEMORY, "%s: out of memory while reading its samples", path);
  tensor->data = data;
  return true;
}

static void interleave(const uint8_t *planes, uint8_t *to) {
  for (int i = 0; i < PLANE; i++)
    for (int c = 0; c < CHANNELS; c++) *to++ = planes[c * PLANE + i];
}

static bool add_records(const char *path, const gt_bytes *bytes, form f, bool outline, gt_split *out,
                        gt_error *error) {
  const size_t record = record_size(f), count = bytes->size / record, before = (size_t)out->samples;
  if (!count || bytes->size % record)
    return gt_fail(error, GT_ERR_DATA,
                   "%s holds %zu bytes, which is not a multiple of the record size %zu; the file is "
                   "truncated or not a binary CIFAR-%s file",
                   path, bytes->size, record, f.labels == 1 ? "10" : "100");
  gt_tensor *labels = gt_split_edit(out, GT_SAMPLE_TARGET, 0),
            *images = gt_split_edit(out, GT_SAMPLE_INPUT, 0);
  if (!grow(labels, (before + count) * sizeof(int32_t), path, error)) return false;
  int32_t *label = (int32_t *)labels->data + before;
  for (size_t i = 0; i < count; i++) label[i] = bytes->data[i * record + f.label];
  if (!outline && !grow(images, (before + count) * SAMPLE, path, error)) return false;
  uint8_t *pixels = (uint8_t *)images->data + before * SAMPLE;
  for (size_t i = 0; i < count && !outline; i++)
    interleave(bytes->data + i * record + f.labels, pixels + i * SAMPLE);
  out->samples += (int64_t)count;
  return true;
}

static bool read_split(gt_data_reader *reader, const options *o, const gt_data_file *file, int count, form *f,
                       int part) {
  gt_split *out = &reader->dataset->split[part];
  uint64_t size = 0;
  for (int i = 0; i < count; i++) size += gt_data_file_size(file[i].path);
  const bool outline = gt_data_is_outlined(reader, size);
  gt_data_set_trust(reader, part, gt_data_are_trusted(file, count));
  gt_split_add(out, GT_SAMPLE_INPUT, 0,
               (gt_tensor){.element = GT_ELEMENT_U8, .rank = 4, .dim = {0, SIDE, SIDE, CHANNELS}});
  gt_split_add(out, GT_SAMPLE_TARGET, 0, (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1});
  for (int i = 0; i < count; i++) {
    gt_bytes bytes;
    if (!gt_data_read_file(file[i], &bytes, reader->error)) return false;
    if (!f->labels) *f = form_of(o, &bytes);
    const bool ok = add_records(file[i].path, &bytes, *f, outline, out, reader->error);
    gt_bytes_finish(&bytes);
    if (!ok) return false;
  }
  gt_split_edit(out, GT_SAMPLE_INPUT, 0)->dim[0] = gt_split_edit(out, GT_SAMPLE_TARGET, 0)->dim[0] =
      out->samples;
  return true;
}

/* Reports every missing file, not only the first. */
static bool find_files(gt_data_reader *reader, const char *key, int count, gt_data_file **out) {
  const gt_spec *node = gt_data_node(reader, key, NULL);
  bool ok = true;
  *out = GT_NEW_N(reader->arena, gt_data_file, count + 1);
  if (count > MAX_FILES) return gt_refuse(reader->diagnostics, node->at, "at most 1000", "too many files");
  for (int i = 0; i < count; i++) {
    (*out)[i] = gt_data_find_file(reader, node->kind == GT_SPEC_SEQUENCE ? node->child[i] : node);
    ok &= (*out)[i].path != NULL;
  }
  return ok;
}

static void name_classes(gt_data_reader *reader, form f) {
  static const char *const names[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                      "dog",      "frog",       "horse", "ship", "truck"};
  gt_dataset *dataset = reader->dataset;
  dataset->target[0].classification = true;
  dataset->target[0].classes = f.labels == 1 ? 10 : f.label ? 100 : 20;
  if (f.labels == 1 && !reader->common->class_names.count && !gt_data_model_target(reader, 0)->class_names)
    dataset->target[0].class_names = names;
}

static bool open_cifar(gt_data_reader *reader, const void *given) {
  const options *o = given;
  gt_data_file *train, *test;
  form f = {0};
  bool ok = find_files(reader, "train", o->train.count, &train);
  ok = find_files(reader, "test", o->test.count, &test) && ok;
  if (!ok) return false;
  if (!o->train.count || reader->task[0] == GT_TASK_REGRESSION)
    return gt_data_refuse(
        reader, o->train.count ? "task" : "train",
        o->train.count ? "the targets are class labels, not numbers" : "there are no training files", NULL);
  reader->train_name = train[0].path;
  reader->test_name = test[0].path;
  reader->test_fraction = o->test_fraction;
  ok = read_split(reader, o, train, o->train.count, &f, GT_PART_TRAIN) &&
       (!o->test.count || read_split(reader, o, test, o->test.count, &f, GT_PART_TEST));
  if (ok) name_classes(reader, f);
  return ok;
}

extern const gt_data_format gt_data_cifar;
const gt_data_format gt_data_cifar = {.name = "cifar",
                                      .schema =
                                          GT_SCHEMA("cifar", "CIFAR-10 and CIFAR-100 binary files", fields),
                                      .options_size = sizeof(options),
                                      .open = open_cifar};
GT_REGISTER(data, cifar)
