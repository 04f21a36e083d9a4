#include "data/csv_boolean.h"
#include <strings.h>

int gt_csv_boolean(const gt_cell *cell) {
  static const char *const words[][2] = {{"no", "yes"}, {"false", "true"}, {"n", "y"},
                                         {"f", "t"},    {"off", "on"},     {"0", "1"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int value = 0; value < 2; value++)
      if (strlen(words[i][value]) == cell->length && !strncasecmp(words[i][value], cell->text, cell->length))
        return value;
  return -1;
}
