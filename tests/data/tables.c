/* CSV files as they occur in practice: their layout is detected, and errors give the line. Each entry of
 * `tables` is a file with either a part of the expected error message or the shape that is read. */
#include "base/log.h"
#include "csv_support.h"
#include "data/column.h"
#include "data/table/table.h"

typedef struct table {
  const char *name, *text, *options;
  const char *error; /* NULL: the table is read */
  int rows, inputs;
  float last; /* the last input of the last row */
} table;

static const table tables[] = {
    /* --- what separates cells --- */
    {"a.csv", "a;b;y\n1;2;0.5\n3;4;1\n", "", NULL, 2, 2, 4},
    {"a.csv", "1;2;0.5\n", "", NULL, 1, 2, 2},
    {"a.csv", "a\tb\ty\n1\t2\t0.5\n", "", NULL, 1, 2, 2},
    {"a.csv", "a|b|y\n1|2|0.5\n", "", NULL, 1, 2, 2},
    {"a.tsv", "a,b,y\n1,2,0.5\n", "", NULL, 1, 2, 2},
    {"a.csv", "a,b,y\n1,2,x;y\n3,4,z;w\n", "task: auto", NULL, 2, 2,
     4}, /* the comma is tried first, and it also gives a table */
    {"a.csv", "sep=;\r\na;b;y\r\n1;2;0.5\r\n", "", NULL, 1, 2, 2},
    {"a.csv", "sep=;\na;b;y\n1;2;0.5\n", "delimiter: ';'", NULL, 1, 2, 2},
    {"a.csv", "a;b;y\n1;2;0.5\n", "delimiter: ','", "no column is left for the inputs", 0, 0, 0},
    {"a.csv", " 0.006  18.00   2.3  0.5\n 0.027   0.00   7.0  1.5\n", "", NULL, 2, 3, 7},
    {"a.csv", " 0.006  18.00   2.3  0.5\n 0.027   0.00   7.0  1.5\n", "delimiter: ' '", NULL, 2, 3, 7},
    {"a.csv", "a  b\ty \n1 2 0.5 \n \n3\t4  1 \n", "delimiter: blanks", NULL, 2, 2, 4},
    {"a.csv", "a \"b c\" y\n1 2 0.5\n", "delimiter: blanks", NULL, 1, 2, 2},
    {"a.csv", "\"a\"b y\n1 2 0.5\n", "delimiter: blanks", ":1:1: unexpected text after the closing quote", 0,
     0, 0},
    {"a.tsv", "15.2\t14.8\t\t1.5\n14.8\t14.5\t\t0\n", "", NULL, 2, 2, 14.5f},
    {"a.csv", "a,b,y\n1,\"2\",0.5\n\"3\",4,1", "", NULL, 2, 2, 4},
    {"a.csv", "a,\"b\nc\",y\r\n1,2,0.5\r\n", "", NULL, 1, 2, 2},
    {"a.csv", "\xEF\xBB\xBF\"a\",b,y\r1,2,0.5\r", "", NULL, 1, 2, 2},
    {"a.csv", "a,b,y\n1,2,\"0.5\n", "", ":2:5: this quote is never closed", 0, 0, 0},
    {"a.csv", "a,b,y\n1,2,\"0\"5\n", "", ":2:5: unexpected text after the closing quote", 0, 0, 0},
    /* --- the decimal mark --- */
    {"a.csv", "a;b;y\n1,5;2,25;0,5\n", "", NULL, 1, 2, 2.25f},
    {"a.csv", "1,5;2,5;3\n2,5;3,5;1\n", "", NULL, 2, 2,
     3.5f}, /* separated at commas it would be a table of text */
    {"a.csv", "a,b,y\n\"1,5\",\"2,25\",\"0,5\"\n", "decimal: comma", NULL, 1, 2, 2.25f},
    {"a.csv", "a,b,y\n\"1,5\",\"2,25\",\"0,5\"\n", "", ": 3 columns cannot be read as they are", 0, 0, 0},
    {"a.csv", "a;b;y\n1,5;2.25;0,5\n", "", "a has numbers with a comma: '1,5' at 2:1", 0, 0, 0},
    {"a.csv", "a;b;y\n1,500;2;3\n", "",
     ":2:1: column 'a' has numbers with commas, which may be thousands separators ('1,500' at 2:1)", 0, 0, 0},
    {"a.csv", "a,b,y\n\"1,234,567\",1,2\n\"12,345\",3,4\n7,5,6\n", "",
     "has numbers with commas, which may be thousands separators ('1,234,567' at 2:1, '12,345' at 3:1); fix it with data: "
     "{columns: {a: ignore}}; or remove these commas from the file; or for decimal commas",
     0, 0, 0},
    {"a.csv", "a;b;y\n1,500;2;3\n", "decimal: comma", NULL, 1, 2, 2},
    {"a.csv", "a;b;y\n1.5;2,25;0,5\n", "decimal: comma",
     ":2:1: column 'a' has numbers with a point ('1.5' at 2:1)", 0, 0, 0},
    {"a.csv", "a;b;y\n1,5;2,25;0,5\n", "decimal: comma", NULL, 1, 2, 2.25f},
    {"a.csv", "a;b;y\n1,5;2,25;0,5\n", "decimal: point", "3 columns cannot be read as they are", 0, 0, 0},
    /* --- units and signs: at least three texts, nearly all with the same unit or sign --- */
    {"a.csv", "a,y\n12 mg,1\n7 mg,2\n7.5 mg,3\n-3,4\n", "",
     ":2:1: column 'a' has numbers with the unit 'mg' ('12 mg' at 2:1, '7 mg' at 3:1, '7.5 mg' at 4:1); fix it with data: "
     "{columns: {a: ignore}}; or to read the column as numbers, remove the unit or sign from the file",
     0, 0, 0},
    {"a.csv", "a,y\n$3.50,1\n\"$1,203\",2\n-$4,3\n5,4\n", "",
     "a' has numbers with '$' in front, and thousands separators", 0, 0, 0},
    {"a.csv", "a,y\n12%,1\n7%,2\n7.5%,3\n", "columns: {a: number}", "column 'a' has percentages", 0, 0, 0},
    {"a.csv", "a,b,y\n1,5,12 %\n2,6,3 %\n3,7,9 %\n4,8,1\n", "target: y, task: regression",
     "3 of the column's 4 cells are not numbers; to read the column as numbers, remove the unit or sign", 0,
     0, 0},
    {"a.csv", "a,y\n\"1,234.5\",1\n20.5,2\n", "",
     "'a' has thousands separators ('1,234.5' at 2:1); fix it with data: {columns: {a: ignore}}; or "
     "to read the column as numbers, remove these commas from the file",
     0, 0, 0},
    {"a.csv", "a;y\n6.264,45;1\n1.000,5;2\n", "decimal: comma",
     "'a' has thousands separators ('6.264,45' at 2:1", 0, 0, 0},
    {"a.csv", "a;b;y\n6.264,45;1;2\n12,5;2;2\n7,1;1;1\n", "", "'a' has thousands separators", 0, 0, 0},
    {"a.csv", "a;y\n6.264,45;1\n2.000,5;2\n", "decimal: point",
     "remove these points from the file, and set data: {decimal: comma}", 0, 0, 0},
    {"a.csv", "a,y\nroom 1,1\nroom 2,2\nroom 3,3\n", "", NULL, 3, 1, 0}, /* names */
    {"a.csv", "a,y\n1-2,1\n2-4,2\n5-6,3\n", "", NULL, 3, 1, 0},          /* ranges */
    /* --- lines before the table --- */
    {"a.csv", "# made by an archive\n# Sat, Feb 15\n#\n\na,b,y\n1,2,0.5\n", "", NULL, 1, 2, 2},
    {"a.csv", "#,b,y\n1,2,0.5\n2,3,1\n", "", NULL, 2, 2, 3},   /* # is a column name */
    {"a.csv", "# a,b,y\n1,2,0.5\n2,3,1\n", "", NULL, 2, 2, 3}, /* numpy.savetxt(header=…) */
    {"a.csv", "# a b y\n1 2 0.5\n2 3 1\n", "", NULL, 2, 2, 3},
    {"a.csv", "a,b,y\n# from here on, by, another, hand\n1,2,0.5\n", "", NULL, 1, 2, 2},
    {"a.csv", "Table 1\nby me\na,b,y\n1,2,0.5\n", "skip: 2", NULL, 1, 2, 2},
    {"a.csv", "Table 1\nby me\na,b,y\n1,2,0.5\n", "",
     ":1:1: this line has 1 cell, but the lines from 3 on have 3; if the table begins at line 3, set data.skip: 2",
     0, 0, 0},
    {"a.csv", "Table 1\n\na;b;y\n1;2;0.5\n", "", "set data.skip: 2", 0, 0, 0},
    {"a.csv", "Report,,\n,,\na,b,y\n1,2,0.5\n3,4,1\n", "", "set data.skip: 2", 0, 0, 0}, /* padded by Excel */
    {"a.csv", "3,2,no,yes\n1,2,3,4,0.5\n3,4,5,6,1.5\n", "header: false",
     ":2:9: this row has 5 cells; expected 4", 0, 0, 0},
    {"a.csv", "569,30,no,yes\n1,2,3,4,5,0.5\n3,4,5,6,7,1.5\n", "", "set data.skip: 1", 0, 0, 0},
    {"a.csv", "569,30,no,yes\n1,2,3,4,5,0.5\n3,4,5,6,7,1.5\n", "skip: 1", NULL, 2, 5, 7},
    {"a.csv", "a,b,y\n1,2,0.5\n", "skip: 9", "data.skip is 9, and the file has no more lines", 0, 0, 0},
    /* --- rows --- */
    {"a.csv", "a,b,y,\n1,2,0.5,\n3,4,1,\n", "", NULL, 2, 2, 4},
    {"a.csv", "a,b,y\n1,2,0.5,\n3,4,1,\n", "", NULL, 2, 2, 4},
    {"a.csv", "a,b,y,,\n1,2,0.5\n3,4,1\n", "", NULL, 2, 2, 4},
    {"a.csv", "1,2,0.5,\n3,4,1,\n", "", NULL, 2, 2, 4},
    {"a.csv", "a,b,y\n1,2,0.5,7\n3,4,1\n", "", ":2:9: this row has 4 cells; expected 3", 0, 0, 0},
    {"a.csv", "a,b,y\n1,2,0.5\n3,4\n", "", ":3:1: this row has 2 cells; expected 3", 0, 0, 0},
    {"a.csv", "# nothing\n", "", "is empty", 0, 0, 0},
    {"a.csv", "a,b,y\n", "", "there are no rows after the header", 0, 0, 0},
    /* --- columns --- */
    {"a.csv", ",a,y\n0,7,0.5\n1,8,1\n2,9,2\n", "", NULL, 3, 1, 9},
    {"a.csv", "Unnamed: 0,a,y\n1,7,0.5\n2,8,1\n3,9,2\n", "", NULL, 3, 1, 9},
    {"a.csv", ",a,y\n0,7,0.5\n1,8,1\n2,9,2\n", "inputs: ['1', a]", NULL, 3, 2, 9},
    {"a.csv", ",a,y\n0,7,0.5\n2,8,1\n1,9,2\n", "", NULL, 3, 2,
     9}, /* the first column does not count the rows */
    {"a.csv", "i,a,y\n0,7,0.5\n1,8,1\n2,9,2\n", "", NULL, 3, 2, 9}, /* the first column has a name */
    {"a.csv", "a,,b,y\n1,,7,0.5\n2,,9,2\n", "", NULL, 2, 2, 9},
    {"a.csv", "a,a,y\n1,2,0.5\n", "", NULL, 1, 2, 2},
    {"a.csv", "a,a,a.1,y\n1,2,3,0.5\n", "inputs: a.2", NULL, 1, 1, 2},
    {"a.csv", "y,a,y\n0.5,2,0.5\n1,3,1\n", "target: y",
     "columns 1 and 3 are both named 'y', and one of them is the target", 0, 0, 0},
    {"a.csv", "y,a,y\n0.5,2,0.5\n1,3,1\n", "target: y, ignore: y.1", NULL, 2, 1, 3},
    /* --- cells --- */
    {"a.csv", "a,b,y\n1,x,0.5\n,4,1\n3,NA,1\n1e99,z,7\n", "",
     ":2:3: 2 columns cannot be read as they are\n"
     "    a has numbers that are too large for a 32-bit float: '1e99' at 5:1\n"
     "    b has 1 number and 2 texts: 'x' at 2:3, 'z' at 5:6\n"
     "      or if the texts mean missing values: data: {missing_values: [NA, x, z]}\n"
     "    to fix them: data: {columns: {a: ignore, b: category}}",
     0, 0, 0},
    {"a.csv", "a,b,y\n1,x,0.5\n,4,1\n3,NA,1\n1e99,z,7\n",
     "columns: {a: ignore, b: {type: category, min_count: 1}}", NULL, 4, 1, 2},
    {"a.csv", "a,b c,y\n1,x,0.5\n3,4,1\n5,w,1\n7,8,1\n", "",
     ":2:3: column 'b c' has 2 numbers and 2 texts ('x' at 2:3, 'w' at 4:3); fix it with data: {columns: {'b c': "
     "ignore}}; or if the texts mean missing values: data: {missing_values: [NA, x, w]}",
     0, 0, 0},
    {"a.csv", "a,b c,y\n1,x,0.5\n3,4,1\n5,w,1\n7,8,1\n", "missing_values: [NA, x, w]", NULL, 4, 2, 8},
    {"a.csv", "a,b,y\n1,x,0.5\n3,4,\n", "", "    y is a target and has missing values: empty at 3:5\n", 0, 0,
     0},
    {"a.csv", "a,y,z\n1,x,0.5\n3,4,\n", "target: [y, z]",
     "    y is a target and has cells that are not numbers: 'x' at 2:3\n"
     "    z is a target and has missing values: empty at 3:5",
     0, 0, 0},
    {"a.csv", "a,b,y\n1,2,0.5\n3,4,\n", "", ":3:5: missing value in column 'y'", 0, 0, 0},
    {"a.csv", "a,y,z\n1,yes,no\n2,maybe,yes\n3,no,?\n", "target: [y, z], missing_values: [maybe, '?']",
     "    y is a target and has missing values: 'maybe' at 3:3\n"
     "    z is a target and has missing values: '?' at 4:6",
     0, 0, 0},
    /* A rule names the input, also if its column is a target too. */
    {"a.csv", "t,y\n1,2\n2,\n3,4\n4,5\n",
     "target: y, inputs: [y], series: {window: 1, time: t}, columns: {y: {missing: error}}",
     "    y has missing values, and its rule is 'missing: error': empty at 3:3\n", 0, 0, 0},
    /* Doubled quotes are removed in place, and positions are those of the file. */
    {"a.csv", "a,b,y\n1,\"x \"\"y\"\"\n\"\"z\",0.5\n1,x,\n\"\"\"\",w,0.5\n\"a \"\"b\"\"\n\",v,n\n",
     "task: regression", "y is a target and has cells that are not numbers: 'n' at 7:5", 0, 0, 0},
    {"a.csv", "a,y\n1,\n2,dog\n3,cat\n4,\n", "", ":2:3: missing label; 2 of 4 labels are missing", 0, 0, 0},
    {"a.csv", "a,y\n1,\n2,0\n3,1\n", "task: classification", ":2:3: missing label", 0, 0, 0},
    {"a.csv", "a,b,y\n1,2,0.5\n\xE9,4,1\n", "",
     ":3:1: byte 0xE9 is not UTF-8 text; if the text is Western European, convert it first", 0, 0, 0},
};

