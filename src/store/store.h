/* gt_store: everything of a net that outlives a step, as one table of slots. A slot is one tensor, with the
 * name it has in files, the role it plays and the place where it lies on the device: in the graphs' variable
 * `variable`, from element `offset` on. Model, checkpoint and run directory are made of slots alone: who adds
 * something that lasts adds a slot, and it is started, saved, loaded and checked like all others.
 *
 * Parameters lie flat in one variable, so that one group of the optimizer is one contiguous range, and
 * optimizer slots (an optimizer's moments, the moving average) in others of the same layout, which cover the
 * trained ones. In memory: group by group, frozen groups last; within a group first the parameters of a
 * multiple of GT_STORE_ALIGN elements, then the others, each in the order they were added. Every offset is a
 * multiple of GT_STORE_ALIGN; the gaps that this leaves hold zeros and stay zero. States lie flat in another
 * variable, in the order they were added, and so do their optimizer slots. Owner: the arena. */
#ifndef GT_STORE_STORE_H
#define GT_STORE_STORE_H
#include "base/names.h"
#include "graph/graph.h"

typedef enum gt_role {
  GT_PARAMETER, /* F32: what is trained, or frozen */
  GT_STATE,     /* F32: a layer's, moved by training without a gradient (running statistics) */
  GT_CONSTANT,  /* I32: drawn before the first step and kept, such as the wiring of gates */
  GT_DERIVED,   /* I32: follows from constants; in no file */
  GT_OPTIMIZER, /* F32: of a trained parameter, or of a state, beside its value:
                 * "optimizer.exp_avg/linear1.weight"
                 */
  GT_RUN,       /* F32: of a training as a whole: "state.ok" */
  GT_ROLES,
} gt_role;

/* What training never leaves, and kernels count on: a variance below 0 has no root, knots out of order no
 * basis. */
typedef enum gt_slot_range {
  GT_ANY_VALUE,
  GT_NOT_NEGATIVE,
  GT_ASCENDING, /* along the first axis: none is less than the one before */
} gt_slot_range;

/* Masks of roles: what makes up a model, and what of it the host need not keep. */
#define GT_ROLE(role) (1u << (role))
enum {
  GT_WEIGHT_ROLES = 1u << GT_PARAMETER | 1u << GT_STATE,
  GT_MODEL_ROLES = GT_WEIGHT_ROLES | 1u << GT_CONSTANT,
  GT_TABLE_ROLES = 1u << GT_CONSTANT | 1u << GT_DERIVED,
  GT_CHECKPOINT_ROLES = GT_WEIGHT_ROLES | 1u << GT_OPTIMIZER | 1u << GT_RUN
};

#define GT_PARAMETERS_VARIABLE "parameters"
#define GT_STATES_VARIABLE     "states"
#define GT_AVERAGE_VARIABLE    "ema" /* the optimizer slots that are the parameters' moving average */
#define GT_AVERAGE_STATES      "ema.states"
enum { GT_STORE_ALIGN = 4 };

struct gt_slot;
/* Values of slots by name, wherever they are held: NULL where there is none. */
typedef struct gt_slot_values {
  const void *owner;
  float *(*of)(const struct gt_slot_values *values, const char *name);
} gt_slot_values;
/* How a slot begins. Without `write`: as a copy of the parameter that it belongs to, or else all `value`. */
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
  const char *variable; /* NULL: by its role; for constants and derived tables its own name */
  int where;            /* that variable, in gt_store.variable */
  int64_t offset;       /* of parameters: known after gt_store_layout */
  int group;            /* PARAMETER: of the optimizer; index into gt_store.group */
  int index;            /* in the store */
  gt_fill fill;
  const struct gt_slot *belongs_to;
  gt_slot_range range; /* STATE and its optimizer slots */
  bool counts;         /* STATE: of which there is no average: a number of steps, places of a grid */
  int32_t *table;      /* CONSTANT, DERIVED: the values */
  /* Values where the slot was another before, `out` as they would begin; was: all there were. NULL: the shape
   * cannot change in a run. */
  void (*refit)(const struct gt_slot *before, const float *old, const struct gt_slot *now, float *out,
                const gt_slot_values *was);
  const void *form;     /* what its layer says of the values, for refit; NULL: their shape says all */
  const int32_t *limit; /* CONSTANT: value i lies in [0, limit[i]) */
} gt_slot;

