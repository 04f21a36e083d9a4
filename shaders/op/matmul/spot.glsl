/* Per-row or per-position state of an operand loader: an offset, and what bounds checks need.
 *
 * What a kind keeps of a line or of a position: an offset, and what decides whether an element is there. */
struct gt_spot {
  uint at;
  ivec3 place;
  uint phase;
};
