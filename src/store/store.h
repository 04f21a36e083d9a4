/* gt_store: a table of slots with all tensors of a net that outlive a step. A slot is a tensor with its name
 * in files, its role, and its place on the device: in the graphs' variable `variable`, from element `offset`
 * on. The tensors of model files and checkpoints are slots only: a new slot is initialized, saved, loaded and
 * checked like all others.
 *
 * All parameters are in one variable, so that each parameter group of the optimizer is one contiguous range.
 * Optimizer slots (moments, the moving average) are in variables of the same layout, for trained parameters
 * only. Order in memory: group by group, frozen groups last; in a group first the parameters whose size is a
 * multiple of GT_STORE_ALIGN, then the others, each in the order they were added. Every offset is a multiple
 * of GT_STORE_ALIGN; gaps hold zeros. All states are in another variable, in the order they were added; their
 * averages are in a third of the same layout. Owner: the arena. */
#ifndef GT_STORE_STORE_H
#define GT_STORE_STORE_H
#include "base/names.h"
#include "graph/graph.h"

typedef enum gt_role {
  GT_PARAMETER, /* F32: weights, trained or frozen */
  GT_STATE,     /* F32: of a layer, updated by training without a gradient (running statistics) */
  GT_CONSTANT,  /* I32: drawn before the first step and constant from then on, such as the wiring of gates */
  GT_DERIVED,   /* I32: computed from constants; not saved */
  GT_OPTIMIZER, /* F32: of a trained parameter or state, such as "optimizer.exp_avg/linear1.weight" */
  GT_RUN,       /* F32: of the run as a whole, such as "state.ok" */
  GT_ROLES,
} gt_role;

/* The values that are valid for a slot. Training keeps to them and kernels rely on them: a negative variance
 * has no square root, and unsorted knots define no basis. Values from files are checked. */
typedef enum gt_slot_range {
  GT_ANY_VALUE,
  GT_NOT_NEGATIVE,
  GT_ASCENDING, /* along the first axis: no value is less than its predecessor */
} gt_slot_range;

/* Masks of roles. */
#define GT_ROLE(role) (1u << (role))
enum {
  GT_WEIGHT_ROLES = 1u << GT_PARAMETER | 1u << GT_STATE,
  GT_MODEL_ROLES = GT_WEIGHT_ROLES | 1u << GT_CONSTANT,
  GT_TABLE_ROLES = 1u << GT_CONSTANT | 1u << GT_DERIVED,
  GT_CHECKPOINT_ROLES = GT_WEIGHT_ROLES | 1u << GT_OPTIMIZER | 1u << GT_RUN
};

#define GT_PARAMETERS_VARIABLE "parameters"
#define GT_STATES_VARIABLE     "states"
#define GT_AVERAGE_VARIABLE    "ema" /* optimizer slots: the parameters' moving average */
#define GT_AVERAGE_STATES      "ema.states"
enum { GT_STORE_ALIGN = 4 }; /* elements: kernels load four floats at once */

struct gt_slot;
/* Access to values of slots by name: `of` looks them up in `owner`; NULL if there is no such slot. */
typedef struct gt_slot_values {
  const void *owner;
  float *(*find)(const struct gt_slot_values *values, const char *name);
} gt_slot_values;
/* Initial values of a slot: `write` computes them from settings and seed. If `write` is NULL: a copy of the
 * slot that this one belongs to (gt_slot.belongs_to) if `copies` is true, otherwise `value` for all
 * elements. */
typedef struct gt_fill {
  void (*write)(const void *settings, const char *name, gt_shape shape, uint64_t seed, float *out);
  const void *settings;
  bool copies;
  double value;
} gt_fill;

typedef struct gt_slot {
  const char *name;
  gt_role role;
  gt_dtype dtype;
  gt_shape shape;
  int64_t count;        /* elements */
  const char *variable; /* the graph variable. NULL: gt_store_add sets it: by the role, or the slot's name */
  int variable_index;   /* of the slot's variable in gt_store.variable */
  int64_t offset;       /* elements into the variable; for parameters set by gt_store_layout */
  int group;            /* PARAMETER: parameter group; index into gt_store.group */
  int index;            /* in the store */
  gt_fill fill;
  const struct gt_slot *belongs_to; /* OPTIMIZER: the parameter or state that is optimized; else NULL */
  gt_slot_range range;              /* STATE and its optimizer slots */
  bool not_averaged;                /* STATE: a counter or grid position */
  bool dispensable;                 /* STATE: its layer works with the initial value, too: a counter */
  int32_t *table;                   /* CONSTANT, DERIVED: the values */
  /* Converts the slot's values when a run changes the model: from the shape and form of slot `before`, values
   * `old`, to those of slot `now`. out: holds initial values, receives the result. values_before: the values
   * of all slots before the change. NULL: the shape cannot change in a run. */
  void (*refit)(const struct gt_slot *before, const float *old, const struct gt_slot *now, float *out,
                const gt_slot_values *values_before);
  /* Describes what refit does to the values: "grid refined from 3 to 6, splines refitted". NULL, as function
   * or result: the shapes say it. */
  const char *(*describe_refit)(const struct gt_slot *before, const struct gt_slot *now,
                                struct gt_arena *arena);
  const void *form; /* what the values mean, in a struct of the layer, for refit; NULL: the shape suffices */
  const int32_t *limit; /* CONSTANT: value i lies in [0, limit[i]) */
} gt_slot;

