/* compile [--table] [--dump DIR] CONFIG…: compiles every kernel that training, evaluating and predicting with
 * these configs takes, for the first device of a driver that has no hardware (paper_device.h). Exit code 0, 1
 * if the driver refused a kernel or spilled registers, 77 without such a driver, else gtrain's own. */
#include "paper_device.h"
#include "backend/backend.h"
#include "base/memory.h"
#include "train/predict.h"
#include "train/session.h"
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
  if (ok && data->validation.samples) ok = gt_evaluator_open(session, &evaluator, "validation", false, error);
  if (ok && data->test.samples) ok = gt_evaluator_open(session, &evaluator, "test", false, error);
  if (!ok) return false;
  const gt_model_results results = {.step = 1, .epoch = 1};
  gt_image weights;
  gt_image_start(&weights, net->model->store, GT_WEIGHT_ROLES, 1);
  ok = gt_model_file_write("model.bin", session->config, &weights, &results, error);
  gt_image_finish(&weights);
  return ok;
}

/* Predictions, and with them the whole way from file to outputs. */
static bool compile_prediction(const gt_config *config, gt_error *error) {
  gt_model_file file;
  gt_prediction out = {0};
  if (!gt_model_file_read(&file, "model.bin", error)) return false;
  const bool ok = gt_predict(&file, config->dataset.train.input, device, &out, error);
  gt_tensor_finish(&out.outputs);
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
  bool ok = gt_config_read(&config, &arena, path, NULL, 0, &error) &&
            gt_session_open(&session, &config, device, &error) && compile_training(&session, &error);
  gt_session_close(&session);
  ok = ok && compile_prediction(&config, &error);
  if (!ok) printf("%s:\n", path);
  const int code = ok ? 0 : gt_config_report(&config, &error);
  gt_config_finish(&config);
  gt_arena_finish(&arena);
  return code;
}

static int report(bool table, int configs, const char *name) {
  size_t count, bad = 0;
  const paper_kernel *kernel = paper_device_kernels(&count);
  if (table)
    printf("%-24s %-26s %4s %5s %5s %7s %8s %8s %6s\n", "kernel", "first met in", "wave", "VGPRs", "SGPRs",
           "spilled", "scratch", "LDS", "code");
  for (size_t i = 0; i < count; i++) {
    const paper_kernel *k = &kernel[i];
    const bool wrong = k->refused || k->spilled || k->scratch;
    bad += wrong;
    if (!table && !wrong) continue;
    printf("%-24s %-26s %4u %5llu %5llu %7llu %8llu %8llu %6llu%s\n", k->name ? k->name : "?",
           k->config ? k->config : "?", k->subgroup, (unsigned long long)k->vgprs,
           (unsigned long long)k->sgprs, (unsigned long long)k->spilled, (unsigned long long)k->scratch,
           (unsigned long long)k->shared, (unsigned long long)k->code,
           k->refused ? " refused"
           : wrong    ? " spills"
                      : "");
  }
  printf("%s: %zu kernels of %d configs, %zu refused or spilling\n", name, count, configs, bad);
  return bad > 0 || !count;
}

int main(int argc, char **argv) {
  const char *name = NULL;
  gt_error error = {0};
  bool table = false;
  int first = 1, code = 0;
  for (; first < argc && argv[first][0] == '-'; first++)
    if (!strcmp(argv[first], "--table"))
      table = true;
    else if (!strcmp(argv[first], "--dump") && first + 1 < argc)
      paper_device_dump(argv[++first]);
  if (!paper_device_begin(&name, &error)) return puts(error.message), 77;
  /* An open device keeps the instance, and with it the replaced functions. */
  gt_backend *backend = gt_backend_open(device, 0, &error);
  if (!backend) return puts(error.message), error.status;
  for (int i = first; i < argc; i++) {
    const int result = compile(argv[i]);
    if (result) code = result;
  }
  gt_backend_close(backend);
  const int found = report(table, argc - first, name);
  return code ? code : found;
}