static void every_table(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const table *t = &tables[i];
    opened o;
    const char *path = write_text(t->name, t->text);
    /* The targets are quantities, unless the options have a task, and except for the labels cat and dog. */
    open_data(&o, "{train: %s, %s%s}", path, t->options,
              strstr(t->options, "task") || strstr(t->text, "dog") ? ""
              : *t->options                                        ? ", task: regression"
                                                                   : "task: regression");
    if (o.ok != !t->error)
      fail_msg("table %zu (%s): %s", i, t->text,
               o.ok                   ? "was read"
               : o.diagnostics.errors ? o.diagnostics.items[0].message
                                      : o.error.message);
    if (t->error) {
      const char *message = o.diagnostics.errors ? o.diagnostics.items[0].message : o.error.message;
      if (!strstr(message, t->error)) fail_msg("table %zu: expected '%s' in: %s", i, t->error, message);
    } else {
      const gt_tensor *x = gt_split_input(&o.data.split[GT_PART_TRAIN], 0);
      if (x->dim[0] != t->rows || x->dim[1] != t->inputs)
        fail_msg("table %zu (%s): %d x %d", i, t->text, (int)x->dim[0], (int)x->dim[1]);
      assert_true(((const float *)x->data)[t->rows * t->inputs - 1] == t->last);
    }
    close_data(&o);
    unlink(path);
  }
}

