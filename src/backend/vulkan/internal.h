/* Declarations shared by the files of the Vulkan backend. gt_vulkan is one open device with one compute
 * queue: its memory (memory.c), its pipelines (pipeline.c, shader.c, specialize.c) and their cache on disk
 * (cache.c), its submissions (submit.c), the plans recorded for it (commands.c), and a queue for copies
 * (feed.c). Owner: the caller that opened the backend; used from one thread.
 *
 * Queued work has a ticket, a value of one timeline semaphore. Vulkan functions are called through volk's
 * pointers, which tests may replace. */
#ifndef GT_BACKEND_VULKAN_INTERNAL_H
#define GT_BACKEND_VULKAN_INTERNAL_H
#include "backend/backend.h"
#include <volk.h>

enum { GT_STAGING_SLOTS = 8, GT_FEEDS = 8, GT_PUSH_BYTES = 128 };

struct gt_buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  uint64_t size;      /* bytes that may be used */
  uint64_t allocated; /* bytes of `memory`; 0 if they do not count as memory_used */
  VkDeviceAddress address;
  void *mapped;    /* host address of a HOST buffer; otherwise NULL */
  uint64_t zeroed; /* for a FED buffer, the ticket of the fill with zeros */
};

/* One slot of the staging ring: a part of the staging buffer and its copy commands. */
typedef struct gt_slot {
  VkCommandBuffer commands;
  uint64_t ticket; /* of its last use */
} gt_slot;

typedef struct gt_vulkan_feeder {
  VkQueue queue; /* may be the compute queue */
  uint32_t family;
  bool initialized; /* true after the first copy */
  VkCommandPool pool;
  VkCommandBuffer commands[GT_FEEDS]; /* copy n uses the buffer n % GT_FEEDS */
  VkSemaphore timeline;
  uint64_t ticket, seen; /* the last copy submitted; the last copy that submitted work waits for */
} gt_vulkan_feeder;

typedef struct gt_vulkan_pipeline {
  uint64_t hash;
  const char *name;
  bool full_subgroups; /* requires full subgroups of the device's default size */
  uint32_t spec[GT_SPEC_COUNT];
  VkPipeline pipeline;
  double seconds; /* compile time */
} gt_vulkan_pipeline;

typedef struct gt_vulkan {
  gt_backend base;
  VkPhysicalDevice physical;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  VkDevice device;
  VkQueue queue;
  uint32_t family;         /* queue family of `queue` */
  uint32_t timestamp_bits; /* valid bits of a time stamp; 0: the queue has none */
  bool memory_budget;      /* VK_EXT_memory_budget is enabled */
  bool faulted; /* a submission, a wait or a counter query failed: work without a ticket may be running */
  bool lost;    /* VK_ERROR_DEVICE_LOST: the device executes nothing any more */
  bool stuck;   /* queued work may still be running and cannot be waited for: nothing is destroyed */

  VkCommandPool pool;
  VkSemaphore timeline;
  uint64_t ticket;         /* the last one submitted */
  VkCommandBuffer to_host; /* makes the device's writes visible to the host; the last one of a run */

  gt_vulkan_feeder feeder;

  gt_buffer *arena;         /* shared by all plans; NULL: not allocated */
  uint32_t arena_number;    /* counts arenas: addresses in earlier ones are stale */
  uint32_t plans;           /* number of compiled plans */
  const gt_executable *ran; /* the executable whose values are in the arena */

  gt_buffer *staging;
  gt_slot slot[GT_STAGING_SLOTS];
  uint32_t next_slot;

  VkPipelineLayout layout;
  struct gt_shaders *shaders; /* shader.h */
  VkPipelineCache cache;
  char *cache_path;  /* NULL: not kept on disk */
  size_t cache_size; /* as loaded or last saved */
  struct {
    gt_vulkan_pipeline *items;
    size_t count, capacity;
  } pipelines;
} gt_vulkan;

/* Reports a failed call by name; every result other than VK_SUCCESS is a failure. Expects gt_error *error in
 * scope. */
#define VK(call) gt_vulkan_check((call), #call, error)
/* The same for a call that creates *handle: a failed call may leave any value there. */
#define VK_MAKE(call, handle) (VK(call) || (*(handle) = VK_NULL_HANDLE, false))
bool gt_vulkan_check(VkResult result, const char *call, gt_error *error);
const char *gt_vulkan_result_name(VkResult result);

/* instance.c: one VkInstance per process, created at first use. */
VkInstance gt_vulkan_instance(gt_error *error);
void gt_vulkan_instance_close(void); /* when the last device has been closed */

/* drivers.c: captures the loader's messages while an instance is created. */
typedef struct gt_vulkan_listener {
  bool drivers;             /* the loader is reporting drivers, no longer layers */
  gt_vulkan_driver *driver; /* receives the manifests that it reports, at most `limit` */
  int count, limit;
  char complaint[sizeof((gt_vulkan_driver *)0)->reason]; /* the first complaint about a driver */
} gt_vulkan_listener;
/* Returns the struct to chain to VkInstanceCreateInfo. */
VkDebugUtilsMessengerCreateInfoEXT gt_vulkan_listen(gt_vulkan_listener *listener);

/* physical.c: properties of a physical device. */
typedef struct gt_physical {
  VkPhysicalDevice handle;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceMemoryProperties memory;
  uint64_t max_allocation;
  uint32_t family, timestamp_bits;  /* of the compute queue, as in gt_vulkan */
  uint32_t units;                   /* number of multiprocessors */
  uint32_t feed_family, feed_queue; /* transfer queue; may be the compute queue, 0 of `family` */
  bool memory_budget;               /* has VK_EXT_memory_budget */
  gt_matrix_units matrix;
  gt_device_info info;
} gt_physical;
/* Lists the devices in the loader's order, in heap memory, and returns their number; -1 after an error. */
int gt_vulkan_physical(gt_physical **out, gt_error *error);
bool gt_vulkan_has_extension(const VkExtensionProperties *list, uint32_t count, const char *name);

