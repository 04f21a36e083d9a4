/* Specialization constants shared by the im2col and the table-row loader.
 *
 * The specialization constants that patches or rows of tables have, whichever of the two a product has. */
#include "op/matmul/factor.h"
layout(constant_id = GT_FACTOR_SPEC_OWN) const uint OWN_FIRST = 1u;
layout(constant_id = GT_FACTOR_SPEC_OWN + 1) const uint OWN_SECOND = 0u;
layout(constant_id = GT_FACTOR_SPEC_OWN + 2) const uint OWN_THIRD = 0u;
