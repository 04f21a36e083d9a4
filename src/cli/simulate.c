/* gtrain simulate: a trained automaton on a grid of any size, with damage, against its target. */
#include "base/log.h"
#include "base/memory.h"
#include "cli/board_file.h"
#include "export/circuit_model.h"
#include "cli/common.h"
#include "cli/frames.h"
#include "cli/simulate_options.h"
#include "data/ca.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"steps", "N", "steps to run (default: as many as in training)", false},
    {"grid", "HxW", "cells of the board (default: those of --start FILE, else of the training)", false},
    {"start", "START",
     "random, zeros, centre or FILE: a PNG, or text of digits 0 and 1 (default: the config's)", false},
    {"seed", "N", "of the start, the cells that fire and random damage (default: 1)", false},
    {"fire-rate", "P", "probability that a cell takes a step, 1: all together (default: the model's)", false},
    {"damage", "DAMAGE", "zero cells while it runs, see above; may be given several times", true},
    {"every", "N", "print the errors of every Nth board", false},
    {"fail-if", "'METRIC>N'", "exit with 1 if so: errors or mean_errors, e.g. 'errors>0'", true},
    {"png", "DIR", "write boards as pictures DIR/step-000000.png, …", false},
    {"animation", "FILE", "write them as one animated PNG, which browsers play in a loop", false},
    {"picture-every", "N", "only every Nth board becomes a picture (default: 1)", false},
    {"fps", "N", "pictures a second of the animation (default: 10)", false},
    {"scale", "N", "side of a cell in pixels (default: 4)", false},
    {"channels", "LIST", "one channel to show in grey, or three in colours: 0,1,2 (default: the outputs)",
     false},
    {"final", "FILE", "write the last board as text, as --start reads it", false},
    {"set", "data.KEY=VALUE", "replace a value of the config's data, e.g. data.square=4", true},
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};
static const char *const metrics[] = {"errors", "mean_errors"};
enum { METRICS = sizeof metrics / sizeof *metrics };

typedef struct experiment {
  const gt_arguments *arguments;
  gt_arena arena;
  gt_simulate_settings settings;
  gt_gate *gates;
  int gate_count;
  gt_model_file file;
  gt_model_circuit model;
  gt_diagnostics diagnostics;
  gt_dataset dataset;
  const gt_ca_boards *boards; /* what the config says of starts and targets; NULL: nothing */
  bool compare;               /* there is a target on this grid */
  gt_simulation simulation;
  gt_frames frames;
  int64_t cells;
  uint8_t *seen, *target; /* [cells][boards->seen] */
  uint8_t *before;        /* [cells]: the board before a step, for the Game of Life */
  int64_t errors, total;  /* of the board; of all boards after the first */
  int64_t since;          /* no board from this one on has errors */
  gt_error error;
} experiment;

/* --- what is given --- */

static bool read_config(experiment *e) {
  static const char *const settings[] = {"data.", NULL};
  const gt_spec *data;
  if (!gt_cli_model_data(e->arguments, &e->arena, &e->file, settings, &data, &e->diagnostics, &e->error))
    return false;
  const gt_spec *format = gt_spec_find(data, "format");
  if (!format || format->kind != GT_SPEC_SCALAR || strcmp(format->scalar, "ca")) return true;
  const gt_data_wanted wanted = {.stranger = e->file.path};
  if (!gt_dataset_open(data, 0, &wanted, &e->arena, &e->dataset, &e->diagnostics, &e->error)) return false;
  e->boards = e->dataset.boards;
  if (e->boards->channels == e->model.ca.channels) return true;
  return gt_fail(&e->error, GT_ERR_DATA, "%s: its data has cells of %lld channels, its automaton of %u",
                 e->file.path, (long long)e->boards->channels, e->model.ca.channels);
}

static bool read_model(experiment *e) {
  const char *path = e->arguments->word[0];
  if (!gt_model_file_read(&e->file, path, &e->error) ||
      !gt_model_circuit_read(&e->model, &e->file, &e->error))
    return false;
  if (!e->model.automaton)
    return gt_fail(&e->error, GT_ERR_DATA, "%s is no cellular automaton: it has no layer logic_ca", path);
  gt_model_circuit_simplify(&e->model);
  return true;
}

