/* Registration: one line in a file names the kind and the thing that it adds; the build collects the lines of
 * a kind into build/gen/registry/KIND.inc as X(name) rows. So a new layer, op or optimizer needs no change in
 * other files. */
#ifndef GT_BASE_REGISTER_H
#define GT_BASE_REGISTER_H
#define GT_REGISTER(kind, name) _Static_assert(1, "registered as " #kind " " #name);
/* Registers a row of type gt_KIND_type and starts its definition: GT_DEFINE(layer, linear) = {…}; */
#define GT_DEFINE(kind, name)                       \
  GT_REGISTER(kind, name)                           \
  extern const gt_##kind##_type gt_##kind##_##name; \
  const gt_##kind##_type gt_##kind##_##name
#endif
