/* Reports libyaml's errors in plain words, at the position of the actual mistake. Functions that return bool
 * return true if they have reported the error. */
#include "spec/hint.h"
#include "spec/source.h"
#include <string.h>

typedef struct row {
  const char *problem, *context; /* parts of libyaml's messages; NULL: any */
  bool at_context; /* true: the position is the start of the construct, not the place where parsing stopped */
  const char *message, *expected;
} row;

static const row rows[] = {
    {"unexpected end of stream", "quoted scalar", true, "this quote is never closed",
     "the same kind of quote at the end of the value"},
    {"unexpected document indicator", "quoted scalar", true, "this quote is never closed",
     "the same kind of quote at the end of the value"},
    {"expected ',' or ']'", NULL, true, "this '[' is not closed properly",
     "values separated by ',' and then ']'"},
    {"expected ',' or '}'", NULL, true, "this '{' is not closed properly",
     "'key: value' pairs separated by ',' and then '}'"},
    {"unknown escape character", NULL, false, "unknown escape after '\\' in double quotes",
     "\\n, \\t, \\\\ or the like; or single quotes, in which '\\' is an ordinary character"},
    {"hexdecimal number", NULL, false, "bad \\x or \\u escape in double quotes", "hexadecimal digits"},
    {"Unicode character escape code", NULL, false, "this escape is not a Unicode character", NULL},
    {"tab character", NULL, false, "tab character used for indentation", "spaces"},
    {"expected '-' indicator", NULL, false, "this line does not belong to the list above it",
     "'- ' at the list's own indentation, or a key further to the left"},
    {"block sequence entries are not allowed", NULL, false, "a list item cannot start here",
     "'- ' on its own line, below the key it belongs to"},
    {"mapping keys are not allowed", NULL, false, "a value cannot start with '?' here",
     "the value in quotes"},
    {"expected key", "block mapping", false, "this line does not fit the indentation of the lines above",
     "a key in the same column as the other keys of its map"},
    {"expected <document start>", NULL, false, "this text follows the end of the document's value",
     "a single map of keys, all in the same column"},
    {"expected node content", NULL, false, "a value is missing before this", "a value, or quotes around it"},
    {"expected alphabetic or numeric", NULL, false,
     "'&' and '*' start anchors and aliases, which are not supported", "the value in quotes"},
    {"indentation indicator", NULL, false, "bad indicator after '|' or '>'",
     "nothing, or a digit from 1 to 9"},
    {"comment or line break", NULL, false, "text after '|' or '>' on the same line",
     "the text on the next line"},
    {"undefined tag handle", NULL, false, "tags ('!name') are not supported", "a plain value"},
    {"tag", NULL, true, "tags ('!name') are not supported",
     "a plain value, or quotes if it should start with '!'"},
    {"directive", NULL, false, "bad '%' line", "the value in quotes, if it should start with '%'"},
};

static const gt_source_line *line_of(const gt_source *source, size_t character) {
  return &source->line[gt_source_at(source, character, 1).line - 1];
}

/* The byte at a character of the line. */
static const char *byte_of(const gt_source_line *line, size_t character) {
  const char *at = line->text;
  for (size_t i = line->character; i < character && *at; i++) {
    at++;
    while (((unsigned char)*at & 0xC0) == 0x80) at++;
  }
  return at;
}

static size_t character_of(const gt_source_line *line, const char *at) {
  return line->character + gt_character_count(line->text, (size_t)(at - line->text));
}

static gt_diagnostic *report(gt_diagnostics *diagnostics, gt_position at, const char *message,
                             const char *expected) {
  gt_diagnostic *item = gt_error_at(diagnostics, at, "%s", message);
  item->expected = expected;
  return item;
}

