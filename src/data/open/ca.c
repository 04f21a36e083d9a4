/* Format `ca`: the start and target boards of a cellular automaton. Inputs are probabilities, [height,
 * width, channels]: 0 or 1 where the start cell is fixed, 0.5 where layer `bernoulli` draws it on the
 * device, for every sample and step. Targets are the first channels of the board, [height, width, target
 * channels]. */
#include "data/ca.h"
#include "base/memory.h"
#include "data/format.h"
#include "data/images/images.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_BOARD_BITS = 16 }; /* start `boards` makes a sample of every possible board */

typedef struct options {
  gt_ints grid;
  int64_t channels, square, samples, test_samples;
  const char *start, *target, *image;
} options;

/* In the order of gt_ca_start and gt_ca_target. */
static const char *const starts[] = {"centre", "random", "zeros", "boards", NULL};
static const char *const targets[] = {"checkerboard", "life", NULL};

static const gt_field fields[] = {
    GT_ROW(options, start, GT_FIELD_CHOICE, .choices = starts, .fallback = "random",
           .help =
               "first board: random bits, zeros, zeros with a center cell of ones, or every possible board"),
    GT_ROW(options, target, GT_FIELD_CHOICE, .choices = targets,
           .help = "target: a checkerboard, or the next board of the Game of Life"),
    GT_ROW(options, image, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT,
           .help = "target: a PNG image; a pixel of 128 or more is a cell of 1"),
    GT_ROW(options, grid, GT_FIELD_INTS, .min = 1, .max = GT_PNG_MAX_SIDE,
           .help = "[height, width] of the board (default: the size of `image`)"),
    GT_ROW(options, channels, GT_FIELD_INT, .fallback = "1", .min = 1, .max = 4096,
           .help = "number of bits per cell"),
    GT_ROW(options, square, GT_FIELD_INT, .fallback = "2", .min = 1, .max = GT_PNG_MAX_SIDE,
           .help = "side of the checkerboard's squares in cells"),
    GT_ROW(options, samples, GT_FIELD_INT, .min = 1, .max = 1e6,
           .help = "number of training samples, at least one batch (default: 64 for random starts, else 1)"),
    GT_ROW(options, test_samples, GT_FIELD_INT, .min = 0, .max = 1e6, .help = "number of test samples"),
    {.name = NULL},
};

static int index_of_choice(const char *const *list, const char *text) {
  for (int i = 0; text && list[i]; i++)
    if (!strcmp(list[i], text)) return i;
  return -1;
}

static bool read_picture(gt_data_reader *reader, gt_ca_boards *b) {
  gt_picture picture;
  gt_bytes bytes;
  const gt_data_file file = gt_data_find_file(reader, gt_data_node(reader, "image", NULL));
  if (!file.path || !gt_data_read_file(file, &bytes, reader->error)) return false;
  const bool read = gt_png_decode(file.path, &bytes, &picture, reader->error);
  gt_bytes_finish(&bytes);
  if (!read) return false;
  const int64_t bits = (int64_t)picture.height * picture.width * picture.channels;
  uint8_t *cells = GT_NEW_N(reader->arena, uint8_t, bits);
  for (int64_t i = 0; i < bits; i++) cells[i] = picture.data[i] >= 128;
  b->picture = cells;
  b->target_channels = picture.channels;
  if (!b->height) b->height = picture.height, b->width = picture.width;
  const bool fits = b->height == picture.height && b->width == picture.width;
  gt_picture_finish(&picture);
  return fits || gt_data_refuse(reader, "grid", "the grid and the image have different sizes",
                                "the size of the image, or no 'grid'");
}

static bool read_options(gt_data_reader *reader, const options *o, gt_ca_boards *b) {
  *b = (gt_ca_boards){.start = (gt_ca_start)index_of_choice(starts, o->start),
                      .target = o->target ? (gt_ca_target)index_of_choice(targets, o->target) : GT_CA_PICTURE,
                      .channels = o->channels,
                      .target_channels = 1,
                      .square = o->square};
  if (!o->target == !o->image)
    return gt_data_refuse(reader, o->target ? "image" : NULL, "exactly one target must be given",
                          "target or image");
  if (o->grid.count && o->grid.count != 2)
    return gt_data_refuse(reader, "grid", "this is not a board size", "[height, width]");
  if (o->grid.count) b->height = o->grid.items[0], b->width = o->grid.items[1];
  if (o->image && !read_picture(reader, b)) return false;
  if (!b->height)
    return gt_data_refuse(reader, NULL, "the size of the board is missing", "grid: [height, width]");
  if (b->target_channels > b->channels)
    return gt_data_refuse(reader, "channels", "the board has fewer channels than the image",
                          "at least as many channels as the image has");
  if (b->target == GT_CA_LIFE &&
      (b->channels != 1 || b->start == GT_CA_START_RANDOM || b->start == GT_CA_START_CENTRE))
    return gt_data_refuse(reader, "target", "target 'life' needs a fixed start board with one channel",
                          "start: boards or zeros, channels: 1");
  if (b->start == GT_CA_START_ALL && b->height * b->width * b->channels > MAX_BOARD_BITS)
    return gt_data_refuse(reader, "start", "there are too many possible boards", "at most 16 bits per board");
  return true;
}

