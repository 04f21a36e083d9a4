/* Shared by both kernels of upsample.h. */
layout(local_size_x_id = GT_SPEC_LOCAL_X) in;
layout(constant_id = GT_UPSAMPLE_SPEC_QUADS) const uint QUADS = 0u;
layout(constant_id = GT_UPSAMPLE_SPEC_D) const uint INTERPOLATE_D = 0u;
layout(constant_id = GT_UPSAMPLE_SPEC_H) const uint INTERPOLATE_H = 0u;
layout(constant_id = GT_UPSAMPLE_SPEC_W) const uint INTERPOLATE_W = 0u;
layout(constant_id = GT_SPEC_ALIGNED) const uint ALIGNED = 0u;
#include "lib/quads.glsl"

/* True if an output position reads two input positions of the axis. */
bool interpolates(uint axis) { return (axis == 0u ? INTERPOLATE_D : axis == 1u ? INTERPOLATE_H : INTERPOLATE_W) != 0u; }
/* A piece is a vec4 of channels, or one channel. */
uint pieces_per_pixel() { return QUADS != 0u ? channels >> 2 : channels; }
