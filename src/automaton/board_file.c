#include "automaton/board_file.h"
#include "base/memory.h"
#include "base/output.h"
#include "data/images/images.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (UINT64_C(1) << 30) /* of the largest file that is read */

void gt_board_file_finish(gt_board_file *file) {
  free(file->cells);
  *file = (gt_board_file){0};
}

static bool read_picture(const char *path, const gt_bytes *bytes, uint32_t channels, gt_board_file *out,
                         gt_error *error) {
  gt_picture p;
  void *memory = NULL;
  if (!gt_png_decode(path, bytes, &p, error)) return false;
  const size_t cells = (size_t)p.height * p.width;
  bool ok = p.channels <= channels;
  if (!ok)
    gt_fail(error, GT_ERR_DATA,
            "%s: the image is in color, but the automaton's cells have %u channel%s; expected a gray image",
            path, channels, channels == 1 ? "" : "s");
  ok = ok && gt_try_alloc(&memory, cells, channels, "the board", error);
  if (ok) {
    *out = (gt_board_file){p.height, p.width, memory};
    memset(memory, 0, cells * channels);
    for (size_t i = 0; i < cells; i++)
      for (size_t c = 0; c < p.channels; c++)
        out->cells[i * channels + c] = p.data[i * p.channels + c] >= 128;
  }
  gt_picture_finish(&p);
  return ok;
}

/* A board that is being read from text. */
typedef struct text_board {
  const char *path;
  uint8_t *cells;
  size_t digits, row_digits; /* read so far; in each row, 0 until the first row has ended */
  uint32_t channels, rows;
  gt_error *error;
} text_board;

/* digits: their number in the row that ends; an empty row is skipped. */
static bool end_row(text_board *t, size_t digits, int line) {
  if (!digits) return true;
  if (digits % t->channels)
    return gt_fail(t->error, GT_ERR_DATA, "%s:%d: the row has %zu digits, but cells have %u channels",
                   t->path, line, digits, t->channels);
  if (t->row_digits && digits != t->row_digits)
    return gt_fail(t->error, GT_ERR_DATA, "%s:%d: the row has %zu digits, but the rows before it have %zu",
                   t->path, line, digits, t->row_digits);
  t->row_digits = digits;
  t->rows++;
  return true;
}

static bool parse(text_board *t, const char *text, size_t size) {
  size_t digits = 0, column = 0;
  int line = 1;
  for (size_t i = 0; i < size; i++) {
    column++;
    if (text[i] == '\n') {
      if (!end_row(t, digits, line++)) return false;
      digits = column = 0;
    } else if (text[i] == '0' || text[i] == '1') {
      t->cells[t->digits++] = text[i] == '1';
      digits++;
    } else if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') {
      return gt_fail(t->error, GT_ERR_DATA, "%s:%d:%zu: expected digits 0 and 1, or a PNG image", t->path,
                     line, column);
    }
  }
  if (!end_row(t, digits, line)) return false;
  const size_t width = t->row_digits / t->channels;
  if (!t->rows) return gt_fail(t->error, GT_ERR_DATA, "%s: the file has no digits 0 and 1", t->path);
  if (t->rows > GT_PNG_MAX_SIDE || width > GT_PNG_MAX_SIDE)
    return gt_fail(t->error, GT_ERR_DATA, "%s: the board has %ux%zu cells; at most %d per side are supported",
                   t->path, t->rows, width, GT_PNG_MAX_SIDE);
  return true;
}

bool gt_board_file_read(const char *path, uint32_t channels, gt_board_file *out, gt_error *error) {
  gt_bytes bytes;
  void *memory = NULL;
  *out = (gt_board_file){0};
  if (!gt_read_file(path, MAX_BYTES, &bytes, error)) return false;
  if (bytes.size > 4 && !memcmp(bytes.data, "\x89PNG", 4)) {
    const bool read = read_picture(path, &bytes, channels, out, error);
    gt_bytes_finish(&bytes);
    return read;
  }
  bool ok = gt_try_alloc(&memory, bytes.size + 1, 1, "the board", error);
  text_board t = {.path = path, .cells = memory, .channels = channels, .error = error};
  ok = ok && parse(&t, (const char *)bytes.data, bytes.size);
  gt_bytes_finish(&bytes);
  if (ok)
    *out = (gt_board_file){t.rows, (uint32_t)(t.row_digits / channels), t.cells};
  else
    free(memory);
  return ok;
}

bool gt_board_file_write(const char *path, const gt_board_file *file, uint32_t channels, gt_error *error) {
  const size_t row = (size_t)file->width * channels, size = (row + 1) * file->height;
  void *memory = NULL;
  if (!gt_try_alloc(&memory, size, 1, "the board", error)) return false;
  char *to = memory;
  const uint8_t *from = file->cells;
  for (uint32_t y = 0; y < file->height; y++) {
    for (size_t i = 0; i < row; i++) *to++ = (char)('0' + *from++);
    *to++ = '\n';
  }
  const gt_span piece = {memory, size};
  const bool ok = gt_write_output(path, &piece, 1, error);
  free(memory);
  return ok;
}
