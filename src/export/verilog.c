/* A circuit as Verilog 2001, synthesizable, with a test bench under `ifdef TESTBENCH. A cell's circuit works
 * on LANES cells at once: every signal is a vector. One module steps a whole board in one cycle; neighbors
 * are shifts of the whole board, which suits both simulation and synthesis. */
#include "export/text.h"
#include <string.h>

/* --- gates --- */

typedef struct writer {
  FILE *file;
  const gt_export_circuit *e;
  const gt_circuit *circuit;
} writer;

static const char *signal_name(const writer *w, uint32_t signal, char text[64]) {
  const uint32_t inputs = w->circuit->inputs;
  if (signal >= inputs)
    snprintf(text, 64, "g%u", signal - inputs);
  else if (w->e->ca)
    snprintf(text, 64, "in%u", signal);
  else
    snprintf(text, 64, "in[%u]", signal);
  return text;
}

static bool is_constant(unsigned op) { return op == GT_GATE_FALSE || op == GT_GATE_TRUE; }

/* A single combinational block runs once for all changes of the inputs, so simulators run it ten times faster
 * than separate assigns. Constants are outside it: a block that reads nothing would never run. */
static void write_gates(const writer *w) {
  static const char *lanes[2] = {"{LANES{1'b0}}", "{LANES{1'b1}}"}, *single[2] = {"1'b0", "1'b1"};
  const gt_circuit *c = w->circuit;
  const char *range = w->e->ca ? "[LANES-1:0] " : "";
  size_t computed = 0;
  char a[64], b[64];
  for (size_t g = 0; g < c->gates.count; g++) {
    const unsigned op = c->gates.items[g].op;
    if (is_constant(op))
      fprintf(w->file, "  wire %sg%zu = %s;\n", range, g, (w->e->ca ? lanes : single)[op == GT_GATE_TRUE]);
    else
      fprintf(w->file, "  reg %sg%zu;\n", range, g), computed++;
  }
  if (computed) fputs("  always @* begin\n", w->file);
  for (size_t g = 0; g < c->gates.count; g++) {
    const gt_circuit_gate *gate = &c->gates.items[g];
    if (is_constant(gate->op)) continue;
    fprintf(w->file, "    g%zu = ", g);
    gt_export_gate(w->file, gate->op, signal_name(w, gate->a, a), signal_name(w, gate->b, b), single);
    fputs(";\n", w->file);
  }
  if (computed) fputs("  end\n", w->file);
  for (size_t k = 0; k < c->outputs.count; k++) {
    if (w->e->ca)
      fprintf(w->file, "  assign out%zu = %s;\n", k, signal_name(w, c->outputs.items[k], a));
    else
      fprintf(w->file, "  assign %s[%zu] = %s;\n", c->groups ? "bits" : "out", k,
              signal_name(w, c->outputs.items[k], a));
  }
}

/* --- dense circuits --- */

static void write_dense(const writer *w, const char *result) {
  const gt_circuit *c = w->circuit;
  fprintf(w->file, "module %s (\n  input wire [%u:0] in,\n  output %s\n);\n", w->e->name, c->inputs - 1,
          result);
  if (c->groups) fprintf(w->file, "  wire [%zu:0] bits;\n", c->outputs.count - 1);
  write_gates(w);
}

/* Writes the choice of the class: the group with the most ones, the first one on a tie. digits: bits of its
 * number. */
static void write_classes(const writer *w, int digits) {
  const gt_circuit *c = w->circuit;
  const size_t group = c->outputs.count / c->groups;
  int planes = 1; /* bits of a count */
  while (group >> planes) planes++;
  fprintf(w->file, "  reg [%d:0] count, best;\n  integer k, i;\n", planes - 1);
  fprintf(w->file,
          "  always @* begin\n"
          "    best = 0;\n"
          "    result = 0;\n"
          "    for (k = 0; k < %u; k = k + 1) begin\n"
          "      count = 0;\n"
          "      for (i = 0; i < %zu; i = i + 1) count = count + bits[k*%zu + i];\n"
          "      if (count > best) begin\n"
          "        best = count;\n"
          "        result = k[%d:0];\n"
          "      end\n"
          "    end\n"
          "  end\n",
          c->groups, group, group, digits - 1);
}

