/* Which sample each row of a batch is. Include after the argument struct (op/batch_args.h) and the constant ORDER. */
const uint NONE = 0xffffffffu;

/* Draws a random class, then a random sample of it; the same draw as balanced_sample in src/op/batch_order.c. */
uint balanced_sample(uint index, uint epoch) {
  uvec2 seed = uvec2(batch_clock.at[1], batch_clock.at[2]);
  uvec4 bits = gt_philox4x32(uvec4(index, epoch, GT_PURPOSE_BALANCE, 0x67747261u), seed);
  uint group, place, low;
  umulExtended(bits.x, classes, group, low);
  uint start = members.at[group], end = members.at[group + 1u];
  umulExtended(bits.y, end - start, place, low);
  return members.at[classes + 1u + start + place];
}

/* The sample for row r of the batch, or NONE after the end of the data; for GT_BATCH_WINDOW the row of the ring buffer
 * that contains it. */
uint sample_of_row(uint r) {
  uint step = batch_clock.at[0] - first_step, epoch = step / steps + first_epoch, batch_index = step % steps;
  uint index = batch_index * batch + r, s = index;
  /* Beyond the end of the data batch_index * batch may not fit into 32 bits. */
  bool inside = batch_index <= (samples - 1u) / batch && index < samples;
  if (ORDER == GT_BATCH_WINDOW) s = batch_clock.at[0] % window * batch + r;
  else if (!inside) s = NONE;
  else if (ORDER == GT_BATCH_SHUFFLED)
    s = gt_shuffle_index(index, samples, uvec2(batch_clock.at[1], batch_clock.at[2]), epoch);
  else if (ORDER == GT_BATCH_BALANCED) s = balanced_sample(index, epoch);
  return s;
}
