/* compile [--table] [--dump DIR] [--units [--subgroup LANES]] CONFIG…: compiles every kernel for training,
 * evaluation and prediction with these configs, for the first device of a driver without hardware
 * (paper_device.h). --table: prints every kernel, not only those with a problem. --dump: writes the SPIR-V
 * of the kernels to DIR. --units: compiles only the kernels for matrix units, but also those of the op
 * cases, and checks that plans use every such kernel (units.h). --subgroup: plans for subgroups of this
 * size; a kernel that the driver compiles for another size is a problem. Exit code: 0; 1 if a kernel has a
 * problem (the driver refused it, spilled registers or does not report spills), if no plan uses a kernel
 * that --units checks, or if no kernel was compiled; 77 without a driver or, with --units, without matrix
 * units; otherwise gtrain's code for the error. */
#include "paper_device.h"
#include "backend/backend.h"
#include "base/memory.h"
#include "train/eval/predict.h"
#include "train/eval/evaluator.h"
#include "units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char device[] = "vulkan:0";

static bool compile_training(gt_session *session, gt_error *error) {
  const gt_dataset *data = &session->config->dataset;
  const gt_net_options options = {.target = session->backend->target};
  gt_net *net = gt_net_training(&session->arena, session->config, &options, error);
  gt_evaluator evaluator;
  bool ok = net && gt_session_compile(session, net, error);
  if (ok && data->split[GT_PART_VALIDATION].samples)
    ok = gt_evaluator_open(session, &evaluator, GT_PART_VALIDATION, false, error);
  if (ok && data->split[GT_PART_TEST].samples)
    ok = gt_evaluator_open(session, &evaluator, GT_PART_TEST, false, error);
  if (!ok) return false;
  const gt_model_results results = {.step = 1, .epoch = 1};
  gt_state_dict weights;
  gt_state_dict_init(&weights, net->model->store, GT_WEIGHT_ROLES, 1);
  ok = gt_model_write("model.bin", session->config, &weights, &results, error);
  gt_state_dict_finish(&weights);
  return ok;
}

/* Predicts the training inputs with model.bin, which compiles the kernels of prediction. */
static bool compile_prediction(const gt_config *config, gt_error *error) {
  gt_model_file file;
  gt_prediction out = {0};
  if (!gt_model_file_read(&file, "model.bin", error)) return false;
  const gt_split *train = &config->dataset.split[GT_PART_TRAIN];
  static gt_split inputs; /* borrows the tensors */
  inputs = (gt_split){.samples = train->samples};
  for (int i = 0; i < train->items; i++)
    if (train->item[i].role < GT_SAMPLE_TARGET)
      gt_split_add(&inputs, train->item[i].role, train->item[i].of, train->item[i].tensor);
  const bool ok = gt_predict(&file, &inputs, device, 0, &out, error);
  gt_prediction_finish(&out);
  gt_model_file_finish(&file);
  return ok;
}

static int compile(const char *path) {
  gt_arena arena;
  gt_config config;
  gt_session session = {0};
  gt_error error = {0};
  paper_device_config(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
  gt_arena_init(&arena);
  bool ok = gt_config_read(&config, &arena, path, false, NULL, 0, &error) &&
            gt_session_open(&session, &config, GT_PART_NONE, device, &error) &&
            compile_training(&session, &error);
  gt_session_close(&session);
  ok = ok && compile_prediction(&config, &error);
  if (!ok) printf("%s:\n", path);
  const int code = ok ? 0 : gt_config_report(&config, &error);
  gt_config_finish(&config);
  gt_arena_finish(&arena);
  return code;
}

typedef struct mode {
  bool table, units;
  uint32_t subgroup; /* the subgroup size that kernels must have; 0: any */
} mode;

/* What is wrong with the kernel; NULL: nothing. */
static const char *problem_of(const paper_kernel *k, const mode *m) {
  if (k->result) return " refused";
  if (k->spilled || k->scratch) return " spills";
  if (!k->reports_spills) return " may spill";
  return m->subgroup && k->subgroup != m->subgroup ? " in other subgroups" : NULL;
}

/* Prints the kernels that have a problem, with --table all kernels. Returns the number of kernels with a
 * problem. */
static int report(const paper_kernel *kernel, size_t count, const mode *m) {
  int bad = 0;
  if (m->table)
    printf("%-24s %-26s %4s %5s %5s %7s %8s %8s %6s\n", "kernel", "first met in", "wave", "VGPRs", "SGPRs",
           "spilled", "scratch", "LDS", "code");
  for (size_t i = 0; i < count; i++) {
    const paper_kernel *k = &kernel[i];
    const char *problem_text = problem_of(k, m);
    bad += problem_text != NULL;
    if (!m->table && !problem_text) continue;
    printf("%-24s %-26s %4u %5llu %5llu %7llu %8llu %8llu %6llu%s\n", k->name ? k->name : "?",
           k->config ? k->config : "?", k->subgroup, (unsigned long long)k->vgprs,
           (unsigned long long)k->sgprs, (unsigned long long)k->spilled, (unsigned long long)k->scratch,
           (unsigned long long)k->shared, (unsigned long long)k->code, problem_text ? problem_text : "");
    if (!problem_text) continue;
    fputs("  its constants:", stdout);
    for (int c = 0; c < GT_SPEC_COUNT; c++) printf(" %u", k->spec[c]);
    puts("");
  }
  return bad;
}

/* Returns the index of the first config in argv. */
static int read_options(int argc, char **argv, mode *m) {
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; first++)
    if (!strcmp(argv[first], "--table"))
      m->table = true;
    else if (!strcmp(argv[first], "--units"))
      m->units = true;
    else if (!strcmp(argv[first], "--subgroup") && first + 1 < argc)
      paper_device_subgroup(m->subgroup = (uint32_t)atoi(argv[++first]));
    else if (!strcmp(argv[first], "--dump") && first + 1 < argc)
      paper_device_dump(argv[++first]);
  return first;
}

int main(int argc, char **argv) {
  const char *name = NULL;
  gt_error error = {0};
  mode m = {0};
  int code = 0, cases = 0, missed = 0, bad;
  size_t count;
  const int first = read_options(argc, argv, &m);
  if (m.units) paper_device_only(UNITS_CAPABILITY);
  if (!paper_device_init(&name, &error)) return puts(error.message), 77;
  /* While this device is open, the Vulkan instance exists, and the replaced functions stay in place. */
  gt_backend *backend = gt_backend_open(device, 0, &error);
  if (!backend) return puts(error.message), error.status;
  if (m.units &&
      (backend->target.matrix.emulated || !(backend->target.matrix.half.m | backend->target.matrix.bfloat.m)))
    return printf("%s: no matrix units\n", name), 77;
  for (int i = first; i < argc; i++) {
    const int result = compile(argv[i]);
    if (result) code = result;
  }
  if (m.units && (cases = units_compile_cases(backend, &error)) < 0) puts(error.message), code = error.status;
  paper_kernel *kernel = paper_device_kernels(&count);
  bad = report(kernel, count, &m);
  printf("%s: %zu kernels of %d configs", name, count, argc - first);
  if (m.units) printf(" and %d op cases in subgroups of %u", cases, backend->target.subgroup);
  printf(", %d with a fault: refused, spilling or in other subgroups\n", bad);
  if (m.units && (missed = units_report(backend, kernel, count, &error)) < 0)
    puts(error.message), code = error.status;
  free(kernel);
  gt_backend_close(backend);
  return code ? code : bad || missed || !count;
}