static const char dense_bench[] =
    "\n"
    "`ifdef TESTBENCH\n"
    "// Reads samples of digits 0 and 1, input 0 first, from the file +vectors=NAME, and prints the result of @ for each.\n"
    "module testbench;\n";

static const char dense_bench_loop[] =
    "  initial begin\n"
    "    if (!$value$plusargs(\"vectors=%s\", name)) name = \"vectors.txt\";\n"
    "    file = $fopen(name, \"r\");\n"
    "    if (file == 0) begin\n"
    "      $display(\"cannot open the vectors\");\n"
    "      $finish;\n"
    "    end\n"
    "    i = 0;\n"
    "    c = $fgetc(file);\n"
    "    while (c >= 0) begin\n"
    "      if (c == 48 || c == 49) begin\n"
    "        in[i] = c[0];\n"
    "        i = i + 1;\n"
    "        if (i == INPUTS) begin\n"
    "          #1 i = 0;\n";

static void write_dense_bench(const writer *w, int digits) {
  const gt_circuit *c = w->circuit;
  gt_export_text(w->file, w->e->name, dense_bench);
  fprintf(w->file, "  localparam INPUTS = %u, OUTPUTS = %zu;\n", c->inputs, c->outputs.count);
  fputs("  reg [INPUTS-1:0] in;\n  reg [8*1024-1:0] name;\n  integer file, c, i, k;\n", w->file);
  if (c->groups)
    fprintf(w->file, "  wire [%d:0] result;\n  %s circuit (.in(in), .result(result));\n", digits - 1,
            w->e->name);
  else
    fprintf(w->file, "  wire [OUTPUTS-1:0] out;\n  %s circuit (.in(in), .out(out));\n", w->e->name);
  fputs(dense_bench_loop, w->file);
  fputs(c->groups ? "          $display(\"%0d\", result);\n"
                  : "          for (k = 0; k < OUTPUTS; k = k + 1) $write(\"%b\", out[k]);\n"
                    "          $write(\"\\n\");\n",
        w->file);
  fputs("        end\n      end\n      c = $fgetc(file);\n    end\n    $finish;\n  end\nendmodule\n`endif\n",
        w->file);
}

static void export_dense(const writer *w) {
  const gt_circuit *c = w->circuit;
  char result[64];
  int digits = 1;
  while (c->groups && (c->groups - 1) >> digits) digits++;
  if (c->groups)
    snprintf(result, sizeof result, "reg [%d:0] result", digits - 1);
  else
    snprintf(result, sizeof result, "wire [%zu:0] out", c->outputs.count - 1);
  write_dense(w, result);
  if (c->groups) write_classes(w, digits);
  fputs("endmodule\n", w->file);
  write_dense_bench(w, digits);
}

/* --- automata --- */

