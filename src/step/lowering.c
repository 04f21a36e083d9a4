#include "step/lowering.h"
#include "base/count.h"
#include "base/memory.h"
#include "graph/op.h"
#include "step/draft.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKGROUPS = 65535 }; /* number of workgroups along an axis that every Vulkan device supports */

const gt_graph *gt_lowering_graph(const gt_lowering *lowering) { return lowering->graph; }

const gt_target *gt_lowering_target(const gt_lowering *lowering) { return lowering->target; }

gt_draft *gt_lowering_current(gt_lowering *lowering) {
  return &lowering->drafts.items[lowering->drafts.count - 1];
}

/* The index of the first candidate with the lowest cost. */
static uint32_t find_cheapest(const gt_candidate *candidates, uint32_t n) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < n; i++)
    if (candidates[i].cost < candidates[best].cost) best = i;
  return best;
}

/* Finds the index of the first candidate with this text; false if there is none. */
static bool find_candidate(const gt_choice *choice, const char *wanted, uint32_t *found) {
  char text[GT_CANDIDATE_TEXT];
  for (*found = 0; *found < choice->candidates; ++*found) {
    choice->text(&choice->candidate[*found], text, sizeof text);
    if (!strcmp(text, wanted)) return true;
  }
  return false;
}

static void use_tuned(gt_choice *choice, const gt_tuned *tuned) {
  const char *wanted = tuned ? gt_tuned_find(tuned, choice->key) : NULL;
  uint32_t found;
  if (!wanted || !find_candidate(choice, wanted, &found)) return;
  choice->taken = found;
  choice->tuned = true;
}

const gt_candidate *gt_lower_reuse_choice(gt_lowering *lowering, const char *key) {
  const int known = gt_names_find(&lowering->keys, key);
  assert(!lowering->chosen);
  if (known < 0) return NULL;
  lowering->chosen = (uint32_t)known + 1;
  return &lowering->choices.items[known].candidate[lowering->choices.items[known].taken];
}

const gt_candidate *gt_lower_choice(gt_lowering *lowering, const char *key, gt_candidate_text *text,
                                    const gt_candidate *candidates, uint32_t n) {
  assert(n && gt_names_find(&lowering->keys, key) < 0);
  gt_choice *choice = GT_PUSH(&lowering->choices);
  *choice = (gt_choice){.key = gt_arena_strdup(lowering->arena, key),
                        .text = text,
                        .candidate = gt_arena_copy(lowering->arena, candidates, n * sizeof *candidates),
                        .candidates = n,
                        .taken = find_cheapest(candidates, n)};
  use_tuned(choice, lowering->tuned);
  lowering->keys.arena = lowering->arena;
  gt_names_add(&lowering->keys, choice->key, (int)lowering->choices.count - 1);
  return gt_lower_reuse_choice(lowering, key);
}

gt_step *gt_lower_step(gt_lowering *lowering, const gt_kernel *kernel, const void *args, size_t args_size) {
  assert(args_size <= sizeof((gt_step *)0)->args);
  gt_draft *draft = GT_PUSH(&lowering->drafts);
  *draft = (gt_draft){.item = lowering->item};
  gt_step *step = &draft->step;
  step->kernel = kernel;
  memcpy(step->args, args, args_size);
  step->args_size = (uint32_t)args_size;
  step->tiles = 1;
  step->choice = lowering->chosen;
  lowering->chosen = 0;
  step->grid[0] = step->grid[1] = step->grid[2] = 1;
  step->spec[GT_SPEC_LOCAL_X] = step->spec[GT_SPEC_LOCAL_Y] = step->spec[GT_SPEC_LOCAL_Z] = 1;
  return step;
}

static gt_use *add_use(gt_lowering *lowering, size_t argument, gt_use_kind kind, uint32_t id,
                       uint64_t bytes) {
  gt_use *use = GT_PUSH(gt_lowering_current(lowering));
  *use = (gt_use){.argument = (uint32_t)argument, .kind = kind, .id = id, .bytes = bytes};
  return use;
}

/* Adds a use of the whole value of a node. */
static gt_use *add_value(gt_lowering *lowering, size_t argument, gt_id node) {
  const gt_form *form = gt_lower_form(lowering, node);
  const uint64_t divisor = form && form->kind == GT_FORM_BYTES ? sizeof(float) : 1;
  return add_use(lowering, argument, GT_USE_NODE, node, gt_node_bytes(lowering->graph, node) / divisor);
}