/* --- targets --- */

bool gt_ca_fits(const gt_ca_boards *b, int64_t height, int64_t width) {
  return b->target != GT_CA_PICTURE || (height == b->height && width == b->width);
}

int64_t gt_ca_centre(int64_t height, int64_t width) { return height / 2 * width + width / 2; }

static void next_of_life(const uint8_t *cells, int64_t height, int64_t width, uint8_t *next) {
  for (int64_t y = 0; y < height; y++) {
    const uint8_t *row = cells + y * width, *up = y ? row - width : cells + (height - 1) * width;
    const uint8_t *down = y + 1 < height ? row + width : cells;
    for (int64_t x = 0; x < width; x++) {
      const int64_t l = x ? x - 1 : width - 1, r = x + 1 < width ? x + 1 : 0; /* left and right, on a torus */
      const int around = up[l] + up[x] + up[r] + row[l] + row[r] + down[l] + down[x] + down[r];
      *next++ = around == 3 || (around == 2 && row[x]);
    }
  }
}

void gt_ca_target_of(const gt_ca_boards *b, const uint8_t *before, int64_t height, int64_t width,
                     uint8_t *target) {
  switch (b->target) {
  case GT_CA_LIFE: next_of_life(before, height, width, target); break;
  case GT_CA_PICTURE: memcpy(target, b->picture, (size_t)(height * width * b->target_channels)); break;
  case GT_CA_CHECKERBOARD:
    for (int64_t y = 0; y < height; y++)
      for (int64_t x = 0; x < width; x++) *target++ = (y / b->square + x / b->square) % 2;
  }
}

/* --- samples --- */

/* Value i of the start board of a sample. */
static float start_value(const gt_ca_boards *b, int64_t sample, int64_t i) {
  switch (b->start) {
  case GT_CA_START_RANDOM: return 0.5f;
  case GT_CA_START_CENTRE: return i / b->channels == gt_ca_centre(b->height, b->width) ? 1.0f : 0.0f;
  case GT_CA_START_ALL: return (float)(sample >> i & 1);
  default: return 0.0f;
  }
}

static bool make_split(gt_data_reader *reader, const gt_ca_boards *b, int64_t samples, gt_split *out) {
  out->samples = samples;
  const gt_tensor shape = {
      .element = GT_ELEMENT_F32, .rank = 4, .dim = {samples, b->height, b->width, b->channels}};
  gt_tensor *input = gt_split_add(out, GT_SAMPLE_INPUT, 0, shape),
            *result = gt_split_add(out, GT_SAMPLE_TARGET, 0, shape);
  result->dim[3] = b->target_channels;
  if (gt_data_is_outlined(reader, gt_tensor_bytes(input))) return true;
  void *memory = NULL;
  const int64_t cells = b->height * b->width, size = cells * b->channels;
  if (!gt_tensor_alloc(input, "the boards", reader->error) ||
      !gt_tensor_alloc(result, "the boards", reader->error) ||
      !gt_try_alloc(&memory, (uint64_t)cells, 1 + (uint64_t)b->target_channels, "the boards", reader->error))
    return false;
  uint8_t *before = memory, *target = before + cells;
  float *inputs = input->data, *wanted = result->data;
  for (int64_t n = 0; n < samples; n++, inputs += size) {
    for (int64_t i = 0; i < size; i++) inputs[i] = start_value(b, n, i);
    for (int64_t i = 0; i < cells; i++) before[i] = inputs[i * b->channels] > 0.5f;
    gt_ca_target_of(b, before, b->height, b->width, target);
    for (int64_t i = 0; i < cells * b->target_channels; i++) *wanted++ = target[i];
  }
  free(memory);
  return true;
}

static bool open_ca(gt_data_reader *reader, const void *given) {
  const options *o = given;
  gt_ca_boards *b = GT_NEW(reader->arena, gt_ca_boards);
  reader->train_name = reader->test_name = "boards";
  if (!read_options(reader, o, b)) return false;
  reader->dataset->boards = b;
  const int64_t default_samples = b->start == GT_CA_START_ALL
                                      ? (int64_t)1 << (b->height * b->width * b->channels)
                                  : b->start == GT_CA_START_RANDOM ? 64
                                                                   : 1;
  const bool is_given = gt_spec_find(reader->spec, "test_samples") != NULL;
  const int64_t test = is_given && b->start != GT_CA_START_ALL ? o->test_samples : default_samples;
  const int64_t train = o->samples && b->start != GT_CA_START_ALL ? o->samples : default_samples;
  return make_split(reader, b, train, &reader->dataset->split[GT_PART_TRAIN]) &&
         (!test || make_split(reader, b, test, &reader->dataset->split[GT_PART_TEST]));
}

extern const gt_data_format gt_data_ca;
const gt_data_format gt_data_ca = {
    .name = "ca",
    .schema = GT_SCHEMA("ca", "start and target boards of a cellular automaton", fields),
    .options_size = sizeof(options),
    .open = open_ca};
GT_REGISTER(data, ca)

const gt_ca_boards *gt_ca_boards_of(const gt_dataset *dataset) {
  return dataset->format && !strcmp(dataset->format, "ca") ? dataset->boards : NULL;
}
