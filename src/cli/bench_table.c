/* gtrain bench: the table of this machine, as Markdown that can be pasted into an issue, or as JSON that a
 * later run can compare with. */
#include "train/bench/bench_table.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/bench.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 2, FILE_LIMIT = 1 << 20 /* bytes */, CELL = 72 /* bytes of a cell's text */ };
enum { COLUMN_NAME, COLUMN_UNIT, COLUMN_FIRST /* first column of a device */ };
/* The columns of one device. SPREAD: range of the repetitions; RATIO: speedup over the earlier run. */
enum { FIGURE, SPREAD, RATIO, DEVICE_COLUMNS, MAX_COLUMNS = COLUMN_FIRST + MAX_DEVICES * DEVICE_COLUMNS };

typedef struct report {
  gt_bench_table table;
  const char *label[MAX_DEVICES];
  char name[MAX_DEVICES][256];
  int devices;
  json_t *earlier;  /* output of the earlier run, or NULL */
  const char *file; /* name of the file with `earlier` */
} report;

/* --- an earlier run --- */

static bool read_earlier(const char *path, json_t **out, gt_error *error) {
  gt_bytes bytes = {0};
  json_error_t parse_error;
  if (!gt_read_file(path, FILE_LIMIT, &bytes, error)) return false;
  *out = json_loadb((const char *)bytes.data, bytes.size, 0, &parse_error);
  gt_bytes_finish(&bytes);
  if (json_is_array(json_object_get(*out, "rows"))) return true;
  json_decref(*out);
  *out = NULL;
  return gt_fail(error, GT_ERR_DATA, "%s: this is not output of gtrain bench --json", path);
}

