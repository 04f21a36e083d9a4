/* Fuses a row program (layer norm, softmax) into the epilogue of the GEMM that produces its rows, if a tile
 * holds full rows and the estimate improves. Otherwise a kernel of its own reads the rows again. All other
 * inputs of the row program must be computed before the leader's kernel starts. */
#include "graph/op.h"
#include "plan/fuse.h"
#include "step/draft.h"

bool gt_fuse_leads_rows(const gt_fusion *f, gt_id leader) {
  const gt_node *node = gt_node_at(f->graph, leader);
  if (!gt_lowering_target(f->lowering)->device || !node->op->epilogue || !node->op->rows) return false;
  if (f->leads[leader] == GT_LEADS_UNKNOWN) {
    f->leads[leader] = node->op->rows(f->lowering, node) ? GT_LEADS : GT_LEADS_NOT;
    f->lowering->chosen = 0; /* op->rows chose candidates only to compare estimates: discard them */
  }
  return f->leads[leader] == GT_LEADS;
}

bool gt_fuse_may_lead_rows(const gt_fusion *f, const gt_group *a, const gt_group *rows) {
  const gt_shape shape = gt_node_at(f->graph, a->leader)->shape;
  if (a->width || !shape.rank || shape.dim[shape.rank - 1] != rows->width || a->clock != GT_NONE ||
      rows->clock != GT_NONE || !gt_fuse_leads_rows(f, a->leader))
    return false;
  for (uint32_t k = 0; k < rows->program.inputs; k++) {
    const gt_id input = f->origin[rows->input[k]];
    if (f->group_of[input] != f->group_of[a->leader] && f->there[input] >= f->there[a->leader]) return false;
  }
  return true;
}
