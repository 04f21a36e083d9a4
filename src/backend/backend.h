/* gt_backend: executes plans. Three implementations share one table of functions: cpu, vulkan and null
 * (accepts plans, computes nothing). A backend sees plan steps and raw bytes, not ops or layers. All calls
 * come from one thread. Work is queued in order; a ticket marks a point in that order. All plans share one
 * arena, whose size is that of the largest plan's: only one plan runs at a time, and none can rely on values
 * that an earlier run left there. Owner of buffers and executables: the caller, who destroys them before
 * closing the backend; destruction waits for queued work. */
#ifndef GT_BACKEND_BACKEND_H
#define GT_BACKEND_BACKEND_H
#include "base/error.h"
#include "plan/plan.h"

typedef struct gt_backend gt_backend;
typedef struct gt_buffer gt_buffer;
typedef struct gt_executable
    gt_executable; /* a plan compiled for one backend and bound to buffers of its variables */
typedef enum gt_buffer_kind {
  GT_BUFFER_DEVICE,
  GT_BUFFER_HOST, /* mapped and coherent */
  GT_BUFFER_FED   /* like DEVICE, and `feed` may write to it */
} gt_buffer_kind;

typedef struct gt_copy { /* one copy between buffers */
  gt_buffer *to;
  uint64_t to_offset, from_offset, size;
} gt_copy;

/* No entry may be NULL: callers do not check. Required: training and evaluation need it. Optional: for
 * measuring and for explaining a failure; a backend without it returns an error. */
typedef struct gt_backend_api {
  /* required */
  void (*close)(gt_backend *);
  /* required. The buffer is filled with zeros. */
  gt_buffer *(*buffer_create)(gt_backend *, uint64_t size, gt_buffer_kind, gt_error *);
  /* required */
  void (*buffer_destroy)(gt_backend *, gt_buffer *);
  /* required. The host address of a HOST buffer, or of another one if it is in host memory; else NULL. */
  void *(*buffer_map)(gt_backend *, gt_buffer *);
  /* required. Queued: work queued before it sees the old content, work queued later the new one. */
  bool (*upload)(gt_backend *, gt_buffer *, uint64_t offset, const void *, uint64_t size, gt_error *);
  /* required. Copies from a HOST buffer to FED ones, concurrently with queued work: they start after ticket
   * `after` is completed (0: at once), and work queued later sees the result. Until they are done, the
   * host may access neither the source nor the destinations. */
  bool (*feed)(gt_backend *, gt_buffer *from, const gt_copy *copy, int copies, uint64_t after, gt_error *);
  /* required. Waits until all feeds are done. */
  bool (*feed_wait)(gt_backend *, gt_error *);
  /* required. Waits until all queued work is done, then copies. */
  bool (*download)(gt_backend *, gt_buffer *, uint64_t offset, void *, uint64_t size, gt_error *);
  /* required */
  gt_executable *(*compile)(gt_backend *, const gt_plan *, gt_buffer *const *variables, gt_error *);
  /* required. Compiles the kernels of several plans together, on all processors, so that `compile` finds
   * them. A kernel that fails is compiled again by `compile`, which reports the error. */
  void (*compile_ahead)(gt_backend *, const gt_plan *const *plan, int plans);
  /* required. Builds an executable that replays part[i] times[i] times, one part after another. The caller
   * still owns the parts, which must outlive the sequence; `profile` and `inspect` work on the parts only. */
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
  /* optional (a device may have no time stamps). One replay with time stamps: microseconds of each plan
   * step. */
  bool (*profile)(gt_backend *, gt_executable *, double *microseconds, gt_error *);
  /* optional. Waits, then copies access->bytes bytes of the plan's buffer access->buffer (GT_PLAN_…,
   * step/step.h); the arena is valid only until another executable runs. */
  bool (*inspect)(gt_backend *, gt_executable *, const gt_access *access, void *, gt_error *);
} gt_backend_api;

/* Statistics of the pipelines that the driver has created so far, several in parallel; those found in its
 * cache on disk take little time. */
typedef struct gt_compile_stats {
  uint32_t kernels;
  double seconds, longest; /* wall-clock time in total, and of the slowest pipeline */
  const char *slowest;     /* kernel of the slowest pipeline */
} gt_compile_stats;

struct gt_backend { /* each backend's own struct starts with this */
  const gt_backend_api *api;
  gt_target target;
  char name[256];                                  /* "NVIDIA H200 (Vulkan 1.4, driver 580.159.4)" */
  char why[256];                                   /* why this backend was chosen */
  uint64_t memory_used, memory_peak, memory_total; /* bytes */
  uint64_t memory_free;                            /* bytes, when the backend was opened; 0: unknown */
  uint64_t max_allocation;                         /* bytes, limit for one buffer; 0: unknown */
  gt_compile_stats compile_stats;
  uint64_t host_ticket; /* of the last run, on backends of the host */
};

