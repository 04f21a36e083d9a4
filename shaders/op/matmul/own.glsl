/* Specialization constants of the im2col or the table-row loader, which share their ids (patches.h, table_rows.h). */
#include "op/matmul/factor.h"
layout(constant_id = GT_FACTOR_SPEC_OWN) const uint OWN_FIRST = 1u;
layout(constant_id = GT_FACTOR_SPEC_OWN + 1) const uint OWN_SECOND = 0u;
layout(constant_id = GT_FACTOR_SPEC_OWN + 2) const uint OWN_THIRD = 0u;
