#include "spec/diagnostics.h"
#include "base/log.h"
#include "base/text.h"
#include "base/unicode.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ERRORS = 100, MAX_FINDINGS = 100, MAX_PRINTED = 8 /* findings, by default */ };
enum { MAX_WIDTH = 100 /* characters of a source line */ };

/* Findings that make a result wrong, or its data other than meant. Bit k: gt_finding k. */
#define BIT(name) UINT64_C(1) << GT_FINDING_##name
static const uint64_t grave =
    BIT(applied_twice) | BIT(watches_test) | BIT(lost_weights) | BIT(one_class) | BIT(constant_target) |
    BIT(missing_class) | BIT(unnamed_positive) | BIT(looks_ahead) | BIT(repeated_samples) |
    BIT(doubtful_header) | BIT(far_from_unit_scale) | BIT(sentinel_values) | BIT(many_classes) |
    BIT(numbers_as_text) | BIT(missing_labels) | BIT(splits_as_classes) | BIT(ambiguous_path) |
    BIT(other_samples) | BIT(channels_first) | BIT(not_bits) | BIT(unnamed_time) | BIT(doubtful_formula);

#define NAME(name, about) #name,
const char *const gt_finding_names[] = {GT_FINDINGS(NAME) NULL};
#define TEXT(name, about) about,
const char *const gt_finding_texts[] = {GT_FINDINGS(TEXT) NULL};

void gt_diagnostics_init(gt_diagnostics *diagnostics, gt_arena *arena) {
  /* Allocated at its full size, so that pointers to diagnostics stay valid. */
  *diagnostics =
      (gt_diagnostics){.arena = arena, .items = GT_NEW_N(arena, gt_diagnostic, MAX_ERRORS + MAX_FINDINGS)};
}

bool gt_position_is_override(gt_position at) { return at.file && !strncmp(at.file, "--", 2); }

static bool is_override(const gt_diagnostic *item) { return gt_position_is_override(item->at); }

static bool same(const gt_diagnostic *a, const gt_diagnostic *b) {
  return a->at.line == b->at.line && a->at.column == b->at.column && !strcmp(a->message, b->message) &&
         is_override(a) == is_override(b);
}

static bool is_duplicate(const gt_diagnostics *d, const gt_diagnostic *item) {
  for (int i = 0; i < d->count; i++)
    if (same(&d->items[i], item)) return true;
  return false;
}

static gt_diagnostic *add(gt_diagnostics *d, gt_position at, gt_finding finding, const char *format,
                          va_list arguments) {
  char message[1024];
  vsnprintf(message, sizeof message, format, arguments);
  gt_diagnostic *item = GT_NEW(d->arena, gt_diagnostic);
  *item = (gt_diagnostic){
      .at = at, .message = gt_arena_strdup(d->arena, message), .finding = finding, .status = GT_ERR_CONFIG};
  if (finding && (d->quiet >> finding & 1 || is_duplicate(d, item))) return item;
  const int before = finding ? d->findings++ : d->errors++;
  const bool kept = before < (finding ? MAX_FINDINGS : MAX_ERRORS);
  if (!kept) return item;
  d->items[d->count] = *item;
  return &d->items[d->count++];
}

gt_diagnostic *gt_error_at(gt_diagnostics *diagnostics, gt_position at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gt_diagnostic *item = add(diagnostics, at, GT_NO_FINDING, format, arguments);
  va_end(arguments);
  return item;
}

bool gt_reject(gt_diagnostics *diagnostics, gt_position at, const char *expected, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(diagnostics, at, GT_NO_FINDING, format, arguments)->expected = expected;
  va_end(arguments);
  return false;
}

gt_diagnostic *gt_finding_at(gt_diagnostics *diagnostics, gt_finding finding, gt_position at,
                             const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gt_diagnostic *item = add(diagnostics, at, finding, format, arguments);
  va_end(arguments);
  return item;
}

void gt_diagnostics_silence(gt_diagnostics *diagnostics, const char *name) {
  for (int k = 1; k < GT_FINDING_COUNT; k++)
    if (!strcmp(name, gt_finding_names[k - 1])) diagnostics->quiet |= UINT64_C(1) << k;
}

