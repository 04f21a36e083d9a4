/* gtrain simulate: a trained automaton on a grid of any size, with damage, against its target. */
#include "automaton/board_file.h"
#include "automaton/experiment.h"
#include "automaton/frames.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "cli/common.h"
#include "cli/lasting.h"
#include "cli/simulate_options.h"
#include "export/circuit_model.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"steps", "N", "steps to run (default: as many as in training)", false},
    {"grid", "HxW", "size of the board in cells (default: that of --start FILE, else as in training)", false},
    {"start", "NAME|FILE",
     "random, zeros, centre, or FILE, a PNG or text with digits 0 and 1 (default: the config's)", false, 0,
     gt_simulate_starts},
    {"seed", "N", "seed of the start, of the cells that fire and of random damage (default: 1)", false},
    {"fire-rate", "P", "probability that a cell is updated in a step; 1: all cells (default: the model's)",
     false},
    {"damage", "DAMAGE", "set cells to 0 during the run, see above", true},
    {"every", "N", "print the errors of every Nth board", false},
    {"fail-if", "'METRIC>N'", "exit with 1 if true; METRIC is errors or mean_errors, e.g. 'errors>0'", true},
    {"png", "DIR", "write boards as images DIR/step-000000.png, …", false},
    {"animation", "FILE", "write boards as one animated PNG, which browsers play in a loop", false},
    {"picture-every", "N", "write an image of every Nth board only (default: 1)", false},
    {"fps", "N", "images per second in the animation (default: 10)", false},
    {"scale", "N", "width and height of a cell in pixels (default: 4)", false},
    {"channels", "LIST",
     "one channel to show in gray, or three in color, such as 0,1,2 (default: the outputs)", false},
    {"final", "FILE", "write the last board as text that --start can read", false},
    {"set", "data.KEY=VALUE", "replace a value of the config's data, e.g. data.square=4", true, 's'},
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};
static const char *const metrics[] = {"errors", "mean_errors"};
enum { METRICS = sizeof metrics / sizeof *metrics };

typedef struct task {
  const gt_arguments *arguments;
  gt_arena *arena;
  gt_simulate_settings settings;
  gt_gate *gates;
  int gate_count;
  gt_model_file file;
  gt_model_circuit model;
  gt_diagnostics diagnostics;
  gt_dataset dataset;
  const gt_ca_boards *boards; /* starts and targets of the config; NULL: none */
  gt_experiment experiment;
  gt_lasting lasting;
  bool checks_stability; /* the run continues after its result, to record whether the target is kept */
  gt_frames frames;
  gt_error error;
} task;

/* --- inputs --- */

static bool read_config(task *e) {
  static const char *const settings[] = {"data.", "quiet=", NULL};
  const gt_spec *data;
  if (!gt_cli_model_data(e->arguments, e->arena, &e->file, settings, &data, &e->diagnostics, &e->error))
    return false;
  const gt_spec *format = gt_spec_find(data, "format");
  if (!format || format->kind != GT_SPEC_SCALAR || strcmp(format->scalar, "ca")) return true;
  const gt_data_requirements wanted = {.untrusted = gt_model_file_untrusted(&e->file)};
  if (!gt_dataset_open(data, 0, &wanted, e->arena, &e->dataset, &e->diagnostics, &e->error)) return false;
  e->boards = gt_ca_boards_of(&e->dataset);
  if (e->boards->channels == e->model.automaton.ca.channels) return true;
  return gt_fail(&e->error, GT_ERR_DATA, "%s: cells have %lld channels in its data, but %u in its automaton",
                 e->file.path, (long long)e->boards->channels, e->model.automaton.ca.channels);
}

static bool read_model(task *e) {
  const char *path = gt_model_path(e->arena, e->arguments->word[0], &e->error);
  if (!gt_model_file_read(&e->file, path, &e->error) ||
      !gt_model_circuit_read(&e->model, &e->file, &e->error))
    return false;
  if (!e->model.automaton.is_automaton)
    return gt_fail(&e->error, GT_ERR_DATA, "%s is not a cellular automaton: it has no layer logic_ca", path);
  gt_model_circuit_simplify(&e->model);
  return true;
}

