/* Replays of a net, also for samples that are streamed through a window. */
#include "train/net/net.h"

bool gt_net_run_stage(const gt_net *net, gt_backend *backend, int stage, uint32_t times, uint64_t *ticket,
                      gt_error *error) {
  gt_executable *executable = net->stage[stage].executable;
  return net->feed && !stage ? gt_feed_run(net->feed, executable, times, 1, ticket, error)
                             : backend->api->run(backend, executable, times, ticket, error);
}

/* Runs the stages one by one: for chunks of the window that are not a whole number of steps. */
static bool run_stages(const gt_net *net, gt_backend *backend, uint32_t times, uint64_t *ticket,
                       gt_error *error) {
  for (uint32_t t = 0; t < times; t++)
    for (int i = 0; i < net->stages; i++)
      if (!gt_net_run_stage(net, backend, i, net->stage[i].times, ticket, error)) return false;
  return true;
}

bool gt_net_run(const gt_net *net, gt_backend *backend, gt_executable *executable, uint32_t times,
                uint64_t *ticket, gt_error *error) {
  if (!net || !net->feed) return backend->api->run(backend, executable, times, ticket, error);
  return gt_feed_chunk(net->order.window) % net->parts
             ? run_stages(net, backend, times, ticket, error)
             : gt_feed_run(net->feed, executable, times, (uint32_t)net->parts, ticket, error);
}