typedef struct gt_store_group { /* one contiguous range of the parameters */
  int64_t offset, count;
  bool frozen;
} gt_store_group;

typedef struct gt_store_variable { /* a variable of the graphs that holds slots */
  const char *name;
  gt_role role;  /* of its slots */
  gt_role of;    /* role of the slots that its slots belong to; if they belong to none, equal to `role` */
  int64_t count; /* elements, if it has only one slot; else see gt_store_extent */
} gt_store_variable;

typedef struct gt_store {
  gt_arena *arena;
  gt_slot **slot; /* [slots] in the order they were added */
  int slots, capacity;
  gt_names names;
  gt_store_variable *variable;
  int variables, variable_capacity;
  gt_names variable_names;
  gt_slot **parameter; /* after layout: in ascending order of offset */
  int parameters;
  gt_store_group *group; /* [groups]; groups without parameters have count 0 */
  int groups;
  int64_t total;                    /* elements of "parameters", including gaps */
  int64_t trainable;                /* of these the first `trainable` are trained; the others are frozen */
  int64_t values, trainable_values; /* total and trainable without gaps, as users count parameters */
  int64_t states;                   /* elements of "states" */
} gt_store;

gt_store *gt_store_create(gt_arena *arena);
/* Adds a copy of the slot. Name, shape, role and fill must be set, and what they point to must live as long
 * as the store. Names are unique: if there is a slot of this name, it is returned unchanged. */
gt_slot *gt_store_add(gt_store *store, gt_slot slot);
const gt_slot *gt_store_find(const gt_store *store, const char *name); /* NULL if there is none */
/* Adds an optimizer slot named "VARIABLE/PARAMETER" in variable `variable` for every trained parameter. */
void gt_store_add_optimizer_slots(gt_store *store, const char *variable, gt_fill fill);
/* Adds an optimizer slot named "VARIABLE/STATE" in variable `variable` for every state. */
void gt_store_add_state_averages(gt_store *store, const char *variable, gt_fill fill);
/* Assigns offsets to the parameters, whose slot->group must be set. frozen[groups]: true for frozen
 * groups. */
void gt_store_layout(gt_store *store, const bool *frozen, int groups);
bool gt_slot_is_frozen(const gt_store *store, const gt_slot *parameter);
/* Elements of store->variable[variable]; valid after layout. */
int64_t gt_store_extent(const gt_store *store, int variable);

/* Emits reads of slots into one graph: the variables of parameters and states are read once, and each slot is
 * a view of one of them. */
typedef struct gt_store_reader {
  const gt_store *store;
  gt_graph *graph;
  unsigned averaged; /* mask of roles whose moving averages are read instead, where there are any */
  gt_id parameters, average, states, average_states; /* GT_NONE: not read yet */
} gt_store_reader;
gt_store_reader gt_store_reader_open(const gt_store *store, gt_graph *graph, unsigned averaged);
gt_id gt_store_read(gt_store_reader *reader, const gt_slot *slot);
/* The first slot of role GT_CONSTANT; NULL if there is none. */
const gt_slot *gt_store_first_constant(const gt_store *store);
/* Hash of the names and values of the constants; never 0. */
uint64_t gt_store_fingerprint(const gt_store *store);

/* Length of the layer's name in a slot's name: "linear1" in "linear1.weight"; that name, in the arena. */
size_t gt_slot_layer_length(const char *name);
const char *gt_slot_layer(gt_arena *arena, const char *name);
/* Index of the first value outside slot->range; -1: none. */
int64_t gt_slot_find_invalid(const gt_slot *slot, const float *value);
/* Index of the first value outside the constant's limits; -1: none. */
int64_t gt_slot_find_out_of_range(const gt_slot *constant, const int32_t *value);

/* True if the slot has one of the roles in the mask. */
static inline bool gt_slot_has_role(const gt_slot *slot, unsigned roles) {
  return roles & GT_ROLE(slot->role);
}
#endif
