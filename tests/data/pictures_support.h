/* Images for the tests of src/data: PNG and JPEG files of all kinds, written with libpng and libjpeg. */
#ifndef GT_TESTS_PICTURES_SUPPORT_H
#define GT_TESTS_PICTURES_SUPPORT_H
#include "data_support.h"
#include <jpeglib.h>
#include <png.h>
#include <sys/stat.h>

typedef struct png_kind {
  int type, depth; /* color type, bits per channel */
  bool interlaced;
} png_kind;

/* Writes a PNG file. rows: per pixel `channels` values of k.depth bits, or one index of the palette. */
__attribute__((unused)) static const char *write_png(const char *name, int height, int width, png_kind k,
                                                     const uint8_t *rows, int channels) {
  const char *path = path_of(name);
  static const png_color palette[4] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 8, 7}};
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, k.depth, k.type,
               k.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (k.type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 4);
  png_write_info(png, info);
  const int passes = png_set_interlace_handling(png);
  const size_t row_bytes = ((size_t)width * (size_t)channels * (size_t)k.depth + 7) / 8;
  for (int pass = 0; pass < passes; pass++)
    for (int y = 0; y < height; y++) png_write_row(png, rows + (size_t)y * row_bytes);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  fclose(file);
  return path;
}

typedef struct jpeg_kind {
  J_COLOR_SPACE space;
  int channels;
  bool progressive;
  int orientation; /* of EXIF, 1 to 8; 0: no EXIF */
} jpeg_kind;

enum { EXIF_HEAD = 6, EXIF = EXIF_HEAD + 34 }; /* bytes of "Exif\0\0", and of this and the block behind it */

/* Writes an EXIF block as in a JPEG file. A PNG file has it without the first EXIF_HEAD bytes. */
__attribute__((unused)) static void make_exif(int orientation, uint8_t out[EXIF]) {
  static const uint8_t exif[EXIF] = {
      'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, /* big-endian, directory at 8 */
      0,   2,   1,   0,   0, 4, 0,   0,   0, 1,  0, 0, 0, 7, /* two entries: the width, 7 */
      1,   18,  0,   3,   0, 0, 0,   1,   0, 0,  0, 0};
  memcpy(out, exif, sizeof exif);
  out[EXIF - 3] = (uint8_t)orientation;
}

__attribute__((unused)) static void write_exif(struct jpeg_compress_struct *jpeg, int orientation) {
  uint8_t exif[EXIF];
  make_exif(orientation, exif);
  jpeg_write_marker(jpeg, JPEG_APP0 + 1, exif, sizeof exif);
}

__attribute__((unused)) static const char *write_jpeg(const char *name, int height, int width, jpeg_kind k,
                                                      const uint8_t *rows) {
  const char *path = path_of(name);
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_height = (JDIMENSION)height;
  jpeg.image_width = (JDIMENSION)width;
  jpeg.input_components = k.channels;
  jpeg.in_color_space = k.space;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 98, TRUE);
  for (int c = 0; c < jpeg.num_components; c++)
    jpeg.comp_info[c].h_samp_factor = jpeg.comp_info[c].v_samp_factor = 1;
  if (k.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  if (k.orientation) write_exif(&jpeg, k.orientation);
  while (jpeg.next_scanline < jpeg.image_height) {
    uint8_t copy[4096];
    const size_t row_bytes = (size_t)(width * k.channels);
    memcpy(copy, rows + jpeg.next_scanline * row_bytes, row_bytes);
    uint8_t *scanline = copy;
    jpeg_write_scanlines(&jpeg, &scanline, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  fclose(file);
  return path;
}

/* A smooth image, which JPEG compression changes little. */
__attribute__((unused)) static void paint(uint8_t *out, int height, int width, int channels) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < channels; c++) *out++ = (uint8_t)(20 + 5 * y + 3 * x + 17 * c);
}

__attribute__((unused)) static size_t read_whole(const char *path, uint8_t *out, size_t capacity) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t size = fread(out, 1, capacity, file);
  fclose(file);
  assert_true(size < capacity);
  return size;
}

/* Inserts an eXIf chunk into a PNG file, before or after the pixels. */
__attribute__((unused)) static void set_png_orientation(const char *path, int orientation,
                                                        bool after_pixels) {
  enum { CHUNK = 4 + 4 + EXIF - EXIF_HEAD + 4, HEADER = 33, END = 12, CAPACITY = 1 << 16 };
  static uint8_t file[CAPACITY + CHUNK];
  uint8_t exif[EXIF], chunk[CHUNK] = {0, 0, 0, EXIF - EXIF_HEAD, 'e', 'X', 'I', 'f'};
  const size_t size = read_whole(path, file, CAPACITY), at = after_pixels ? size - END : HEADER;
  make_exif(orientation, exif);
  memcpy(chunk + 8, exif + EXIF_HEAD, EXIF - EXIF_HEAD);
  const uint32_t crc = (uint32_t)crc32(0, chunk + 4, CHUNK - 8);
  for (size_t i = 0; i < 4; i++) chunk[CHUNK - 4 + i] = (uint8_t)(crc >> (24 - 8 * i));
  memmove(file + at + CHUNK, file + at, size - at);
  memcpy(file + at, chunk, CHUNK);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(file, 1, size + CHUNK, out), size + CHUNK);
  fclose(out);
}
#endif
