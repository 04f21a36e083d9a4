/* Constants of the small-N dgrad of a KAN with many rows.
 *
 * The product of matmul.h in segments of few elements (factor.h), as product_edges makes it, where lines are
 * many: an invocation has the coefficients of one input in registers, or of OWN functions at a time, and
 * makes those functions' derivatives for every so many-th line of its workgroup's (lines.h). The result
 * takes the place of the inputs in shared memory, so that it is written by quads. Roots of its columns it
 * finds as matmul.h says, if lines are as many as those of range.h, or half or a quarter of them. */
#include "op/matmul/lines.h"
#include "op/matmul/matmul.h"
#define GT_SLOPES_SPEC_OWN 8
