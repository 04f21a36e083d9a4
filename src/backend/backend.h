/* gt_backend: what replays a plan. Three of them, cpu, vulkan and null (records, computes nothing), behind
 * one small table of functions; it knows plan steps and raw bytes, no op and no layer. All calls come from
 * one thread. Work is queued in order; a ticket names a point in that order. The arena of plans is one, as
 * large as the largest of them needs: no two run at the same time, and none finds there what an earlier run
 * left. Owner of buffers and executables: the backend's caller, who destroys them before closing it;
 * destruction waits for queued work. */
#ifndef GT_BACKEND_BACKEND_H
#define GT_BACKEND_BACKEND_H
#include "base/error.h"
#include "plan/plan.h"

typedef struct gt_backend gt_backend;
typedef struct gt_buffer gt_buffer;
typedef struct gt_executable
    gt_executable; /* a plan compiled for one backend and bound to variables' buffers */
typedef enum gt_buffer_kind {
  GT_BUFFER_DEVICE,
  GT_BUFFER_HOST, /* mapped and coherent */
  GT_BUFFER_FED   /* as DEVICE, and `feed` may write to it */
} gt_buffer_kind;

typedef struct gt_copy { /* so many bytes of one buffer to another */
  gt_buffer *to;
  uint64_t to_offset, from_offset, size;
} gt_copy;

/* No entry may be NULL, for nobody asks. Required: training and evaluation need it, it must do what it says.
 * Optional: for measuring and for explaining a failure; a backend that cannot do it fails with a message. */
typedef struct gt_backend_api {
  /* required */
  void (*close)(gt_backend *);
  /* required; zeroed */
  gt_buffer *(*buffer_create)(gt_backend *, uint64_t size, gt_buffer_kind, gt_error *);
  /* required */
  void (*buffer_destroy)(gt_backend *, gt_buffer *);
  /* required, for HOST buffers; of others NULL, unless they lie in the host's memory anyway */
  void *(*buffer_map)(gt_backend *, gt_buffer *);
  /* required; in order */
  bool (*upload)(gt_backend *, gt_buffer *, uint64_t offset, const void *, uint64_t size, gt_error *);
  /* required. Copies from a HOST buffer to FED ones, beside the work that is queued: it begins when `after`,
   * an earlier ticket, has completed, and what is queued later finds it done. Until then neither side may be
   * touched. */
  bool (*feed)(gt_backend *, gt_buffer *from, const gt_copy *copy, int copies, uint64_t after, gt_error *);
  /* required. Waits until all of that is done. */
  bool (*feed_wait)(gt_backend *, gt_error *);
  /* required; waits */
  bool (*download)(gt_backend *, gt_buffer *, uint64_t offset, void *, uint64_t size, gt_error *);
  /* required */
  gt_executable *(*compile)(gt_backend *, const gt_plan *, gt_buffer *const *variables, gt_error *);
  /* required. What replays each of these parts, one after another, so many times. They stay the caller's and
   * must outlive it; to profile and to inspect, take them. */
  gt_executable *(*sequence)(gt_backend *, gt_executable *const *part, const uint32_t *times, int parts,
                             gt_error *);
  /* required */
  void (*executable_destroy)(gt_backend *, gt_executable *);
  /* required. Queues `times` replays and returns at once (the CPU runs them before it returns). */
  bool (*run)(gt_backend *, gt_executable *, uint32_t times, uint64_t *ticket, gt_error *);
  /* required */
  bool (*wait)(gt_backend *, uint64_t ticket, gt_error *);
  /* required. The last ticket that has completed; never waits. */
  bool (*completed)(gt_backend *, uint64_t *ticket, gt_error *);
  /* optional (a device may have no clock). One replay with time stamps: microseconds of each plan step. */
  bool (*profile)(gt_backend *, gt_executable *, double *microseconds, gt_error *);
  /* optional. Copies size bytes of the executable's plan buffer (gt_access numbering) after waiting; of the
   * arena, only until another executable runs. */
  bool (*inspect)(gt_backend *, gt_executable *, const gt_access *, void *, gt_error *);
} gt_backend_api;

/* Kernels that a backend's driver has made so far, several at a time: short where its cache on disk knew
 * them. */
typedef struct gt_backend_making {
  uint32_t kernels;
  double seconds, longest; /* in all as a clock saw it, and for one of them */
  const char *slowest;     /* that one's name */
} gt_backend_making;

