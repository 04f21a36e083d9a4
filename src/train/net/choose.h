/* Chooses the device for a config with `--device auto`: the best GPU, or the CPU if a step is so small that
 * launching it on the GPU takes much longer than computing it on the CPU (gt_choose_device). The choice uses
 * an estimate of a step on each, from the plan and the properties of the device. Nothing is timed, so on a
 * given machine a config always gets the same device. */
#ifndef GT_TRAIN_CHOOSE_H
#define GT_TRAIN_CHOOSE_H
#include "train/net/net.h"

/* Speed of a device for the estimate. Units are the multiprocessors of a GPU; a kernel of n workgroups uses
 * at most n of them. A CPU has one unit, a thread: a step that is small enough for the CPU gains little from
 * more threads, and the choice must not depend on their number. Times are in microseconds. */
typedef struct gt_speed {
  double units;
  double flops, bytes; /* per unit and microsecond */
  double function;     /* time of a unit for one function evaluation (gt_op.functions) */
  double kernel;       /* time to launch a kernel */
  double level;        /* latency of a level without work, from its start to the start of the next one */
  double wait;         /* time for the host to submit work and wait for its result */
} gt_speed;
gt_speed gt_speed_of(const gt_device_info *device);
double gt_estimate_plan(const gt_plan *plan, const gt_speed *speed);
/* Time of a step of training or evaluation; for a line search, of one trial and one update. */
double gt_estimate_step(const gt_net *net, const gt_speed *speed);

typedef struct gt_device_choice {
  int device; /* index into the devices */
  /* Microseconds per step; 0: not estimated, as there is no hardware GPU or the step cannot be planned. */
  double cpu, gpu;
  char why[256]; /* why the CPU was chosen; "" if the GPU was chosen or there is no GPU */
} gt_device_choice;
/* Chooses the device for a training step (part GT_PART_NONE) or for an evaluation of a split. devices: the
 * CPU first, as in gt_device_list. Chooses the CPU if there is no GPU or if the GPU would take more than
 * twice as long, and the GPU if the step cannot be planned. */
gt_device_choice gt_choose_device(const gt_config *config, int part, const gt_device_info *devices,
                                  int count);

/* True if, by the estimate, the CPU evaluates the whole split in less time than it takes to load the Vulkan
 * drivers and to open a GPU. */
bool gt_is_quick_on_cpu(const gt_config *config, int part);

/* Opens a device: `device` as in gt_backend_open; auto by the estimate. previous: the device name of a
 * resumed run (gt_timing_device), or NULL; auto chooses this device again if it is available. */
gt_backend *gt_choose_backend(const gt_config *config, int part, const char *device, const char *previous,
                              gt_error *error);
#endif