static bool is_file(const char *start) {
  for (int i = 0; start && gt_simulate_starts[i]; i++)
    if (!strcmp(start, gt_simulate_starts[i])) return false;
  return start != NULL;
}

/* The config's start, as named on the command line. */
static const char *default_start(const gt_ca_boards *boards) {
  if (boards && boards->start == GT_CA_START_CENTRE) return "centre";
  return boards && boards->start == GT_CA_START_ZEROS ? "zeros" : "random";
}

static gt_ca_start find_start(const char *name) {
  if (!strcmp(name, "centre")) return GT_CA_START_CENTRE;
  return !strcmp(name, "random") ? GT_CA_START_RANDOM : GT_CA_START_ZEROS;
}

/* Chooses the size of the board: that of --grid, else of the --start file, else of the training. Chooses the
 * number of steps, too. */
static bool choose_grid(task *e, const gt_board_file *file) {
  gt_simulate_settings *s = &e->settings;
  if (file->cells && s->height && (s->height != file->height || s->width != file->width))
    return gt_fail(&e->error, GT_ERR_USAGE, "--start %s has %ux%u cells, but --grid is %lldx%lld", s->start,
                   file->height, file->width, (long long)s->height, (long long)s->width);
  if (file->cells) s->height = file->height, s->width = file->width;
  if (!s->height) s->height = e->boards ? e->boards->height : e->model.automaton.height;
  if (!s->width) s->width = e->boards ? e->boards->width : e->model.automaton.width;
  e->checks_stability = s->steps < 0;
  if (s->steps < 0) s->steps = e->model.automaton.steps;
  return gt_simulate_fits(s, s->height, s->width, &e->error);
}

static bool open_board(task *e) {
  gt_simulate_settings *s = &e->settings;
  gt_simulation *simulation = &e->experiment.simulation;
  gt_board_file file = {0};
  bool ok =
      !is_file(s->start) || gt_board_file_read(s->start, e->model.automaton.ca.channels, &file, &e->error);
  const char *start = s->start ? s->start : default_start(e->boards);
  ok = ok && choose_grid(e, &file) &&
       gt_experiment_open(&e->experiment, &e->model.automaton.ca, e->boards, s->height, s->width,
                          s->fire_rate > 0 ? s->fire_rate : e->model.automaton.fire_rate, (uint64_t)s->seed,
                          &e->error);
  simulation->damage = s->damage;
  simulation->damages = s->damages;
  if (ok && file.cells)
    gt_board_write(&simulation->board, file.cells);
  else
    ok = ok && gt_experiment_start(&e->experiment, find_start(start), &e->error);
  gt_board_file_finish(&file);
  if (ok)
    gt_info(
        "%lldx%lld cells of %u bit%s, %s, fire rate %g, start %s", (long long)s->height, (long long)s->width,
        e->model.automaton.ca.channels, e->model.automaton.ca.channels == 1 ? "" : "s",
        e->model.automaton.ca.periodic ? "a torus" : "zeros outside the board", simulation->fire_rate, start);
  return ok;
}

static bool open_target(task *e) {
  const gt_simulate_settings *s = &e->settings;
  if (!gt_experiment_enable_comparison(&e->experiment, &e->error)) return false;
  e->lasting = (gt_lasting){.trained = e->model.automaton.steps, .cells = e->experiment.cells};
  if (e->experiment.compare) return true;
  if (e->boards)
    gt_info("the target is a picture of %lldx%lld cells, so on %lldx%lld cells errors are not counted",
            (long long)e->boards->height, (long long)e->boards->width, (long long)s->height,
            (long long)s->width);
  return !e->gate_count || gt_fail(&e->error, GT_ERR_USAGE, "--fail-if: this board has no target");
}

