/* Constants of the dgrad of a KAN layer with few outputs and many rows: the GEMM of product_edges.h if there
 * are many lines (samples). An invocation has the coefficients of one input in registers, of OWN functions at
 * a time, and computes these functions' derivatives for every (LOCAL_X / INPUTS)-th line of its workgroup
 * (lines.h). The result replaces the inputs in shared memory, so that it can be written by quads. The kernel
 * can write the roots of the result's columns (matmul.h) if STAGED is GT_RANGE_DEPTH, or a half or a quarter
 * of it. */
#include "op/matmul/lines.h"
#include "op/matmul/matmul.h"
#define GT_SLOPES_SPEC_OWN 8 /* functions whose coefficients are in registers at a time */