void gt_lower_read(gt_lowering *lowering, size_t argument, gt_id node) {
  add_value(lowering, argument, node)->read = true;
}

void gt_lower_write(gt_lowering *lowering, size_t argument, gt_id node) {
  add_value(lowering, argument, node)->write = true;
}

void gt_lower_write_part(gt_lowering *lowering, size_t argument, gt_id node) {
  gt_use *use = add_value(lowering, argument, node);
  use->write = use->part = true;
}

void gt_lower_mark_partial_writes(gt_lowering *lowering) {
  gt_draft *draft = gt_lowering_current(lowering);
  for (size_t u = 0; u < draft->count; u++) draft->items[u].part |= draft->items[u].write;
}

bool gt_lower_is_in_place(const gt_lowering *lowering) { return lowering->begins_there; }

static uint32_t add_scratch(gt_lowering *lowering, uint64_t bytes, bool persistent) {
  *GT_PUSH(&lowering->scratch) = (struct gt_scratch){bytes, persistent};
  return (uint32_t)lowering->scratch.count - 1;
}

uint32_t gt_lower_scratch(gt_lowering *lowering, uint64_t bytes) {
  return add_scratch(lowering, bytes, false);
}

uint32_t gt_lower_persistent(gt_lowering *lowering, uint64_t bytes) {
  return add_scratch(lowering, bytes, true);
}

void gt_lower_use_scratch(gt_lowering *lowering, size_t argument, uint32_t scratch, bool write) {
  gt_use *use = add_use(lowering, argument, GT_USE_SCRATCH, scratch, lowering->scratch.items[scratch].bytes);
  use->write = write;
  use->read = !write;
}

void gt_lower_read_scratch(gt_lowering *lowering, size_t argument, uint32_t scratch, uint64_t offset,
                           uint64_t bytes) {
  gt_use *use = add_use(lowering, argument, GT_USE_SCRATCH, scratch, bytes);
  use->offset = offset;
  use->read = true;
}

void gt_lower_update_variable(gt_lowering *lowering, size_t argument, uint32_t variable) {
  const gt_variable *v = &lowering->graph->variable[variable];
  gt_use *use = add_use(lowering, argument, GT_USE_VARIABLE, variable,
                        (uint64_t)gt_shape_count(v->shape) * gt_dtype_size(v->dtype));
  use->read = use->write = true;
}

void gt_lower_constants(gt_lowering *lowering, size_t argument, const void *data, size_t size) {
  while (lowering->constants.count % 16) *GT_PUSH(&lowering->constants) = 0; /* aligns to 16 bytes */
  gt_use *use = add_use(lowering, argument, GT_USE_CONSTANT, 0, size);
  use->read = true;
  use->offset = lowering->constants.count;
  for (size_t i = 0; i < size; i++) *GT_PUSH(&lowering->constants) = ((const uint8_t *)data)[i];
}

void gt_lower_joins(gt_lowering *lowering, const gt_group *group, int k, gt_joined joined) {
  assert(group->columns && group->joins[k] != GT_NONE);
  *GT_PUSH(&lowering->joined) = (struct gt_joined_for){group->joins[k], joined};
}

/* True if the use writes an output that only its reduction reads. */
static bool is_passing(const gt_group *group, const gt_use *use) {
  for (uint32_t k = 0; k < group->program.outputs; k++)
    if (group->passing >> k & 1 && use->kind == GT_USE_NODE && use->write && use->id == group->output[k])
      return true;
  return false;
}

void gt_lower_passes(gt_lowering *lowering, const gt_group *group) {
  gt_draft *draft = gt_lowering_current(lowering);
  size_t left = 0;
  for (size_t u = 0; u < draft->count; u++)
    if (!is_passing(group, &draft->items[u])) draft->items[left++] = draft->items[u];
  draft->count = left;
}

bool gt_lower_joined(const gt_lowering *lowering, const gt_group *group, gt_joined *joined) {
  for (size_t i = lowering->joined.count; i-- > 0;)
    if (lowering->joined.items[i].node == group->leader)
      return *joined = lowering->joined.items[i].joined, true;
  return false;
}

