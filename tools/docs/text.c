/* Functions that several documents use: escaping for Markdown, and the details and options of commands. */
#include "docs.h"
#include <stdlib.h>
#include <string.h>

void docs_put_markdown(const char *text) {
  bool code = false;
  for (const char *c = text; *c; c++) {
    if (*c == '`') code = !code;
    if (*c == '|' || (!code && strchr("*<>[]\\", *c))) putchar('\\');
    putchar(*c);
  }
}

static void put_line(const docs_markup *markup, const char *line, bool *verbatim) {
  const bool preformatted = !strncmp(line, "  ", 2);
  if (preformatted != *verbatim) printf("%s", preformatted ? markup->begin : markup->end);
  *verbatim = preformatted;
  (preformatted ? markup->put_verbatim : markup->put)(line);
  printf("\n");
}

void docs_put_details(const gt_command *command, const docs_markup *markup) {
  char *text = NULL, *rest, *line;
  size_t size;
  bool verbatim = false;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) abort();
  if (command->details) fprintf(stream, "%s", command->details);
  if (command->print_details) command->print_details(stream);
  fclose(stream);
  rest = text;
  while ((line = strsep(&rest, "\n")))
    if (rest) put_line(markup, line, &verbatim);
  if (verbatim) printf("%s", markup->end);
  free(text);
}
