#include "train/net/session.h"
#include "base/memory.h"
#include "base/count.h"
#include "base/pool.h"
#include "op/core.h"
#include "train/net/choose.h"
#include "train/net/pacer.h"
#include "train/net/line_search.h"
#include "train/config/threshold.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void gt_session_begin(gt_session *session, gt_config *config) {
  *session = (gt_session){.config = config};
  gt_arena_init(&session->arena);
  session->nets = &session->arena;
}

void gt_session_start(gt_session *session, gt_backend *backend) {
  session->backend = backend;
  gt_buffers_init(&session->buffers, backend, &session->arena);
}

bool gt_session_open(gt_session *session, gt_config *config, int part, const char *device, gt_error *error) {
  gt_session_begin(session, config);
  gt_backend *backend = gt_choose_backend(config, part, device, NULL, error);
  if (backend)
    gt_session_start(session, backend);
  else
    gt_session_close(session);
  return backend;
}

static void destroy_executables(gt_session *session) {
  while (session->executable_count)
    session->backend->api->executable_destroy(session->backend,
                                              session->executables[--session->executable_count]);
}

static void close_feeds(gt_session *session) {
  for (int i = 0; i < GT_PARTS; i++) {
    gt_feed_close(session->feed[i]);
    session->feed[i] = NULL;
  }
}

void gt_session_close(gt_session *session) {
  if (session->backend) {
    destroy_executables(session);
    close_feeds(session);
    gt_buffers_finish(&session->buffers);
    gt_backend_close(session->backend);
  }
  gt_tuned_finish(&session->tuned);
  gt_arena_finish(&session->arena);
  *session = (gt_session){0};
}

void gt_session_release(gt_session *session) {
  if (!session->backend) return;
  destroy_executables(session);
  close_feeds(session);
  gt_buffers_drop_others(&session->buffers, "data.");
}

/* Registers an executable, which the session then destroys. */
static gt_executable *register_executable(gt_session *session, gt_executable *executable) {
  const int most = sizeof session->executables / sizeof *session->executables;
  assert(session->executable_count < most);
  if (executable) session->executables[session->executable_count++] = executable;
  return executable;
}

/* With the CPU backend, which uses all threads, one thread gathers samples; with a GPU, several. */
static int gathering_threads(const gt_session *session) {
  enum { MAX_THREADS = 8 };
  const int64_t threads = session->config->train.threads;
  if (!session->backend->target.device) return 1;
  return (int)gt_min_i64(threads ? threads : gt_pool_default_threads(), MAX_THREADS);
}

/* Opens the feed of a net, whose windows have been allocated. */
static bool open_feed(gt_session *session, gt_net *net, gt_error *error) {
  const gt_config *config = session->config;
  gt_feed **feed = &session->feed[net->part];
  const gt_samples samples = gt_net_samples(net, &config->dataset);
  gt_feed_plan plan = {.order = net->order, .members = net->members, .seed = (uint64_t)config->seed};
  for (int i = 0; i < net->data->items; i++) {
    const gt_split_item *item = &net->data->item[i];
    if (item->tensor.data && gt_sample_role_types[item->role].is_streamed)
      plan.tensor[plan.tensors++] = (gt_feed_tensor){
          &item->tensor, gt_samples_variable(&samples, item->role, item->of, &session->arena)};
  }
  if (!*feed) *feed = gt_feed_open(&session->buffers, &plan, gathering_threads(session), error);
  net->feed = *feed;
  return *feed != NULL;
}

gt_executable *gt_session_compile(gt_session *session, gt_net *net, gt_error *error) {
  gt_executable *stage_executable[GT_MAX_STAGES], *executable = NULL;
  uint32_t times[GT_MAX_STAGES] = {0};
  for (int i = 0; i < net->stages; i++) {
    gt_stage *stage = &net->stage[i];
    executable = register_executable(session, gt_buffers_compile(&session->buffers, stage->plan, error));
    if (!executable) return NULL;
    stage_executable[i] = stage->executable = executable;
    times[i] = stage->times;
  }
  for (int i = 0; net->search && i < GT_LINE_SEARCH_STAGES; i++) {
    gt_stage *stage = &net->search->stage[i];
    stage->executable =
        register_executable(session, gt_buffers_compile(&session->buffers, stage->plan, error));
    if (!stage->executable) return NULL;
  }
  if (net->stages > 1 || times[0] > 1)
    executable =
        register_executable(session, session->backend->api->sequence(session->backend, stage_executable,
                                                                     times, net->stages, error));
  if (!executable || (net->order.window && !open_feed(session, net, error))) return NULL;
  return gt_store_upload_tables(net->model->store, &session->buffers, error) ? executable : NULL;
}