/* matrix.c: cooperative matrix units. */
enum { GT_MATRIX_EXTENSIONS = 3 };
void gt_vulkan_find_matrix_units(gt_physical *, const VkExtensionProperties *list, uint32_t count);
gt_matrix_units gt_vulkan_matrix_units(const gt_physical *); /* those that GEMMs may use */
/* The names of the extensions that these units need (returns their number), and the feature structs, chained
 * to the given one: heap memory to free after the device is created, or NULL. */
uint32_t gt_vulkan_matrix_extensions(const gt_matrix_units *, const char **out);
void *gt_vulkan_matrix_features(const gt_matrix_units *, VkPhysicalDeviceVulkan12Features *);

/* memory.c */
gt_buffer *gt_vulkan_buffer_create(gt_backend *, uint64_t size, gt_buffer_kind, gt_error *);
void gt_vulkan_buffer_destroy(gt_backend *, gt_buffer *);
void *gt_vulkan_buffer_map(gt_backend *, gt_buffer *);
bool gt_vulkan_upload(gt_backend *, gt_buffer *, uint64_t offset, const void *, uint64_t size, gt_error *);
bool gt_vulkan_download(gt_backend *, gt_buffer *, uint64_t offset, void *, uint64_t size, gt_error *);
bool gt_vulkan_in_range(const gt_buffer *, uint64_t offset, uint64_t size, gt_error *);
bool gt_vulkan_staging_init(gt_vulkan *, gt_error *);
void gt_vulkan_staging_finish(gt_vulkan *);
/* Free device-local bytes; an estimate without VK_EXT_memory_budget. */
uint64_t gt_vulkan_memory_available(const gt_vulkan *);

/* submit.c: submits commands to the queue, in order. */
bool gt_vulkan_submit_init(gt_vulkan *, gt_error *);
void gt_vulkan_submit_finish(gt_vulkan *);
/* Submits the commands; gt_vulkan.ticket becomes their ticket. */
bool gt_vulkan_submit(gt_vulkan *, const VkCommandBuffer *commands, uint32_t count, gt_error *);
/* Reports the failure of a vkQueueSubmit and marks the device as faulted. */
bool gt_vulkan_check_submit(gt_vulkan *, VkResult, gt_error *);
bool gt_vulkan_wait(gt_backend *, uint64_t ticket, gt_error *);
bool gt_vulkan_wait_feed(gt_vulkan *, uint64_t ticket, gt_error *);
bool gt_vulkan_completed(gt_backend *, uint64_t *ticket, gt_error *);
bool gt_vulkan_idle(gt_vulkan *); /* waits for all work; false: the device is stuck */
bool gt_vulkan_timeline(gt_vulkan *, VkSemaphore *, gt_error *); /* creates a timeline semaphore */
/* Allocates command buffers. */
bool gt_vulkan_commands(gt_vulkan *, VkCommandBuffer *out, uint32_t count, gt_error *);
/* Begins recording. */
bool gt_vulkan_begin(VkCommandBuffer, VkCommandBufferUsageFlags, gt_error *);
void gt_vulkan_barrier(VkCommandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to);

/* feed.c */
bool gt_vulkan_feed(gt_backend *, gt_buffer *from, const gt_copy *, int copies, uint64_t after, gt_error *);
bool gt_vulkan_feed_wait(gt_backend *, gt_error *);
void gt_vulkan_feed_finish(gt_vulkan *);

/* pipeline.c */
bool gt_vulkan_pipelines_init(gt_vulkan *, gt_error *);
void gt_vulkan_pipelines_finish(gt_vulkan *);
/* Writes the pipelines of a plan's steps, in step order; missing ones are compiled in parallel. aligned: per
 * step, true if all its addresses are multiples of 16 bytes. */
bool gt_vulkan_pipelines(gt_vulkan *, const gt_plan *, const bool *aligned, VkPipeline *out, gt_error *);
void gt_vulkan_compile_ahead(gt_backend *, const gt_plan *const *plan, int plans);

/* cache.c: the driver's pipeline cache, kept in a file; the file name identifies the driver. */
void gt_vulkan_cache_name(const VkPhysicalDeviceProperties *, char *name, size_t size);
void gt_vulkan_cache_load(gt_vulkan *);
void gt_vulkan_cache_save(gt_vulkan *); /* if it grew */

/* specialize.c: the module `words` with the constants spec[0 … specs) folded in; heap memory of *size words.
 * NULL if it contains something that the folding does not support. */
uint32_t *gt_spirv_specialize(const uint32_t *words, size_t count, const uint32_t *spec, uint32_t specs,
                              size_t *size);

/* commands.c */
gt_executable *gt_vulkan_compile(gt_backend *, const gt_plan *, gt_buffer *const *variables, gt_error *);
gt_executable *gt_vulkan_sequence(gt_backend *, gt_executable *const *part, const uint32_t *times, int parts,
                                  gt_error *);
void gt_vulkan_executable_destroy(gt_backend *, gt_executable *);
bool gt_vulkan_run(gt_backend *, gt_executable *, uint32_t times, uint64_t *ticket, gt_error *);
bool gt_vulkan_profile(gt_backend *, gt_executable *, double *microseconds, gt_error *);
bool gt_vulkan_inspect(gt_backend *, gt_executable *, const gt_access *, void *, gt_error *);
#endif
