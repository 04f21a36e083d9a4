#include "layer/logic/logic_init.h"
#include <string.h>

enum { NEIGHBORS = 8, FEW_KERNELS = 4 };

typedef struct perception {
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS];
  const int32_t *first, *second; /* inputs of each gate: the rows of the wiring */
  uint8_t *chosen;
} perception;

/* True if the gate of layer l can return the cell at this place of the neighborhood, through gates of earlier
 * layers. Unless `kernel` is GT_NONE, also sets that kernel's gates on the path so that they return it. */
static bool trace(const perception *p, uint32_t l, uint32_t gate, int32_t place, uint32_t kernel) {
  const gt_logic_ca_layer *layer = &p->layer[l];
  const int32_t input[2] = {p->first[layer->wire + gate], p->second[layer->wire + gate]};
  for (int side = 0; side < 2; side++) {
    if (l ? !trace(p, l - 1, (uint32_t)input[side], place, kernel) : input[side] != place) continue;
    if (kernel != GT_NONE)
      p->chosen[layer->gate + kernel * layer->width + gate] = side ? GT_LOGIC_SECOND : GT_LOGIC_FIRST;
    return true;
  }
  return false;
}

/* Sets a kernel's gates so that one output of the last layer returns the kernel's neighbor. */
static void set_neighbor(const perception *p, uint32_t last, uint32_t output, uint32_t kernel,
                         const int32_t *order) {
  uint32_t reached[NEIGHBORS], count = 0;
  for (uint32_t i = 0; i < NEIGHBORS; i++)
    if (trace(p, last, output, order[i], GT_NONE)) reached[count++] = i;
  if (count) trace(p, last, output, order[reached[kernel % count]], kernel);
}

const uint8_t *gt_directions(gt_arena *arena, const gt_logic_ca_attribute *attribute, uint32_t channels,
                             const int32_t *wiring) {
  /* Places in the neighborhood, row-major; the cell itself is number 4. */
  static const int32_t straight_first[NEIGHBORS] = {1, 7, 3, 5, 0, 8, 2, 6},
                       diagonal_first[NEIGHBORS] = {0, 8, 2, 6, 1, 7, 3, 5};
  const size_t gates = (size_t)gt_logic_ca_gates(attribute);
  const uint32_t last = attribute->perceptions - 1;
  perception p = {.first = wiring,
                  .second = wiring + gt_logic_ca_wires(attribute),
                  .chosen = GT_NEW_N(arena, uint8_t, gates)};
  gt_logic_ca_layers(attribute, channels, p.layer);
  memset(p.chosen, GT_LOGIC_FIRST, gates);
  for (uint32_t k = 0; k < attribute->kernels; k++)
    for (uint32_t o = 0; o < attribute->width[last]; o++)
      set_neighbor(&p, last, o, k, attribute->kernels > FEW_KERNELS ? diagonal_first : straight_first);
  return p.chosen;
}
