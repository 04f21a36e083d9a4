/* Encodes the elementwise nodes of a group as a program (step/program.h): chooses how each input is read, and
 * lists instructions and outputs. Fails if a limit of the program or of the leader's kernel is exceeded. */
#include "op/elementwise.h"
#include "plan/fuse.h"
#include <string.h>

typedef struct encoder {
  const gt_fusion *fusion;
  gt_group *group;
  int max_inputs, max_outputs;
  bool general;        /* the kernel supports general strides (GT_LOAD_GENERAL) */
  int64_t count;       /* elements of the iteration space */
  uint32_t fixed_row;  /* required row length: n for a GEMM epilogue, or that of a row program; 0: any */
  int64_t rows;        /* number of rows of a row program; otherwise 0 */
  uint32_t reductions; /* row reductions encoded so far */
} encoder;

static bool in_group(const gt_group *group, gt_id id) {
  for (int i = 0; i < group->nodes; i++)
    if (group->node[i] == id) return true;
  return false;
}

bool gt_group_is_output(const gt_fusion *fusion, const gt_group *group, gt_id id) {
  if (fusion->kept[id]) return true;
  for (uint32_t u = fusion->user_start[id]; u < fusion->user_start[id + 1]; u++) {
    gt_id user = fusion->user[u];
    if (in_group(group, user) && !gt_group_follows(group, user)) continue; /* followers read it from memory */
    const gt_node *node = gt_node_at(fusion->graph, user);
    if (node->op->kind == GT_OP_RESULT) continue; /* a different value */
    /* A reshape that only this group uses is not a use. */
    if (node->op->kind == GT_OP_VIEW && fusion->origin[user] == fusion->origin[id] &&
        !gt_group_is_output(fusion, group, user))
      continue;
    return true;
  }
  return false;
}

/* True if the program can have rows of this length; sets the row length if it was not set yet. */
static bool row_fits(encoder *e, int64_t row) {
  if (e->fixed_row) return row == e->fixed_row;
  if (e->group->row_length && e->group->row_length != row) return false;
  e->group->row_length = (uint32_t)row;
  return true;
}

/* How an operand of shape x is read in an iteration space of shape `space` (broadcast from the last axis). */
static bool load_mode(encoder *e, gt_shape x, gt_shape space, uint32_t *mode) {
  int64_t count = gt_shape_count(x);
  if (count == e->count) return *mode = GT_LOAD_SAME, true;
  if (count == 1) return *mode = GT_LOAD_SCALAR, true;
  if (e->rows && gt_shape_count(space) != e->count) /* one value per row */
    return *mode = GT_LOAD_COLUMN, count == e->rows;
  int lead = space.rank - x.rank, first = 0, last = x.rank;
  while (first < x.rank && x.dim[first] == 1) first++;
  while (last > 0 && x.dim[last - 1] == 1) last--;
  int64_t tail = 1, head = 1;
  for (int d = lead + first; d < space.rank; d++) tail *= space.dim[d];
  if (tail == count && row_fits(e, count)) return *mode = GT_LOAD_ROW, true;
  for (int d = 0; d < lead + last; d++) head *= space.dim[d];
  if (head == count && row_fits(e, e->count / count)) return *mode = GT_LOAD_COLUMN, true;
  *mode = GT_LOAD_GENERAL;
  return e->general && gt_shape_equal(space, e->group->shape);
}

static bool add_input(encoder *e, gt_id source, uint32_t load, uint32_t *operand) {
  gt_program *p = &e->group->program;
  for (uint32_t k = 0; k < p->inputs; k++)
    if (e->group->input[k] == source && p->load[k] == load) return *operand = k, true;
  if ((int)p->inputs == e->max_inputs) return false;
  e->group->input[p->inputs] = source;
  p->load[p->inputs] = load;
  *operand = p->inputs++;
  return true;
}

static bool input_operand(encoder *e, gt_id id, gt_shape space, uint32_t *operand) {
  uint32_t mode;
  if (!load_mode(e, gt_node_at(e->fusion->graph, id)->shape, space, &mode)) return false;
  return add_input(e, mode == GT_LOAD_GENERAL ? id : e->fusion->origin[id], mode, operand);
}

static bool immediate_operand(gt_program *p, float value, uint32_t *operand) {
  for (uint32_t k = 0; k < p->immediates; k++)
    if (!memcmp(&p->immediate[k], &value, sizeof value)) return *operand = GT_OPERAND_IMMEDIATE + k, true;
  if (p->immediates == GT_PROGRAM_IMMEDIATES) return false;
  p->immediate[p->immediates] = value;
  *operand = GT_OPERAND_IMMEDIATE + p->immediates++;
  return true;
}

