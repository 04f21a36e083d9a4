#include "train/eval/predict.h"
#include "base/log.h"
#include "base/memory.h"
#include "layer/sequence.h"
#include "train/net/choose.h"
#include "train/eval/evaluator.h"
#include <string.h>

enum { BATCH = 500 }; /* samples per batch */

/* Makes the inputs a test split without targets. */
static bool read_config(gt_config *config, gt_arena *arena, const gt_model_file *file, const gt_split *inputs,
                        gt_error *error) {
  if (!gt_model_file_config(config, arena, file, error)) return false;
  config->dataset.split[GT_PART_TEST] = *inputs;
  config->train.eval_batch_size = BATCH;
  return true;
}

/* Warns of texts that are shorter than a convolution without padding, which makes them all alike. */
static void warn_of_short_texts(const gt_net *net) {
  const int32_t *lengths = gt_split_tensor(net->data, GT_SAMPLE_LENGTH, 0)->data;
  if (!lengths) return;
  const long long samples = (long long)net->data->samples,
                  lost = (long long)gt_sequence_count_lost(net->stage[0].graph, lengths, net->data->samples);
  if (lost)
    gt_warn(
        "a layer of the model leaves nothing of %lld of %lld texts, which are shorter than its kernel; it cannot "
        "tell them apart (`padding: same` in the config's convolutions helps)",
        lost, samples);
}

static bool compute(gt_session *session, const gt_evaluator *evaluator, gt_prediction *out, gt_error *error) {
  const gt_net *net = evaluator->net;
  const int64_t samples = net->data->samples;
  gt_collected item[GT_DATA_MAX_TARGETS];
  warn_of_short_texts(net);
  out->targets = net->targets;
  for (int k = 0; k < net->targets; k++) {
    const gt_shape shape = gt_node_at(net->stage[0].graph, net->target[k].output)->shape;
    gt_tensor *outputs = &out->outputs[k];
    item[k] = (gt_collected){gt_net_output_variable(net, k, session->nets),
                             gt_shape_count(shape) / net->batch, NULL};
    *outputs = (gt_tensor){.element = GT_ELEMENT_F32, .rank = shape.rank, .dim = {samples}};
    for (int d = 1; d < shape.rank; d++) outputs->dim[d] = shape.dim[d];
    if (!gt_try_alloc(&outputs->data, (uint64_t)samples, (uint64_t)item[k].values * sizeof(float),
                      "the predictions", error))
      return false;
    item[k].out = outputs->data;
  }
  return gt_evaluator_collect(session, evaluator, item, net->targets, error);
}

void gt_prediction_finish(gt_prediction *prediction) {
  for (int k = 0; k < GT_DATA_MAX_TARGETS; k++) gt_tensor_finish(&prediction->outputs[k]);
}

bool gt_predict(gt_model_file *file, const gt_split *inputs, const char *device, uint64_t memory_limit,
                gt_prediction *out, gt_error *error) {
  gt_config config;
  gt_session session = {0};
  gt_evaluator evaluator;
  gt_arena arena;
  *out = (gt_prediction){0};
  gt_arena_init(&arena);
  bool ok = read_config(&config, &arena, file, inputs, error);
  if (ok && gt_device_is_auto(device) && gt_is_quick_on_cpu(&config, GT_PART_TEST)) device = "cpu";
  ok = ok && gt_evaluator_open_model(&session, &evaluator, &config, file, device, memory_limit, error) &&
       gt_session_load_weights(&session, evaluator.net->model->store, file, error) &&
       gt_session_set_clock(&session, evaluator.net, 0, error) && compute(&session, &evaluator, out, error);
  if (!ok) gt_prediction_finish(out);
  gt_session_close(&session);
  gt_arena_finish(&arena);
  return ok;
}