static const char board[] =
    "\n"
    "// A board that makes a step in each cycle while `enable` is 1. Bit (c*HEIGHT + y)*WIDTH + x is channel c of cell (y, x).\n"
    "module @ #(parameter HEIGHT = 16, parameter WIDTH = 16) (\n"
    "  input wire clock, input wire load, input wire enable,\n"
    "  input wire [CHANNELS*HEIGHT*WIDTH-1:0] start,\n"
    "  output reg [CHANNELS*HEIGHT*WIDTH-1:0] state\n"
    ");\n"
    "  localparam CELLS = HEIGHT*WIDTH;\n"
    "  // Masks of column 0 and of the last column in each row.\n"
    "  wire [CELLS-1:0] first, last;\n"
    "  wire [CHANNELS*CELLS-1:0] next;\n"
    "  genvar c, y;\n"
    "  generate\n"
    "    for (y = 0; y < HEIGHT; y = y + 1) begin : rows\n"
    "      assign first[y*WIDTH +: WIDTH] = {{WIDTH{1'b0}}, 1'b1};\n"
    "      assign last[y*WIDTH +: WIDTH] = {1'b1, {WIDTH{1'b0}}} >> 1;\n"
    "    end\n"
    "    for (c = 0; c < CHANNELS; c = c + 1) begin : planes\n"
    "      wire [CELLS-1:0] here = state[c*CELLS +: CELLS];\n"
    "      wire [CELLS-1:0] west = ((here << 1) & ~first) | (PERIODIC ? (here >> (WIDTH-1)) & first : {CELLS{1'b0}});\n"
    "      wire [CELLS-1:0] east = ((here >> 1) & ~last) | (PERIODIC ? (here << (WIDTH-1)) & last : {CELLS{1'b0}});\n"
    "      localparam BACK = CELLS - WIDTH;\n"
    "      wire [CELLS-1:0] near0 = (west << WIDTH) | (PERIODIC ? west >> BACK : {CELLS{1'b0}});\n"
    "      wire [CELLS-1:0] near1 = (here << WIDTH) | (PERIODIC ? here >> BACK : {CELLS{1'b0}});\n"
    "      wire [CELLS-1:0] near2 = (east << WIDTH) | (PERIODIC ? east >> BACK : {CELLS{1'b0}});\n"
    "      wire [CELLS-1:0] near3 = west;\n"
    "      wire [CELLS-1:0] near4 = here;\n"
    "      wire [CELLS-1:0] near5 = east;\n"
    "      wire [CELLS-1:0] near6 = (west >> WIDTH) | (PERIODIC ? west << BACK : {CELLS{1'b0}});\n"
    "      wire [CELLS-1:0] near7 = (here >> WIDTH) | (PERIODIC ? here << BACK : {CELLS{1'b0}});\n"
    "      wire [CELLS-1:0] near8 = (east >> WIDTH) | (PERIODIC ? east << BACK : {CELLS{1'b0}});\n"
    "    end\n"
    "  endgenerate\n"
    "  @_cells #(.LANES(CELLS)) cells (PORTS);\n"
    "  always @@(posedge clock)\n"
    "    if (load) state <= start;\n"
    "    else if (enable) state <= next;\n"
    "endmodule\n"
    "\n"
    "`ifdef TESTBENCH\n"
    "`ifndef HEIGHT\n"
    "`define HEIGHT 16\n"
    "`endif\n"
    "`ifndef WIDTH\n"
    "`define WIDTH 16\n"
    "`endif\n"
    "// Reads a board, row by row, the channels of a cell together, from the file +board=NAME, and prints it after\n"
    "// +steps=N steps. Its size: -DHEIGHT=… -DWIDTH=….\n"
    "module testbench;\n"
    "  localparam CELLS = `HEIGHT*`WIDTH;\n"
    "  reg clock = 0, load = 1, enable = 0;\n"
    "  reg [CHANNELS*CELLS-1:0] start;\n"
    "  wire [CHANNELS*CELLS-1:0] state;\n"
    "  reg [8*1024-1:0] name;\n"
    "  integer file, c, i, k, steps;\n"
    "  @ #(.HEIGHT(`HEIGHT), .WIDTH(`WIDTH)) board (\n"
    "    .clock(clock), .load(load), .enable(enable), .start(start), .state(state));\n"
    "  initial begin\n"
    "    if (!$value$plusargs(\"board=%s\", name)) name = \"board.txt\";\n"
    "    if (!$value$plusargs(\"steps=%d\", steps)) steps = 1;\n"
    "    file = $fopen(name, \"r\");\n"
    "    if (file == 0) begin\n"
    "      $display(\"cannot open the board\");\n"
    "      $finish;\n"
    "    end\n"
    "    i = 0;\n"
    "    c = $fgetc(file);\n"
    "    while (c >= 0) begin\n"
    "      if ((c == 48 || c == 49) && i < CHANNELS*CELLS) begin\n"
    "        start[i % CHANNELS * CELLS + i / CHANNELS] = c[0];\n"
    "        i = i + 1;\n"
    "      end\n"
    "      c = $fgetc(file);\n"
    "    end\n"
    "    #1 clock = 1;\n"
    "    #1 clock = 0;\n"
    "    load = 0;\n"
    "    enable = 1;\n"
    "    for (k = 0; k < steps; k = k + 1) begin\n"
    "      #1 clock = 1;\n"
    "      #1 clock = 0;\n"
    "    end\n"
    "    for (i = 0; i < CHANNELS*CELLS; i = i + 1) begin\n"
    "      $write(\"%b\", state[i % CHANNELS * CELLS + i / CHANNELS]);\n"
    "      if ((i + 1) % (CHANNELS*`WIDTH) == 0) $write(\"\\n\");\n"
    "    end\n"
    "    $finish;\n"
    "  end\n"
    "endmodule\n"
    "`endif\n";