static bool open_frames(task *e) {
  const char *final = gt_option_value(e->arguments, "final");
  if (!gt_output_check(final, &e->error) ||
      !gt_output_check_two(gt_option_value(e->arguments, "animation"), final, &e->error))
    return false;
  const gt_simulate_settings *s = &e->settings;
  const bool colored = s->channels ? s->channels == 3 : e->model.automaton.outputs == 3;
  gt_frames_settings f = {.folder = gt_option_value(e->arguments, "png"),
                          .animation = gt_option_value(e->arguments, "animation"),
                          .scale = (uint32_t)s->scale,
                          .delay_ms = 1000 / (uint32_t)s->fps,
                          .frames = s->steps / s->picture_every + 1,
                          .shown = colored ? 3 : 1};
  for (uint32_t c = 0; c < f.shown; c++) {
    f.channel[c] = s->channels ? (uint32_t)s->channel[c] : c;
    if (f.channel[c] >= e->model.automaton.ca.channels)
      return gt_fail(&e->error, GT_ERR_USAGE,
                     "--channels: there is no channel %u; cells have channels 0 to %u", f.channel[c],
                     e->model.automaton.ca.channels - 1);
  }
  return gt_frames_open(&e->frames, &f, &e->experiment.simulation.board, &e->error);
}

/* --- results --- */

static void print_board(const task *e) {
  const gt_experiment *x = &e->experiment;
  const int64_t step = x->simulation.step;
  const bool rule = gt_experiment_has_rule(x);
  if (!e->settings.every || step % e->settings.every || !x->compare || (rule && !step)) return;
  if (gt_flag(e->arguments, "json"))
    gt_cli_print_json(json_pack("{s:I, s:I}", "step", (json_int_t)step, "errors", (json_int_t)x->errors));
  else
    printf("step %lld: %lld of %lld cells differ from the %s\n", (long long)step, (long long)x->errors,
           (long long)x->cells, rule ? "rule" : "target");
}

/* The result `errors`: those of the last board or, with a rule, of all steps. */
static int64_t errors_of(const gt_experiment *x) { return gt_experiment_has_rule(x) ? x->total : x->errors; }

static void print_json(const gt_experiment *x, const gt_lasting *lasting) {
  json_t *root = json_object();
  json_object_set_new(root, "steps", json_integer(x->simulation.step));
  json_object_set_new(root, "height", json_integer(x->height));
  json_object_set_new(root, "width", json_integer(x->width));
  json_object_set_new(root, "errors", x->compare ? json_integer(errors_of(x)) : json_null());
  json_object_set_new(root, "mean_errors",
                      x->compare ? json_real(gt_experiment_mean_errors(x)) : json_null());
  json_object_set_new(root, "none_since", x->compare && !x->errors ? json_integer(x->since) : json_null());
  if (lasting->known) gt_cli_add_lasting(root, lasting);
  gt_cli_print_json(root);
}

static void print_result(const task *e, const gt_experiment *x) {
  const long long steps = x->simulation.step, cells = x->cells;
  if (gt_flag(e->arguments, "json")) {
    print_json(x, &e->lasting);
  } else if (!x->compare) {
    printf("%lld steps of %lld cells, without a target\n", steps, cells);
  } else if (gt_experiment_has_rule(x)) {
    printf("steps 1 to %lld: %lld of %lld cells differ from the rule\n", steps, (long long)x->total,
           steps * cells);
  } else {
    printf("step %lld: %lld of %lld cells differ from the target", steps, (long long)x->errors, cells);
    if (!x->errors) printf(", none since step %lld", (long long)x->since);
    printf("; mean %.6g\n", gt_experiment_mean_errors(x));
    gt_cli_print_lasting(&e->lasting);
  }
}

static bool write_final(task *e) {
  const char *path = gt_option_value(e->arguments, "final");
  void *cells = NULL;
  if (!path) return true;
  if (!gt_try_alloc(&cells, (uint64_t)e->experiment.cells, e->model.automaton.ca.channels, "the last board",
                    &e->error))
    return false;
  gt_board_read(&e->experiment.simulation.board, cells);
  const gt_board_file file = {(uint32_t)e->settings.height, (uint32_t)e->settings.width, cells};
  const bool ok = gt_board_file_write(path, &file, e->model.automaton.ca.channels, &e->error);
  free(cells);
  return ok;
}

/* --- the run --- */

/* Damages, compares, prints and draws the current board. */
static bool show_board(task *e) {
  const gt_simulation *simulation = &e->experiment.simulation;
  gt_experiment_damage(&e->experiment);
  if (gt_lasting_applies(&e->experiment)) gt_lasting_record(&e->lasting, &e->experiment);
  print_board(e);
  return simulation->step % e->settings.picture_every ||
         gt_frames_add(&e->frames, &simulation->board, simulation->step, &e->error);
}

