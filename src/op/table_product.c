#include "op/table_product.h"
#include "op/elementwise.h"
#include "op/gather.h"
#include "op/core.h"
#include "op/matmul/matmul.h"
#include "op/move.h"

static gt_id product(gt_graph *graph, gt_id x, gt_id weight, gt_id bias) {
  const gt_id y = gt_matmul(graph, x, weight, false, true);
  return bias == GT_NONE ? y : gt_add(graph, y, bias);
}

/* True if x consists of rows of a much smaller table. Sets *gather, with indices of x's shape without its
 * last axis. */
static bool repeats_rows(gt_graph *graph, gt_id x, gt_gather_parts *gather) {
  int64_t offset;
  const gt_id origin = gt_view_origin(graph, x, &offset);
  gt_shape shape = gt_node_at(graph, x)->shape;
  if (!gt_gather_find(graph, origin, gather)) return false;
  const gt_shape table = gt_node_at(graph, gather->table)->shape;
  if (table.rank != 2 || shape.rank < 2 || shape.dim[shape.rank - 1] != table.dim[1] ||
      gt_shape_count(shape) != gt_shape_count(gt_node_at(graph, origin)->shape))
    return false;
  shape.rank--;
  if (gt_shape_count(shape) / GT_TABLE_PRODUCT_REPEATS < table.dim[0]) return false;
  if (!gt_shape_equal(shape, gt_node_at(graph, gather->index)->shape))
    gather->index = gt_reshape(graph, gather->index, shape);
  return true;
}

/* The table as a node that has no gradient for this row. */
static gt_id stop_row_gradient(gt_graph *graph, gt_id table, int64_t row) {
  const int64_t rows = gt_node_at(graph, table)->shape.dim[0];
  const gt_id one = gt_expand(graph, gt_constant(graph, 1), gt_shape_2(1, 1));
  const gt_id stopped =
      gt_pad(graph, one, (const int64_t[]){row, 0}, (const int64_t[]){rows - 1 - row, 0}, 0);
  return gt_where(graph, stopped, gt_stop_gradient(graph, table), table);
}

gt_id gt_table_product(gt_graph *graph, gt_id x, gt_id weight, gt_id bias) {
  gt_gather_parts gather;
  if (x == GT_NONE || weight == GT_NONE) return GT_NONE;
  if (!repeats_rows(graph, x, &gather)) return product(graph, x, weight, bias);
  const gt_id table =
      gather.padding < 0 ? gather.table : stop_row_gradient(graph, gather.table, gather.padding);
  return gt_gather(graph, product(graph, table, weight, bias), gather.index, -1);
}