bool gt_diagnostics_has(const gt_diagnostics *diagnostics, gt_finding finding) {
  for (int i = 0; i < diagnostics->count; i++)
    if (diagnostics->items[i].finding == finding) return true;
  return false;
}

bool gt_diagnostics_has_suggestion(const gt_diagnostics *diagnostics, const char *name) {
  for (int i = 0; i < diagnostics->count; i++)
    if (diagnostics->items[i].suggestion && !strcmp(diagnostics->items[i].suggestion, name)) return true;
  return false;
}

bool gt_diagnostics_full(const gt_diagnostics *diagnostics) { return diagnostics->errors > MAX_ERRORS; }

gt_status gt_diagnostics_status(const gt_diagnostics *diagnostics) {
  gt_status status = diagnostics->errors ? GT_ERR_CONFIG : GT_OK;
  if (gt_diagnostics_full(diagnostics)) return status;
  for (int i = diagnostics->count - 1; i >= 0; i--) {
    const gt_diagnostic *item = &diagnostics->items[i];
    if (item->finding) continue;
    if (item->status == GT_ERR_CONFIG) return GT_ERR_CONFIG;
    status = item->status;
  }
  return status;
}

/* Prints a source line, with one '?' for each character that must not be shown and for each byte that is not
 * UTF-8. cells() returns the same widths. */
static void put_source(FILE *stream, const char *text) {
  for (size_t length; *text; text += length) {
    uint32_t code;
    if (gt_displayable_length(text, &length, &code))
      fwrite(text, 1, length, stream);
    else
      fputc('?', stream);
  }
}

static const char *next_character(const char *at) {
  at++;
  while (((unsigned char)*at & 0xC0) == 0x80) at++;
  return at;
}

/* Terminal columns that put_source uses for the character. */
static int cells(const char *at) {
  size_t length;
  uint32_t code;
  return gt_displayable_length(at, &length, &code) ? gt_character_width(code) : 1;
}

/* Prints the source line, or the part of a long line around the column, and a marker below the text. */
static void print_source(const gt_position *at, FILE *stream, bool color) {
  const char *start = at->line_text;
  int column = at->column;
  const bool starts_late = column > MAX_WIDTH - 20; /* fewer than 20 characters after the column would fit */
  if (starts_late)
    for (; column > MAX_WIDTH / 2 && *start; column--) start = next_character(start);
  const char *end = start;
  int shown = 0;
  while (*end && shown < MAX_WIDTH) end = next_character(end), shown++;
  char line[4 * MAX_WIDTH + 1];
  snprintf(line, sizeof line, "%.*s", (int)(end - start), start);
  fprintf(stream, "%7d | %s", at->line, starts_late ? "…" : "");
  put_source(stream, line);
  fprintf(stream, "%s\n        | %s", *end ? "…" : "", starts_late ? " " : "");
  const char *c = line;
  for (int i = 1; i < column; i++) {
    if (*c == '\t') {
      fputc('\t', stream);
    } else {
      for (int n = *c ? cells(c) : 1; n > 0; n--) fputc(' ', stream);
    }
    if (*c) c = next_character(c);
  }
  fprintf(stream, "%s^", color ? "\033[1;32m" : "");
  for (int i = 0; i < at->width && (*c || i == 0); i++) {
    const int caret = i == 0; /* '^' is the first column of the marker */
    for (int n = (*c && *c != '\t' ? cells(c) : 1) - caret; n > 0; n--) fputc('~', stream);
    if (*c) c = next_character(c);
  }
  fprintf(stream, "%s\n", color ? "\033[0m" : "");
}

/* Prints "file:line:column", or in words for a config inside a model file, because no editor can open it. */
static void print_place(const gt_position *at, FILE *stream) {
  const size_t length = at->file ? strlen(at->file) : 0;
  const bool is_model = at->line && length > 4 && !strcmp(at->file + length - 4, ".bin");
  if (at->file) gt_put_text(stream, at->file);
  if (at->line)
    fprintf(stream, is_model ? " (line %d, column %d of its config)" : ":%d:%d", at->line, at->column);
}

