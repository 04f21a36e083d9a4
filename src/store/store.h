/* gt_store: everything of a net that outlives a step, as one table of slots. A slot is a tensor with its name
 * in files, its role, and its place on the device: in the graphs' variable `variable`, from element `offset`
 * on. Model files, checkpoints and run directories consist of slots only: to add something persistent, add a
 * slot, and it is initialized, saved, loaded and checked like all others.
 *
 * Parameters are flat in one variable, so that each parameter group of the optimizer is one contiguous range.
 * Optimizer slots (moments, the moving average) are in variables of the same layout, for trained parameters
 * only. Order in memory: group by group, frozen groups last; in a group first the parameters whose size is a
 * multiple of GT_STORE_ALIGN, then the others, each in the order they were added. Every offset is a multiple
 * of GT_STORE_ALIGN; gaps hold zeros. States are flat in another variable, in the order they were added, and
 * so are their optimizer slots. Owner: the arena. */
#ifndef GT_STORE_STORE_H
#define GT_STORE_STORE_H
#include "base/names.h"
#include "graph/graph.h"

typedef enum gt_role {
  GT_PARAMETER, /* F32: trained or frozen */
  GT_STATE,     /* F32: of a layer, updated by training without a gradient (running statistics) */
  GT_CONSTANT,  /* I32: drawn before the first step and constant from then on, such as the wiring of gates */
  GT_DERIVED,   /* I32: computed from constants; not saved */
  GT_OPTIMIZER, /* F32: of a trained parameter or state, such as "optimizer.exp_avg/linear1.weight" */
  GT_RUN,       /* F32: of the run as a whole, such as "state.ok" */
  GT_ROLES,
} gt_role;

/* Range that training never leaves and kernels rely on: a negative variance has no square root, and unsorted
 * knots define no basis. */
typedef enum gt_slot_range {
  GT_ANY_VALUE,
  GT_NOT_NEGATIVE,
  GT_ASCENDING, /* along the first axis: no value is less than the one before */
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
enum { GT_STORE_ALIGN = 4 };

struct gt_slot;
/* Access to values of slots by name; NULL if there is no such slot. */
typedef struct gt_slot_values {
  const void *owner;
  float *(*of)(const struct gt_slot_values *values, const char *name);
} gt_slot_values;
/* Initial values of a slot. Without `write`: a copy of the parameter that it belongs to if `copies`, else
 * `value` everywhere. */
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
  const char *variable; /* NULL: chosen by its role; for constants and derived tables its own name */
  int where;            /* index of `variable` in gt_store.variable */
  int64_t offset;       /* of parameters: set by gt_store_layout */
  int group;            /* PARAMETER: parameter group; index into gt_store.group */
  int index;            /* in the store */
  gt_fill fill;
  const struct gt_slot *belongs_to; /* OPTIMIZER: the parameter or state that is optimized; else NULL */
  gt_slot_range range;              /* STATE and its optimizer slots */
  bool counts;                      /* STATE: a counter or grid position, which is not averaged */
  int32_t *table;                   /* CONSTANT, DERIVED: the values */
  /* Converts values of the slot from its former shape or form; `out` holds initial values; was: all former
   * values. NULL: the shape cannot change in a run. */
  void (*refit)(const struct gt_slot *before, const float *old, const struct gt_slot *now, float *out,
                const gt_slot_values *was);
  const void *form;     /* description of the values by the layer, for refit; NULL: the shape suffices */
  const int32_t *limit; /* CONSTANT: value i lies in [0, limit[i]) */
} gt_slot;

typedef struct gt_store_group { /* one contiguous range of the parameters */
  int64_t offset, count;
  bool frozen;
} gt_store_group;

typedef struct gt_store_variable { /* a variable of the graphs that holds slots */
  const char *name;
  gt_role role;  /* of its slots */
  gt_role of;    /* role of the slots that these belong to; if they belong to none, their own */
  int64_t count; /* elements, if it has only one slot; else see gt_store_extent */
} gt_store_variable;

typedef struct gt_store {
  gt_arena *arena;
  gt_slot **slot; /* in the order they were added */
  int slots, capacity;
  gt_names names;
  gt_store_variable *variable;
  int variables, variable_capacity;
  gt_names variable_names;
  gt_slot **parameter; /* after layout: in ascending order of offset */
  int parameters;
  gt_store_group *group; /* unused groups have count 0 */
  int groups;
  int64_t total;                    /* elements of "parameters", including gaps */
  int64_t trainable;                /* this many come first and are trained; the rest is frozen */
  int64_t values, trainable_values; /* the same without gaps: the number of parameters as users count it */
  int64_t states;                   /* elements of "states" */
} gt_store;

gt_store *gt_store_create(gt_arena *arena);
/* Adds a copy of the slot. Its name, shape, role and fill must be set and live as long as the store. Names
 * are unique: an existing slot is returned unchanged. */
gt_slot *gt_store_add(gt_store *store, gt_slot slot);
/* Adds an optimizer slot for every trained parameter: "VARIABLE/PARAMETER" in the variable of that name. */
void gt_store_add_optimizer_slots(gt_store *store, const char *variable, gt_fill fill);
const gt_slot *gt_store_find(const gt_store *store, const char *name); /* NULL if there is none */
/* The same for every state. */
void gt_store_add_state_averages(gt_store *store, const char *variable, gt_fill fill);
/* Assigns offsets to the parameters: slot->group must be set; frozen[groups] tells which
 * groups are frozen. */
void gt_store_layout(gt_store *store, const bool *frozen, int groups);
bool gt_slot_is_frozen(const gt_store *store, const gt_slot *parameter);
/* Elements of store->variable[variable]; valid after layout. */
int64_t gt_store_extent(const gt_store *store, int variable);

/* Reads the store in one graph: the variables of parameters and states are read once, and slots are views of
 * them. */
typedef struct gt_store_reader {
  const gt_store *store;
  gt_graph *graph;
  unsigned averaged; /* roles that are read from their moving averages, if there are any */
  gt_id parameters, average, states, average_states; /* GT_NONE: not read yet */
} gt_store_reader;
gt_store_reader gt_store_reader_open(const gt_store *store, gt_graph *graph, unsigned averaged);
gt_id gt_store_read(gt_store_reader *reader, const gt_slot *slot);
const gt_slot *gt_store_constant(const gt_store *store); /* the first constant; NULL: none */
/* Hash of the names and values of the constants; never 0. */
uint64_t gt_store_fingerprint(const gt_store *store);

/* Length of the layer's name in a slot's name: "linear1" in "linear1.weight". */
size_t gt_slot_layer_length(const char *name);
/* Index of the first value outside the slot's range; -1: none. */
int64_t gt_slot_out_of_order(const gt_slot *slot, const float *value);
/* Index of the first value outside a constant's limits; -1: none. */
int64_t gt_slot_out_of_range(const gt_slot *constant, const int32_t *value);

static inline bool gt_slot_plays(const gt_slot *slot, unsigned roles) { return roles & GT_ROLE(slot->role); }
#endif
