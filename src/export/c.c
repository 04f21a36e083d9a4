/* A circuit as C: straight-line code on words with one bit per sample, split into short functions (parts),
 * because compile time grows faster than linearly with the length of a function. Within a part, signals are
 * local constants; a signal that a later part reads is stored in the array v, whose places are reused. */
#include "export/text.h"
#include "base/arena.h"
#include "base/count.h"
#include "base/memory.h"
#include <stdlib.h>

/* Measured with gcc on circuits of 5,000 and 40,000 gates: longer parts take far longer to compile (its
 * combiner) and are no faster; much shorter ones keep less in registers. */
enum { PART = 64 /* gates */ };

typedef struct writer {
  gt_arena arena;
  FILE *file;
  const gt_export_circuit *e;
  const gt_circuit *circuit;
  uint32_t *last;         /* [gates]: the last part that reads the gate */
  uint32_t *place;        /* [gates]: its index in v, if a later part reads the gate */
  uint32_t *first;        /* [signals]: 1 + first output that has the signal; 0: none */
  uint32_t *next;         /* [outputs]: 1 + next output that has the same signal; 0: none */
  gt_signals free_places; /* unused elements of v */
  gt_signals expiring;    /* gates with an element of v */
  size_t places;          /* size of v */
} writer;

static size_t part_of(size_t gate) { return gate / PART; }

static void note_reader(writer *w, uint32_t signal, size_t part) {
  if (signal < w->circuit->inputs) return;
  uint32_t *last = &w->last[signal - w->circuit->inputs];
  if (*last < part) *last = (uint32_t)part;
}

/* Bit mask of the inputs that a gate reads: 1 a, 2 b. Bits 0 to 3 of op are the results for (a, b) = (1, 1),
 * (1, 0), (0, 1) and (0, 0); an input is read if changing it changes a result. */
static unsigned inputs_read(unsigned op) {
  return (unsigned)((op >> 2 & 3) != (op & 3)) | (unsigned)((op & 5) != (op >> 1 & 5)) << 1;
}

/* Finds the last reader of each gate and the outputs of each signal. */
static void find_readers(writer *w) {
  const gt_circuit *c = w->circuit;
  for (size_t g = 0; g < c->gates.count; g++) w->last[g] = (uint32_t)part_of(g);
  for (size_t g = 0; g < c->gates.count; g++) {
    const gt_circuit_gate *gate = &c->gates.items[g];
    if (inputs_read(gate->op) & 1) note_reader(w, gate->a, part_of(g));
    if (inputs_read(gate->op) & 2) note_reader(w, gate->b, part_of(g));
  }
  for (size_t k = c->outputs.count; k-- > 0;) {
    const uint32_t signal = c->outputs.items[k];
    w->next[k] = w->first[signal];
    w->first[signal] = (uint32_t)k + 1;
  }
}

static void write_outputs(const writer *w, uint32_t signal, const char *value) {
  for (uint32_t k = w->first[signal]; k; k = w->next[k - 1])
    fprintf(w->file, "  out[%u] = %s;\n", k - 1, value);
}

static const char *signal_name(const writer *w, uint32_t signal, size_t part, char text[32]) {
  const uint32_t inputs = w->circuit->inputs;
  if (signal < inputs)
    snprintf(text, 32, "in[%u]", signal);
  else if (part_of(signal - inputs) == part)
    snprintf(text, 32, "t%u", signal - inputs);
  else
    snprintf(text, 32, "v[%u]", w->place[signal - inputs]);
  return text;
}

static void write_gate(writer *w, size_t g, size_t part) {
  static const char *constants[2] = {"(WORD){0}", "~(WORD){0}"};
  const gt_circuit_gate *gate = &w->circuit->gates.items[g];
  const uint32_t signal = w->circuit->inputs + (uint32_t)g;
  char a[32] = "", b[32] = "", t[32];
  if (inputs_read(gate->op) & 1) signal_name(w, gate->a, part, a);
  if (inputs_read(gate->op) & 2) signal_name(w, gate->b, part, b);
  fprintf(w->file, "  const WORD %s = ", signal_name(w, signal, part, t));
  gt_export_gate(w->file, gate->op, a, b, constants);
  fputs(";\n", w->file);
  write_outputs(w, signal, t);
  if (w->last[g] == part) return;
  const uint32_t place =
      w->free_places.count ? w->free_places.items[--w->free_places.count] : (uint32_t)w->places++;
  w->place[g] = place;
  fprintf(w->file, "  v[%u] = %s;\n", place, t);
  *GT_PUSH(&w->expiring) = (uint32_t)g;
}

/* Frees the elements of v that are not read after this part. */
static void free_elements(writer *w, size_t part) {
  size_t kept = 0;
  for (size_t i = 0; i < w->expiring.count; i++) {
    const uint32_t g = w->expiring.items[i];
    if (w->last[g] > part)
      w->expiring.items[kept++] = g;
    else
      *GT_PUSH(&w->free_places) = w->place[g];
  }
  w->expiring.count = kept;
}

static size_t parts_of(const gt_circuit *circuit) { return gt_ceil_div(circuit->gates.count, PART); }

