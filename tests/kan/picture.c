/* Pictures of networks: the SVG is well formed and complete; the PNG is read back by libpng and has colored
 * pixels ("ink") where lines and letters are, and none elsewhere. */
#include "base/stream.h"
#include "kan/picture.h"
#include "kan_support.h"
#include "support/read_png.h"
#include <stdio.h>
#include <unistd.h>

static double line(double x) { return x; }
static double square(double x) { return x * x; }

typedef struct drawn { /* a network with what a picture of it needs */
  gt_kan_network network;
  gt_kan_trace trace;
  gt_kan_scores scores;
  gt_panel panel;
  gt_panels panels;
  int width, height;
} drawn;

static const char *const names[] = {"x0", "a<b"};

static void make(drawn *d) {
  const int width[] = {2, 2, 1};
  gt_error error = {0};
  init_network(&d->network, width, 2, -2, 2);
  set_edge(&d->network, 0, 0, 0, line, -2, 2);
  set_edge(&d->network, 0, 1, 0, square, -2, 2);
  set_edge(&d->network, 1, 0, 0, line, -2, 2);
  double *x = random_values(2 * KNOWN_SAMPLES, -1, 1);
  gt_kan_trace_run(&d->trace, &d->network, x, KNOWN_SAMPLES);
  gt_kan_scores_find(&d->scores, &d->network, &d->trace);
  test_free(x);
  d->panel = (gt_panel){.title = "[2, 2, 1]",
                        .error = "rmse 0.1",
                        .network = &d->network,
                        .trace = &d->trace,
                        .scores = &d->scores,
                        .input = names};
  d->panels = (gt_panels){&d->panel, 1};
  assert_true(gt_panels_size(&d->panels, &d->width, &d->height, &error));
}

static void clear(drawn *d) {
  gt_kan_scores_finish(&d->scores);
  gt_kan_trace_finish(&d->trace);
  gt_kan_network_finish(&d->network);
}

static int count(const char *text, const char *what) {
  int found = 0;
  for (const char *match = text; (match = strstr(match, what)); match += strlen(what)) found++;
  return found;
}

static void test_svg(void **state) {
  (void)state;
  drawn d;
  gt_text text = {0};
  make(&d);
  FILE *stream = gt_text_open(&text);
  gt_draw_svg(gt_panels_draw, &d.panels, d.width, d.height, stream);
  fputc(0, stream);
  fclose(stream);
  const char *svg = text.items;
  assert_true(!strncmp(svg, "<svg ", 5) && !strcmp(svg + strlen(svg) - 7, "</svg>\n"));
  /* For each of 6 edges two lines and a frame, which are dashed for the 3 pruned ones; for each of the 3
   * others also its plot. Texts: two lines of title, two inputs, output. */
  assert_int_equal(count(svg, "<polyline "), 6 * 3 + 3);
  assert_int_equal(count(svg, "stroke-dasharray"), 3 * 3);
  assert_int_equal(count(svg, "<circle "), 5);
  assert_int_equal(count(svg, "<text "), 5);
  assert_int_equal(count(svg, "</text>"), 5);
  assert_int_equal(count(svg, "a&lt;b"), 1);
  assert_int_equal(count(svg, "nan") + count(svg, "inf"), 0);
  assert_int_equal(count(svg, "\""), 2 * count(svg, "=\""));
  free(text.items);
  clear(&d);
}

static bool is_white(const gt_picture *p, int x, int y) {
  const uint8_t *pixel = p->data + 3 * ((size_t)y * p->width + (size_t)x);
  return pixel[0] == 255 && pixel[1] == 255 && pixel[2] == 255;
}

static int count_ink(const gt_picture *p, int left, int top, int right, int bottom) {
  int inked = 0;
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++) inked += !is_white(p, x, y);
  return inked;
}

static void test_png(void **state) {
  (void)state;
  drawn d;
  gt_picture read;
  gt_error error = {0};
  char path[] = "/tmp/picture-XXXXXX";
  make(&d);
  gt_picture picture = gt_draw_pixels(gt_panels_draw, &d.panels, d.width, d.height);
  const int file = mkstemp(path);
  assert_true(file >= 0 && !close(file));
  assert_true(gt_png_write(path, &picture, &error) && read_png(path, &read, &error));
  assert_int_equal(remove(path), 0);
  /* draw/pen.h: 2 pixels per CSS pixel. */
  assert_int_equal(read.width, 2 * d.width);
  assert_int_equal(read.height, 2 * d.height);
  assert_memory_equal(read.data, picture.data, (size_t)read.width * read.height * 3);
  const int width = (int)read.width, height = (int)read.height;
  const int inked = count_ink(&read, 0, 0, width, height);
  assert_true(inked > width * height / 100 && inked < width * height / 5);
  assert_true(count_ink(&read, 0, 0, width, 60) > 100);    /* the title */
  assert_int_equal(count_ink(&read, 0, 0, 10, height), 0); /* the margins */
  assert_int_equal(count_ink(&read, 0, height - 20, width, height), 0);
  gt_picture_finish(&read);
  gt_picture_finish(&picture);
  clear(&d);
}

static void stroke(gt_pen *pen, const void *picture) {
  const gt_point ends[] = {{10, 20}, {40, 20}};
  (void)picture;
  pen->polyline(pen, ends, 2, (gt_ink){0x102030, 2, false});
  pen->disc(pen, (gt_point){25, 40}, 5, 0xff0000);
}

/* With 2 pixels per CSS pixel, a line of width 2 is 4 pixels wide and has its exact color, and a disc of
 * radius 5 has the area of a circle with a radius of 10 pixels. Its green channel is 0, white's is 255. */
static void test_coverage(void **state) {
  (void)state;
  gt_picture p = gt_draw_pixels(stroke, NULL, 50, 50);
  const uint8_t *middle = p.data + 3 * (40 * p.width + 50);
  assert_true(middle[0] == 0x10 && middle[1] == 0x20 && middle[2] == 0x30);
  assert_int_equal(count_ink(&p, 50, 0, 51, 60), 4);
  assert_int_equal(count_ink(&p, 0, 0, 17, 60), 0);
  double area = 0;
  for (int y = 60; y < 100; y++)
    for (int x = 0; x < 100; x++) area += 1 - p.data[3 * ((size_t)y * p.width + (size_t)x) + 1] / 255.0;
  assert_true(fabs(area - 3.14159 * 100) < 4);
  gt_picture_finish(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_svg),
      cmocka_unit_test(test_png),
      cmocka_unit_test(test_coverage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
