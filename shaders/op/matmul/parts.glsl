/* Split-K without a second kernel: partial sums in memory, an atomic counter per tile, the last workgroup
 * reduces.
 *
 * The parts of a product that is cut along k, without a second kernel: each workgroup of a tile writes its sums to
 * `partial` and then counts itself; the one that finds all others counted adds the parts, in their order whoever it
 * is, so that the result is the same every time. It leaves the counter at 0 for the next run. For a kernel that has
 * the arguments of matmul.h, lib/program.glsl and the constant SPLIT. What one workgroup writes and another reads goes
 * by way of coherent buffers. */
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer gt_partials { float at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer gt_partials4 { vec4 at[]; };
#define PARTIAL GT_CAST(gt_partials, partial)
shared uint arrived;

void part_store(gt_place place, vec4 v) {
  bool is_quad = ALIGNED != 0u && place.lanes == 4u && (GT_PROGRAM_QUADS || (place.first & 3u) == 0u);
  if (is_quad) GT_CAST(gt_partials4, partial).at[place.first >> 2] = v;
  else
    for (uint l = 0u; l < place.lanes; l++) PARTIAL.at[place.first + l] = v[l];
}

/* Last-block test of split-K: true in the workgroup that finishes the tile last. All its invocations call it
 * after they stored their partial sums. One of them waits for the device's memory in the name of all: what
 * the others wrote happens before by way of the barrier. */
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
