/* Circuits as source code: what the exporters of languages share. Each text is one, self-contained. Private
 * to this room and its tests. */
#ifndef GT_EXPORT_TEXT_H
#define GT_EXPORT_TEXT_H
#include "circuit/circuit.h"
#include "export/export.h"

typedef struct gt_export_circuit {
  const char *name;          /* of the function or module: letters, digits and '_' */
  const gt_circuit *circuit; /* simplified: a gate that nobody reads would be an unused variable */
  const gt_circuit_ca *ca;   /* NULL, or the automaton whose cell the circuit is */
  size_t gates_before;       /* before simplification, for the comment at the top */
} gt_export_circuit;

void gt_export_c(FILE *file, const gt_export_circuit *export);
void gt_export_verilog(FILE *file, const gt_export_circuit *export);
/* The circuit of the model, simplified and written by one of these. */
bool gt_export_write(gt_export *export, FILE *file, void (*write)(FILE *, const gt_export_circuit *),
                     gt_error *error);

/* The function as an expression of a and b (also where it needs one of them only); zero and one for
 * constants. */
void gt_export_gate(FILE *file, unsigned op, const char *a, const char *b, const char *constants[2]);
/* A text with each '@' replaced by the name. */
void gt_export_text(FILE *file, const char *name, const char *text);
extern const char gt_export_c_head[], gt_export_c_classes[], gt_export_c_board[], gt_export_c_bench[],
    gt_export_c_main[], gt_export_c_main_board[];
#endif
