/* Exported C and Verilog compute the same as the circuit. The C code compiles without warnings, for words of
 * several widths; the Verilog code is simulated with iverilog if that is installed. */
#include "circuit/board.h"
#include "export/text.h"
#include "circuit/circuit_support.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *folder;

static void write_export(const char *file, void (*write)(FILE *, const gt_export_circuit *),
                         const gt_export_circuit *e) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  write(stream, e);
  assert_int_equal(ferror(stream), 0);
  assert_int_equal(fclose(stream), 0);
}

/* Writes bits as digits, `per_line` of them on each line. */
static void write_digits(const char *file, const uint8_t *bits, size_t count, size_t per_line) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  for (size_t i = 0; i < count; i++) {
    fputc('0' + bits[i], stream);
    if ((i + 1) % per_line == 0) fputc('\n', stream);
  }
  assert_int_equal(fclose(stream), 0);
}

/* Runs a command in the folder; prints the end of its output if it fails. */
static void shell(const char *command) {
  char command_line[8192];
  snprintf(command_line, sizeof command_line, "cd '%s' && { %s; } > log 2>&1 || { tail -n 30 log; exit 1; }",
           folder, command);
  if (system(command_line)) fail_msg("%s", command);
}

/* Runs a command in the folder; the test fails unless it prints exactly `want`. */
static void expect_output(const char *command, const char *want) {
  char command_line[8192];
  snprintf(command_line, sizeof command_line, "cd '%s' && %s", folder, command);
  FILE *pipe = popen(command_line, "r");
  assert_non_null(pipe);
  const size_t size = strlen(want);
  char *got = gt_alloc(size + 2);
  const size_t read = fread(got, 1, size + 1, pipe);
  while (fgetc(pipe) != EOF) continue;
  assert_int_equal(pclose(pipe), 0);
  if (read != size || memcmp(got, want, size)) fail_msg("%s: got\n%.200s\nnot\n%.200s", command, got, want);
  free(got);
}

static bool is_installed(const char *tool) {
  char command_line[128];
  snprintf(command_line, sizeof command_line, "command -v %s > /dev/null", tool);
  if (!system(command_line)) return true;
  fprintf(stderr, "%s is missing: its part is skipped (scripts/install-deps.sh --tests)\n", tool);
  return false;
}

#define CC_WARN "cc -std=c11 -Wall -Wextra -Werror -DGTRAIN_MAIN "

/* Compiles circuit.c with several flags; each program must print `want`. */
static void compile_and_compare(const char *arguments, const char *want) {
  static const char *const flags[] = {"-O1", "-O1 -march=native", "-O1 -DWORD=uint64_t",
                                      "-O1 -DWORD=uint8_t"};
  char command_line[1024];
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (strstr(flags[i], "uint8_t") && strstr(arguments, "board")) continue; /* boards need uint64_t words */
    snprintf(command_line, sizeof command_line, CC_WARN "%s -o program circuit.c", flags[i]);
    shell(command_line);
    snprintf(command_line, sizeof command_line, "./program %s", arguments);
    expect_output(command_line, want);
  }
  /* Without main, as part of another program. */
  shell("cc -std=c11 -Wall -Wextra -Werror -c -o library.o circuit.c");
}

/* Exports the circuit in simplified form, and compares the C program and the simulated Verilog module with
 * gt_circuit_evaluate for random inputs, the first all 0. raw: also exports the circuit as it is. All its
 * gates must then be read, because unused ones cause warnings. */
static void check_dense(const gt_circuit *c, size_t samples, const char *name, bool raw) {
  const size_t outputs = c->outputs.count;
  uint8_t *in = gt_alloc(samples * c->inputs), *out = gt_alloc(outputs);
  /* A line for each sample: its outputs, or its class with at most 10 digits. */
  char *want = gt_alloc(samples * (outputs + 12) + 1), *end = want;
  draw d = {99, 0};
  random_bits(&d, in, samples * c->inputs);
  memset(in, 0, c->inputs);
  for (size_t s = 0; s < samples; s++) {
    gt_circuit_evaluate(c, in + s * c->inputs, out);
    if (c->groups)
      end += sprintf(end, "%u\n", gt_circuit_class(c, out));
    else
      for (size_t k = 0; k <= outputs; k++) *end++ = k < outputs ? (char)('0' + out[k]) : '\n';
  }
  write_digits("vectors", in, samples * c->inputs, c->inputs);
  gt_circuit simple;
  gt_circuit_simplify(c, &simple);
  const gt_circuit *circuits[2] = {c, &simple};
  for (int i = !raw; i < 2; i++) {
    const gt_export_circuit e = {.name = name, .circuit = circuits[i], .gates_before = c->gates.count};
    write_export("circuit.c", gt_export_c, &e);
    write_export("circuit.v", gt_export_verilog, &e);
    compile_and_compare("< vectors", want);
    if (!is_installed("iverilog")) continue;
    shell("iverilog -g2001 -Wall -Wno-timescale -DTESTBENCH -o circuit.vvp circuit.v && ! grep . log");
    expect_output("vvp -n circuit.vvp +vectors=vectors", want);
  }
  gt_circuit_finish(&simple);
  free(in);
  free(out);
  free(want);
}

