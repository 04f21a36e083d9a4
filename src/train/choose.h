/* Which device `--device auto` takes for a config: the best GPU, or the CPU where a step is so small that
 * launching it on the GPU takes longer than computing it. Decided by an estimate of a step on each, from the
 * plans for both and from what the devices report, never by timing: a config always gets the same device on a
 * machine. */
#ifndef GT_TRAIN_CHOOSE_H
#define GT_TRAIN_CHOOSE_H
#include "train/net.h"

/* A device as the estimate sees it. Units are a GPU's multiprocessors; a kernel of n workgroups uses at most
 * n of them. A CPU counts as one thread: a step that is small enough for it has little use for more, and the
 * choice must not depend on the number of threads, as results do not. Times are in microseconds. */
typedef struct gt_speed {
  double units;
  double flops, bytes; /* of a unit, per microsecond */
  double function;     /* of a unit, for a function value (gt_op.functions) */
  double kernel;       /* to launch a kernel */
  double level;        /* latency: from the start of a level to that of the next, if there is no work */
  double wait;         /* for the host to submit work and wait for its result */
} gt_speed;
gt_speed gt_speed_of(const gt_device_info *device);
double gt_estimate_plan(const gt_plan *plan, const gt_speed *speed);
/* A step of training or of an evaluation; of an optimizer that searches, an evaluation and a move. */
double gt_estimate_step(const gt_net *net, const gt_speed *speed);

typedef struct gt_device_choice {
  int device;      /* index into the devices */
  double cpu, gpu; /* microseconds of a step; 0: not estimated, as there is no choice */
  char why[256];   /* why it is not the GPU; "" if it is, or if there is none */
} gt_device_choice;
/* For a step of training, or of an evaluation of a split; split NULL: training. devices: the CPU first, as
 * gt_device_list has them. The CPU is chosen only if the GPU would take more than twice as long, and if there
 * is no GPU; the GPU, if the step cannot be planned. */
gt_device_choice gt_choose_device(const gt_config *config, const char *split, const gt_device_info *devices,
                                  int count);

/* Opens the device: `device` as gt_backend_open takes it, auto by the estimate. before: the name of the
 * device that a resumed run was on (gt_timing_device), which auto takes again if it is here; or NULL. */
gt_backend *gt_choose_backend(const gt_config *config, const char *split, const char *device,
                              const char *before, gt_error *error);
#endif
