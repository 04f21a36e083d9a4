#include "circuit/board.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* Bits before the frame: the first block starts up to one word before the first cell, and its shifted reads
 * must not leave the plane. */
enum { MARGIN = 64 };

static bool bit_at(const uint64_t *plane, size_t bit) { return plane[bit / 64] >> bit % 64 & 1; }

static void set_bit(uint64_t *plane, size_t bit, bool value) {
  plane[bit / 64] = (plane[bit / 64] & ~(1ull << bit % 64)) | (uint64_t)value << bit % 64;
}

bool gt_board_init(gt_board *board, const gt_circuit_ca *ca, uint32_t height, uint32_t width,
                   gt_error *error) {
  *board = (gt_board){.ca = ca, .height = height, .width = width, .stride = (size_t)width + 2};
  if (!height || !width || height > INT32_MAX || width > INT32_MAX)
    return gt_fail(error, GT_ERR_USAGE, "a board cannot have %u × %u cells", height, width);
  /* The last block starts at the last cell or before; its shifted reads reach up to one block, one row, one
   * cell and one word beyond that cell. */
  const size_t bits = MARGIN + ((size_t)height + 3) * board->stride + 2 * GT_BLOCK_BITS;
  board->words = (bits / 64 + GT_BLOCK_WORDS) / GT_BLOCK_WORDS * GT_BLOCK_WORDS;
  void *state = NULL, *next = NULL, *memory = NULL;
  if (!gt_try_alloc(&state, board->words, ca->channels * sizeof(uint64_t), "the board", error)) return false;
  board->state = state;
  if (!gt_try_alloc(&next, board->words, ca->channels * sizeof(uint64_t), "the board", error)) goto failed;
  board->next = next;
  board->sliced = gt_sliced_create(&ca->cell);
  if (!gt_try_alloc(&memory, gt_sliced_memory(board->sliced), 1, "the circuit's signals", error)) goto failed;
  board->memory = memory;
  return true;
failed:
  gt_board_finish(board);
  return false;
}

void gt_board_finish(gt_board *board) {
  gt_sliced_destroy(board->sliced);
  free(board->state);
  free(board->next);
  free(board->memory);
  *board = (gt_board){0};
}

/* --- the frame --- */

/* Copies `count` bits; the ranges do not overlap. */
static void copy_bits(uint64_t *plane, size_t to, size_t from, size_t count) {
  for (size_t done = 0; done < count;) {
    const size_t left = count - done, room = 64 - (to + done) % 64, n = left < room ? left : room;
    const size_t f = from + done, t = to + done;
    uint64_t value = plane[f / 64] >> f % 64;
    if (f % 64) value |= plane[f / 64 + 1] << (64 - f % 64);
    const uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << t % 64;
    plane[t / 64] = (plane[t / 64] & ~mask) | (value << t % 64 & mask);
    done += n;
  }
}

static void clear_bits(uint64_t *plane, size_t first, size_t count) {
  for (size_t bit = first; bit < first + count;) {
    const size_t left = first + count - bit, room = 64 - bit % 64, n = left < room ? left : room;
    plane[bit / 64] &= ~((n == 64 ? ~0ull : (1ull << n) - 1) << bit % 64);
    bit += n;
  }
}

/* Fills the frame from the opposite side of a torus, or with zeros. */
static void fill_frame(const gt_board *board, uint64_t *plane) {
  const size_t stride = board->stride, width = board->width, first = MARGIN + stride;
  const size_t last = MARGIN + board->height * stride;
  const bool torus = board->ca->periodic;
  for (size_t row = first; row <= last; row += stride) { /* row: the frame cell to the left of a row */
    set_bit(plane, row, torus && bit_at(plane, row + width));
    set_bit(plane, row + width + 1, torus && bit_at(plane, row + 1));
  }
  if (torus) {
    copy_bits(plane, MARGIN, last, stride);
    copy_bits(plane, last + stride, first, stride);
  } else {
    clear_bits(plane, MARGIN, stride);
    clear_bits(plane, last + stride, stride);
  }
}

static void fill_frames(gt_board *board) {
  for (uint32_t c = 0; c < board->ca->channels; c++) fill_frame(board, board->state + c * board->words);
}

