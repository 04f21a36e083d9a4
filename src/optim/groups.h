/* Assigns parameters to the optimizer's groups. A parameter's group decides where it is stored (store.h). */
#ifndef GT_OPTIM_GROUPS_H
#define GT_OPTIM_GROUPS_H
#include "optim/optim.h"
#include "spec/diagnostics.h"
#include "store/store.h"

/* Assigns the parameters to the groups of `optim` (NULL: one group, nothing frozen) and lays them out. */
void gt_optim_layout(const gt_optim *optim, gt_store *store);
/* Reports groups whose pattern matches no parameter, with the nearest name. False if there is one. */
bool gt_optim_check_groups(const gt_optim *optim, const gt_store *store, gt_diagnostics *diagnostics);
#endif