static void every_table_in_chunks(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const char *path = write_text(tables[i].name, tables[i].text);
    expect_same_in_chunks(path);
    unlink(path);
  }
}

typedef struct first_line {
  const char *text;
  int rows;            /* rows that are read, including the first line if it is a sample */
  const char *finding; /* the expected warning; NULL: none */
} first_line;

static const first_line first_lines[] = {
    {"a,b,y\n1,2,0\n3,4,1\n", 2, NULL},
    {"1,2,0\n3,4,1\n5,5,1\n", 3, NULL},
    {"country,1960,1961,y\n1,2,3,0\n3,4,5,1\n", 2, NULL}, /* text above numbers */
    {"1960,1961,1962\n5,2,0.5\n3,4,1\n", 3, "this line of rising numbers is read as a sample"},
    {"400.5,402.0,403.5\n5,2,0.5\n3,4,1\n", 3, "this line of rising numbers is read as a sample"},
    {"2020,2019,2018\n5,2,0.5\n3,4,1\n", 3, "this line of rising numbers is read as a sample"},
    {"400.5,402.1,variety\n1,2,rose\n3,4,lily\n5,6,rose\n7,8,lily\n", 4,
     "is read as a header, because its text occurs only once"},
    {"1,2,rose\n3,4,lily\n5,6,rose\n", 3, NULL},
    {"NA,2,rose\n", 1, NULL},
};