static void write_parts(writer *w) {
  const char *name = w->e->name;
  const size_t gates = w->circuit->gates.count, parts = parts_of(w->circuit);
  for (size_t part = 0; part < parts; part++) {
    fprintf(w->file,
            "static void %s_part%zu(const WORD *restrict in, WORD *restrict v, WORD *restrict out) {\n", name,
            part);
    for (size_t g = part * PART; g < gates && g < (part + 1) * PART; g++) write_gate(w, g, part);
    fputs("  (void)in, (void)v, (void)out;\n}\n\n", w->file);
    free_elements(w, part);
  }
  fprintf(
      w->file,
      "/* in: a word for each input, whose bit s belongs to sample s; out: the same for outputs. They must not overlap. */\n"
      "void %s(const WORD *in, WORD *out) {\n",
      name);
  fprintf(w->file, "  %s_STORAGE WORD v[%zu];\n", name, w->places ? w->places : 1);
  for (size_t part = 0; part < parts; part++) fprintf(w->file, "  %s_part%zu(in, v, out);\n", name, part);
  for (uint32_t i = 0; i < w->circuit->inputs; i++) {
    char text[32];
    write_outputs(w, i, signal_name(w, i, 0, text));
  }
  fputs("  (void)in, (void)v, (void)out;\n}\n\n", w->file);
}

static void write_numbers(const writer *w) {
  const gt_circuit *c = w->circuit;
  const char *name = w->e->name;
  fprintf(w->file, "enum { %s_inputs = %u, %s_outputs = %zu, %s_gates = %zu };\n", name, c->inputs, name,
          c->outputs.count, name, c->gates.count);
  if (w->e->ca)
    fprintf(w->file, "enum { %s_channels = %u, %s_periodic = %d };\n", name, w->e->ca->channels, name,
            w->e->ca->periodic);
  if (c->groups) {
    const size_t group = c->outputs.count / c->groups;
    int planes = 3, digits = 1; /* bits of a count, at least three for the adders; bits of a class number */
    while (group >> planes) planes++;
    while ((c->groups - 1) >> digits) digits++;
    fprintf(w->file, "enum { %s_classes = %u, %s_group = %zu, %s_planes = %d, %s_digits = %d };\n", name,
            c->groups, name, group, name, planes, name, digits);
  }
  fputc('\n', w->file);
}

static void write_comment(const writer *w) {
  const gt_circuit *c = w->circuit;
  fprintf(w->file,
          "/* %s: %zu gates (%zu before simplification), %u inputs, %zu outputs; written by gtrain.\n"
          " * Bit-sliced: each bit of a WORD belongs to another sample. Compile with -O3 -march=native;\n"
          " * with -DGTRAIN_MAIN it is a program that %s, or runs a benchmark (--bench). */\n",
          w->e->name, c->gates.count, w->e->gates_before, c->inputs, c->outputs.count,
          w->e->ca    ? "steps a board"
          : c->groups ? "classifies bits from standard input"
                      : "computes bits from standard input");
}

static const char print_class[] = "\n"
                                  "static void print(const WORD *in, size_t samples) {\n"
                                  "  static unsigned classes[@_lanes];\n"
                                  "  @_classify(in, classes);\n"
                                  "  for (size_t s = 0; s < samples; s++) printf(\"%u\\n\", classes[s]);\n"
                                  "}\n";
static const char print_bits[] =
    "\n"
    "static void print(const WORD *in, size_t samples) {\n"
    "  static WORD out[@_outputs];\n"
    "  @(in, out);\n"
    "  for (size_t s = 0; s < samples; s++, putchar('\\n'))\n"
    "    for (size_t i = 0; i < @_outputs; i++) putchar('0' + @_get(out, i, s));\n"
    "}\n";

void gt_export_c(FILE *file, const gt_export_circuit *e) {
  const gt_circuit *c = e->circuit;
  writer w = {.file = file, .e = e, .circuit = c};
  w.last = GT_NEW_N(&w.arena, uint32_t, c->gates.count);
  w.place = GT_NEW_N(&w.arena, uint32_t, c->gates.count);
  w.next = GT_NEW_N(&w.arena, uint32_t, c->outputs.count);
  w.first = GT_NEW_N(&w.arena, uint32_t, c->inputs + c->gates.count);
  find_readers(&w);
  write_comment(&w);
  if (e->ca) fputs("#include <string.h>\n", file);
  gt_export_text(file, e->name, gt_export_c_head);
  write_numbers(&w);
  write_parts(&w);
  if (c->groups) gt_export_text(file, e->name, gt_export_c_classes);
  if (e->ca) gt_export_text(file, e->name, gt_export_c_board);
  gt_export_text(file, e->name, gt_export_c_bench);
  if (!e->ca) gt_export_text(file, e->name, c->groups ? print_class : print_bits);
  gt_export_text(file, e->name, e->ca ? gt_export_c_main_board : gt_export_c_main);
  gt_arena_finish(&w.arena);
  free(w.free_places.items);
  free(w.expiring.items);
}

static bool write_model(gt_export *export, FILE *file, gt_error *error) {
  return gt_export_write(export, file, gt_export_c, error);
}

GT_DEFINE(exporter, c) = {
    .name = "c",
    .help =
        "a circuit as one bit-sliced C file. cc -O3 -march=native -DGTRAIN_MAIN FILE builds a program that\n"
        "reads samples of digits 0 and 1 and prints their classes, or steps a board (HEIGHT WIDTH STEPS);\n"
        "--bench runs a benchmark",
    .write = write_model,
};