void gt_lower_follows(gt_lowering *lowering, const gt_group *group, int i, size_t argument) {
  gt_lower_write(lowering, argument, group->follower[i]);
  lowering->followed |= 1u << i;
}

bool gt_group_follows(const gt_group *group, gt_id node) {
  for (int i = 0; i < group->followers; i++)
    if (group->follower[i] == node) return true;
  return false;
}

void gt_lower_measures(gt_lowering *lowering, const gt_group *group, uint32_t which, gt_measured measured) {
  assert(group->measured & which && !(group->passing & 1));
  const gt_id value = gt_reshape_origin(lowering->graph, group->output[0]);
  *GT_PUSH(&lowering->measured) = (struct gt_measured_of){value, which, measured};
}

bool gt_lower_measured(const gt_lowering *lowering, gt_id value, uint32_t which, gt_measured *measured) {
  const gt_id origin = gt_reshape_origin(lowering->graph, value);
  for (size_t i = lowering->measured.count; i-- > 0;)
    if (lowering->measured.items[i].value == origin && lowering->measured.items[i].which == which)
      return *measured = lowering->measured.items[i].measured, true;
  return false;
}

void gt_lower_declare_format(gt_lowering *lowering, gt_id value, gt_form form) {
  *GT_PUSH(&lowering->forms) = (struct gt_form_of){value, form};
}

const gt_form *gt_lower_form(const gt_lowering *lowering, gt_id value) {
  if (!lowering->forms.count) return NULL;
  const gt_id origin = gt_reshape_origin(lowering->graph, value);
  for (size_t i = 0; i < lowering->forms.count; i++)
    if (lowering->forms.items[i].value == origin) return &lowering->forms.items[i].form;
  return NULL;
}

void gt_lower_clear(gt_lowering *lowering, gt_id flag, size_t argument) {
  gt_use *use = add_value(lowering, argument, flag);
  use->write = true;
  use->flag = flag + 1;
}

void gt_lower_check(gt_lowering *lowering, const gt_group *group, size_t argument) {
  if (!group->flag) return;
  gt_lowering_current(lowering)->step.spec[GT_SPEC_CHECKED] = 1;
  gt_lower_clear(lowering, group->flag - 1, argument);
}

const gt_element_range *gt_lower_unchecked_ranges(const gt_lowering *lowering, size_t *n) {
  static const gt_element_range none;
  if (!lowering->checked) return NULL;
  *n = lowering->unchecked.count;
  return *n ? lowering->unchecked.items : &none;
}

void gt_lower_read_range(gt_lowering *lowering, size_t argument, gt_id node, gt_element_range range) {
  const size_t size = gt_dtype_size(gt_node_at(lowering->graph, node)->dtype);
  gt_use *use = add_use(lowering, argument, GT_USE_NODE, node, (uint64_t)range.count * size);
  use->offset = (uint64_t)range.offset * size;
  use->read = true;
}

/* Adds the layout, words {rank, dim[8], stride[input][8]}. Strides of broadcast axes are 0; the strides of
 * inputs that are not GT_LOAD_GENERAL are unused. */
static void add_layout(gt_lowering *lowering, const gt_group *group, size_t argument) {
  uint32_t words[1 + GT_MAX_RANK + GT_PROGRAM_INPUTS * GT_MAX_RANK] = {(uint32_t)group->shape.rank};
  for (int d = 0; d < group->shape.rank; d++) words[1 + d] = (uint32_t)group->shape.dim[d];
  for (uint32_t k = 0; k < group->program.inputs; k++) {
    if (group->program.load[k] != GT_LOAD_GENERAL) continue;
    gt_shape x = gt_node_at(lowering->graph, group->input[k])->shape;
    uint32_t stride = 1;
    for (int d = x.rank - 1; d >= 0; d--) {
      int axis = d + group->shape.rank - x.rank;
      words[1 + GT_MAX_RANK * (1 + (int)k) + axis] = x.dim[d] == 1 ? 0 : stride;
      stride *= (uint32_t)x.dim[d];
    }
  }
  gt_lower_constants(lowering, argument, words, sizeof words);
}

