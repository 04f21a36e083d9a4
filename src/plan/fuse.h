/* Fusion: partitions the live nodes of a graph into groups, each of which becomes one kernel launch (or few).
 * It rewrites nothing: the graph stays as it was built and differentiated.
 *
 * Rules. Elementwise nodes over the same number of elements join when the value between them needs no memory
 * of its own: all its users are in the group, or are elementwise nodes that may join in turn. A leader whose
 * kernel takes an epilogue (matmul) absorbs what follows it; one that takes a prologue (a reduction, a pool)
 * absorbs what only it reads. In a second pass, elementwise groups that found no consumer to join are
 * absorbed by the leader, or the row program, that feeds them, as further outputs. A join must keep the
 * groups acyclic and within a program's limits. Reshapes are transparent: a program sees flat indices.
 *
 * Before all that, what follows a reduction of rows joins it in a row program: work with one value a row, or
 * with a row's values, and further reductions of the same rows, as far as none of it has to wait for a kernel
 * that the reduction does not wait for.
 *
 * A row program, too, joins the leader whose value it reads row by row, if its kernel takes one and gains.
 *
 * Then a node whose value follows another's row by row joins whose kernel writes that.
 *
 * After all that, a node that joins the columns of what a leader's kernel makes has that kernel do it for
 * tiles of rows, if it can, and joins only these: a by-product. What is read by such a node alone is kept
 * from its prologue for the leader's program, where the leader says that it can. */
#ifndef GT_PLAN_FUSE_H
#define GT_PLAN_FUSE_H
#include "plan/plan.h"
#include "step/lowering.h"

enum { GT_LEADS_UNKNOWN, GT_LEADS_NOT, GT_LEADS }; /* it has a kernel for row programs, which is faster */

typedef struct gt_fusion {
  const gt_graph *graph;
  bool *live, *kept; /* per node; kept: must be in memory after the run */
  int *group_of;     /* per node; -1: in no group */
  gt_id *origin;     /* per node: gt_reshape_origin */
  uint32_t *there;   /* per node: after how many kernels, one after another, it can be computed, and … */
  bool *later;       /* … it is read only after other work, by a consumer that can compute it itself
                      * (fuse_rows.c) */
  struct gt_ways *ways;
  gt_lowering *lowering; /* by which ops are asked what their kernels can do */
  uint8_t *leads;        /* per node: GT_LEADS_… */
  uint32_t *firm;  /* per node: uses of its value, by way of reshapes too, that need it in memory (fuse.c) */
  gt_id *maker;    /* per node: the leader whose program it is kept for, or GT_NONE (fuse_columns.c) */
  gt_group *group; /* a merged-away group has no nodes */
  int groups;
  uint32_t
      *user_start; /* users of node n: user[user_start[n]] … user[user_start[n+1]-1], live ones, ascending */
  gt_id *user;
} gt_fusion;

/* lowering: of the plan to come, by which ops are asked what their kernels can do; NULL will do if nothing is
 * to be fused. */
bool gt_fuse(gt_arena *arena, const gt_graph *graph, const gt_plan_options *options, gt_lowering *lowering,
             gt_fusion *fusion, gt_error *error);

/* Group a, which group b reads, becomes part of it, if there is no other way from a to b and both together
 * fit a program. rows: leader, width and shape of the row program that they make, or NULL. The two are not
 * the same, and have not too many nodes. If both have leaders, and no rows, b's follows a's. */
bool gt_fusion_join(gt_arena *arena, gt_fusion *fusion, int a, int b, const gt_group *rows);
/* Makes row programs (fuse_rows.c): before anything else joins. */
void gt_fuse_rows(gt_arena *arena, gt_fusion *fusion);
/* True if the epilogue of such a leader can be a row program (fuse_behind.c), and that of group a this
 * one. */
bool gt_fuse_leads_rows(const gt_fusion *fusion, gt_id leader);
bool gt_fuse_may_lead_rows(const gt_fusion *fusion, const gt_group *a, const gt_group *rows);
/* Finds followers (fuse_follow.c): when all others have joined. */
void gt_fuse_followers(gt_arena *arena, gt_fusion *fusion);
/* Keeps values for leaders whose kernels can sum up their columns (fuse_columns.c): before others join. */
void gt_fuse_reserve(gt_arena *arena, gt_fusion *fusion);
/* True if group a must not absorb b, as it has a value that is kept for another leader, or until others have
 * been merged (last: they have). */
bool gt_fuse_is_reserved(const gt_fusion *fusion, const gt_group *a, const gt_group *b, bool last);
/* Values that have not joined who they were kept for are free again; true if there are some. */
bool gt_fuse_release(gt_fusion *fusion);
/* Finds by-products (fuse_columns.c): when groups are what they will be. */
void gt_fuse_columns(gt_arena *arena, gt_fusion *fusion);

/* Fills group->program, inputs, outputs, row, clock from group->node and leader (encode.c); false if a limit
 * or a load that the leader's kernel does not have stands against it. */
bool gt_group_encode(const gt_fusion *fusion, gt_group *group);
/* The group that computes the value of a node, which may be a further result of its leader; -1: none does. */
int gt_fusion_maker(const gt_fusion *fusion, gt_id id);
/* True if a leader with an epilogue writes the value and nothing else, in rows of that length: the epilogue
 * may then do more with them. */
bool gt_group_writes_rows(const gt_fusion *fusion, const gt_group *group, gt_id value, int64_t length);
/* True if this node of the group must be written to memory: it has consumers elsewhere, or is kept. */
bool gt_group_is_output(const gt_fusion *fusion, const gt_group *group, gt_id id);
#endif
