#include "layer/inspect.h"

#define X(name) extern const gt_inspector_type gt_inspector_##name;
#include "registry/inspector.inc"
#undef X
static const gt_inspector_type *const inspectors[] = {
#define X(name) &gt_inspector_##name,
#include "registry/inspector.inc"
#undef X
    NULL,
};

int gt_inspector_count(void) { return sizeof inspectors / sizeof *inspectors - 1; }
const gt_inspector_type *gt_inspector_at(int index) { return inspectors[index]; }