static const char *text_at(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* Finds the row with this name, device and unit in the earlier run; false: there is none, or it has no
 * figures. */
static bool find_earlier(const report *r, const gt_bench_row *row, gt_bench_row *earlier) {
  size_t i;
  json_t *entry;
  json_array_foreach(json_object_get(r->earlier, "rows"), i, entry) {
    const json_t *median = json_object_get(entry, "median"), *min = json_object_get(entry, "min"),
                 *max = json_object_get(entry, "max");
    if (strcmp(text_at(entry, "name"), row->name) || strcmp(text_at(entry, "device"), row->device) ||
        strcmp(text_at(entry, "unit"), row->unit))
      continue;
    *earlier = (gt_bench_row){.less_is_better = row->less_is_better,
                              .median = json_number_value(median),
                              .min = json_number_value(min),
                              .max = json_number_value(max)};
    return json_is_number(median) && json_is_number(min) && json_is_number(max);
  }
  return false;
}

/* The speedup over the earlier run, or 0 if the earlier run has no such row. *outside: the spreads do not
 * overlap. */
static double compare(const report *r, const gt_bench_row *row, bool *outside) {
  gt_bench_row earlier;
  *outside = false;
  if (!r->earlier || !find_earlier(r, row, &earlier)) return 0;
  const double ratio = gt_bench_ratio(row, &earlier);
  *outside = ratio > 0 && gt_bench_ranges_differ(row, &earlier);
  return ratio;
}

/* --- JSON --- */

static json_t *row_json(const report *r, const gt_bench_row *row) {
  bool outside;
  json_t *entry = json_pack("{s:s, s:s, s:s}", "device", row->device, "name", row->name, "unit", row->unit);
  if (*row->skipped) {
    json_object_set_new(entry, "skipped", json_string(row->skipped));
    return entry;
  }
  json_object_set_new(entry, "median", json_real(row->median));
  json_object_set_new(entry, "min", json_real(row->min));
  json_object_set_new(entry, "max", json_real(row->max));
  const double ratio = compare(r, row, &outside);
  if (ratio > 0) {
    json_object_set_new(entry, "ratio", json_real(ratio));
    json_object_set_new(entry, "outside", json_boolean(outside));
  }
  return entry;
}

static void print_json(const report *r) {
  json_t *devices = json_object(), *rows = json_array();
  for (int d = 0; d < r->devices; d++) json_object_set_new(devices, r->label[d], json_string(r->name[d]));
  for (size_t i = 0; i < r->table.count; i++) json_array_append_new(rows, row_json(r, &r->table.items[i]));
  gt_cli_print_json(json_pack("{s:s, s:o, s:o}", "version", GT_VERSION, "devices", devices, "rows", rows));
}

/* --- text --- */

typedef struct line {
  char cell[MAX_COLUMNS][CELL];
} line;

/* Writes three to four significant digits. */
static void format_number(char *cell, double value) {
  const double magnitude = value < 0 ? -value : value;
  snprintf(cell, CELL, "%.*f", magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 1 ? 2 : 3, value);
}

static void format_row(const report *r, const gt_bench_row *row, char (*cell)[CELL]) {
  char min[CELL], max[CELL];
  bool outside;
  if (*row->skipped) {
    snprintf(cell[SPREAD], CELL, "%s", row->skipped);
    return;
  }
  format_number(cell[FIGURE], row->median);
  format_number(min, row->min);
  format_number(max, row->max);
  snprintf(cell[SPREAD], CELL, "%.30s to %.30s", min, max);
  const double ratio = compare(r, row, &outside);
  if (ratio > 0) snprintf(cell[RATIO], CELL, "%.3f%s", ratio, outside ? " *" : "  ");
}

static int device_index(const report *r, const gt_bench_row *row) {
  int d = 0;
  while (strcmp(r->label[d], row->device)) d++;
  return d;
}

/* Fills the lines of the table, with the devices side by side; returns their number. */
static size_t make_lines(const report *r, line *lines) {
  size_t count = 1;
  snprintf(lines[0].cell[COLUMN_UNIT], CELL, "unit");
  for (int d = 0; d < r->devices; d++) {
    char(*cell)[CELL] = &lines[0].cell[COLUMN_FIRST + d * DEVICE_COLUMNS];
    snprintf(cell[FIGURE], CELL, "%s", r->label[d]);
    snprintf(cell[SPREAD], CELL, "spread");
    if (r->earlier) snprintf(cell[RATIO], CELL, "speedup");
  }
  for (size_t i = 0; i < r->table.count; i++) {
    const gt_bench_row *row = &r->table.items[i];
    size_t at = 1;
    while (at < count && strcmp(lines[at].cell[COLUMN_NAME], row->name)) at++;
    if (at == count) {
      snprintf(lines[count].cell[COLUMN_NAME], CELL, "%s", row->name);
      snprintf(lines[count++].cell[COLUMN_UNIT], CELL, "%s", row->unit);
    }
    format_row(r, row, &lines[at].cell[COLUMN_FIRST + device_index(r, row) * DEVICE_COLUMNS]);
  }
  return count;
}

/* Prints a cell, padded with a character: names are left-aligned, figures right-aligned. */
static void print_cell(FILE *stream, const char *text, int width, int column, char filler) {
  const bool right = column >= COLUMN_FIRST;
  const int padding = width - (int)strlen(text);
  fprintf(stream, "%c%s", filler, right ? "" : text);
  for (int i = 0; i < padding; i++) fputc(filler, stream);
  fprintf(stream, "%s", right ? text : "");
  fputc(filler == '-' && right ? ':' : filler, stream); /* Markdown's marker for right alignment */
  fputc('|', stream);
}

static void print_lines(const report *r, const line *lines, size_t count, FILE *stream) {
  const int columns = COLUMN_FIRST + r->devices * DEVICE_COLUMNS;
  int width[MAX_COLUMNS] = {0};
  for (size_t i = 0; i < count; i++)
    for (int c = 0; c < columns; c++)
      if ((int)strlen(lines[i].cell[c]) > width[c]) width[c] = (int)strlen(lines[i].cell[c]);
  for (size_t i = 0; i < count; i++) {
    const int lines_here = i == 0 ? 2 : 1; /* the header has a ruler under it */
    for (int ruler = 0; ruler < lines_here; ruler++) {
      fputc('|', stream);
      for (int c = 0; c < columns; c++)
        if (width[c]) print_cell(stream, ruler ? "" : lines[i].cell[c], width[c], c, ruler ? '-' : ' ');
      fputc('\n', stream);
    }
  }
}

static void print_earlier(const report *r, FILE *stream) {
  const char *label;
  json_t *name;
  fprintf(stream, "\nCompared with ");
  gt_put_text(stream, r->file);
  fprintf(stream, ": gtrain ");
  gt_put_text(stream, text_at(r->earlier, "version"));
  json_object_foreach(json_object_get(r->earlier, "devices"), label, name) {
    fprintf(stream, ", ");
    gt_put_text(stream, label);
    fprintf(stream, ": ");
    gt_put_text(stream, json_string_value(name) ? json_string_value(name) : "");
  }
  fprintf(stream, ". *: the spreads of both runs do not overlap.\n");
}

static void print_text(const report *r, FILE *stream) {
  line *lines = gt_alloc((r->table.count + 1) * sizeof *lines);
  fprintf(stream, "gtrain %s\n", GT_VERSION);
  for (int d = 0; d < r->devices; d++) fprintf(stream, "%s: %s\n", r->label[d], r->name[d]);
  fprintf(stream, "\n");
  print_lines(r, lines, make_lines(r, lines), stream);
  if (r->earlier) print_earlier(r, stream);
  free(lines);
}

/* --- the command --- */

static void show_progress(const char *what) {
  char text[64];
  if (gt_log_width() < (int)sizeof text) return;
  snprintf(text, sizeof text, "measuring %s", what);
  gt_log_status(text);
}

/* Chooses the devices to measure: the requested one and, if that is another, the CPU. */
static bool choose_devices(report *r, const char *device, gt_error *error) {
  gt_backend *backend = gt_backend_open(device, 0, error);
  if (!backend) return false;
  r->label[0] = backend->target.device ? "vulkan" : "cpu";
  snprintf(r->name[0], sizeof r->name[0], "%s", backend->name);
  r->devices = 1;
  if (!backend->target.device) return gt_backend_close(backend), true;
  gt_backend_close(backend);
  backend = gt_backend_open("cpu", 0, error);
  if (!backend) return false;
  r->label[1] = "cpu";
  snprintf(r->name[1], sizeof r->name[1], "%s", backend->name);
  r->devices = 2;
  gt_backend_close(backend);
  return true;
}

int gt_cli_bench_table(const gt_arguments *arguments) {
  const char *device = gt_cli_device(arguments);
  report r = {.table.tell = gt_flag(arguments, "quiet") ? NULL : show_progress,
              .file = gt_option_value(arguments, "compare")};
  gt_error error = {0};
  int64_t milliseconds = 1000;
  if (!gt_option_int(arguments, "row-ms", 1, 3600000, &milliseconds)) return GT_ERR_USAGE;
  r.table.seconds = 1e-3 * (double)milliseconds;
  bool ok = (!r.file || read_earlier(r.file, &r.earlier, &error)) && choose_devices(&r, device, &error);
  for (int d = 0; d < r.devices && ok; d++)
    ok = gt_bench_table_device(&r.table, r.label[d], d ? "cpu" : device, &error);
  if (r.table.tell) gt_log_status(NULL);
  if (ok && gt_flag(arguments, "json"))
    print_json(&r);
  else if (ok)
    print_text(&r, stdout);
  json_decref(r.earlier);
  free(r.table.items);
  return ok ? GT_OK : gt_report(&error);
}

/* Measures the CPU in place of a software device, which would take minutes for useless figures. */
bool gt_cli_bench_brief(const char *device, FILE *stream, gt_error *error) {
  report r = {.table.seconds = 0.05};
  gt_backend *backend = gt_backend_open(device, 0, error);
  if (backend && backend->target.brief) device = "cpu";
  gt_backend_close(backend);
  bool ok = backend && choose_devices(&r, device, error);
  for (int d = 0; d < r.devices && ok; d++)
    ok = gt_bench_table_device(&r.table, r.label[d], d ? "cpu" : device, error);
  if (ok) print_text(&r, stream);
  free(r.table.items);
  return ok;
}
