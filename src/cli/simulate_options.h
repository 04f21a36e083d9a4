/* The parsed options of `gtrain simulate`. */
#ifndef GT_CLI_SIMULATE_OPTIONS_H
#define GT_CLI_SIMULATE_OPTIONS_H
#include "automaton/simulation.h"
#include "cli/command.h"
#include "base/arena.h"

typedef struct gt_simulate_settings {
  int64_t height, width; /* 0: not given */
  int64_t steps;         /* -1: not given */
  int64_t every;         /* print errors every this many boards; 0: only at the end */
  int64_t picture_every; /* write an image every this many boards */
  int64_t scale, fps;    /* pixels per cell; images per second */
  int64_t seed;
  double fire_rate;   /* 0: not given */
  const char *start;  /* a name of gt_simulate_starts, a file, or NULL */
  int64_t channel[3]; /* channels to draw */
  int channels;       /* their number; 0: not given */
  gt_damage *damage;  /* in the arena */
  int damages;        /* number of elements in `damage` */
} gt_simulate_settings;

extern const char *const gt_simulate_starts[]; /* "random", "zeros", "centre", NULL */

/* Reads all options. False after a usage error, which is reported. */
bool gt_simulate_read(const gt_arguments *arguments, gt_simulate_settings *out);
/* True if all damage fits on the board; otherwise GT_ERR_USAGE. */
bool gt_simulate_fits(const gt_simulate_settings *settings, int64_t height, int64_t width, gt_error *error);
#endif
