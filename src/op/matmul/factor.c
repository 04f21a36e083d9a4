#include "op/matmul/factor.h"

gt_factor_maker *const gt_factor_makers[GT_FACTORS] = {NULL};
const char *const gt_factor_names[GT_FACTORS] = {"dense", "side by side"};