static void first_line_is_header_or_sample(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof first_lines / sizeof *first_lines; i++) {
    const first_line *f = &first_lines[i];
    opened o;
    const char *path = write_text("h.csv", f->text);
    open_data(&o, "{train: %s%s}", path, strstr(f->text, "NA") ? ", inputs: ['2']" : "");
    if (f->finding)
      expect_warning(&o, f->finding);
    else
      expect_open(&o);
    if (o.data.split[GT_PART_TRAIN].samples != f->rows || (!f->finding && o.diagnostics.findings))
      fail_msg("first line %zu: %d rows, %d findings", i, (int)o.data.split[GT_PART_TRAIN].samples,
               o.diagnostics.findings);
    close_data(&o);
    unlink(path);
  }
}

/* The first line is a sample if its texts occur again below. */
static void texts_without_a_header(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s, inputs: ['1']}", write_text("h.csv", "p,x\ne,x\np,s\ne,s\n"));
  assert_int_equal(o.diagnostics.findings, 1);
  assert_non_null(strstr(o.diagnostics.items[0].message, "because its texts occur again below"));
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 4 && o.data.input[0].table->column[0].categories == 2);
  close_data(&o);
}

static void words_for_missing_labels(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("h.csv", "a,y\n1,yes\n2,NA\n3,no\n4,NA\n");
  open_data(&o, "{train: %s}", path);
  expect_warning(&o, "2 labels of ");
  assert_non_null(
      strstr(o.diagnostics.items[0].message, "are 'NA' (the first in line 3), which is read as a class"));
  close_data(&o);
  open_data(&o, "{train: %s, class_names: [NA, no, yes]}", path);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  close_data(&o);
  open_data(&o, "{train: %s}", write_text("h.csv", "a,y\n1,+\n2,-\n"));
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  close_data(&o);
  unlink(path);
}

