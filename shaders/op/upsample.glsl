/* Shared by both kernels of upsample.h. */
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_UPSAMPLE_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_UPSAMPLE_SPEC_D) const uint MIXED_D = 0u;
layout(constant_id = GT_UPSAMPLE_SPEC_H) const uint MIXED_H = 0u;
layout(constant_id = GT_UPSAMPLE_SPEC_W) const uint MIXED_W = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
#include "lib/quads.glsl"

uint mixed_along(uint axis) { return axis == 0u ? MIXED_D : axis == 1u ? MIXED_H : MIXED_W; }
uint pieces_of() { return QUADS != 0u ? channels >> 2 : channels; }