static bool simulate(task *e) {
  bool ok = show_board(e);
  for (int64_t n = 0; n < e->settings.steps && ok; n++) {
    gt_experiment_step(&e->experiment);
    ok = show_board(e);
  }
  return gt_frames_close(&e->frames, &e->error) && ok && write_final(e);
}

/* Without --steps, the run continues after its result, only to record how long the target is kept. */
static void check_stability(task *e) {
  while (e->checks_stability && gt_lasting_applies(&e->experiment) &&
         e->experiment.simulation.step < gt_lasting_last_step(&e->lasting)) {
    gt_experiment_step(&e->experiment);
    gt_experiment_damage(&e->experiment);
    gt_lasting_record(&e->lasting, &e->experiment);
  }
}

static int check_gates(const task *e, const gt_experiment *result) {
  int code = GT_OK;
  for (int i = 0; i < e->gate_count; i++) {
    const bool is_mean = strcmp(e->gates[i].metric, "errors") != 0;
    const double value = is_mean ? gt_experiment_mean_errors(result) : (double)errors_of(result);
    if (gt_gate_fails(&e->gates[i], value)) code = GT_ERR_GATE;
  }
  return code;
}

static int run(const gt_arguments *arguments) {
  task e = {.arguments = arguments, .arena = arguments->arena};
  int code = GT_ERR_USAGE;
  gt_diagnostics_init(&e.diagnostics, e.arena);
  if (gt_cli_gates(arguments, &(gt_gate_metrics){metrics, METRICS, false}, &e.gates, &e.gate_count) &&
      gt_simulate_read(arguments, &e.settings)) {
    const bool ok = read_model(&e) && read_config(&e) && open_board(&e) && open_target(&e) &&
                    open_frames(&e) && simulate(&e);
    const gt_experiment result = e.experiment; /* a copy, because check_stability continues the run */
    if (ok) check_stability(&e), print_result(&e, &result);
    code = ok ? check_gates(&e, &result) : gt_cli_model_report(arguments, &e.diagnostics, &e.error);
  }
  gt_frames_close(&e.frames, &e.error);
  gt_experiment_close(&e.experiment);
  gt_dataset_close(&e.dataset);
  gt_model_circuit_finish(&e.model);
  gt_model_file_finish(&e.file);
  return code;
}

static bool is_automaton(const gt_model_file *file) {
  gt_model_circuit model = {0};
  gt_error error = {0};
  const bool ok = gt_model_circuit_read(&model, file, &error) && model.automaton.is_automaton;
  gt_model_circuit_finish(&model);
  return ok;
}

GT_DEFINE(command, simulate) = {
    .name = "simulate",
    .summary = "run a trained cellular automaton on any grid",
    .usage = "MODEL [options]",
    .details =
        "MODEL is a model.bin or a run directory. Runs the circuit of a logic_ca model, in which each gate\n"
        "is the most likely function after training, and compares the first channels of its cells with the\n"
        "target of its config. A checkerboard continues over a larger grid; a picture has its own size.\n"
        "For the Game of Life, the target of each step is Conway's next board, and errors are summed over\n"
        "the steps. mean_errors is the mean over all boards but the first.\n"
        "A board with a fixed target is also compared after 1, 2, 4 and 10 times the steps of the\n"
        "training, as far as the run goes. Without --steps, the run continues after its result to reach\n"
        "all of them.\n"
        "\n"
        "DAMAGE sets all channels of some cells to 0. Board 0 is the start, board n the result of step n.\n"
        "  ROW,COLUMN,HxW              a block of H rows and W columns, on all boards\n"
        "  ROW,COLUMN,HxW:LAST         on boards 0 to LAST; or :FIRST-LAST\n"
        "  random:HxW[:COUNT[:EVERY]]  COUNT blocks (1) at random places, on every EVERYth board (1)\n",
    .examples = {"gtrain simulate runs/life/model.bin --steps 100",
                 "gtrain simulate runs/life/model.bin --grid 64x64 --steps 50 --animation life.png"},
    .suits = is_automaton,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