/* 400 rows: column n counts from 1, t has 300 different texts, o has cells of all kinds. */
static void facts_are_counted(void **state) {
  (void)state;
  static const char *const odd[] = {"", "NA", "x", "1e99"};
  gt_error error = {0};
  gt_table_file read;
  char text[16384], *at = text + sprintf(text, "n,t,o,y\n");
  for (int i = 0; i < 400; i++)
    at += sprintf(at, "%d,t%d,%s,%d.5\n", i + 1, i % 300, i % 5 ? odd[i % 5 - 1] : "2", i);
  const gt_data_file file = {.path = write_text("h.csv", text)};
  assert_true(gt_table_open(&read, file, &(gt_csv_form){0}, &error));
  for (int i = 0; i < 3; i++) gt_table_use(&read, GT_USE_INPUT, i);
  gt_table_use(&read, GT_USE_TARGET, 3);
  assert_true(gt_table_read(&read));
  const gt_table_column *column = read.column;
  const gt_column_facts *n = &column[0].facts, *t = &column[1].facts, *o = &column[2].facts,
                        *y = &column[3].facts;
  assert_true(n->numbers == 400 && n->counts && n->whole && n->least == 1 && n->largest == 400 &&
              !gt_facts_bad(n));
  assert_true(t->texts == 400 && t->dictionary.distinct == 300 && !t->more && !t->counts);
  for (int i = 0; i < 300; i++) assert_int_equal(t->dictionary.text[i].line, i + 2);
  assert_true(o->numbers == 80 && o->empty == 80 && o->missing == 80 && o->texts == 80 && o->unfit == 80);
  assert_true(o->dictionary.distinct == 1 && gt_table_locate(&read, &column[2], 2).line == 4);
  assert_true(y->numbers == 400 && !y->whole && y->largest == 399.5 && y->counts);
  gt_table_close(&read);
}

