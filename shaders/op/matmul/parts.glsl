/* Split-K without a second kernel: each workgroup of a tile stores its partial sums to `partial` and increments the
 * tile's atomic counter. The workgroup that increments it last adds the partial sums, always in the same order, so that
 * the result is reproducible, and resets the counter to 0 for the next run. Workgroups exchange data through coherent
 * buffers. Include after the arguments of matmul.h, lib/program.glsl and the constant SPLIT. */
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer gt_partials { float at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer gt_partials4 { vec4 at[]; };
#define PARTIAL GT_CAST(gt_partials, partial)
shared uint arrived;

/* Stores partial sums. */
void part_store(gt_place place, vec4 v) {
  bool is_quad = ALIGNED != 0u && place.lanes == 4u && (GT_PROGRAM_QUADS || (place.first & 3u) == 0u);
  if (is_quad) GT_CAST(gt_partials4, partial).at[place.first >> 2] = v;
  else
    for (uint l = 0u; l < place.lanes; l++) PARTIAL.at[place.first + l] = v[l];
}

/* Last-block test of split-K: true in the workgroup that finishes the tile last. All invocations of a workgroup call it
 * after they have stored their partial sums. Only one of them executes the memory barrier of the device: the stores of
 * the others happen before it because of the execution barrier. */
bool arrives_last(uint tile) {
  groupMemoryBarrier();
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    memoryBarrierBuffer();
    arrived = atomicAdd(arrivals.at[tile], 1u) + 1u;
    if (arrived == SPLIT) arrivals.at[tile] = 0u;
  }
  barrier();
  if (arrived == SPLIT) memoryBarrierBuffer();
  return arrived == SPLIT;
}
