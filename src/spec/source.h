/* A source text with the positions of its lines, for parsing (spec.c) and for error positions. Internal to
 * spec/. Owner: its arena. */
#ifndef GT_SPEC_SOURCE_H
#define GT_SPEC_SOURCE_H
#include "spec/spec.h"

typedef struct gt_source_line {
  size_t byte, character; /* offsets of the start of the line */
  size_t length;          /* in characters */
  const char *text;       /* without its line end */
} gt_source_line;

typedef struct gt_source {
  const char *file, *text;
  size_t size;
  gt_source_line *line;
  size_t lines;
} gt_source;

/* Limits of a config. */
enum {
  GT_SPEC_MAX_BYTES = 1 << 20,
  GT_SPEC_MAX_DEPTH = 64,
  GT_SPEC_MAX_NODES = 100000,
  GT_SPEC_MAX_KEY = 128 /* characters */
};

/* NULL, with the reasons in diagnostics, if the text is too long, is not UTF-8 or contains control
 * characters. */
gt_source *gt_source_new(gt_arena *arena, const char *file, const char *text, size_t size,
                         gt_diagnostics *diagnostics);
/* Position of `width` characters that start at `character` (counted from the start of the text), cut off at
 * the end of the line. */
gt_position gt_source_at(const gt_source *source, size_t character, size_t width);
size_t gt_character_count(const char *text, size_t size); /* characters (code points) in valid UTF-8 */

/* Parses the text from byte `start` to its end as YAML. NULL after reporting errors. */
gt_spec *gt_spec_parse_source(gt_arena *arena, const gt_source *source, size_t start,
                              gt_diagnostics *diagnostics);
/* An error of libyaml. Marks count characters from the start of the source. */
typedef struct gt_problem {
  const char *problem, *context;
  size_t problem_mark, context_mark;
} gt_problem;
/* Reports the error in plain words. */
void gt_problem_report(const gt_source *source, const gt_problem *problem, gt_diagnostics *diagnostics);
#endif
