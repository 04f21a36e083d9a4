/* Registration: a file says in one line which kind of thing it adds, and the build collects all such lines of
 * a kind into build/gen/registry/KIND.inc as X(name) rows. Adding a layer, op, optimizer, … therefore edits
 * no other file. */
#ifndef GT_BASE_REGISTER_H
#define GT_BASE_REGISTER_H
#define GT_REGISTER(kind, name) _Static_assert(1, "registered as " #kind " " #name);
/* Registers a row of a type gt_KIND_type and begins its definition: GT_DEFINE(layer, linear) = {…}; */
#define GT_DEFINE(kind, name)                       \
  GT_REGISTER(kind, name)                           \
  extern const gt_##kind##_type gt_##kind##_##name; \
  const gt_##kind##_type gt_##kind##_##name
#endif
