/* Ca: how a cellular automaton starts and what its board is to become. Inputs are probabilities, [height,
 * width, channels]: 0 or 1 where the start is certain, 0.5 where the bit is drawn (layer `bernoulli`, on the
 * device, anew for each sample and step). Targets are the first channels of the board, [height, width,
 * channels of the target]. */
#include "base/memory.h"
#include "data/format.h"
#include "data/png.h"
#include <string.h>

enum { MOST_BOARD_BITS = 16 };
enum { CENTRE, RANDOM, ZEROS, BOARDS }; /* in the order of `starts` */
enum { CHECKERBOARD, LIFE };

typedef struct options {
  gt_ints grid;
  int64_t channels, square, samples, test_samples;
  const char *start, *target, *image;
} options;

static const char *const starts[] = {"centre", "random", "zeros", "boards", NULL};
static const char *const targets[] = {"checkerboard", "life", NULL};

#define ROW(field, type_, ...) \
  { .name = #field, .type = type_, .offset = offsetof(options, field), __VA_ARGS__ }

static const gt_field fields[] = {
    ROW(start, GT_FIELD_CHOICE, .choices = starts, .fallback = "random",
        .help = "first board: random bits, zeros, zeros with a centre cell of ones, or each of all boards"),
    ROW(target, GT_FIELD_CHOICE, .choices = targets,
        .help = "what the board becomes: a checkerboard, or the next board of the Game of Life"),
    ROW(image, GT_FIELD_PATH,
        .help = "what the board becomes: a PNG picture, its bits (128 or more) as cells"),
    ROW(grid, GT_FIELD_INTS, .min = 1, .max = GT_PNG_MOST_SIDE,
        .help = "[height, width] of the board; default: the picture's"),
    ROW(channels, GT_FIELD_INT, .fallback = "1", .min = 1, .max = 4096, .help = "bits of a cell"),
    ROW(square, GT_FIELD_INT, .fallback = "2", .min = 1, .max = GT_PNG_MOST_SIDE,
        .help = "side of the checkerboard's squares"),
    ROW(samples, GT_FIELD_INT, .min = 1, .max = 1e6,
        .help = "training samples, where starts are random: at least a batch; default 64, else 1"),
    ROW(test_samples, GT_FIELD_INT, .min = 0, .max = 1e6, .help = "the same of the test split"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "ca", .help = "starts and targets of a cellular automaton", .fields = fields};

typedef struct board {
  const options *options;
  int64_t height, width, channels, seen; /* seen: channels of the target */
  int start, target;                     /* target: -1 a picture */
  gt_picture picture;
} board;

static int choice(const char *const *list, const char *text) {
  for (int i = 0; text && list[i]; i++)
    if (!strcmp(list[i], text)) return i;
  return -1;
}

static bool refuse(gt_data_reader *reader, const char *key, const char *what, const char *expected) {
  gt_error_at(reader->diagnostics, gt_data_position(reader, key), "%s", what)->expected = expected;
  return false;
}

static bool read_picture(gt_data_reader *reader, board *b) {
  const char *path = gt_data_find_file(reader, gt_data_node(reader, "image", NULL), b->options->image);
  if (!path || !gt_png_read(path, &b->picture, reader->error)) return false;
  b->seen = b->picture.channels;
  if (!b->height) b->height = b->picture.height, b->width = b->picture.width;
  if (b->height == b->picture.height && b->width == b->picture.width) return true;
  return refuse(reader, "grid", "the grid does not have the picture's size",
                "no grid, or the size of the picture");
}

static bool read_options(gt_data_reader *reader, board *b) {
  const options *o = b->options;
  b->start = choice(starts, o->start);
  b->target = choice(targets, o->target);
  b->channels = o->channels;
  b->seen = 1;
  if (!o->target == !o->image)
    return refuse(reader, o->target ? "image" : NULL, "one target is needed", "target or image");
  if (o->grid.count && o->grid.count != 2)
    return refuse(reader, "grid", "this is not the size of a board", "[height, width]");
  if (o->grid.count) b->height = o->grid.items[0], b->width = o->grid.items[1];
  if (o->image && !read_picture(reader, b)) return false;
  if (!b->height) return refuse(reader, NULL, "the size of the board is missing", "grid: [height, width]");
  if (b->seen > b->channels)
    return refuse(reader, "channels", "the cells have fewer channels than the picture",
                  "as many channels as the picture's colours, or more");
  if (b->target == LIFE && (b->channels != 1 || b->start == RANDOM || b->start == CENTRE))
    return refuse(reader, "target", "the next board of life needs a known board of one channel",
                  "start: boards or zeros, channels: 1");
  if (b->start == BOARDS && b->height * b->width * b->channels > MOST_BOARD_BITS)
    return refuse(reader, "start", "there are too many boards", "at most 16 bits a board");
  return true;
}

static bool alive_next(const float *cells, int64_t height, int64_t width, int64_t y, int64_t x) {
  int around = 0;
  for (int64_t j = 0; j < 9; j++)
    if (j != 4)
      around += cells[(y + j / 3 + height - 1) % height * width + (x + j % 3 + width - 1) % width] > 0.5f;
  return around == 3 || (around == 2 && cells[y * width + x] > 0.5f);
}

static float start_value(const board *b, int64_t sample, int64_t i) {
  const int64_t cell = i / b->channels;
  switch (b->start) {
  case RANDOM: return 0.5f;
  case CENTRE: return cell == b->height / 2 * b->width + b->width / 2 ? 1.0f : 0.0f;
  case BOARDS: return (float)(sample >> i & 1);
  default: return 0.0f;
  }
}

static float target_value(const board *b, const float *cells, int64_t y, int64_t x, int64_t c) {
  if (b->target == CHECKERBOARD) return (float)((y / b->options->square + x / b->options->square) % 2);
  if (b->target == LIFE) return alive_next(cells, b->height, b->width, y, x) ? 1.0f : 0.0f;
  return b->picture.data[(y * b->width + x) * b->seen + c] >= 128 ? 1.0f : 0.0f;
}

static bool make_split(gt_data_reader *reader, const board *b, int64_t samples, gt_split *out) {
  out->samples = samples;
  out->inputs =
      (gt_tensor){.element = GT_ELEMENT_F32, .rank = 4, .dim = {samples, b->height, b->width, b->channels}};
  out->targets =
      (gt_tensor){.element = GT_ELEMENT_F32, .rank = 4, .dim = {samples, b->height, b->width, b->seen}};
  if (!gt_tensor_alloc(&out->inputs, "the boards", reader->error) ||
      !gt_tensor_alloc(&out->targets, "the boards", reader->error))
    return false;
  float *inputs = out->inputs.data, *wanted = out->targets.data;
  const int64_t size = b->height * b->width * b->channels;
  for (int64_t n = 0; n < samples; n++, inputs += size) {
    for (int64_t i = 0; i < size; i++) inputs[i] = start_value(b, n, i);
    for (int64_t y = 0; y < b->height; y++)
      for (int64_t x = 0; x < b->width; x++)
        for (int64_t c = 0; c < b->seen; c++) *wanted++ = target_value(b, inputs, y, x, c);
  }
  return true;
}

static bool open_ca(gt_data_reader *reader, const void *given) {
  const options *o = given;
  board b = {.options = o};
  reader->train_name = reader->test_name = "boards";
  bool ok = read_options(reader, &b);
  if (ok) {
    const int64_t all = b.start == BOARDS   ? (int64_t)1 << (b.height * b.width * b.channels)
                        : b.start == RANDOM ? 64
                                            : 1;
    const bool asked = gt_spec_find(reader->spec, "test_samples") != NULL;
    const int64_t test = asked && b.start != BOARDS ? o->test_samples : all;
    const int64_t train = o->samples && b.start != BOARDS ? o->samples : all;
    ok = make_split(reader, &b, train, &reader->dataset->train) &&
         (!test || make_split(reader, &b, test, &reader->dataset->test));
  }
  gt_picture_finish(&b.picture);
  return ok;
}

extern const gt_data_format gt_data_ca;
const gt_data_format gt_data_ca = {
    .name = "ca", .schema = &schema, .options_size = sizeof(options), .open = open_ca};
GT_REGISTER(data, ca)