void gt_lower_program(gt_lowering *lowering, const gt_group *group, size_t x, size_t y, long clock,
                      long layout) {
  bool general = false;
  gt_program_to_spec(&group->program, gt_lowering_current(lowering)->step.spec);
  for (uint32_t k = 0; k < group->program.inputs; k++) {
    gt_lower_read(lowering, x + 8 * k, group->input[k]);
    general |= group->program.load[k] == GT_LOAD_GENERAL;
  }
  /* The output of a prologue stays in registers for its leader: it has no buffer. */
  const gt_id leader = group->leader;
  const bool prologue =
      leader != GT_NONE && gt_prologue_row(lowering->graph, gt_node_at(lowering->graph, leader));
  const uint32_t most = leader == GT_NONE ? GT_PROGRAM_OUTPUTS : GT_EPILOGUE_OUTPUTS;
  for (uint32_t k = 0; k < gt_min_u32(group->program.outputs, most) && !prologue; k++)
    gt_lower_write(lowering, y + 8 * k, group->output[k]);
  if (!prologue && !group->width && !group->columns) gt_lower_check(lowering, group, y + 8);
  if (group->clock != GT_NONE && clock >= 0) gt_lower_read(lowering, (size_t)clock, group->clock);
  if (general) {
    assert(layout >= 0);
    add_layout(lowering, group, (size_t)layout);
  }
}

uint32_t gt_lower_workgroup(const gt_lowering *lowering, uint32_t size, uint32_t least) {
  const uint32_t most = lowering->target->max_workgroup;
  while (most && size > most && size > least) size /= 2;
  return size;
}

/* Largest number of workgroups along x. */
static uint32_t max_workgroups_x(const gt_target *target) {
  return target->max_grid ? target->max_grid : MAX_WORKGROUPS;
}

void gt_lower_workgroups(gt_lowering *lowering, uint64_t groups, uint32_t local) {
  gt_step *step = &gt_lowering_current(lowering)->step;
  const uint64_t limit = max_workgroups_x(lowering->target), rows = gt_ceil_div(groups, limit);
  step->spec[GT_SPEC_LOCAL_X] = local;
  step->grid[0] = (uint32_t)gt_ceil_div(groups, rows);
  step->grid[1] = (uint32_t)rows;
}

void gt_lower_grid(gt_lowering *lowering, uint64_t count, uint32_t local) {
  gt_step *step = &gt_lowering_current(lowering)->step;
  const uint32_t limit = max_workgroups_x(lowering->target);
  local = gt_lower_workgroup(lowering, local, 1);
  const uint64_t groups = gt_ceil_div(count, local);
  step->spec[GT_SPEC_LOCAL_X] = local;
  step->grid[0] = groups > limit ? limit : groups ? (uint32_t)groups : 1;
}

bool gt_step_fits(const gt_step *step, const gt_target *target, gt_error *error) {
  const uint32_t *local = &step->spec[GT_SPEC_LOCAL_X], *grid = step->grid;
  const uint64_t threads = (uint64_t)local[0] * local[1] * local[2];
  if (!target->device) return true;
  const gt_matrix_units *units = &target->matrix;
  if (step->kernel->needs & GT_NEEDS_MATRIX_UNITS && (units->emulated || !(units->half.m | units->bfloat.m)))
    return gt_fail(error, GT_ERR_INTERNAL, "%s: the device has no matrix units", step->kernel->name);
  if (target->max_workgroup && threads > target->max_workgroup)
    return gt_fail(error, GT_ERR_INTERNAL,
                   "%s: the workgroup size is %llu, but the device supports at most %u", step->kernel->name,
                   (unsigned long long)threads, target->max_workgroup);
  if (grid[0] > max_workgroups_x(target) || grid[1] > MAX_WORKGROUPS || grid[2] > MAX_WORKGROUPS)
    return gt_fail(error, GT_ERR_INTERNAL,
                   "%s: the device does not support a grid of %u x %u x %u workgroups", step->kernel->name,
                   grid[0], grid[1], grid[2]);
  return true;
}

void gt_lowering_finish(gt_lowering *lowering) {
  for (size_t s = 0; s < lowering->drafts.count; s++) free(lowering->drafts.items[s].items);
  free(lowering->drafts.items);
  free(lowering->scratch.items);
  free(lowering->constants.items);
  free(lowering->choices.items);
  free(lowering->joined.items);
  free(lowering->measured.items);
  free(lowering->forms.items);
  free(lowering->unchecked.items);
}
