/* CSV: parses the settings that say how a file is written. */
#include "data/table/csv.h"
#include <ctype.h>

const char *const gt_csv_headers[] = {"auto", "true", "false", NULL};
const char *const gt_csv_decimals[] = {"point", "comma", NULL};

gt_csv_header gt_csv_header_of(const char *text) {
  return *text == 't' ? GT_CSV_HEADER : *text == 'f' ? GT_CSV_NO_HEADER : GT_CSV_AUTO;
}

char gt_csv_decimal_of(const char *text) { return !text ? 0 : *text == 'c' ? ',' : '.'; }

const char *gt_csv_delimiter_text(char delimiter, gt_arena *arena) {
  return delimiter == '\t' ? "tab" : delimiter == ' ' ? "blanks" : gt_arena_strndup(arena, &delimiter, 1);
}

bool gt_csv_delimiter_of(const char *text, char *out) {
  const char *const words[] = {"tab", "blanks"}, characters[] = {'\t', ' '};
  *out = text ? *text : 0;
  if (!text) return true;
  for (int i = 0; i < 2; i++)
    if (!strcmp(text, words[i])) {
      *out = characters[i];
      return true;
    }
  return *out && !text[1] && !strchr("\"\r\n.+-_#", *out) && !isalnum((unsigned char)*out);
}
