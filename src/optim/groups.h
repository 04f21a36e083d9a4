/* Assigns parameters to the optimizer's groups. A parameter's group decides where it is stored (store.h). */
#ifndef GT_OPTIM_GROUPS_H
#define GT_OPTIM_GROUPS_H
#include "optim/optim.h"
#include "spec/diagnostics.h"
#include "store/store.h"

/* Assigns the parameters to the groups of `optim` (NULL: one group, nothing frozen) and lays them out. */
void gt_optim_layout(const gt_optim *optim, gt_store *store);
/* True if training must not change this layer: all its parameters are frozen. A layer that has states, but no
 * parameters, is frozen by a group that matches its own name or the name of a state. Valid after
 * gt_optim_layout; slot: the first slot of the layer. */
bool gt_optim_freezes_layer(const gt_optim *optim, const gt_store *store, const char *layer, int slot);
/* Reports groups whose pattern matches no parameter, and nothing that they could freeze, with the nearest
 * name. False if there is one. Adds the finding no_effect for groups whose parameters are all in earlier
 * ones. */
bool gt_optim_check_groups(const gt_optim *optim, const gt_store *store, gt_diagnostics *diagnostics);
/* False after reporting that all parameters are frozen. A model without parameters is no error here. */
bool gt_optim_check_trained(const gt_optim *optim, const gt_store *store, gt_diagnostics *diagnostics);
#endif
