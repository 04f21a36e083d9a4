/* What the operating system lets this process have: processors, memory, GPUs whose devices it sees. */
#ifndef GT_BASE_HOST_H
#define GT_BASE_HOST_H
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_host {
  int processors;            /* of the machine, online */
  int allowed;               /* those that this process may run on (its affinity) */
  double quota;              /* processors' worth of time that its control groups allow; 0: no limit */
  uint64_t memory_available; /* bytes that are free, or can be freed */
  uint64_t memory_limit;     /* bytes that its control groups allow; 0: no limit */
  uint64_t address_space;    /* bytes (ulimit -v); 0: no limit */
  bool nvidia;               /* NVIDIA's kernel driver is loaded */
  int render_nodes, denied;  /* /dev/dri/renderD*: how many there are, and may not be opened */
} gt_host;

/* Files of the system are looked for under `root`, which is "" but in tests. Control groups of version 1 and
 * 2, and of those that this process is in. */
void gt_host_read(gt_host *host, const char *root);
#endif
