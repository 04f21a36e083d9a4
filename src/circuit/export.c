#include "circuit/export.h"
#include "base/memory.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* 'a' and 'b' stand for the inputs. */
static const char *const expression[GT_GATE_OPS] = {
    "",         "a & b",    "a & ~b", "a",      "~a & b", "b",      "a ^ b",    "a | b",
    "~(a | b)", "~(a ^ b)", "~b",     "a | ~b", "~a",     "~a | b", "~(a & b)", ""};

void gt_export_gate(FILE *file, unsigned op, const char *a, const char *b, const char *constants[2]) {
  if (op == GT_GATE_FALSE || op == GT_GATE_TRUE) fputs(constants[op == GT_GATE_TRUE], file);
  for (const char *c = expression[op]; *c; c++) {
    if (*c == 'a' || *c == 'b')
      fputs(*c == 'a' ? a : b, file);
    else
      fputc(*c, file);
  }
}

void gt_export_text(FILE *file, const char *name, const char *text) {
  for (const char *at; (at = strchr(text, '@')); text = at + 1) {
    fwrite(text, 1, (size_t)(at - text), file);
    fputs(name, file);
  }
  fputs(text, file);
}

char *gt_export_name(const char *text, size_t length) {
  /* Words that the two languages keep for themselves, and what the text at hand already means. */
  static const char *const taken[] = {
      "always",  "and",     "assign", "auto",    "begin",  "bool",   "break",    "buf",    "case",
      "cell",    "char",    "config", "const",   "design", "do",     "double",   "edge",   "else",
      "end",     "enum",    "event",  "extern",  "float",  "for",    "force",    "goto",   "if",
      "in",      "initial", "inline", "inout",   "input",  "int",    "integer",  "join",   "large",
      "library", "long",    "main",   "medium",  "module", "nand",   "nor",      "not",    "or",
      "out",     "output",  "real",   "reg",     "repeat", "return", "scalared", "short",  "signed",
      "sizeof",  "small",   "static", "strong",  "struct", "switch", "table",    "task",   "time",
      "tri",     "typedef", "union",  "use",     "vector", "void",   "volatile", "wait",   "wand",
      "weak",    "while",   "wire",   "wor",     "xnor",   "xor",    "exit",     "printf", "memcpy",
      "malloc",  "free",    "abs",    "getchar", "strcmp", "WORD",   "state"};
  char *name = gt_alloc(length + 9), *to = name;
  if (!length || !isalpha((unsigned char)*text)) to += sprintf(to, "circuit_");
  for (const char *c = text; c < text + length; c++)
    *to++ = isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? *c : '_';
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    if (strcmp(name, taken[i])) continue;
    memmove(name + 8, name, length + 1);
    memcpy(name, "circuit_", 8);
    break;
  }
  return name;
}