/* The operand code of a value that is computed inside the group, or -1. */
static int result_operand(const encoder *e, gt_id id, const int *result) {
  gt_id source = e->fusion->origin[id];
  if (source == e->group->leader) return GT_OPERAND_LEADER;
  for (int i = 0; i < e->group->nodes; i++)
    if (e->group->node[i] == source) return result[i];
  return -1;
}

/* True if a value of the group with shape x can be an operand in `space`: in a row program an instruction can
 * read only elements of its own row. */
static bool stays_in_row(encoder *e, gt_shape x, gt_shape space) {
  uint32_t mode;
  if (!e->rows || gt_shape_count(x) == gt_shape_count(space)) return true;
  return load_mode(e, x, space, &mode) &&
         (mode == GT_LOAD_COLUMN || (mode == GT_LOAD_SCALAR && e->rows == 1));
}

static bool operand_of(encoder *e, gt_id id, gt_shape space, const int *result, uint32_t *operand) {
  int inside = result_operand(e, id, result);
  if (inside >= 0)
    return *operand = (uint32_t)inside, stays_in_row(e, gt_node_at(e->fusion->graph, id)->shape, space);
  if (gt_is_constant(gt_node_at(e->fusion->graph, e->fusion->origin[id]))) {
    uint32_t opcode;
    int operands;
    float value;
    bool has;
    gt_elementwise_code(e->fusion->graph, e->fusion->origin[id], &opcode, &operands, &value, &has);
    return immediate_operand(&e->group->program, value, operand);
  }
  return input_operand(e, id, space, operand);
}

/* The operand of an op that specifies how its input is read (gt_op.load): the input must be computed outside
 * of the group. */
static bool specified_operand(encoder *e, const gt_node *node, const int *result, uint32_t *operand) {
  const gt_id source = e->fusion->origin[node->input[0]];
  const int64_t row = node->shape.dim[node->shape.rank - 1];
  if (gt_is_constant(gt_node_at(e->fusion->graph, source)))
    return operand_of(e, source, node->shape, result, operand);
  if (result_operand(e, source, result) >= 0 || gt_shape_count(node->shape) != e->count) return false;
  return row_fits(e, row) && add_input(e, source, node->op->load(node), operand);
}

static bool add_instruction(gt_program *p, uint32_t code, int *result) {
  if (p->instructions == GT_PROGRAM_CODE) return false;
  p->code[p->instructions] = code;
  *result = (int)(GT_OPERAND_RESULT + p->instructions++);
  return true;
}

/* Encodes a row reduction, and an instruction for its scale. */
static bool encode_reduction(encoder *e, gt_id id, int *result, int index) {
  gt_program *p = &e->group->program;
  const gt_graph *graph = e->fusion->graph;
  const gt_node *node = gt_node_at(graph, id);
  gt_row_form form;
  uint32_t x, scale;
  if (!e->rows || !node->op->row || !node->op->row(graph, node, &form) || form.width != e->group->width)
    return false;
  if (!operand_of(e, node->input[0], gt_node_at(graph, node->input[0])->shape, result, &x)) return false;
  if (e->reductions == GT_PROGRAM_REDUCTIONS) return false;
  if (!add_instruction(p, GT_CODE(form.opcode, x, e->reductions++, 0), &result[index])) return false;
  if (form.scale == 1.0) return true;
  return immediate_operand(p, (float)form.scale, &scale) &&
         add_instruction(p, GT_CODE(GT_I_MUL, result[index], scale, 0), &result[index]);
}

static bool encode_node(encoder *e, gt_id id, int *result, int index) {
  gt_program *p = &e->group->program;
  const gt_node *node = gt_node_at(e->fusion->graph, id);
  uint32_t opcode, operand[3] = {0, 0, 0};
  int operands, k;
  float immediate;
  bool has_immediate;
  if (node->op->kind == GT_OP_KERNEL) return encode_reduction(e, id, result, index);
  gt_elementwise_code(e->fusion->graph, id, &opcode, &operands, &immediate, &has_immediate);
  if (gt_is_constant(node)) { /* materialized, for a kernel that reads it from memory */
    opcode = GT_I_MOVE;
    operands = 0;
  }
  for (k = 0; k < operands; k++)
    if (node->op->load ? !specified_operand(e, node, result, operand)
                       : !operand_of(e, node->input[k], node->shape, result, &operand[k]))
      return false;
  if (has_immediate && !immediate_operand(p, immediate, &operand[k])) return false;
  if (node->op->clocked) {
    if (e->rows && gt_shape_count(node->shape) != e->count) return false; /* element numbers would differ */
    if (e->group->clock != GT_NONE && e->group->clock != node->input[0]) return false;
    e->group->clock = node->input[0];
  }
  return add_instruction(p, GT_CODE(opcode, operand[0], operand[1], operand[2]), &result[index]);
}