static bool is_file(const char *start) {
  for (int i = 0; start && gt_simulate_starts[i]; i++)
    if (!strcmp(start, gt_simulate_starts[i])) return false;
  return start != NULL;
}

/* The config's start, by the names of the command line. */
static const char *default_start(const gt_ca_boards *boards) {
  if (boards && boards->start == GT_CA_START_CENTRE) return "centre";
  return boards && boards->start == GT_CA_START_ZEROS ? "zeros" : "random";
}

/* The size of the board: what is given, what the file has, what the training had. */
static bool choose_grid(experiment *e, const gt_board_file *file) {
  gt_simulate_settings *s = &e->settings;
  if (file->cells && s->height && (s->height != file->height || s->width != file->width))
    return gt_fail(&e->error, GT_ERR_USAGE, "--start %s has %ux%u cells, --grid %lldx%lld", s->start,
                   file->height, file->width, (long long)s->height, (long long)s->width);
  if (file->cells) s->height = file->height, s->width = file->width;
  if (!s->height) s->height = e->boards ? e->boards->height : e->model.height;
  if (!s->width) s->width = e->boards ? e->boards->width : e->model.width;
  if (s->steps < 0) s->steps = e->model.steps;
  e->cells = s->height * s->width;
  return gt_simulate_fits(s, s->height, s->width, &e->error);
}

static bool start_centre(experiment *e) {
  void *cells = NULL;
  const size_t channels = e->model.ca.channels;
  if (!gt_try_alloc(&cells, (uint64_t)e->cells, channels, "the first board", &e->error)) return false;
  memset(cells, 0, (size_t)e->cells * channels);
  memset((uint8_t *)cells + (size_t)gt_ca_centre(e->settings.height, e->settings.width) * channels, 1,
         channels);
  gt_board_write(&e->simulation.board, cells);
  free(cells);
  return true;
}

static bool open_board(experiment *e) {
  gt_simulate_settings *s = &e->settings;
  gt_board_file file = {0};
  bool ok = !is_file(s->start) || gt_board_file_read(s->start, e->model.ca.channels, &file, &e->error);
  const char *start = s->start ? s->start : default_start(e->boards);
  ok = ok && choose_grid(e, &file) &&
       gt_simulation_init(&e->simulation, &e->model.ca, (uint32_t)s->height, (uint32_t)s->width,
                          s->fire_rate > 0 ? s->fire_rate : e->model.fire_rate, (uint64_t)s->seed, &e->error);
  e->simulation.damage = s->damage;
  e->simulation.damages = s->damages;
  if (ok && file.cells)
    gt_board_write(&e->simulation.board, file.cells);
  else if (ok && !strcmp(start, "random"))
    ok = gt_simulation_randomize(&e->simulation, &e->error);
  else if (ok && !strcmp(start, "centre"))
    ok = start_centre(e);
  gt_board_file_finish(&file);
  if (ok)
    gt_info("%lldx%lld cells of %u bit%s, %s, fire rate %g, start %s", (long long)s->height,
            (long long)s->width, e->model.ca.channels, e->model.ca.channels == 1 ? "" : "s",
            e->model.ca.periodic ? "a torus" : "zeros beyond the border", e->simulation.fire_rate, start);
  return ok;
}

static bool open_target(experiment *e) {
  void *memory = NULL;
  const gt_simulate_settings *s = &e->settings;
  e->compare = e->boards && gt_ca_fits(e->boards, s->height, s->width);
  if (e->boards && !e->compare)
    gt_info("the target is a picture of %lldx%lld cells: on %lldx%lld no errors are counted",
            (long long)e->boards->height, (long long)e->boards->width, (long long)s->height,
            (long long)s->width);
  if (!e->compare)
    return !e->gate_count || gt_fail(&e->error, GT_ERR_USAGE, "--fail-if: there is no target on this board");
  const size_t seen = (size_t)e->boards->seen;
  if (!gt_try_alloc(&memory, (uint64_t)e->cells, 2 * seen + 1, "the target", &e->error)) return false;
  e->seen = memory;
  e->target = e->seen + (size_t)e->cells * seen;
  e->before = e->target + (size_t)e->cells * seen;
  if (e->boards->target != GT_CA_LIFE) gt_ca_target_of(e->boards, NULL, s->height, s->width, e->target);
  return true;
}

