#include "units.h"
#include "backend/vulkan/shader.h"
#include "selftest/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name) extern const gt_case_family gt_opcase_##name;
#include "registry/opcase.inc"
#undef X
#define X(name) &gt_opcase_##name,
static const gt_case_family *const families[] = {
#include "registry/opcase.inc"
    NULL};
#undef X

static bool compile_case(gt_backend *backend, const gt_case *c, gt_precision precision, gt_error *error) {
  const uint32_t device_multiprocessors = backend->target.units,
                 multiprocessors[] = {device_multiprocessors, 16, 4, 1};
  gt_subject subject;
  gt_arena arena;
  gt_outcome outcome;
  gt_arena_init(&arena);
  bool ok = gt_subject_create(&subject, c, precision, error);
  for (size_t i = 0; i < sizeof multiprocessors / sizeof *multiprocessors && ok; i++) {
    backend->target.units = multiprocessors[i];
    /* With fusion, then without. */
    ok = gt_subject_run(&subject, backend, true, true, &arena, &outcome, error) &&
         gt_subject_run(&subject, backend, false, true, &arena, &outcome, error);
  }
  backend->target.units = device_multiprocessors;
  gt_subject_finish(&subject);
  gt_arena_finish(&arena);
  return ok;
}

int units_compile_cases(gt_backend *backend, gt_error *error) {
  int cases = 0;
  for (int f = 0; families[f]; f++)
    for (int i = 0; i < families[f]->count; i++) {
      const gt_case *c = &families[f]->cases[i];
      if (!c->rule->magnitude) continue; /* op/case.h: no matrix product */
      paper_device_config(c->rule->name);
      for (gt_precision p = GT_PRECISION_AUTO; p <= GT_PRECISION_HALF; p++)
        if (!compile_case(backend, c, p, error)) return -1;
      cases++;
    }
  return cases;
}

/* Prints a line about the variants of this kernel that plans use. False if plans use none. */
static bool print_variants(const char *name, const paper_kernel *kernel, size_t count) {
  int variants = 0;
  uint64_t fewest_vgprs = UINT64_MAX, most_vgprs = 0, most_shared = 0;
  for (size_t i = 0; i < count; i++) {
    const paper_kernel *k = &kernel[i];
    if (!k->name || strcmp(k->name, name)) continue;
    variants++;
    if (k->vgprs < fewest_vgprs) fewest_vgprs = k->vgprs;
    if (k->vgprs > most_vgprs) most_vgprs = k->vgprs;
    if (k->shared > most_shared) most_shared = k->shared;
  }
  if (variants)
    printf("%-24s %4d variants of %llu to %llu VGPRs, at most %llu bytes of LDS\n", name, variants,
           (unsigned long long)fewest_vgprs, (unsigned long long)most_vgprs, (unsigned long long)most_shared);
  return variants;
}

/* The reason why no plan for this device uses the kernel; NULL if plans should use it. */
static const char *reason_unused(const gt_backend *backend, const gt_shader_blob *blob,
                                 const uint32_t *words) {
  const gt_matrix_units *units = &backend->target.matrix;
  if (!units->bfloat.m && paper_device_declares(words, blob->size, UNITS_BFLOAT_CAPABILITY))
    return "is for bfloat16, which this device does not multiply";
  if (!units->fast && !strncmp(blob->name, "product_pack", strlen("product_pack")))
    return "is for units many times as fast as scalar ones, which this device's are not";
  return NULL;
}

/* Prints a line if this is a kernel for matrix units. True if plans should use it, but none does. */
static bool report_missed(const gt_backend *backend, const gt_shader_blob *blob, const uint32_t *words,
                          const paper_kernel *kernel, size_t count) {
  if (!paper_device_declares(words, blob->size, UNITS_CAPABILITY) ||
      print_variants(blob->name, kernel, count))
    return false;
  const char *reason = reason_unused(backend, blob, words);
  printf("%-24s %s\n", blob->name, reason ? reason : "is used by no plan");
  return !reason;
}

int units_report(const gt_backend *backend, const paper_kernel *kernel, size_t count, gt_error *error) {
  int missed = 0;
  for (const gt_shader_blob *blob = gt_shader_blobs; blob->name; blob++) {
    uint32_t *words = gt_shader_inflate(blob, error);
    if (!words) return -1;
    missed += report_missed(backend, blob, words, kernel, count);
    free(words);
  }
  return missed;
}
