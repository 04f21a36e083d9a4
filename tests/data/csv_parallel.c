/* A table that is read in chunks on several threads gives the same values, column facts, errors and positions
 * as one that is read in one piece. */
#include "base/log.h"
#include "csv_support.h"

static uint32_t draw(uint32_t *state, uint32_t limit) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % limit;
}

static const char *pick(uint32_t *state, const char *const *from, size_t count) {
  return from[draw(state, (uint32_t)count)];
}
#define PICK(state, list) pick(state, list, sizeof(list) / sizeof *(list))

/* Valid cells, and cells that are errors in most positions. */
static const char *const cells[] = {"1",
                                    "-0",
                                    "2.5",
                                    "-3e2",
                                    "1e-40",
                                    "1e-310",
                                    "1e99",
                                    "",
                                    "NA",
                                    "x",
                                    "yes",
                                    "2020-01-02",
                                    "\"q\"",
                                    "\"\"",
                                    "\"a\"\"b\"",
                                    "5\"6",
                                    " \"7\" ",
                                    "\"c,d\"",
                                    "\"\n\"",
                                    "\"r\rs\"",
                                    "\"t\r\n\nu\"",
                                    "#c",
                                    "\"\"\"v\"\"\"",
                                    "a text of more",
                                    "\"#\"",
                                    "w\"",
                                    "a text of less",
                                    "\t8",
                                    "\xC3\xA4",
                                    "90210"};
/* Texts that make their row an error. */
static const char *const faults[] = {"\"never closed", "\"1\"2", "1,1,1,1,1,1,1", "\"a\" \"b\""};

/* A random table with one kind of line end, or with all kinds mixed. A table of one column has no inputs. */
static size_t random_table(char *text, uint32_t seed) {
  static const char *const line_ends[] = {"\n", "\r\n", "\r"};
  uint32_t state = seed * 2654435761u + 1;
  const uint32_t columns = draw(&state, 5), rows = draw(&state, 60), kind = draw(&state, 5),
                 faultless = draw(&state, 3);
  char *at = text + sprintf(text, "%s", draw(&state, 2) ? "name" : "1");
  for (uint32_t c = 1; c <= columns; c++) at += sprintf(at, ",n%u", c);
  for (uint32_t row = 0; row < rows; row++) {
    at += sprintf(at, "%s", kind < 3 ? line_ends[kind] : PICK(&state, line_ends));
    if (!draw(&state, 12))
      at += sprintf(at, "%s", draw(&state, 2) ? "" : "# a \"comment");
    else
      for (uint32_t c = 0; c <= columns; c++)
        at += sprintf(at, "%s%s", c ? "," : "",
                      !faultless && !draw(&state, 60) ? PICK(&state, faults)
                      : draw(&state, 2)               ? PICK(&state, cells)
                                                      : "7");
  }
  if (draw(&state, 2)) at += sprintf(at, "\n");
  return (size_t)(at - text);
}

static void random_tables(void **state) {
  (void)state;
  char *text = malloc(1 << 16);
  const char *path = NULL;
  for (uint32_t seed = 0; seed < 200; seed++) {
    const size_t size = random_table(text, seed);
    path = write_bytes("r.csv", text, size);
    expect_same_in_chunks(path);
  }
  unlink(path);
  free(text);
}

/* In lines of text, quotes, comment signs and separators have no meaning. */
static void random_lines(void **state) {
  (void)state;
  static const char *const labels[] = {"a\t", " \"b\t", "#c \t", "4\t", "", "\t"}, *const ends[] = {
                                                                                       "\n", "\r\n", "\r",
                                                                                       "\n\n"};
  char text[1 << 13];
  const char *path = NULL;
  for (uint32_t seed = 0; seed < 60; seed++) {
    uint32_t draws = seed * 2654435761u + 1;
    char *at = text;
    for (uint32_t row = 0; row < 40; row++)
      at +=
          sprintf(at, "%s%s%s%s", labels[draw(&draws, 100) < 97 ? draw(&draws, 4) : draw(&draws, 6)],
                  PICK(&draws, cells), PICK(&draws, cells), ends[seed % 4 < 3 ? seed % 4 : draw(&draws, 4)]);
    path = write_bytes("r.txt", text, (size_t)(at - text));
    for (lines = GT_CSV_LABELLED; lines <= GT_CSV_TEXTS; lines++) expect_same_in_chunks(path);
  }
  lines = GT_CSV_TABLE;
  unlink(path);
}

/* Column n counts the rows across all chunks, column m up to the middle only; column t has many texts, which
 * the chunks meet in different orders. */
static void long_tables(void **state) {
  (void)state;
  char *text = malloc(1 << 20), *at = text + sprintf(text, "n,m,t,y\n");
  for (int i = 0; i < 6000; i++)
    at += sprintf(at, "%d,%d.5,t%d,%d\n", i, i < 3000 ? i : i + 1, i * 7919 % 4001, i % 2);
  const char *path = write_bytes("r.csv", text, (size_t)(at - text));
  table_read one, several;
  read_table(&one, path, 1, 0);
  for (size_t chunk = 100; chunk < 100000; chunk *= 30) {
    read_table(&several, path, 3, chunk);
    assert_null(first_difference(&one, &several));
    const gt_table_column *column = several.file.column;
    assert_true(column[0].facts.counts && !column[1].facts.counts);
    assert_int_equal(column[2].facts.dictionary.distinct, 4001);
    gt_table_close(&several.file);
  }
  gt_table_close(&one.file);
  unlink(path);
  free(text);
}

/* Chunks end at line ends outside quotes. */
static void chunks_are_whole_records(void **state) {
  (void)state;
  static const char text[] = "1,\"a\nb\"\n2,c\r\n\"d\"\"\n\",4\r5\",\n6,7";
  char copy[sizeof text];
  gt_csv csv = {.at = strcpy(copy, text), .end = copy + sizeof text - 1};
  gt_csv_chunks chunks = {0};
  gt_csv_set_delimiter(&csv, ',');
  gt_csv_cut(&csv, 1, &chunks);
  static const char *const records[] = {"1,\"a\nb\"\n", "2,c\r\n", "\"d\"\"\n\",4\r", "5\",\n", "6,7"};
  assert_int_equal(chunks.count, 5);
  for (size_t i = 0; i < 5; i++) {
    const size_t size = (size_t)(chunks.items[i].end - chunks.items[i].at);
    assert_true(size == strlen(records[i]) && !memcmp(chunks.items[i].at, records[i], size));
  }
  assert_int_equal(gt_csv_count_lines(copy, csv.end), 6);
  free(chunks.items);
}

static int silence_log(void **state) {
  (void)state;
  gt_log_set_level(GT_LOG_ERROR);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_are_whole_records),
      cmocka_unit_test(random_tables),
      cmocka_unit_test(random_lines),
      cmocka_unit_test(long_tables),
  };
  return cmocka_run_group_tests_name("data: tables in chunks", tests, silence_log, NULL);
}
