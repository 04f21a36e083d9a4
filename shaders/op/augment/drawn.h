/* What is drawn for each sample of a batch: where its pixels come from, how its light is changed, what is
 * erased and how much of another sample is mixed in; a record of GT_AUGMENT_WORDS(boxes) floats a sample:
 *
 *   0 … 5    the map: pixel (x, y) shows the place (m0 x + m1 y + m2, m3 x + m4 y + m5) of the sample
 *   6 … 8    factors of brightness, contrast and saturation
 *   9, 10    what the sample weighs beside the one before it in the batch: its label, and its pixels outside
 *            of the box
 *   11       how far hues are turned, 1 is once around
 *   12 … 15  the box in which that other sample is seen: left, top, right, bottom; empty: nowhere
 *   16 …     so many boxes, likewise, that are erased */
#ifndef GT_AUGMENT_DRAWN_H
#define GT_AUGMENT_DRAWN_H
#define GT_AUGMENT_MAP         0
#define GT_AUGMENT_LIGHT       6
#define GT_AUGMENT_SHARE       9
#define GT_AUGMENT_PIXEL_SHARE 10
#define GT_AUGMENT_HUE         11
#define GT_AUGMENT_MIX_BOX     12
#define GT_AUGMENT_BOXES       16
#define GT_AUGMENT_WORDS(n)    (GT_AUGMENT_BOXES + 4u * (n))
#endif
