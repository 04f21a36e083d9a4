/* The record of random augmentation parameters that is drawn for each sample of a batch. It has
 * GT_AUGMENT_WORDS(boxes, tones) floats:
 *
 *   0 … 5    the map: pixel (x, y) of the output is at (m0 x + m1 y + m2, m3 x + m4 y + m5) in the sample
 *   6 … 8    factors of brightness, contrast and saturation
 *   9, 10    weights of the sample in its mixture with the previous sample of the batch (mixup, CutMix): for
 *            the label; for pixels outside the pasted box
 *   11       hue rotation in revolutions
 *   12 … 15  the box where the previous sample is pasted: left, top, right, bottom; empty if there is none
 *   16 …     `boxes` erased boxes, in the same format
 *   …        the tone curve of each of `tones` stages: its row in the table; -1: unchanged */
#ifndef GT_AUGMENT_DRAWN_H
#define GT_AUGMENT_DRAWN_H
#define GT_AUGMENT_MAP                 0
#define GT_AUGMENT_BRIGHTNESS          6
#define GT_AUGMENT_SHARE               9
#define GT_AUGMENT_PIXEL_SHARE         10
#define GT_AUGMENT_HUE                 11
#define GT_AUGMENT_MIX_BOX             12
#define GT_AUGMENT_BOXES               16
#define GT_AUGMENT_TONES(boxes)        (GT_AUGMENT_BOXES + 4u * (boxes))
#define GT_AUGMENT_WORDS(boxes, tones) (GT_AUGMENT_TONES(boxes) + (tones))
#define GT_AUGMENT_LEVELS              256u /* values of a tone curve, from black to white */
#endif
