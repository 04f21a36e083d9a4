/* State of an operand loader for a line or a position: `at` is an offset in elements; place and phase decide whether an
 * element exists, or have another meaning that the loader defines. */
struct gt_spot {
  uint at;
  ivec3 place;
  uint phase;
};