/* The first line may be longer than the part of the file from which the layout is detected. */
static void a_long_line(void **state) {
  (void)state;
  enum { COLUMNS = 100000 };
  opened o;
  char *text = malloc(6 * COLUMNS), *at = text;
  for (int row = 0; row < 2; row++)
    for (int i = 0; i < COLUMNS; i++) at += sprintf(at, "%d%c", i % 10, i + 1 < COLUMNS ? ',' : '\n');
  open_data(&o, "{train: %s}", write_bytes("h.csv", text, (size_t)(at - text)));
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 2 &&
              gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->dim[1] == COLUMNS - 1);
  close_data(&o);
  free(text);
}

/* The gap in the first row of the second column is filled with the median of the column's other values. */
static void medians(void **state) {
  (void)state;
  static const struct {
    const char *cells[6];
    float median;
  } columns[] = {{{"3", "-1", "2"}, 2},
                 {{"-7", "-5", "-6", "-1e-40"}, -5.5f},
                 {{"0.5", "0.25", "1e30", "-1e30"}, 0.375f},
                 {{"1", "1", "1.0000001", "1.0000001", "1.0000002"}, 1.0000001f},
                 {{"8"}, 8}};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    opened o;
    char text[256], *at = text + sprintf(text, "a,b,y\n1,,0.5\n");
    for (int k = 0; k < 6 && columns[i].cells[k]; k++) at += sprintf(at, "2,%s,1.5\n", columns[i].cells[k]);
    open_data(&o, "{train: %s, task: regression}", write_text("h.csv", text));
    expect_open(&o);
    assert_true(((const float *)gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data)[1] ==
                columns[i].median);
    close_data(&o);
  }
}

static int silence_log(void **state) {
  (void)state;
  requirements = NULL;
  gt_log_set_level(GT_LOG_WARN);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  unlink(path_of("h.csv"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_table),
      cmocka_unit_test(first_line_is_header_or_sample),
      cmocka_unit_test(texts_without_a_header),
      cmocka_unit_test(words_for_missing_labels),
      cmocka_unit_test(a_long_line),
      cmocka_unit_test(facts_are_counted),
      cmocka_unit_test(every_table_in_chunks),
      cmocka_unit_test(medians),
  };
  return cmocka_run_group_tests_name("data: tables", tests, silence_log, remove_files);
}