struct gt_backend { /* each backend's own struct begins with this */
  const gt_backend_api *api;
  gt_target target;
  char name[256];                                  /* "NVIDIA H200 (Vulkan 1.4, driver 580.159.4)" */
  char why[256];                                   /* why this one was taken */
  uint64_t memory_used, memory_peak, memory_total; /* bytes */
  uint64_t memory_free;    /* when it was opened, as far as is known; 0: nobody counts it */
  uint64_t max_allocation; /* of one buffer; 0: no limit is known */
  gt_backend_making making;
};

typedef struct gt_device_info {
  char id[32];                           /* "cpu", "vulkan:0" */
  char name[256], driver[256], type[32]; /* type: discrete, integrated, virtual, software, cpu */
  uint32_t api_version[3];
  uint64_t memory_bytes;
  uint32_t subgroup, shared_bytes, max_workgroup;
  uint64_t max_allocation;
  bool usable;
  char features[512]; /* those gtrain uses, comma-separated; for an unusable device, what is missing */
  gt_target target;   /* what plans for it are made for */
  char cache[112];    /* name of its pipeline cache's file (base/cache.h); "": it has none */
} gt_device_info;

/* All devices: the CPU first. Returns the number written (at most `limit`). Without one of Vulkan's
 * devices, trouble says why. */
int gt_device_list(gt_device_info *devices, int limit, gt_error *trouble);
/* The index of the best real GPU by type, then memory; -1 if there is none: software devices and the CPU do
 * not count. */
int gt_device_best(const gt_device_info *devices, int count);
/* The name that a backend on this Vulkan device has (gt_backend.name). Returns the buffer. */
const char *gt_device_title(const gt_device_info *device, char title[256]);
/* choice: "auto", "cpu", "vulkan", "vulkan:N", "null"; NULL: environment GTRAIN_DEVICE, else auto. auto takes
 * the best real GPU, else the CPU, never a software Vulkan device. threads: CPU threads, 0 = default. */
gt_backend *gt_backend_open(const char *choice, int threads, gt_error *error);
/* True if that choice, or the environment in its place, leaves the device to gtrain. */
bool gt_device_is_auto(const char *choice);
/* True if that choice takes a GPU; else the error (GT_ERR_NODEVICE) says why not: it would take the CPU, a
 * software device or none. True of a word that is no device, which opening it reports. */
bool gt_backend_has_gpu(const char *choice, gt_error *error);
void gt_backend_close(gt_backend *backend); /* accepts NULL */

/* Each backend's own opener, called by gt_backend_open. */
gt_backend *gt_cpu_open(int threads, gt_error *error);
gt_backend *gt_null_open(void);
gt_backend *gt_vulkan_open(int index, gt_error *error); /* index as in "vulkan:N" */
/* -1: Vulkan cannot be used here, not even to ask for devices. */
int gt_vulkan_list(gt_device_info *devices, int limit, gt_error *error);
/* Errors and warnings of the validation layers so far (GTRAIN_DEBUG=validation): each is a bug of ours. */
int gt_vulkan_validation_messages(void);
/* What the loader complained of when Vulkan was first asked for; "" if all went well. */
const char *gt_vulkan_complaint(void);
typedef struct gt_vulkan_driver {
  char file[512];    /* the driver's manifest */
  char reason[256];  /* what is wrong with it, "" if it only has no device */
  char missing[128]; /* Debian packages whose libraries NVIDIA's driver needs and which are not there */
  bool crashes;      /* while it is loaded: whoever loads it crashes, too */
  int devices;
} gt_vulkan_driver;
/* The drivers that the loader knows, each tried alone and in a process of its own, which takes some time; -1
 * without a loader. To be called before this process has loaded drivers itself: a driver may not work in a
 * process that was forked from one that uses it. */
int gt_vulkan_drivers(gt_vulkan_driver *drivers, int limit);
/* Keeps this process from loading those of them that crash, by the environment. False if that leaves none:
 * then Vulkan must not be asked for. */
bool gt_vulkan_leave_out(const gt_vulkan_driver *drivers, int count);
/* The file of the Vulkan loader and the version that it offers; false if there is none. */
bool gt_vulkan_loader(char *file, size_t size, uint32_t version[3]);
/* A device has been given up while it may still run what was queued: its driver would crash on being closed.
 */
bool gt_vulkan_stuck(void);
void gt_cpu_describe(gt_device_info *device);
#endif