/* Reports `units:10`, or a lone word where a key is needed. */
static void report_missing_colon(const gt_source *source, const gt_problem *problem,
                                 gt_diagnostics *diagnostics) {
  const gt_source_line *line = line_of(source, problem->context_mark);
  const char *start = byte_of(line, problem->context_mark);
  size_t width = strcspn(start, "#");
  while (width > 1 && strchr(" \t", start[width - 1])) width--;
  const char *colon = memchr(start, ':', width);
  const gt_position at = gt_source_at(source, problem->context_mark,
                                      gt_character_count(start, colon ? (size_t)(colon - start) : width));
  if (colon && colon > start && colon[1] && !strchr(" \t\"'", colon[1])) {
    gt_diagnostic *item = gt_error_at(diagnostics, gt_source_at(source, character_of(line, colon), 1),
                                      "no space after the ':' of key '%.*s'", (int)(colon - start), start);
    item->expected = "a space between ':' and the value";
    item->suggestion = gt_arena_printf(diagnostics->arena, "%.*s: %.*s", (int)(colon - start), start,
                                       (int)(start + width - colon - 1), colon + 1);
    return;
  }
  gt_error_at(diagnostics, at, "':' is missing after '%.*s'", width > 60 ? 60 : (int)width, start)->expected =
      "'key: value'";
}

/* Reports a lone word on the previous line: YAML reads this line as its continuation. */
static bool report_lone_word(const gt_source *source, const gt_source_line *line,
                             gt_diagnostics *diagnostics) {
  if (line == source->line) return false;
  const gt_source_line *before = line - 1;
  const char *word = before->text + strspn(before->text, " -"), *end = word + strcspn(word, " #");
  if (end == word || strcspn(before->text, ":[]{}\"',|>") < strlen(before->text)) return false;
  gt_error_at(
      diagnostics,
      gt_source_at(source, character_of(before, word), gt_character_count(word, (size_t)(end - word))),
      "':' is missing after '%.*s'", (int)(end - word), word)
      ->expected = "'key: value'";
  return true;
}

/* Reports a ':' where no map can start: a more indented line below a value, or a second ': ' on one line. */
static void report_unexpected_colon(const gt_source *source, const gt_problem *problem,
                                    gt_diagnostics *diagnostics) {
  const gt_source_line *line = line_of(source, problem->problem_mark);
  const char *colon = byte_of(line, problem->problem_mark), *key = line->text + strspn(line->text, " ");
  bool is_indented_key = line->text[0] == ' ';
  for (const char *c = key; c < colon; c++)
    if (*c == ':' || *c == '{' || *c == '[' || *c == '"') is_indented_key = false;
  if (is_indented_key && colon > key) {
    gt_error_at(diagnostics,
                gt_source_at(source, character_of(line, key), gt_character_count(key, (size_t)(colon - key))),
                "'%.*s' is indented, but the line above already has a value", (int)(colon - key), key)
        ->expected = "the same column as the other keys of its map";
    return;
  }
  if (!strpbrk(gt_arena_strndup(diagnostics->arena, key, (size_t)(colon - key)), ":{[\"") &&
      report_lone_word(source, line, diagnostics))
    return;
  report(diagnostics, gt_source_at(source, problem->problem_mark, 1), "a second ':' in one value",
         "one 'key: value' on a line, or quotes around a value that contains ': '");
}

/* Reports a character that cannot start a value. */
static void report_bad_start(const gt_source *source, const gt_problem *problem,
                             gt_diagnostics *diagnostics) {
  const gt_position at = gt_source_at(source, problem->problem_mark, 1);
  const gt_source_line *line = line_of(source, problem->problem_mark);
  const char *c = byte_of(line, problem->problem_mark);
  if (*c == '\t') {
    report(diagnostics, at, "tab character used for indentation", "spaces");
    return;
  }
  gt_error_at(diagnostics, at, "a value cannot start with '%c'", *c ? *c : ' ')->expected =
      "the value in quotes, if it really starts like this";
}

/* Reports text after the end of a quoted value, or a misplaced closing bracket: the most frequent errors in
 * a block map. */
static bool report_broken_map(const gt_source *source, const gt_problem *problem,
                              gt_diagnostics *diagnostics) {
  const gt_source_line *line = line_of(source, problem->problem_mark);
  const char *at = byte_of(line, problem->problem_mark);
  const gt_position where = gt_source_at(source, problem->problem_mark, 1);
  if (*at == ']' || *at == '}') {
    gt_error_at(diagnostics, where, "this '%c' has no opening bracket", *at)->expected =
        "an opening bracket before it, or no bracket";
    return true;
  }
  if (strspn(line->text, " ") >= (size_t)(at - line->text)) return false;
  if (at[0] == '/' && at[1] == '/')
    report(diagnostics, where, "'//' does not start a comment", "'#' before a comment");
  else
    report(diagnostics, where, "unexpected text after the end of the value",
           "nothing more on this line; or quotes around the whole value");
  return true;
}

