/* Packed operands: 16-bit fragments stored in the order in which the lanes of a subgroup hold a matrix. */
#ifndef GT_OP_PACKED_H
#define GT_OP_PACKED_H
/* Kernel product_pack writes packed operands for kernel product_packed, in which each lane loads its own
 * elements, eight at a time (an octet, 16 bytes), straight into registers. Layout per batch entry of an
 * operand: [groups of GT_PACKED_LINES lines][steps][planes][matrices of the group][lanes][octets]. Here a
 * line is a row of A or a column of B. A step is as deep as a matrix (MATRIX_K); the number of steps is
 * rounded up to an even number. Planes: the upper and the lower float16 parts of a split product, otherwise
 * one. Elements of a group that do not exist are 0; tiles beyond the last group read the last group again. B
 * follows A, and one unused step follows B, because the kernel loads one step too many.
 *
 * The operands are dense, or the coefficients of a basis and the operand that is repeated in each of their
 * segments, of which one segment is packed (factor.h). Factors of coefficients are multiplied in when
 * packing. The argument that otherwise has the address of packed operands then has the address of these
 * factors, so the packed operands are passed as input GT_PACKED_X of the epilogue, which it does not use. */
#define GT_PACKED_LINES 64u
#define GT_PACKED_GROUP 256u /* invocations that pack GT_RANGE_LINES lines of a depth */
#define GT_PACKED_X     2
#endif