static bool add_output(encoder *e, gt_id id, int operand) {
  gt_program *p = &e->group->program;
  if ((int)p->outputs == e->max_outputs) return false;
  e->group->output[p->outputs] = id;
  p->output[p->outputs++] = (uint32_t)operand;
  return true;
}

static encoder encoder_for(const gt_fusion *fusion, gt_group *group) {
  encoder e = {fusion, group, GT_PROGRAM_INPUTS, GT_PROGRAM_OUTPUTS, true, 0, 0, 0, 0};
  const gt_node *last = gt_node_at(fusion->graph, group->node[group->nodes - 1]);
  if (group->width) { /* a row program already has its shape */
    e.general = false;
    e.fixed_row = group->width;
    e.rows = group->shape.dim[0];
  } else {
    group->shape = last->shape;
  }
  if (group->leader != GT_NONE) {
    const gt_node *leader = gt_node_at(fusion->graph, group->leader);
    const uint32_t row = gt_prologue_row(fusion->graph, leader);
    if (!group->width) group->shape = leader->shape;
    if (leader->op->epilogue) {
      e.max_inputs = GT_EPILOGUE_INPUTS;
      e.max_outputs = group->width ? GT_PROGRAM_OUTPUTS : GT_EPILOGUE_OUTPUTS;
      e.general = false;
      e.fixed_row = leader->shape.rank ? (uint32_t)leader->shape.dim[leader->shape.rank - 1] : 1;
    } else if (row) {
      group->shape = gt_node_at(fusion->graph, leader->input[0])->shape;
      e.max_outputs = 1;
      if (row != GT_ANY_ROW) e.fixed_row = row;
    }
  }
  e.count = gt_shape_count(group->shape);
  return e;
}

/* The only output of a prologue is the value that its leader reads, computed or just loaded. */
static bool encode_prologue(encoder *e, const int *result) {
  gt_id read = gt_node_at(e->fusion->graph, e->group->leader)->input[0];
  uint32_t operand;
  for (int i = 0; i < e->group->nodes; i++)
    if (e->group->node[i] != e->group->leader && gt_group_is_output(e->fusion, e->group, e->group->node[i]))
      return false;
  if (!operand_of(e, read, e->group->shape, result, &operand)) return false;
  return add_output(e, read, (int)operand);
}

/* True if the program's inputs and outputs have enough addresses. The CPU kernel needs an input per
 * reduction, and further outputs of an epilogue use the addresses of inputs. */
static bool has_places(const encoder *e, const gt_group *group) {
  enum { OWN = GT_EPILOGUE_OUTPUTS + GT_EPILOGUE_EXTRA_OUTPUTS }; /* outputs with addresses of their own */
  const gt_program *p = &group->program;
  const uint32_t more = p->outputs > OWN ? p->outputs - OWN : 0;
  const bool epilogue = group->leader != GT_NONE && group->width;
  return p->inputs + e->reductions <= GT_PROGRAM_INPUTS &&
         (!epilogue || p->inputs + more <= GT_EPILOGUE_INPUTS);
}

bool gt_group_encode(const gt_fusion *fusion, gt_group *group) {
  encoder e = encoder_for(fusion, group);
  int result[GT_PROGRAM_CODE + 1];
  if (group->nodes > GT_PROGRAM_CODE) return false;
  memset(&group->program, 0, sizeof group->program);
  group->row_length = 0;
  group->clock = GT_NONE;
  const gt_node *leader = group->leader == GT_NONE ? NULL : gt_node_at(fusion->graph, group->leader);
  const bool prologue = leader && gt_prologue_row(fusion->graph, leader);
  if (leader && !leader->op->epilogue && !prologue) return group->nodes == 1;
  for (int i = 0; i < group->nodes; i++) result[i] = -1;
  for (int i = 0; i < group->nodes; i++)
    if (group->node[i] != group->leader && !gt_group_follows(group, group->node[i]) &&
        !encode_node(&e, group->node[i], result, i))
      return false;
  if (e.fixed_row) group->row_length = e.fixed_row;
  if (!group->row_length) group->row_length = 1;
  if (prologue) return encode_prologue(&e, result);
  for (int i = 0; i < group->nodes; i++) {
    gt_id id = group->node[i];
    if (gt_group_follows(group, id) || !gt_group_is_output(fusion, group, id)) continue;
    if (!add_output(&e, id, id == group->leader ? GT_OPERAND_LEADER : result[i])) return false;
  }
  return has_places(&e, group);
}