/* Writes the connections of the planes to the circuit of the cells. */
static void write_ports(const writer *w) {
  const uint32_t channels = w->e->ca->channels;
  for (uint32_t i = 0; i < w->circuit->inputs; i++)
    fprintf(w->file, "%s\n    .in%u(planes[%u].near%u)", i ? "," : "", i, i % channels, i / channels);
  for (size_t k = 0; k < w->circuit->outputs.count; k++)
    fprintf(w->file, ",\n    .out%zu(next[%zu*CELLS +: CELLS])", k, k);
}

/* Writes `board` with the name for '@', an '@' for '@@', and this automaton's values for CHANNELS, PERIODIC
 * and PORTS. */
static void write_board(const writer *w) {
  for (const char *at = board; *at;) {
    if (!strncmp(at, "CHANNELS", 8)) {
      fprintf(w->file, "%u", w->e->ca->channels);
      at += 8;
    } else if (!strncmp(at, "PERIODIC", 8)) {
      fputs(w->e->ca->periodic ? "1" : "0", w->file);
      at += 8;
    } else if (!strncmp(at, "PORTS", 5)) {
      write_ports(w);
      at += 5;
    } else if (*at == '@') {
      fputs(at[1] == '@' ? "@" : w->e->name, w->file);
      at += at[1] == '@' ? 2 : 1;
    } else {
      fputc(*at++, w->file);
    }
  }
}

static void export_automaton(const writer *w) {
  const gt_circuit *c = w->circuit;
  fprintf(
      w->file,
      "// The circuit of a cell, for LANES cells at once. Input p*%u + c: channel c of the nine cells around, p from\n"
      "// the upper left to the lower right, row by row; output c: the cell's new channel c.\n"
      "module %s_cells #(parameter LANES = 1) (\n",
      w->e->ca->channels, w->e->name);
  for (uint32_t i = 0; i < c->inputs; i++) fprintf(w->file, "  input wire [LANES-1:0] in%u,\n", i);
  for (size_t k = 0; k < c->outputs.count; k++)
    fprintf(w->file, "  output wire [LANES-1:0] out%zu%s\n", k, k + 1 < c->outputs.count ? "," : "");
  fputs(");\n", w->file);
  write_gates(w);
  fputs("endmodule\n", w->file);
  write_board(w);
}

void gt_export_verilog(FILE *file, const gt_export_circuit *e) {
  const writer w = {file, e, e->circuit};
  fprintf(file,
          "// %s: %zu gates (%zu before simplification), %u inputs, %zu outputs; written by gtrain.\n"
          "// Simulate with: iverilog -DTESTBENCH -o %s.vvp FILE && vvp %s.vvp +%s=FILE\n",
          e->name, e->circuit->gates.count, e->gates_before, e->circuit->inputs, e->circuit->outputs.count,
          e->name, e->name, e->ca ? "board" : "vectors");
  if (e->ca)
    export_automaton(&w);
  else
    export_dense(&w);
}

static bool write_model(gt_export *export, FILE *file, gt_error *error) {
  return gt_export_write(export, file, gt_export_verilog, error);
}

GT_DEFINE(exporter, verilog) = {
    .name = "verilog",
    .help =
        "a circuit as one synthesizable Verilog file; iverilog -DTESTBENCH FILE builds it with a test bench",
    .write = write_model,
};
