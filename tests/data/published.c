/* Tables as R and Python packages publish them: row names in a column without a name, lines before the
 * header, names in single quotes, and columns of many texts. */
#include "data_support.h"

typedef struct published {
  const char *text, *options;
  const char *error;   /* part of the error message; NULL: the table is read */
  const char *columns; /* the names of the inputs, each followed by a blank */
  int rows;
} published;

static const published tables[] = {
    /* --- row names, as R's write.table writes them --- */
    {"\"mpg\" \"cyl\"\n\"Mazda RX4\" 21 6\n\"Fiat 128\" 32.4 4\n", "target: mpg", NULL, "cyl ", 2},
    {"mpg,cyl\nMazda,21,6\nFiat,32.4,4\n", "target: mpg", NULL, "cyl ", 2},
    {"\"mpg\",\"cyl\"\n\"1\",21,6\n\"2\",32.4,4\n", "target: mpg", NULL, "cyl ", 2},
    {",Region,oil,y\n1,Apulia,7,0.5\n2,Sicily,8,1\n", "target: y", NULL, "Region oil ", 2},
    /* With row names, two names for three columns: the one without a name is called by its number. */
    {",Region,oil\n1,Apulia,7,0.5\n2,Sicily,8,1\n", "target: oil", NULL, "2 Region ", 2},
    {"mpg,cyl\nMazda,21,6\nFiat,32.4,4\n", "target: mpg, inputs: ['1', cyl]", NULL, "1 cyl ", 2},
    {"mpg,cyl\nMazda,21,6\nFiat,32.4,4\n", "header: false", ":1:1: this row has 2 cells; expected 3", NULL,
     0},
    {"mpg,cyl\n21,6,\n32.4,4,\n", "target: mpg", NULL, "cyl ", 2}, /* rows end with a separator */
    {"mpg,cyl\n3,21,6\n9,32.4,4\n", "", ":2:6: this row has 3 cells", NULL,
     0}, /* the missing name may be that of any column */
    {",a,kind\n0,7,cat\n1,8,dog\n2,9,cat\n", "task: classification", NULL, "a ", 3}, /* as pandas writes it */
    /* --- a line above the header that is as wide as the table --- */
    {"\"506\",\"2\",\"\"\na,b,y\n1,2,0.5\n3,4,1\n", "",
     ":2:1: this line has only text, above numbers; if it is "
     "the header, set data.skip: 1",
     NULL, 0},
    {"506,2,\na,b,y\n1,2,0.5\n3,4,1\n", "skip: 1", NULL, "a b ", 2},
    {"506,2,1\na,b,y\n1,2,0.5\n3,4,1\n5,6,2\n", "header: false, missing_values: [a, b]",
     ":2:5: 'y' in column '3' is not a number", NULL, 0},
    {"1,?,?\n?,?,?\n1,2,0.5\n3,4,1\n", "columns: {'3': {missing: drop}}", NULL, "1 2 ", 2},
    {"3,2,no\n1,2,0.5\n3,4,1\n5,6,2\n", "target: 1, header: false",
     ":1:5: 'no' is not a number, while all rows below have numbers in this column; if this line is not a sample, set "
     "data.skip: 1",
     NULL, 0},
    {"3,2,no\n1,2,0.5\n3,4,1\n5,6,2\n", "target: size", "there is no column 'size'", NULL, 0},
    {"a,b,c,y\n1,2,0.5\n3,4,1\n", "", ":2:1: this row has 3 cells; expected 4, as in the first line", NULL,
     0},
    /* --- names in single quotes --- */
    {"'a'\t'b'\t'y'\n1\t2\t0.5\n3\t4\t1\n", "target: y", NULL, "a b ", 2},
    {"'a'\t'b'\t'y'\n1\t2\t0.5\n3\t4\t1\n", "target: \"'y'\"", NULL, "'a' 'b' ", 2},
    {"'a','x',1\n'b','y',2\n'a','y',3\n", "target: 3", NULL, "1 2 ", 3},
};

static void expect_inputs(const opened *o, const published *t, size_t i) {
  char names[128] = "";
  for (int64_t c = 0; c < o->data.input[0].dim[0]; c++) {
    strcat(names, o->data.input[0].columns[c]);
    strcat(names, " ");
  }
  if (strcmp(names, t->columns) || o->data.split[GT_PART_TRAIN].samples != t->rows)
    fail_msg("table %zu: %d rows of %s, not %d of %s", i, (int)o->data.split[GT_PART_TRAIN].samples, names,
             t->rows, t->columns);
}

static void every_table(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const published *t = &tables[i];
    opened o;
    const char *path = write_text("a.csv", t->text);
    open_data(&o, "{train: %s, %s%s}", path, strstr(t->options, "task") ? "" : "task: regression, ",
              t->options);
    const char *message = o.diagnostics.errors ? o.diagnostics.items[0].message : o.error.message;
    if (o.ok != !t->error || (t->error && !strstr(message, t->error)))
      fail_msg("table %zu: expected %s: %s", i, t->error ? t->error : "no error",
               o.ok ? "was read" : message);
    if (o.ok) expect_inputs(&o, t, i);
    close_data(&o);
    unlink(path);
  }
}

/* More than 100 different texts are categories if each occurs ten times on average; with 9 they are free
 * text. */
static void many_categories(void **state) {
  enum { TEXTS = 225 };
  (void)state;
  for (int copies = 9; copies <= 10; copies++) {
    char *text = malloc(64 << 10), *at = text + sprintf(text, "model,y\n");
    for (int i = 0; i < TEXTS * copies; i++) at += sprintf(at, "A-%d,%d.5\n", i % TEXTS, i);
    opened o;
    const char *path = write_text("a.csv", text);
    open_data(&o, "{train: %s}", path);
    assert_true(o.ok == (copies == 10));
    if (!o.ok) assert_non_null(strstr(o.error.message, "has free text: 225 distinct values in 2025 cells"));
    close_data(&o);
    unlink(path);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_table), cmocka_unit_test(many_categories)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
