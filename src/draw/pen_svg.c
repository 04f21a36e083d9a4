#include "draw/pen.h"

typedef struct svg {
  gt_pen pen;
  FILE *to;
} svg;

static void polyline(gt_pen *pen, const gt_point *point, int points, gt_ink ink) {
  FILE *to = ((svg *)pen)->to;
  fprintf(to, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.2f\"%s points=\"", ink.color,
          ink.width, ink.dashed ? " stroke-dasharray=\"3 3\"" : "");
  for (int i = 0; i < points; i++) fprintf(to, "%s%.2f,%.2f", i ? " " : "", point[i].x, point[i].y);
  fputs("\"/>\n", to);
}

static void disc(gt_pen *pen, gt_point center, double radius, uint32_t color) {
  fprintf(((svg *)pen)->to, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\"/>\n", center.x,
          center.y, radius, color);
}

static void text(gt_pen *pen, gt_point middle, const char *text, uint32_t color) {
  FILE *to = ((svg *)pen)->to;
  fprintf(to, "<text x=\"%.2f\" y=\"%.2f\" fill=\"#%06x\">", middle.x, middle.y + 0.5 * GT_TEXT_HEIGHT,
          color);
  for (const char *c = text; *c; c++) {
    if (*c == '<')
      fputs("&lt;", to);
    else if (*c == '>')
      fputs("&gt;", to);
    else if (*c == '&')
      fputs("&amp;", to);
    else
      putc((unsigned char)*c < 32 ? '?' : *c, to);
  }
  fputs("</text>\n", to);
}

void gt_draw_svg(gt_drawing *draw, const void *data, int width, int height, FILE *stream) {
  svg s = {{polyline, disc, text}, stream};
  fprintf(stream,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"monospace\" font-size=\"12\" text-anchor=\"middle\" stroke-linecap=\"round\" "
          "stroke-linejoin=\"round\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
          width, height, width, height, width, height);
  draw(&s.pen, data);
  fputs("</svg>\n", stream);
}
