/* The resources that the operating system grants this process: processors, memory, GPUs. */
#ifndef GT_BASE_HOST_H
#define GT_BASE_HOST_H
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_host {
  int processors;            /* of the machine, online */
  int allowed;               /* processors that this process may use (its affinity) */
  double quota;              /* number of processors that the control groups allow on average; 0: no limit */
  uint64_t memory_available; /* bytes that are free or can be freed */
  uint64_t memory_limit;     /* bytes that the control groups allow; 0: no limit */
  uint64_t address_space;    /* bytes (ulimit -v); 0: no limit */
  bool nvidia;               /* NVIDIA's kernel driver is loaded */
  int render_nodes, denied;  /* /dev/dri/renderD*: number of them, and number that cannot be opened */
} gt_host;

/* `root` is prepended to the paths of system files; "" except in tests. Reads control groups of version 1
 * and 2, including the parents of this process's group. */
void gt_host_read(gt_host *host, const char *root);
/* Reads only what gt_host_threads needs. */
void gt_host_read_processors(gt_host *host, const char *root);
/* The number of threads that can run at once: the processors that this process may use, but no more than the
 * quota, rounded down; at least 1. */
int gt_host_threads(const gt_host *host);
#endif
