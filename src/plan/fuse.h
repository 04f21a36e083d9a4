/* Fusion: partitions the live nodes of a graph into groups, each of which becomes one kernel launch (or a
 * few). The graph itself is not changed.
 *
 * A group consists of elementwise nodes, its program, and may have a leader: a node with a kernel of its own,
 * of which the program is the prologue or the epilogue. Reshapes are transparent, because a program addresses
 * elements by flat index. Two groups are merged only if the groups stay acyclic and the result is within a
 * program's limits. In this order:
 *
 * 1. Row programs (fuse_rows.c): a reduction of rows is merged with elementwise work on these rows, or on one
 * value per row, and with further reductions of the same rows, unless the reduction would then have to wait
 * for more kernels.
 *
 * 2. Elementwise groups over the same number of elements are merged if the value between them then needs no
 * memory: all its consumers are in the group, or can still be merged into it. A leader with an epilogue
 * (matmul) absorbs consumers of its value; one with a prologue (a reduction, a pool) absorbs producers of
 * values that only it reads. A row program becomes the epilogue of the leader whose rows it reads, if the
 * leader's kernel supports that and the step is faster (fuse_behind.c).
 *
 * 3. The other elementwise groups are absorbed, as further outputs, by the leader or the row program whose
 * value they read.
 *
 * 4. Followers (fuse_follow.c): a node that is computed row by row from the only output of a group, such as
 * cross-entropy from logits, joins this group.
 *
 * 5. Column reductions (fuse_columns.c): a leader's kernel also reduces the columns of its tiles for a node
 * that reduces the columns of its value. The node then only combines the tiles' results. Elementwise work
 * that only this node reads is reserved for the epilogue of that leader before step 2, if its kernel can sum
 * the result. */
#ifndef GT_PLAN_FUSE_H
#define GT_PLAN_FUSE_H
#include "plan/plan.h"
#include "step/lowering.h"

/* Whether a leader has a kernel with a row program as its epilogue, and the step is faster with it. */
enum { GT_LEADS_UNKNOWN, GT_LEADS_NOT, GT_LEADS };

typedef struct gt_fusion {
  const gt_graph *graph;
  bool *live, *kept; /* per node; kept: must be in memory after the run */
  int *group_of;     /* per node; -1: in no group */
  gt_id *origin;     /* per node: gt_reshape_origin */
  uint32_t *there;   /* per node: kernels that must run one after another before it (fuse_rows.c) */
  bool *later;       /* per node: it is needed only by later kernels that can compute it (fuse_rows.c) */
  struct gt_group_order *order;
  gt_lowering *lowering; /* an argument of the functions by which ops report what their kernels can do */
  uint8_t *leads;        /* per node: GT_LEADS_… */
  uint32_t *firm; /* per node: uses of its value, also through reshapes, that need it in memory (fuse.c) */
  gt_id *reserved_for; /* per node: the leader whose epilogue it is reserved for, or GT_NONE */
  gt_group *group;     /* a group that was merged into another has no nodes */
  int groups;
  /* The live users of node n are user[user_start[n]] … user[user_start[n+1]-1], ascending. */
  uint32_t *user_start;
  gt_id *user;
} gt_fusion;

/* Fills `fusion`. lowering: that of the plan; it may be NULL with options->no_fusion. */
bool gt_fuse(gt_arena *arena, const gt_graph *graph, const gt_plan_options *options, gt_lowering *lowering,
             gt_fusion *fusion, gt_error *error);

/* Merges group a into group b, which reads a value of a, and returns true, if there is no other path from a
 * to b and the result fits a program. rows: leader, width and shape of the result if it is a row program;
 * otherwise NULL. The groups must differ and have at most GT_PROGRAM_CODE nodes together. If both have
 * leaders and rows is NULL, b's leader becomes a follower (gt_group.follower). */
bool gt_fusion_join(gt_arena *arena, gt_fusion *fusion, int a, int b, const gt_group *rows);
/* Step 1 (fuse_rows.c): builds row programs. */
void gt_fuse_rows(gt_arena *arena, gt_fusion *fusion);
/* For step 2 (fuse_behind.c). True if the epilogue of this leader can be a row program, and if the epilogue
 * of group a can be the row program `rows`. */
bool gt_fuse_leads_rows(const gt_fusion *fusion, gt_id leader);
bool gt_fuse_may_lead_rows(const gt_fusion *fusion, const gt_group *a, const gt_group *rows);
/* Step 4 (fuse_follow.c): finds followers. */
void gt_fuse_followers(gt_arena *arena, gt_fusion *fusion);
/* Before step 2 (fuse_columns.c): reserves values for leaders whose kernels can sum their columns. */
void gt_fuse_reserve(gt_arena *arena, gt_fusion *fusion);
/* True if group a must not absorb group b, because b has a value that is reserved for another leader or for a
 * later pass. last: this is the pass that merges reserved values into their leaders. */
bool gt_fuse_is_reserved(const gt_fusion *fusion, const gt_group *a, const gt_group *b, bool last);
/* Ends all reservations; true if a reserved value was not merged into its leader. */
bool gt_fuse_release(gt_fusion *fusion);
/* Step 5 (fuse_columns.c): finds column reductions that a leader's kernel computes. */
void gt_fuse_columns(gt_arena *arena, gt_fusion *fusion);

/* Fills group->program, inputs, outputs, row and clock from group->node and leader (encode.c). False if a
 * limit of programs is exceeded, or if the leader's kernel does not support a load. */
bool gt_group_encode(const gt_fusion *fusion, gt_group *group);
/* The group that computes the value of a node, which may be a further result of its leader; -1: none. */
int gt_fusion_maker(const gt_fusion *fusion, gt_id id);
/* True if the value is the only one that the group stores, by a leader with an epilogue, in rows of this
 * length: then more work on its rows can be fused into the kernel. */
bool gt_group_writes_rows(const gt_fusion *fusion, const gt_group *group, gt_id value, int64_t length);
/* True if this node of the group must be written to memory: it has consumers elsewhere, or is kept. */
bool gt_group_is_output(const gt_fusion *fusion, const gt_group *group, gt_id id);
#endif