static bool open_frames(experiment *e) {
  const gt_simulate_settings *s = &e->settings;
  const bool colours = s->channels ? s->channels == 3 : e->model.outputs == 3;
  gt_frames_settings f = {.folder = gt_option_value(e->arguments, "png"),
                          .animation = gt_option_value(e->arguments, "animation"),
                          .scale = (uint32_t)s->scale,
                          .delay_ms = 1000 / (uint32_t)s->fps,
                          .frames = s->steps / s->picture_every + 1,
                          .shown = colours ? 3 : 1};
  for (uint32_t c = 0; c < f.shown; c++) {
    f.channel[c] = s->channels ? (uint32_t)s->channel[c] : c;
    if (f.channel[c] >= e->model.ca.channels)
      return gt_fail(&e->error, GT_ERR_USAGE, "--channels: there is no channel %u: cells have 0 to %u",
                     f.channel[c], e->model.ca.channels - 1);
  }
  return gt_frames_open(&e->frames, &f, &e->simulation.board, &e->error);
}

/* --- what comes out --- */

static bool by_rule(const experiment *e) { return e->boards->target == GT_CA_LIFE; }

/* Cells of the board that are not as they should be. By the Game of Life only cells that fired can be wrong.
 */
static void count_errors(experiment *e) {
  const int64_t seen = e->boards->seen;
  const uint8_t *fires = by_rule(e) ? e->simulation.fires : NULL;
  for (int64_t c = 0; c < seen; c++)
    gt_board_channel(&e->simulation.board, (uint32_t)c, e->seen + c, (size_t)seen);
  e->errors = 0;
  for (int64_t i = 0; i < e->cells; i++)
    e->errors += memcmp(e->seen + i * seen, e->target + i * seen, (size_t)seen) && (!fires || fires[i]);
  if (e->errors) e->since = e->simulation.step + 1;
  if (e->simulation.step) e->total += e->errors;
}

static void print_board(const experiment *e) {
  const int64_t step = e->simulation.step;
  if (!e->settings.every || step % e->settings.every || !e->compare || (by_rule(e) && !step)) return;
  if (gt_flag(e->arguments, "json"))
    gt_cli_print_json(json_pack("{s:I, s:I}", "step", (json_int_t)step, "errors", (json_int_t)e->errors));
  else
    printf("step %lld: %lld of %lld cells differ from the %s\n", (long long)step, (long long)e->errors,
           (long long)e->cells, by_rule(e) ? "rule" : "target");
}

static double mean_errors(const experiment *e) {
  const int64_t steps = e->settings.steps;
  return steps ? (double)e->total / (double)steps : (double)e->errors;
}

static void print_json(const experiment *e) {
  json_t *root = json_object();
  json_object_set_new(root, "steps", json_integer(e->settings.steps));
  json_object_set_new(root, "height", json_integer(e->settings.height));
  json_object_set_new(root, "width", json_integer(e->settings.width));
  json_object_set_new(root, "errors",
                      e->compare ? json_integer(by_rule(e) ? e->total : e->errors) : json_null());
  json_object_set_new(root, "mean_errors", e->compare ? json_real(mean_errors(e)) : json_null());
  json_object_set_new(root, "none_since", e->compare && !e->errors ? json_integer(e->since) : json_null());
  gt_cli_print_json(root);
}

static void print_result(const experiment *e) {
  const long long steps = e->settings.steps, cells = e->cells;
  if (gt_flag(e->arguments, "json")) {
    print_json(e);
  } else if (!e->compare) {
    printf("%lld steps of %lld cells, without a target\n", steps, cells);
  } else if (by_rule(e)) {
    printf("steps 1 to %lld: %lld of %lld cells differ from the rule\n", steps, (long long)e->total,
           steps * cells);
  } else {
    printf("step %lld: %lld of %lld cells differ from the target", steps, (long long)e->errors, cells);
    if (!e->errors) printf(", none since step %lld", (long long)e->since);
    printf("; mean %.6g\n", mean_errors(e));
  }
}