static void destroy_executable(gt_session *session, gt_executable *executable) {
  for (int i = 0; executable && i < session->executable_count; i++) {
    if (session->executables[i] != executable) continue;
    session->backend->api->executable_destroy(session->backend, executable);
    session->executables[i] = session->executables[--session->executable_count];
    return;
  }
}

void gt_session_discard(gt_session *session, const gt_net *net, gt_executable *executable) {
  destroy_executable(session, executable); /* a sequence before its stages */
  for (int i = 0; i < net->stages; i++) destroy_executable(session, net->stage[i].executable);
  for (int i = 0; net->search && i < GT_LINE_SEARCH_STAGES; i++)
    destroy_executable(session, net->search->stage[i].executable);
}

void *gt_session_map(gt_session *session, const char *variable) {
  const gt_named_buffer *found = gt_buffers_find(&session->buffers, variable);
  assert(found && found->host);
  return session->backend->api->buffer_map(session->backend, found->buffer);
}

bool gt_session_set_clock(gt_session *session, const gt_net *net, int64_t step, gt_error *error) {
  const uint64_t seed = (uint64_t)session->config->seed;
  const uint32_t words[GT_STATE_WORDS] = {(uint32_t)step, (uint32_t)seed, (uint32_t)(seed >> 32), 0};
  /* The clock of the stage "gradient", which counts batches. */
  const uint32_t batch_words[GT_STATE_WORDS] = {(uint32_t)(step * net->parts), words[1], words[2], 0};
  const int64_t from = step * net->parts, end = net->search   ? from + net->parts
                                                : net->trains ? INT64_MAX
                                                              : net->steps;
  return (net->search || gt_buffers_upload(&session->buffers, net->state, 0, words, sizeof words, error)) &&
         (!net->trains || !gt_buffers_find(&session->buffers, "train.part") ||
          gt_buffers_upload(&session->buffers, "train.part", 0, batch_words, sizeof batch_words, error)) &&
         (!net->feed || gt_feed_seek(net->feed, from, end, error));
}

bool gt_session_load_data(gt_session *session, const gt_net *net, gt_error *error) {
  const gt_samples samples = gt_net_samples(net, &session->config->dataset);
  if (!gt_samples_upload(&samples, &session->buffers, error)) return false;
  if (net->shifted && !gt_session_load_threshold(session, error)) return false;
  return net->order.window || gt_members_upload(net->members, &net->order, &session->buffers, error);
}

/* For two classes, the shift is added to the output of the positive class; for bits, to each output. */
bool gt_session_load_threshold(gt_session *session, gt_error *error) {
  const gt_data_target *target = &session->config->dataset.target[0];
  const int count = session->config->threshold.count, values = count + target->classification,
            first = target->classification ? target->positive : 0;
  float *shift = gt_alloc((size_t)values * sizeof *shift);
  for (int i = 0; i < count && session->threshold; i++)
    shift[first + i] = gt_threshold_shift(session->threshold[i]);
  const bool ok = !gt_buffers_find(&session->buffers, GT_SHIFT_VARIABLE) ||
                  gt_buffers_upload(&session->buffers, GT_SHIFT_VARIABLE, 0, shift,
                                    (uint64_t)values * sizeof *shift, error);
  free(shift);
  return ok;
}

bool gt_session_load_weights(gt_session *session, gt_store *store, const gt_model_file *file,
                             gt_error *error) {
  gt_state_dict weights;
  if (!gt_state_dict_read(&weights, store, &file->container, file->path, GT_WEIGHT_ROLES, error))
    return false;
  const bool ok = gt_state_dict_upload(&weights, &session->buffers, error) &&
                  gt_store_read_constants(store, &file->container, file->path, error) &&
                  gt_store_upload_tables(store, &session->buffers, error);
  gt_state_dict_finish(&weights);
  return ok;
}
