#include "train/config/places.h"
#include "augment/augment.h"
#include "data/table/column_rule.h"
#include "layer/layer.h"
#include "model/model.h"
#include "train/config/config.h"
#include "train/config/init_from.h"
#include "train/config/change.h"

/* Every item of a registry, in the order in which hints list them. */
#define ADD_ALL(kind, all, at, common)                                \
  for (int i = 0; i < (all); i++) list[count++] = (gt_schema_place) { \
      kind, at(i)->name, at(i)->schema, common                        \
    }

void gt_config_set_places(gt_diagnostics *diagnostics) {
  const gt_schema *const section[] = {&gt_config_schema,     &gt_train_schema,       &gt_init_from_schema,
                                      &gt_data_split_schema, &gt_data_series_schema, &gt_column_schema};
  enum { SECTIONS = sizeof section / sizeof *section };
  int formats, count = 0;
  const gt_data_format *const *format = gt_data_formats(&formats);
  const int most = SECTIONS + gt_change_count() + gt_optim_count() + gt_schedule_count() + gt_loss_count() +
                   formats + gt_augment_count() + gt_layer_count() + 1 + gt_init_count();
  gt_schema_place *list = GT_NEW_N(diagnostics->arena, gt_schema_place, most);
  for (int i = 0; i < SECTIONS; i++)
    list[count++] = (gt_schema_place){"section", section[i]->name, section[i], NULL};
  ADD_ALL("section", gt_change_count(), gt_change_at, NULL);
  ADD_ALL("optimizer", gt_optim_count(), gt_optim_at, &gt_optim_common_schema);
  ADD_ALL("schedule", gt_schedule_count(), gt_schedule_at, &gt_schedule_common_schema);
  ADD_ALL("loss", gt_loss_count(), gt_loss_at, NULL);
  for (int i = 0; i < formats; i++)
    list[count++] = (gt_schema_place){"data", gt_data_format_name(format[i]),
                                      gt_data_format_schema(format[i]), gt_data_common_schema()};
  ADD_ALL("augmentation", gt_augment_count(), gt_augment_at, NULL);
  ADD_ALL("layer", gt_layer_count(), gt_layer_at, &gt_layer_common_schema);
  list[count++] = (gt_schema_place){"block", gt_repeat_schema.name, &gt_repeat_schema, NULL};
  ADD_ALL("init", gt_init_count(), gt_init_at, NULL);
  diagnostics->place = list;
  diagnostics->places = count;
}
