/* Helpers for the data tests: files in a temporary folder, and opening a `data:` map written as text. */
#ifndef GT_TESTS_DATA_SUPPORT_H
#define GT_TESTS_DATA_SUPPORT_H
#include "data/data.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

typedef struct opened {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_error error;
  gt_dataset data;
  bool ok;
} opened;

/* The path of this file in the temporary folder. It stays valid for the next 31 calls. */
__attribute__((unused)) static const char *path_of(const char *name) {
  static char paths[32][512];
  static int next;
  char *path = paths[next++ % 32];
  const char *folder = getenv("TEST_TMP");
  snprintf(path, 512, "%s/gtrain-data-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
  return path;
}

__attribute__((unused)) static const char *write_bytes(const char *name, const void *data, size_t size) {
  const char *path = path_of(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
  return path;
}

__attribute__((unused)) static const char *write_text(const char *name, const char *text) {
  return write_bytes(name, text, strlen(text));
}

__attribute__((unused)) static size_t gzip_bytes(const void *data, size_t size, uint8_t *out,
                                                 size_t capacity) {
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (Bytef *)(uintptr_t)data;
  z.avail_in = (uInt)size;
  z.next_out = out;
  z.avail_out = (uInt)capacity;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  const size_t size_out = z.total_out;
  deflateEnd(&z);
  return size_out;
}

/* What open_data passes to gt_dataset_open; tests assign it. NULL: no requirements. */
static const gt_data_requirements *requirements;

/* Opens the `data:` map in the text, which is a printf format. */
__attribute__((format(printf, 2, 3), unused)) static bool open_data(opened *o, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  *o = (opened){0};
  gt_arena_init(&o->arena);
  gt_diagnostics_init(&o->diagnostics, &o->arena);
  const gt_spec *spec = gt_spec_parse(&o->arena, "test.yaml", text, strlen(text), &o->diagnostics);
  assert_non_null(spec);
  o->ok = gt_dataset_open(spec, 7 /* seed */, requirements, &o->arena, &o->data, &o->diagnostics, &o->error);
  return o->ok;
}

__attribute__((unused)) static void close_data(opened *o) {
  gt_dataset_close(&o->data);
  gt_arena_finish(&o->arena);
}

__attribute__((unused)) static void expect_open(opened *o) {
  if (o->ok) return;
  gt_diagnostics_print(&o->diagnostics, stderr);
  fail_msg("did not open: %s", o->error.message);
}

/* Asserts that the data opened with exactly one warning, which contains this text. */
__attribute__((unused)) static void expect_warning(opened *o, const char *text) {
  expect_open(o);
  assert_int_equal(o->diagnostics.findings, 1);
  if (!strstr(o->diagnostics.items[0].message, text))
    fail_msg("expected '%s' in: %s", text, o->diagnostics.items[0].message);
}

/* Asserts that the file was rejected with a message that contains this text; closes the data. */
__attribute__((unused)) static void expect_bad_file(opened *o, const char *text) {
  assert_false(o->ok);
  assert_int_equal(o->diagnostics.errors, 0);
  assert_int_equal(o->error.status, GT_ERR_DATA);
  if (!strstr(o->error.message, text)) fail_msg("expected '%s' in: %s", text, o->error.message);
  close_data(o);
}

/* Asserts that the config was rejected at this column of its only line (0: any) with a message that contains
 * this text; closes the data. */
__attribute__((unused)) static void expect_bad_config(opened *o, int column, const char *text) {
  assert_false(o->ok);
  if (!o->diagnostics.errors) fail_msg("no diagnostic, but: %s", o->error.message);
  const gt_diagnostic *d = &o->diagnostics.items[0];
  if (!strstr(d->message, text)) fail_msg("expected '%s' in: %s", text, d->message);
  if (column) assert_int_equal(d->at.column, column);
  close_data(o);
}
#endif
