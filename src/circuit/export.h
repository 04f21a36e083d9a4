/* Circuits as source code: C, bit-sliced, and Verilog. Both are one self-contained text. */
#ifndef GT_CIRCUIT_EXPORT_H
#define GT_CIRCUIT_EXPORT_H
#include "circuit/circuit.h"
#include <stdio.h>

typedef struct gt_export {
  const char *name;          /* of the function or module: letters, digits and '_' */
  const gt_circuit *circuit; /* simplified: a gate that nobody reads would be an unused variable */
  const gt_circuit_ca *ca;   /* NULL, or the automaton whose cell the circuit is */
  size_t gates_before;       /* before simplification, for the comment at the top */
} gt_export;

/* What can be read back of failures is the stream's error flag. */
void gt_export_c(FILE *file, const gt_export *export);
void gt_export_verilog(FILE *file, const gt_export *export);
/* A name that both languages take, from any text: heap. */
char *gt_export_name(const char *text, size_t length);

/* --- shared by the two languages; private to this room --- */
/* The function as an expression of a and b (also where it needs one of them only); zero and one for
 * constants. */
void gt_export_gate(FILE *file, unsigned op, const char *a, const char *b, const char *constants[2]);
/* A text with each '@' replaced by the name. */
void gt_export_text(FILE *file, const char *name, const char *text);
extern const char gt_export_c_head[], gt_export_c_classes[], gt_export_c_board[], gt_export_c_bench[],
    gt_export_c_main[], gt_export_c_main_board[];
#endif
