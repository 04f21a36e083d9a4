#include "export/text.h"
#include "base/memory.h"
#include "export/circuit_model.h"
#include <string.h>

/* The functions as expressions that are valid in C and Verilog, with 'a' and 'b' for the inputs; "" for the
 * two constants. */
static const char *const expression[GT_GATE_OPS] = {
    "",         "a & b",    "a & ~b", "a",      "~a & b", "b",      "a ^ b",    "a | b",
    "~(a | b)", "~(a ^ b)", "~b",     "a | ~b", "~a",     "~a | b", "~(a & b)", ""};

void gt_export_gate(FILE *file, unsigned op, const char *a, const char *b, const char *constants[2]) {
  if (op == GT_GATE_FALSE || op == GT_GATE_TRUE) fputs(constants[op == GT_GATE_TRUE], file);
  for (const char *c = expression[op]; *c; c++) {
    if (*c == 'a' || *c == 'b')
      fputs(*c == 'a' ? a : b, file);
    else
      fputc(*c, file);
  }
}

void gt_export_text(FILE *file, const char *name, const char *text) {
  for (const char *at; (at = strchr(text, '@')); text = at + 1) {
    fwrite(text, 1, (size_t)(at - text), file);
    fputs(name, file);
  }
  fputs(text, file);
}

bool gt_export_write(gt_export *export, FILE *file, void (*write)(FILE *, const gt_export_circuit *),
                     gt_error *error) {
  gt_model_circuit circuit = {0};
  if (!gt_model_circuit_read(&circuit, export->model, error)) return false;
  const size_t before = gt_model_circuit_of(&circuit)->gates.count;
  gt_model_circuit_simplify(&circuit);
  const gt_circuit *simple = gt_model_circuit_of(&circuit);
  write(file, &(gt_export_circuit){.name = export->name,
                                   .circuit = simple,
                                   .ca = circuit.automaton.is_automaton ? &circuit.automaton.ca : NULL,
                                   .gates_before = before});
  snprintf(export->summary, sizeof export->summary,
           "%zu gates, %zu after simplification, %u inputs, %zu outputs", before, simple->gates.count,
           simple->inputs, simple->outputs.count);
  gt_model_circuit_finish(&circuit);
  return true;
}
