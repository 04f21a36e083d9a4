/* Packed operands: 16 bit fragments stored in the order in which the lanes of matrix units hold them. */
#ifndef GT_OP_PACKED_H
#define GT_OP_PACKED_H
/* Factors as kernel product_pack leaves them for product_packed: 16 bits wide, and in the order in
 * which the lanes of a subgroup hold a matrix, so that each reads its own elements, eight at a time, straight
 * into registers. Of each entry of the batch that a factor has [groups of GT_PACKED_LINES
 * lines][steps][planes][matrices of the group][lanes][octets] of 16 bytes. A step is as deep as the units'
 * matrices; there are as many as k needs, and one more if that is odd. Planes: upper and lower halves, or
 * one. What does not exist in a group is 0; of tiles that reach beyond the last one, it is read again. B's
 * follow A's, and then there is room for a step, as one too many is read.
 *
 * They are dense; or coefficients of a basis, and what repeats itself in their segments, of which one is
 * packed (factor.h). Coefficients that have factors are multiplied by these when they are packed; where they
 * stand is told in the place of an input that the epilogue has not, then, as factors need the usual one. */
#define GT_PACKED_LINES 64u
#define GT_PACKED_GROUP 256u /* invocations that pack GT_RANGE_LINES lines of a depth */
#define GT_PACKED_X     2    /* of the epilogue's inputs */
#endif