static void print_one(const gt_diagnostic *item, FILE *stream, bool color) {
  const gt_position *at = &item->at;
  fputs(color ? "\033[1m" : "", stream);
  print_place(at, stream);
  fprintf(stream, "%s%s%s:%s ", at->file ? ": " : "",
          !color          ? ""
          : item->finding ? "\033[1;35m"
                          : "\033[1;31m",
          item->finding ? "warning" : "error", color ? "\033[0m" : "");
  gt_put_text(stream, item->message);
  if (item->finding) fprintf(stream, " [%s]", gt_finding_names[item->finding - 1]);
  fputc('\n', stream);
  if (at->line && at->line_text) print_source(at, stream, color);
  if (item->help) {
    fputs("    help: ", stream);
    gt_put_text(stream, item->help);
    fputc('\n', stream);
  }
  if (!item->expected && !item->suggestion) return;
  fputs("    ", stream);
  if (item->expected) {
    fputs("expected ", stream);
    gt_put_text(stream, item->expected);
  }
  if (item->suggestion) {
    fputs(item->expected ? "; did you mean '" : "did you mean '", stream);
    gt_put_text(stream, item->suggestion);
    fputs("'?", stream);
  }
  fputc('\n', stream);
}

/* Overrides after files; then by position; then in the order they were added (qsort sorts pointers into one
 * array). */
static int by_position(const void *left, const void *right) {
  const gt_diagnostic *a = *(gt_diagnostic *const *)left, *b = *(gt_diagnostic *const *)right;
  if (is_override(a) != is_override(b)) return is_override(a) - is_override(b);
  if (!is_override(a)) {
    const int order = strcmp(a->at.file ? a->at.file : "", b->at.file ? b->at.file : "");
    if (order) return order;
    if (a->at.line != b->at.line) return a->at.line < b->at.line ? -1 : 1;
    if (a->at.column != b->at.column) return a->at.column < b->at.column ? -1 : 1;
  }
  return a < b ? -1 : a > b;
}

static void print_more(int more, const char *what, const char *way_out, FILE *stream) {
  if (more > 0) fprintf(stream, "… and %d more %s%s%s\n", more, what, more == 1 ? "" : "s", way_out);
}

/* How many of `found` were not kept and not reported by an earlier call. */
static int count_unkept(int found, int kept, int *announced) {
  const int unkept = found > kept ? found - kept : 0, more = unkept - *announced;
  *announced = unkept;
  return more;
}

/* 0: an error; 1: a finding that makes results wrong; 2: another one. */
static int rank_of(const gt_diagnostic *item) {
  return !item->finding ? 0 : grave >> item->finding & 1 ? 1 : 2;
}

static int by_rank(const void *left, const void *right) {
  const int a = rank_of(*(gt_diagnostic *const *)left), b = rank_of(*(gt_diagnostic *const *)right);
  return a != b ? a - b : by_position(left, right);
}

/* Sorts the diagnostics, and if there are too many findings to print, leaves only the worst. Returns how many
 * remain; *omitted: the others. */
static int choose_printed(const gt_diagnostics *diagnostics, gt_diagnostic **sorted, int count,
                          int *omitted) {
  int findings = 0;
  for (int i = 0; i < count; i++) findings += sorted[i]->finding != 0;
  *omitted = diagnostics->print_all || findings <= MAX_PRINTED ? 0 : findings - MAX_PRINTED;
  qsort(sorted, (size_t)count, sizeof *sorted, *omitted ? by_rank : by_position);
  for (int i = count - *omitted; i < count; i++) sorted[i]->shown = true;
  return count - *omitted;
}

void gt_diagnostics_print(gt_diagnostics *diagnostics, FILE *stream) {
  const bool color = stream == stderr && gt_log_color();
  gt_diagnostic *sorted[MAX_ERRORS + MAX_FINDINGS];
  int count = 0, omitted;
  for (int i = 0; i < diagnostics->count; i++)
    if (!diagnostics->items[i].shown) sorted[count++] = &diagnostics->items[i];
  count = choose_printed(diagnostics, sorted, count, &omitted);
  for (int i = 0; i < count; i++) {
    if (!i || !same(sorted[i - 1], sorted[i])) print_one(sorted[i], stream, color);
    sorted[i]->shown = true;
  }
  print_more(count_unkept(diagnostics->errors, MAX_ERRORS, &diagnostics->announced[0]), "error", "", stream);
  print_more(omitted + count_unkept(diagnostics->findings, MAX_FINDINGS, &diagnostics->announced[1]),
             "warning", omitted ? ": gtrain check" : "", stream);
}
