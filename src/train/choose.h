/* Chooses the device of `--device auto` for a config: the best GPU, or the CPU if a step is so small that
 * launching it on the GPU takes longer than computing it. The choice uses an estimate of a step on each, from
 * both plans and from what the devices report. Nothing is timed, so a config always gets the same device on a
 * machine. */
#ifndef GT_TRAIN_CHOOSE_H
#define GT_TRAIN_CHOOSE_H
#include "train/net.h"

/* Speed of a device for the estimate. Units are the multiprocessors of a GPU; a kernel of n workgroups uses
 * at most n of them. A CPU counts as one thread: a step that is small enough for the CPU gains little from
 * more, and the choice must not depend on the number of threads, as results do not. Times are in
 * microseconds. */
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
/* Time of a step of training or evaluation; for an optimizer with line search, of one trial
 * and one update. */
double gt_estimate_step(const gt_net *net, const gt_speed *speed);

typedef struct gt_device_choice {
  int device;      /* index into the devices */
  double cpu, gpu; /* microseconds per step; 0: not estimated, as there is no choice */
  char why[256];   /* why the CPU was chosen; "" if the GPU was, or if there is none */
} gt_device_choice;
/* Chooses for a training step (split NULL) or for an evaluation of a split. devices: the CPU first, as in
 * gt_device_list. The CPU is chosen if there is no GPU or if the GPU would take more than twice as long; the
 * GPU if the step cannot be planned. */
gt_device_choice gt_choose_device(const gt_config *config, const char *split, const gt_device_info *devices,
                                  int count);

/* True if the CPU evaluates the whole split, by the estimate, in less time than it takes to load the Vulkan
 * drivers and to open a GPU. */
bool gt_is_quick_on_cpu(const gt_config *config, const char *split);

/* Opens a device: `device` as in gt_backend_open, auto by the estimate. before: the name of the device of a
 * resumed run (gt_timing_device), or NULL; auto chooses it again if it is available. */
gt_backend *gt_choose_backend(const gt_config *config, const char *split, const char *device,
                              const char *before, gt_error *error);
#endif