typedef struct gt_device_info {
  char id[32];                           /* "cpu", "vulkan:0" */
  char name[256], driver[256], type[32]; /* type: discrete, integrated, virtual, software, cpu */
  uint32_t api_version[3];
  uint64_t memory_bytes;
  uint32_t subgroup;       /* invocations in a subgroup */
  uint32_t shared_bytes;   /* shared memory of a workgroup */
  uint32_t max_workgroup;  /* most invocations in a workgroup */
  uint64_t max_allocation; /* bytes, limit for one buffer; 0: unknown */
  bool usable;
  char features[512]; /* those that gtrain uses, comma-separated; for an unusable device, those missing */
  gt_target target;   /* target properties for plans on this device */
  char cache[112];    /* file name of its pipeline cache (gt_cache_path); "": none */
} gt_device_info;

/* Lists all devices, the CPU first. Returns the number written (at most `limit`). If there are no Vulkan
 * devices, `trouble` receives the reason. */
int gt_device_list(gt_device_info *devices, int limit, gt_error *trouble);
/* The index of the best hardware GPU by type, then memory; -1 if there is none (software devices and the CPU
 * do not count). */
int gt_device_best(const gt_device_info *devices, int count);
/* The name of a backend on this Vulkan device (gt_backend.name). Returns the buffer. */
const char *gt_device_title(const gt_device_info *device, char title[256]);
/* choice: "auto", "cpu", "vulkan", "vulkan:N", "null"; NULL: environment variable GTRAIN_DEVICE, else auto.
 * auto opens the best hardware GPU, otherwise the CPU, never a software Vulkan device. threads: CPU threads,
 * 0 = default. */
gt_backend *gt_backend_open(const char *choice, int threads, gt_error *error);
/* Fails as gt_backend_open does if the choice, or the environment variable if it is NULL, is none of the
 * words above or names a Vulkan device that is not among these. devices: as gt_device_list, without the CPU.
 */
bool gt_device_check_choice(const char *choice, const gt_device_info *devices, int count, gt_error *error);
/* True if the choice, or the environment variable if it is NULL, is auto. */
bool gt_device_is_auto(const char *choice);
/* True if the choice selects a hardware GPU; otherwise `error` gives the reason: it selects the CPU or a
 * software device, or there is no such device. Also true for null, and for an unknown word, which
 * gt_backend_open reports. */
bool gt_backend_has_gpu(const char *choice, gt_error *error);
void gt_backend_close(gt_backend *backend); /* accepts NULL */

/* Each backend's own opener, called by gt_backend_open. */
gt_backend *gt_cpu_open(int threads, gt_error *error);
gt_backend *gt_null_open(void);
gt_backend *gt_vulkan_open(int index, gt_error *error); /* index as in "vulkan:N" */
/* -1: Vulkan cannot be used, not even to list devices. */
int gt_vulkan_list(gt_device_info *devices, int limit, gt_error *error);
/* Number of validation messages so far (GTRAIN_DEBUG=validation): each is a bug of gtrain. */
int gt_vulkan_validation_messages(void);
/* The first message of the Vulkan loader about a driver that it could not load; "" if there was none. */
const char *gt_vulkan_loader_message(void);
typedef struct gt_vulkan_driver {
  char file[512];    /* the driver's manifest */
  char reason[256];  /* the error, if it has no device; "": none */
  char missing[128]; /* missing Debian packages with libraries that NVIDIA's driver needs */
  bool crashes;      /* when it is loaded, the process crashes, ends or hangs */
  int devices;
} gt_vulkan_driver;
/* Lists the drivers that the loader finds, after testing each in a process of its own, which takes some time;
 * -1 without a loader. Must be called before this process loads drivers: a driver may fail in a process
 * forked from one that uses it. */
int gt_vulkan_drivers(gt_vulkan_driver *drivers, int limit);
/* Excludes drivers that crash from loading in this process, through the environment. False if none is left:
 * then Vulkan must not be used. */
bool gt_vulkan_exclude_drivers(const gt_vulkan_driver *drivers, int count);
/* The file and version of the Vulkan loader; false if there is none. */
bool gt_vulkan_loader(char *file, size_t size, uint32_t version[3]);
/* True if a device was not closed because queued work may still run on it: closing it would crash its
 * driver. */
bool gt_vulkan_device_abandoned(void);
void gt_cpu_describe(gt_device_info *device);
#endif
