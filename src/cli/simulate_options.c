#include "cli/simulate_options.h"
#include "draw/png.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = INT32_MAX };

const char *const gt_simulate_starts[] = {"random", "zeros", "centre", NULL};

/* --- parsing: each function advances *at over the text that it has read --- */

static bool accept(const char **at, char c) { return **at == c && ++*at; }

static bool parse_number(const char **at, int64_t min, int64_t max, int64_t *value) {
  int64_t number = 0;
  if (**at < '0' || **at > '9') return false;
  for (; **at >= '0' && **at <= '9'; ++*at)
    if ((number = 10 * number + (**at - '0')) > max) return false;
  *value = number;
  return number >= min;
}

static bool parse_size(const char **at, int64_t *height, int64_t *width) {
  return parse_number(at, 1, GT_PNG_MAX_SIDE, height) && accept(at, 'x') &&
         parse_number(at, 1, GT_PNG_MAX_SIDE, width);
}

/* --- damage --- */

/* HxW[:COUNT[:EVERY]] */
static bool parse_random(const char *at, gt_damage *d) {
  *d = (gt_damage){.random = true, .count = 1, .every = 1, .last = INT64_MAX};
  bool ok = parse_size(&at, &d->height, &d->width);
  if (ok && accept(&at, ':')) {
    ok = parse_number(&at, 1, 1000000, &d->count);
    if (ok && accept(&at, ':')) ok = parse_number(&at, 1, MAX_STEPS, &d->every);
  }
  d->first = d->every; /* the start is not damaged */
  return ok && !*at;
}

/* Y,X,HxW[:LAST] or :FIRST-LAST */
static bool parse_block(const char *at, gt_damage *d) {
  *d = (gt_damage){.count = 1, .every = 1, .last = INT64_MAX};
  bool ok = parse_number(&at, 0, GT_PNG_MAX_SIDE, &d->y) && accept(&at, ',') &&
            parse_number(&at, 0, GT_PNG_MAX_SIDE, &d->x) && accept(&at, ',') &&
            parse_size(&at, &d->height, &d->width);
  if (ok && accept(&at, ':')) {
    ok = parse_number(&at, 0, MAX_STEPS, &d->last);
    if (ok && accept(&at, '-')) {
      d->first = d->last;
      ok = parse_number(&at, d->first, MAX_STEPS, &d->last);
    }
  }
  return ok && !*at;
}

static bool read_damage(const gt_arguments *arguments, gt_simulate_settings *s) {
  const char *const *given = gt_option_values(arguments, "damage", arguments->arena, &s->damages);
  s->damage = GT_NEW_N(arguments->arena, gt_damage, s->damages);
  for (int i = 0; i < s->damages; i++) {
    const char *text = given[i];
    gt_damage *d = &s->damage[i];
    if (!strncmp(text, "random:", 7) ? parse_random(text + 7, d) : parse_block(text, d)) continue;
    gt_usage_error(arguments,
                   "--damage '%s': expected ROW,COLUMN,HxW, the same with :LAST or :FIRST-LAST (steps), or "
                   "random:HxW[:COUNT[:EVERY]]",
                   text);
    return false;
  }
  return true;
}

bool gt_simulate_fits(const gt_simulate_settings *s, int64_t height, int64_t width, gt_error *error) {
  for (int i = 0; i < s->damages; i++) {
    const gt_damage *d = &s->damage[i];
    if (d->y + d->height > height || d->x + d->width > width)
      return gt_fail(error, GT_ERR_USAGE,
                     "--damage: a block of %lldx%lld%s does not fit on a board of %lldx%lld",
                     (long long)d->height, (long long)d->width, d->random ? "" : " at that place",
                     (long long)height, (long long)width);
  }
  return true;
}

/* --- the rest --- */

static bool read_grid(const gt_arguments *arguments, gt_simulate_settings *s) {
  const char *text = gt_option_value(arguments, "grid"), *at = text;
  if (!text || (parse_size(&at, &s->height, &s->width) && !*at)) return true;
  gt_usage_error(arguments, "--grid '%s': expected HEIGHTxWIDTH, such as 64x64, at most %d a side", text,
                 GT_PNG_MAX_SIDE);
  return false;
}

static bool read_channels(const gt_arguments *arguments, gt_simulate_settings *s) {
  const char *text = gt_option_value(arguments, "channels"), *at = text;
  if (!text) return true;
  bool ok = true;
  for (s->channels = 0; ok && s->channels < 3 && (!s->channels || accept(&at, ',')); s->channels++)
    ok = parse_number(&at, 0, UINT16_MAX, &s->channel[s->channels]);
  if (ok && !*at && s->channels != 2) return true;
  gt_usage_error(arguments,
                 "--channels '%s': expected one channel, or three for red, green and blue, such as 0,1,2",
                 text);
  return false;
}

static bool read_rate(const gt_arguments *arguments, gt_simulate_settings *s) {
  const char *text = gt_option_value(arguments, "fire-rate");
  char *end = NULL;
  if (!text) return true;
  s->fire_rate = strtod(text, &end);
  if (end != text && !*end && s->fire_rate > 0 && s->fire_rate <= 1) return true;
  gt_usage_error(arguments, "--fire-rate '%s': expected a probability above 0, at most 1", text);
  return false;
}

bool gt_simulate_read(const gt_arguments *arguments, gt_simulate_settings *s) {
  *s = (gt_simulate_settings){.steps = -1, .picture_every = 1, .scale = 4, .fps = 10, .seed = 1};
  s->start = gt_option_value(arguments, "start");
  return read_grid(arguments, s) && read_channels(arguments, s) && read_rate(arguments, s) &&
         read_damage(arguments, s) && gt_option_int(arguments, "steps", 0, MAX_STEPS, &s->steps) &&
         gt_option_int(arguments, "every", 1, MAX_STEPS, &s->every) &&
         gt_option_int(arguments, "picture-every", 1, MAX_STEPS, &s->picture_every) &&
         gt_option_int(arguments, "scale", 1, GT_PNG_MAX_SIDE, &s->scale) &&
         gt_option_int(arguments, "fps", 1, 1000, &s->fps) &&
         gt_option_int(arguments, "seed", 0, INT64_MAX, &s->seed);
}