/* --- cells --- */

static size_t bit_index(const gt_board *board, size_t y, size_t x) {
  return MARGIN + (y + 1) * board->stride + x + 1;
}

void gt_board_write(gt_board *board, const uint8_t *cells) {
  const size_t channels = board->ca->channels;
  for (size_t y = 0; y < board->height; y++)
    for (size_t x = 0; x < board->width; x++)
      for (size_t c = 0; c < channels; c++)
        set_bit(board->state + c * board->words, bit_index(board, y, x), *cells++ != 0);
  fill_frames(board);
}

void gt_board_channel(const gt_board *board, uint32_t channel, uint8_t *cells, size_t stride) {
  const uint64_t *plane = board->state + channel * board->words;
  for (size_t y = 0; y < board->height; y++)
    for (size_t x = 0; x < board->width; x++, cells += stride) *cells = bit_at(plane, bit_index(board, y, x));
}

void gt_board_read(const gt_board *board, uint8_t *cells) {
  for (uint32_t c = 0; c < board->ca->channels; c++)
    gt_board_channel(board, c, cells + c, board->ca->channels);
}

void gt_board_mask(const gt_board *board, const uint8_t *cells, uint64_t *to) {
  memset(to, 0, board->words * sizeof *to);
  for (size_t y = 0; y < board->height; y++)
    for (size_t x = 0; x < board->width; x++) set_bit(to, bit_index(board, y, x), *cells++ != 0);
}

static int64_t clamp(int64_t value, int64_t limit) { return value < 0 ? 0 : value > limit ? limit : value; }

void gt_board_clear(gt_board *board, int64_t y, int64_t x, int64_t height, int64_t width) {
  const int64_t left = clamp(x, board->width), right = clamp(x + width, board->width);
  const int64_t top = clamp(y, board->height), bottom = clamp(y + height, board->height);
  for (uint32_t c = 0; c < board->ca->channels && left < right; c++)
    for (int64_t row = top; row < bottom; row++)
      clear_bits(board->state + c * board->words, bit_index(board, (size_t)row, (size_t)left),
                 (size_t)(right - left));
  fill_frames(board);
}

/* --- the step --- */

/* Reads a block of bits that starts at any bit. */
static void load_bits(const uint64_t *plane, size_t from, uint64_t *block) {
  const uint64_t *at = plane + from / 64;
  const unsigned down = from % 64, up = 63 - down; /* two shifts, because a shift by 64 is undefined */
  for (int w = 0; w < GT_BLOCK_WORDS; w++) block[w] = at[w] >> down | at[w + 1] << 1 << up;
}

void gt_board_step(gt_board *board, const uint64_t *changes) {
  const size_t channels = board->ca->channels, stride = board->stride;
  /* Blocks are aligned to words, so results are stored without shifts. This writes garbage into the frame,
   * which is filled afterwards. */
  const size_t first = bit_index(board, 0, 0) / 64 * 64,
               end = bit_index(board, board->height - 1, board->width - 1) + 1;
  for (size_t at = first; at < end; at += GT_BLOCK_BITS) {
    for (size_t p = 0; p < GT_CA_PATCH; p++) {
      const size_t from = at + p / 3 * stride + p % 3 - stride - 1;
      for (size_t c = 0; c < channels; c++)
        load_bits(board->state + c * board->words, from, board->memory + (p * channels + c) * GT_BLOCK_WORDS);
    }
    gt_sliced_block(board->sliced, board->memory);
    for (size_t c = 0; c < channels; c++) {
      const uint64_t *out = gt_sliced_output(board->sliced, board->memory, c);
      const uint64_t *old = board->state + c * board->words + at / 64;
      uint64_t *new = board->next + c * board->words + at / 64;
      for (size_t w = 0; w < GT_BLOCK_WORDS; w++) {
        const uint64_t mask = changes ? changes[at / 64 + w] : ~0ull;
        new[w] = (out[w] & mask) | (old[w] & ~mask);
      }
    }
  }
  uint64_t *swap = board->state;
  board->state = board->next;
  board->next = swap;
  fill_frames(board);
}