typedef struct gt_store_group { /* one contiguous range of the parameters */
  int64_t offset, count;
  bool frozen;
} gt_store_group;

typedef struct gt_store_variable { /* one of the graphs' variables that hold slots */
  const char *name;
  gt_role role;  /* of the slots in it */
  gt_role of;    /* what they belong to; else the same */
  int64_t count; /* of its only slot; for the others see gt_store_extent */
} gt_store_variable;

typedef struct gt_store {
  gt_arena *arena;
  gt_slot **slot; /* in the order they were added */
  int slots, capacity;
  gt_names names;
  gt_store_variable *variable;
  int variables, variable_capacity;
  gt_names variable_names;
  gt_slot **parameter; /* after layout: by ascending offset */
  int parameters;
  gt_store_group *group; /* those nothing belongs to have count 0 */
  int groups;
  int64_t total;                    /* elements of "parameters", gaps included */
  int64_t trainable;                /* the first so many are trained; the rest is frozen */
  int64_t values, trainable_values; /* the same without gaps: what users call the number of parameters */
  int64_t states;                   /* elements of "states" */
} gt_store;

gt_store *gt_store_create(gt_arena *arena);
/* Adds a copy of the slot; its name, shape, role and fill must be set, and live as long as the store. Names
 * are unique: a slot that is there already is returned as it is. */
gt_slot *gt_store_add(gt_store *store, gt_slot slot);
/* Adds an optimizer slot for every trained parameter: "VARIABLE/PARAMETER" in the variable of that name. */
void gt_store_add_optimizer_slots(gt_store *store, const char *variable, gt_fill fill);
const gt_slot *gt_store_find(const gt_store *store, const char *name); /* NULL if there is none */
/* Likewise of every state. */
void gt_store_add_state_averages(gt_store *store, const char *variable, gt_fill fill);
/* Gives the parameters their places: slot->group must be set, frozen[groups] tells which groups are. */
void gt_store_layout(gt_store *store, const bool *frozen, int groups);
bool gt_slot_is_frozen(const gt_store *store, const gt_slot *parameter);
/* Elements of store->variable[variable]: known after layout. */
int64_t gt_store_extent(const gt_store *store, int variable);

/* The store in one graph: the variables of parameters and states are read once and viewed by all. */
typedef struct gt_store_reader {
  const gt_store *store;
  gt_graph *graph;
  unsigned averaged; /* roles that are read from their moving averages, where there are any */
  gt_id parameters, average, states, average_states; /* GT_NONE: not read yet */
} gt_store_reader;
gt_store_reader gt_store_reader_open(const gt_store *store, gt_graph *graph, unsigned averaged);
gt_id gt_store_read(gt_store_reader *reader, const gt_slot *slot);
const gt_slot *gt_store_constant(const gt_store *store); /* the first one; NULL: there is none */
/* Of the constants, by name and value; never 0. */
uint64_t gt_store_fingerprint(const gt_store *store);

/* Length of "linear1" in "linear1.weight": the layer that a slot of a model belongs to. */
size_t gt_slot_layer_length(const char *name);
/* The first value outside the slot's range; -1: all are in it. */
int64_t gt_slot_out_of_order(const gt_slot *slot, const float *value);
/* The first value that a constant cannot have; -1: all are within its limits. */
int64_t gt_slot_out_of_range(const gt_slot *constant, const int32_t *value);

static inline bool gt_slot_plays(const gt_slot *slot, unsigned roles) { return roles & GT_ROLE(slot->role); }
#endif
