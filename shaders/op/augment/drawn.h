/* The random augmentation parameters of each sample of a batch: geometric map, color changes, erased boxes,
 * tone curves, and the mixing with another sample; one record of GT_AUGMENT_WORDS(boxes, tones) floats per
 * sample:
 *
 *   0 … 5    the map: pixel (x, y) of the output is at (m0 x + m1 y + m2, m3 x + m4 y + m5) in the sample
 *   6 … 8    factors of brightness, contrast and saturation
 *   9, 10    weights against the previous sample (mixup, CutMix): of the label; of pixels outside the box
 *   11       hue rotation in revolutions
 *   12 … 15  the box where the other sample is pasted: left, top, right, bottom; empty: none
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
#define GT_AUGMENT_LEVELS              256u /* values of a tone curve: for black, 1/255, … white */
#endif
