#include "draw/confusion.h"
#include "draw/letters.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* With at most FEW classes, cells have numbers; with more than MANY, cells are as small as possible. */
enum { FEW = 20, MANY = 200, MAX_NAME = 20 /* letters */, MARGIN = 6 /* pixels */ };
enum { PALE = 245 }; /* gray level of an empty cell */
static const gt_letter_form black = {.scale = 1}, white = {.scale = 1, .color = 0xFFFFFF},
                            upwards = {.scale = 1, .upwards = true};
static const uint8_t right_color[3] = {20, 100, 60}, wrong_color[3] = {190, 50, 20};

typedef struct layout { /* in pixels */
  uint32_t cell_width, cell_height;
  uint32_t left, top; /* position of the first cell */
  uint32_t every;     /* every Nth class has its name beside it */
  bool numbers;       /* write the counts into the cells */
} layout;

static layout find_layout(const gt_confusion_picture *matrix) {
  size_t longest = sizeof "label" - 1;
  for (int64_t c = 0; c < matrix->classes; c++) {
    const size_t length = strlen(matrix->name[c]);
    if (length > longest) longest = length;
  }
  if (longest > MAX_NAME) longest = MAX_NAME;
  layout l = {.numbers = matrix->classes <= FEW};
  /* A cell with a number has space for seven digits. */
  l.cell_width = l.numbers ? 7 * GT_LETTER_WIDTH + 2 : matrix->classes <= MANY ? 10 : 3;
  l.cell_height = l.numbers ? 24 : l.cell_width;
  l.every = (GT_LETTER_HEIGHT + l.cell_height) / l.cell_height;
  if (l.cell_height >= GT_LETTER_HEIGHT + 2) l.every = 1;
  l.left = l.top = (uint32_t)longest * GT_LETTER_WIDTH + 2 * MARGIN + GT_LETTER_HEIGHT;
  return l;
}

/* share: of the row's samples. Small shares are drawn darker than in proportion, so that single mistakes are
 * visible. */
static void fill_cell(gt_picture *picture, const layout *l, uint32_t x, uint32_t y, double share,
                      bool diagonal) {
  const double strength = sqrt(share);
  const uint8_t *full = diagonal ? right_color : wrong_color;
  for (uint32_t row = 0; row + 1 < l->cell_height; row++)
    for (uint32_t column = 0; column + 1 < l->cell_width; column++) {
      uint8_t *to = picture->data + ((size_t)(y + row) * picture->width + x + column) * 3;
      for (int k = 0; k < 3; k++) to[k] = (uint8_t)(PALE + (full[k] - PALE) * strength + 0.5);
    }
}

static void draw_row(gt_picture *picture, const gt_confusion_picture *matrix, const layout *l,
                     int64_t label) {
  const double *counts = matrix->count + label * matrix->classes;
  const uint32_t y = l->top + (uint32_t)label * l->cell_height;
  double samples = 0;
  for (int64_t predicted = 0; predicted < matrix->classes; predicted++) samples += counts[predicted];
  for (int64_t predicted = 0; predicted < matrix->classes; predicted++) {
    const uint32_t x = l->left + (uint32_t)predicted * l->cell_width;
    const double share = samples > 0 ? counts[predicted] / samples : 0;
    char text[24];
    fill_cell(picture, l, x, y, share, label == predicted);
    const uint32_t length =
        (uint32_t)snprintf(text, sizeof text, "%.0f", counts[predicted]) * GT_LETTER_WIDTH;
    if (l->numbers && counts[predicted])
      gt_picture_draw_text(picture, x + (length < l->cell_width ? (l->cell_width - length) / 2 : 0),
                           y + (l->cell_height - GT_LETTER_HEIGHT) / 2, l->cell_width,
                           share > 0.3 ? white : black, text);
  }
}

static void write_names(gt_picture *picture, const gt_confusion_picture *matrix, const layout *l) {
  const uint32_t length_limit = l->left - 2 * MARGIN - GT_LETTER_HEIGHT;
  for (int64_t c = 0; c < matrix->classes; c += l->every) {
    const char *name = matrix->name[c];
    const uint32_t inset_y = l->cell_height > GT_LETTER_HEIGHT ? (l->cell_height - GT_LETTER_HEIGHT) / 2 : 0;
    const uint32_t inset_x = l->cell_width > GT_LETTER_HEIGHT ? (l->cell_width - GT_LETTER_HEIGHT) / 2 : 0;
    gt_picture_draw_text(picture, MARGIN + GT_LETTER_HEIGHT, l->top + (uint32_t)c * l->cell_height + inset_y,
                         length_limit, black, name);
    gt_picture_draw_text(picture, l->left + (uint32_t)c * l->cell_width + inset_x,
                         MARGIN + GT_LETTER_HEIGHT + length_limit - 1, length_limit, upwards, name);
  }
  gt_picture_draw_text(picture, l->left, MARGIN / 2, picture->width, black, "predicted");
  gt_picture_draw_text(picture, MARGIN / 2, l->top + 6 * GT_LETTER_WIDTH - 1, 6 * GT_LETTER_WIDTH, upwards,
                       "label");
}

bool gt_confusion_draw(const gt_confusion_picture *matrix, const char *path, gt_error *error) {
  const layout l = find_layout(matrix);
  const uint32_t classes = (uint32_t)matrix->classes;
  gt_picture picture =
      gt_picture_blank(l.top + classes * l.cell_height + MARGIN, l.left + classes * l.cell_width + MARGIN);
  for (int64_t label = 0; label < matrix->classes; label++) draw_row(&picture, matrix, &l, label);
  write_names(&picture, matrix, &l);
  const bool ok = gt_png_write(path, &picture, error);
  gt_picture_finish(&picture);
  return ok;
}