/* All 16 functions of two inputs; an input, and a gate that is already an output, as further outputs. */
static void all_gates(void **unused) {
  (void)unused;
  gt_circuit c;
  gt_circuit_init(&c, 2);
  for (unsigned op = 0; op < 16; op++) gt_circuit_add_output(&c, gt_circuit_add(&c, op, 0, 1));
  gt_circuit_add_output(&c, 1);
  gt_circuit_add_output(&c, 3);
  gt_circuit_add_output(&c, 1);
  check_dense(&c, 100, "sixteen", true);
  gt_circuit_finish(&c);
}

/* A circuit whose output is one bit per output signal. */
static void outputs_are_bits(void **unused) {
  (void)unused;
  gt_circuit c;
  random_circuit(&c, 3, 40, 5000, 60); /* exported as several functions */
  check_dense(&c, 700, "model_1", false);
  gt_circuit_finish(&c);
}

/* Circuits whose output is a class: the group with the most outputs that are 1. */
static void outputs_are_classes(void **unused) {
  (void)unused;
  gt_circuit c;
  layered_circuit(&c, 4, 64, 230, 4, 10);
  check_dense(&c, 600, "classifier", false);
  gt_circuit_finish(&c);
  layered_circuit(&c, 5, 9, 3, 2, 3);
  check_dense(&c, 40, "tiny", false);
  gt_circuit_finish(&c);
  layered_circuit(&c, 6, 9, 8, 2, 1);
  check_dense(&c, 5, "one", false);
  gt_circuit_finish(&c);
}

/* Exports a random automaton, and compares boards of h x w cells after some steps with gt_board_step. */
static void check_automaton(uint32_t channels, bool periodic, uint32_t h, uint32_t w, int steps) {
  gt_circuit_ca ca = {.channels = channels, .periodic = periodic};
  gt_board board;
  gt_error error = {0};
  draw d = {h * 100 + w, 0};
  random_circuit(&ca.cell, h + w + channels, 9 * channels, 60 * channels, channels);
  const size_t size = (size_t)h * w * channels;
  uint8_t *cells = gt_alloc(size);
  char *want = gt_alloc(size + h + 1), *end = want, command_line[256];
  random_bits(&d, cells, size);
  write_digits("board", cells, size, w * channels);
  assert_true(gt_board_init(&board, &ca, h, w, &error));
  gt_board_write(&board, cells);
  for (int s = 0; s < steps; s++) gt_board_step(&board, NULL);
  gt_board_read(&board, cells);
  for (size_t i = 0; i < size; i++) {
    *end++ = (char)('0' + cells[i]);
    if ((i + 1) % (w * channels) == 0) *end++ = '\n';
  }
  gt_board_finish(&board);
  gt_circuit simple;
  gt_circuit_simplify(&ca.cell, &simple);
  const gt_export_circuit e = {
      .name = "automaton", .circuit = &simple, .ca = &ca, .gates_before = ca.cell.gates.count};
  write_export("circuit.c", gt_export_c, &e);
  write_export("circuit.v", gt_export_verilog, &e);
  snprintf(command_line, sizeof command_line, "%u %u %d < board", h, w, steps);
  compile_and_compare(command_line, want);
  if (is_installed("iverilog")) {
    snprintf(
        command_line, sizeof command_line,
        "iverilog -g2001 -Wall -Wno-timescale -DTESTBENCH -DHEIGHT=%u -DWIDTH=%u -o circuit.vvp circuit.v && ! grep . log",
        h, w);
    shell(command_line);
    snprintf(command_line, sizeof command_line, "vvp -n circuit.vvp +board=board +steps=%d", steps);
    expect_output(command_line, want);
  }
  gt_circuit_finish(&simple);
  gt_circuit_finish(&ca.cell);
  free(cells);
  free(want);
}

static void automata(void **unused) {
  (void)unused;
  check_automaton(1, true, 128, 128, 20);
  check_automaton(3, true, 7, 66, 6);
  check_automaton(2, false, 20, 14, 6);
  check_automaton(1, true, 1, 1, 3);
  check_automaton(1, false, 5, 1, 3);
  check_automaton(2, true, 1, 200, 3);
}

/* Names of models become identifiers of C and Verilog. */
static void names_become_identifiers(void **unused) {
  (void)unused;
  static const char *const pairs[][2] = {{"life", "life_circuit"}, {"my-net.v2", "my_net_v2_circuit"},
                                         {"3x3", "n3x3_circuit"},  {"_Bool", "n_Bool_circuit"},
                                         {"", "n_circuit"},        {"default", "default_circuit"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char *name = gt_export_name(pairs[i][0], strlen(pairs[i][0]));
    assert_string_equal(name, pairs[i][1]);
    free(name);
  }
}

int main(void) {
  folder = getenv("TEST_TMP");
  if (!folder) folder = "/tmp";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_become_identifiers),
      cmocka_unit_test(all_gates),
      cmocka_unit_test(outputs_are_bits),
      cmocka_unit_test(outputs_are_classes),
      cmocka_unit_test(automata),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
