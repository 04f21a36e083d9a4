/* gtrain doctor: reports what this machine offers for training, what is wrong, and what would help. */
#include "cli/doctor.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/common.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const health_names[GT_HEALTHS] = {"ok", "warning", "error"};

/* --- lines --- */

void gt_doctor_hide_home(char *text) {
  const char *home = getenv("HOME");
  const size_t length = home ? strlen(home) : 0;
  if (length < 2) return;
  for (char *at = strstr(text, home); at; at = strstr(at + 1, home)) {
    const char end = at[length];
    if (end && end != '/' && end != ':' && end != ' ') continue;
    *at = '~';
    memmove(at + 1, at + length, strlen(at + length) + 1);
  }
}

gt_doctor_line *gt_doctor_add(gt_doctor *doctor, const char *subject, gt_health health, const char *format,
                              ...) {
  va_list arguments;
  gt_doctor_line *line = GT_PUSH(doctor);
  *line = (gt_doctor_line){.subject = subject, .health = health};
  va_start(arguments, format);
  vsnprintf(line->fact, sizeof line->fact, format, arguments);
  va_end(arguments);
  gt_doctor_hide_home(line->fact);
  return line;
}

void gt_doctor_set_help(gt_doctor_line *line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line->help, sizeof line->help, format, arguments);
  va_end(arguments);
  gt_doctor_hide_home(line->help);
}

void gt_doctor_examine(gt_doctor *doctor) {
  /* First, because gtrain then sets variables that disable drivers that crash. */
  gt_doctor_examine_environment(doctor);
  gt_doctor_examine_vulkan(doctor);
  gt_doctor_examine_host(doctor);
  gt_doctor_examine_caches(doctor);
}

int gt_doctor_count(const gt_doctor *doctor, gt_health health) {
  int count = 0;
  for (size_t i = 0; i < doctor->count; i++) count += doctor->items[i].health == health;
  return count;
}

/* --- output --- */

void gt_doctor_print(const gt_doctor *doctor, FILE *stream) {
  for (size_t i = 0; i < doctor->count; i++) {
    const gt_doctor_line *line = &doctor->items[i];
    fprintf(stream, "%-8s %-12s ", health_names[line->health], line->subject);
    gt_put_text(stream, line->fact);
    fputc('\n', stream);
    if (!*line->help) continue;
    fprintf(stream, "%21s -> ", "");
    gt_put_text(stream, line->help);
    fputc('\n', stream);
  }
}

/* Text from drivers and the environment may not be UTF-8, which JSON needs. */
static json_t *text_json(const char *text) {
  json_t *string = json_string(text);
  return string ? string : json_string("(not UTF-8)");
}

static void print_json(const gt_doctor *doctor) {
  json_t *lines = json_array();
  for (size_t i = 0; i < doctor->count; i++) {
    const gt_doctor_line *line = &doctor->items[i];
    json_array_append_new(lines, json_pack("{s:s, s:s, s:o, s:o}", "status", health_names[line->health],
                                           "subject", line->subject, "fact", text_json(line->fact), "help",
                                           *line->help ? text_json(line->help) : json_null()));
  }
  gt_cli_print_json(json_pack("{s:s, s:b, s:i, s:i, s:o}", "version", GT_VERSION, "can_train",
                              !gt_doctor_count(doctor, GT_HEALTH_ERROR), "errors",
                              gt_doctor_count(doctor, GT_HEALTH_ERROR), "warnings",
                              gt_doctor_count(doctor, GT_HEALTH_WARNING), "lines", lines));
}

static void print_conclusion(const gt_doctor *doctor) {
  const int errors = gt_doctor_count(doctor, GT_HEALTH_ERROR),
            best = gt_device_best(doctor->device, doctor->devices);
  const int warnings = gt_doctor_count(doctor, GT_HEALTH_WARNING);
  if (errors)
    printf("\ngtrain cannot train here: %d error%s\n", errors, errors == 1 ? "" : "s");
  else
    printf("\ngtrain can train here, on %s; %d warning%s\n",
           best >= 0 ? doctor->device[best].name : "the CPU", warnings, warnings == 1 ? "" : "s");
}

/* --- the command --- */

static const gt_option options[] = {GT_OPTION_JSON, {NULL, NULL, NULL, false}};

static int run(const gt_arguments *arguments) {
  gt_doctor doctor = {0};
  gt_doctor_examine(&doctor);
  if (gt_flag(arguments, "json")) {
    print_json(&doctor);
  } else {
    printf("gtrain %s\n", GT_VERSION);
    gt_doctor_print(&doctor, stdout);
    print_conclusion(&doctor);
  }
  const bool errors = gt_doctor_count(&doctor, GT_HEALTH_ERROR) > 0;
  free(doctor.items);
  return errors ? GT_ERR_NODEVICE : GT_OK;
}

GT_DEFINE(command, doctor) = {
    .name = "doctor",
    .summary = "check this machine: drivers, devices, threads, memory, caches, and what would help",
    .usage = "[options]",
    .details =
        "Prints a line for each subject: ok, warning or error, what was found, and what to do about it.\n"
        "Covers the Vulkan loader, each driver and why it has no device, the devices and their features\n"
        "that gtrain uses, processors and their limits, BLAS, memory, disk, caches and environment\n"
        "variables. Each driver is tried in its own process, so that a driver that crashes is found. Exit\n"
        "code 0 if gtrain can train here, else 69.\n",
    .examples = {"gtrain doctor", "gtrain doctor --json"},
    .options = options,
    .run = run,
};
