/* Fused embedding on the CPU: rows of a table as a GEMM operand. */
#include "op/matmul/table_rows.h"
#include "base/count.h"
#include <math.h>
#include <string.h>

void gt_table_rows_make(const gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
                        uint32_t positions, float *to, size_t step) {
  const uint32_t width = factor->spec[GT_TABLE_ROWS_SPEC_WIDTH], each = factor->spec[GT_TABLE_ROWS_SPEC_EACH],
                 count = factor->spec[GT_TABLE_ROWS_SPEC_COUNT], begin = position % width;
  const uint32_t *of_line = factor->geometry + (size_t)line * each + position / width;
  for (uint32_t i = 0; i < lines; i++, of_line += each, to += step) {
    const uint32_t *number = of_line;
    for (uint32_t done = 0, first = begin, some; done < positions; done += some, first = 0, number++) {
      some = gt_min_u32(positions - done, width - first);
      if (*number < count) /* a negative index is a large unsigned number */
        memcpy(to + done, factor->from + (size_t)*number * width + first, some * sizeof *to);
      else
        for (uint32_t p = 0; p < some; p++) to[done + p] = NAN;
    }
  }
}
