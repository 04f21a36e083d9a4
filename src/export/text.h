/* Circuits as source code, for all exporters of circuits. The text of a circuit is self-contained. Private to
 * this room and its tests. */
#ifndef GT_EXPORT_TEXT_H
#define GT_EXPORT_TEXT_H
#include "circuit/circuit.h"
#include "export/export.h"

typedef struct gt_export_circuit {
  const char *name;          /* name of the function or module: letters, digits and '_' */
  const gt_circuit *circuit; /* simplified: a gate without readers would be an unused variable */
  const gt_circuit_ca *ca;   /* the automaton, if the circuit is the cell of one; otherwise NULL */
  size_t gates_before;       /* number before simplification, for the comment at the top */
} gt_export_circuit;

void gt_export_c(FILE *file, const gt_export_circuit *export);
void gt_export_verilog(FILE *file, const gt_export_circuit *export);
/* Reads the model's circuit, simplifies it and writes it with one of the functions above. */
bool gt_export_write(gt_export *export, FILE *file, void (*write)(FILE *, const gt_export_circuit *),
                     gt_error *error);

/* Writes gate function `op` as an expression of a and b. constants: the texts for zero and one. */
void gt_export_gate(FILE *file, unsigned op, const char *a, const char *b, const char *constants[2]);
/* Writes the text with each '@' replaced by the name. */
void gt_export_text(FILE *file, const char *name, const char *text);
extern const char gt_export_c_head[], gt_export_c_classes[], gt_export_c_board[], gt_export_c_bench[],
    gt_export_c_main[], gt_export_c_main_board[];
#endif
