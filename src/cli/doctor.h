/* gt_doctor: examines this machine for training. Each line has a status, a fact and, if something is wrong,
 * what to do about it. `gtrain doctor` prints the lines; a report (selftest --report) includes them. An error
 * means that gtrain cannot train here. Paths in the home folder are written with ~. Owner: the caller, who
 * frees items. */
#ifndef GT_CLI_DOCTOR_H
#define GT_CLI_DOCTOR_H
#include "backend/backend.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum gt_health { GT_HEALTH_OK, GT_HEALTH_WARNING, GT_HEALTH_ERROR, GT_HEALTHS } gt_health;

typedef struct gt_doctor_line {
  const char *subject; /* "driver", "cpu" */
  gt_health health;
  char fact[768], help[512]; /* help "": none */
} gt_doctor_line;

enum { GT_DOCTOR_DEVICES = 32 };
typedef struct gt_doctor {
  gt_doctor_line *items;
  size_t count, capacity;
  gt_device_info device[GT_DOCTOR_DEVICES]; /* the CPU first */
  int devices;
  bool crashes; /* Vulkan must not be used: every driver crashes */
} gt_doctor;

/* Examines everything. Must be called before any other use of Vulkan (gt_vulkan_drivers). */
void gt_doctor_examine(gt_doctor *doctor);
int gt_doctor_count(const gt_doctor *doctor, gt_health health);
void gt_doctor_print(const gt_doctor *doctor, FILE *stream);

/* --- within the doctor --- */

/* Adds a line without help and returns it; the caller may add help. */
gt_doctor_line *gt_doctor_add(gt_doctor *doctor, const char *subject, gt_health health, const char *format,
                              ...) __attribute__((format(printf, 4, 5)));
/* Sets what to do about a line. */
void gt_doctor_set_help(gt_doctor_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Replaces the home folder by ~ everywhere in the text. */
void gt_doctor_hide_home(char *text);
void gt_doctor_examine_environment(gt_doctor *doctor);
/* Loader, drivers, devices. Must be called before the next two. */
void gt_doctor_examine_vulkan(gt_doctor *doctor);
void gt_doctor_examine_host(gt_doctor *doctor);   /* CPU, BLAS, memory, disk */
void gt_doctor_examine_caches(gt_doctor *doctor); /* pipeline caches and tuned files */
#endif