static bool write_final(experiment *e) {
  const char *path = gt_option_value(e->arguments, "final");
  void *cells = NULL;
  if (!path) return true;
  if (!gt_try_alloc(&cells, (uint64_t)e->cells, e->model.ca.channels, "the last board", &e->error))
    return false;
  gt_board_read(&e->simulation.board, cells);
  const gt_board_file file = {(uint32_t)e->settings.height, (uint32_t)e->settings.width, cells};
  const bool ok = gt_board_file_write(path, &file, e->model.ca.channels, &e->error);
  free(cells);
  return ok;
}

/* --- the run --- */

/* The board as it is now is done with. */
static bool show_board(experiment *e) {
  const int64_t step = e->simulation.step;
  gt_simulation_damage(&e->simulation);
  if (e->compare && !by_rule(e)) count_errors(e);
  print_board(e);
  return step % e->settings.picture_every || gt_frames_add(&e->frames, &e->simulation.board, step, &e->error);
}

static bool simulate(experiment *e) {
  bool ok = show_board(e);
  for (int64_t n = 0; n < e->settings.steps && ok; n++) {
    const bool life = e->compare && by_rule(e);
    if (life) {
      gt_board_channel(&e->simulation.board, 0, e->before, 1);
      gt_ca_target_of(e->boards, e->before, e->settings.height, e->settings.width, e->target);
    }
    gt_simulation_step(&e->simulation);
    if (life) count_errors(e); /* before damage: it is not the rule's fault */
    ok = show_board(e);
  }
  return gt_frames_close(&e->frames, &e->error) && ok && write_final(e);
}

static int check_gates(const experiment *e) {
  int code = GT_OK;
  for (int i = 0; i < e->gate_count; i++) {
    const double errors = (double)(by_rule(e) ? e->total : e->errors);
    if (gt_gate_fails(&e->gates[i], strcmp(e->gates[i].metric, "errors") ? mean_errors(e) : errors))
      code = GT_ERR_GATE;
  }
  return code;
}

static int run(const gt_arguments *arguments) {
  experiment e = {.arguments = arguments};
  int code = GT_ERR_USAGE;
  gt_arena_init(&e.arena);
  gt_diagnostics_init(&e.diagnostics, &e.arena);
  if (gt_cli_gates(arguments, &e.arena, metrics, METRICS, &e.gates, &e.gate_count) &&
      gt_simulate_read(arguments, &e.arena, &e.settings)) {
    const bool ok = read_model(&e) && read_config(&e) && open_board(&e) && open_target(&e) &&
                    open_frames(&e) && simulate(&e);
    if (ok) print_result(&e);
    code = ok ? check_gates(&e) : gt_cli_model_report(arguments, &e.diagnostics, &e.error);
  }
  gt_frames_close(&e.frames, &e.error);
  free(e.seen);
  gt_simulation_finish(&e.simulation);
  gt_dataset_close(&e.dataset);
  gt_model_circuit_finish(&e.model);
  gt_model_file_finish(&e.file);
  gt_arena_finish(&e.arena);
  return code;
}

GT_REGISTER(command, simulate)
extern const gt_command gt_command_simulate;
const gt_command gt_command_simulate = {
    .name = "simulate",
    .summary = "run a trained cellular automaton on any grid",
    .usage = "MODEL [options]",
    .details =
        "Runs the circuit of a logic_ca model, each gate the one that training came to, and compares the first\n"
        "channels of its cells with the target of its config: a checkerboard goes on over a larger grid, a\n"
        "picture has its own size. The target of a Game of Life is Conway's next board in every step; its errors\n"
        "are summed over the steps. mean_errors is the mean over all boards but the first.\n"
        "\n"
        "DAMAGE sets all channels of some cells to 0. Board 0 is the start, board n is what step n gave.\n"
        "  ROW,COLUMN,HxW              a block of H rows and W columns, on all boards\n"
        "  ROW,COLUMN,HxW:LAST         on boards 0 to LAST; or :FIRST-LAST\n"
        "  random:HxW[:COUNT[:EVERY]]  COUNT blocks (1) anywhere, drawn anew on every EVERYth board (1)\n",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