/* The text of the line from the dash if it starts like `-linear`; else NULL. A negative number is a value. */
static const char *dashed_word(const gt_source_line *line) {
  const char *first = line->text + strspn(line->text, " ");
  return first[0] == '-' && first[1] && !strchr(" -.0123456789", first[1]) ? first : NULL;
}

/* Reports `-linear: 10`. libyaml reads a key named "-linear" and fails only at a later line, such as `- relu`
 * or `-relu`. Reports the first of these lines. */
static bool report_missing_dash_space(const gt_source *source, const gt_problem *problem,
                                      gt_diagnostics *diagnostics) {
  const gt_source_line *line = line_of(source, problem->problem_mark);
  if (!dashed_word(line) && line > source->line) line--;
  if (!dashed_word(line)) return false;
  while (line > source->line && dashed_word(line - 1)) line--;
  const char *first = dashed_word(line);
  gt_diagnostic *item = report(diagnostics, gt_source_at(source, character_of(line, first), 1),
                               "no space after the '-' of a list item", "a space between '-' and the item");
  item->suggestion = gt_arena_printf(diagnostics->arena, "- %s", first + 1);
  return true;
}

/* Reports a tab at the start of a line: it causes many errors, and libyaml's message never mentions it. */
static bool report_leading_tab(const gt_source *source, size_t character, gt_diagnostics *diagnostics) {
  const gt_source_line *line = line_of(source, character);
  const char *tab = line->text + strspn(line->text, " ");
  if (*tab != '\t') return false;
  report(diagnostics, gt_source_at(source, character_of(line, tab), 1), "tab character used for indentation",
         "spaces");
  return true;
}

/* Reports a character that only looks like YAML syntax, on the line where the parser stopped or where the
 * construct started. */
static bool report_odd_character(const gt_source *source, const gt_problem *problem,
                                 gt_diagnostics *diagnostics) {
  const size_t marks[] = {problem->problem_mark, problem->context_mark};
  for (int i = 0; i < 2; i++) {
    const gt_source_line *line = line_of(source, marks[i]);
    gt_look_alike found;
    if (!gt_look_alike_in_line(line->text, &found)) continue;
    const gt_position at = gt_source_at(source, character_of(line, line->text + found.byte), 1);
    gt_error_at(diagnostics, at, "%s", gt_look_alike_describe(diagnostics->arena, &found));
    return true;
  }
  return false;
}

void gt_problem_report(const gt_source *source, const gt_problem *problem, gt_diagnostics *diagnostics) {
  const char *what = problem->problem ? problem->problem : "",
             *context = problem->context ? problem->context : "";
  if (report_leading_tab(source, problem->problem_mark, diagnostics)) return;
  if (report_odd_character(source, problem, diagnostics)) return;
  if (report_missing_dash_space(source, problem, diagnostics)) return;
  if (strstr(what, "expected ':'")) {
    report_missing_colon(source, problem, diagnostics);
    return;
  }
  if (strstr(what, "mapping values are not allowed")) {
    report_unexpected_colon(source, problem, diagnostics);
    return;
  }
  if (strstr(what, "cannot start any token")) {
    report_bad_start(source, problem, diagnostics);
    return;
  }
  if (strstr(context, "block mapping") || strstr(context, "block collection") ||
      strstr(what, "<document start>"))
    if (report_broken_map(source, problem, diagnostics)) return;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const row *r = &rows[i];
    if (!strstr(what, r->problem) || (r->context && !strstr(context, r->context))) continue;
    const size_t mark = r->at_context ? problem->context_mark : problem->problem_mark;
    report(diagnostics, gt_source_at(source, mark, 1), r->message, r->expected);
    return;
  }
  gt_error_at(diagnostics, gt_source_at(source, problem->problem_mark, 1), "this is not valid YAML: %s",
              what);
}
