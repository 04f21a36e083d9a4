#include "train/net/pacer.h"
#include "base/time.h"
#include <string.h>

static const double piece_seconds = 0.03; /* intended duration of a piece */

void gt_pacer_init(gt_pacer *pacer, gt_backend *backend, const gt_net *net, gt_executable *executable,
                   uint32_t most) {
  *pacer = (gt_pacer){.backend = backend, .net = net, .executable = executable, .most = most};
}

/* Removes the oldest piece, which has finished. */
static void retire(gt_pacer *pacer) {
  const struct gt_piece *oldest = &pacer->piece[0];
  const double now = gt_seconds(), start = oldest->at > pacer->finished ? oldest->at : pacer->finished;
  pacer->per_step = (now - start) / oldest->times;
  pacer->finished = now;
  pacer->done += oldest->times;
  pacer->pieces--;
  memmove(pacer->piece, pacer->piece + 1, (size_t)pacer->pieces * sizeof *pacer->piece);
}

/* Removes the pieces that have completed and updates pacer->done. */
static bool poll(gt_pacer *pacer, gt_error *error) {
  uint64_t ticket;
  if (!pacer->pieces) return true;
  if (!pacer->backend->api->completed(pacer->backend, &ticket, error)) return false;
  while (pacer->pieces && pacer->piece[0].ticket <= ticket) retire(pacer);
  return true;
}

static bool wait_for_oldest(gt_pacer *pacer, gt_error *error) {
  if (!pacer->backend->api->wait(pacer->backend, pacer->piece[0].ticket, error)) return false;
  retire(pacer);
  return true;
}

uint32_t gt_pacer_room(gt_pacer *pacer, int64_t left, gt_error *error) {
  if (!poll(pacer, error)) return 0;
  while (pacer->pieces == GT_PIECES_IN_FLIGHT || pacer->submitted - pacer->done >= pacer->most)
    if (!wait_for_oldest(pacer, error)) return 0;
  /* The first piece is a single replay, which is slow because it warms up. Then each piece is at most eight
   * times as large as the previous one, so that one wrong measurement does no harm. */
  double want = pacer->last ? 8.0 * pacer->last : 1;
  if (pacer->per_step * want > piece_seconds) want = piece_seconds / pacer->per_step;
  const int64_t room = pacer->most - (pacer->submitted - pacer->done);
  if (want > (double)room) want = (double)room;
  if (want > (double)left) want = (double)left;
  return want < 1 ? 1 : (uint32_t)want;
}

bool gt_pacer_submit(gt_pacer *pacer, uint32_t times, gt_error *error) {
  struct gt_piece *piece = &pacer->piece[pacer->pieces];
  *piece = (struct gt_piece){.times = times, .at = gt_seconds()};
  if (!gt_net_run(pacer->net, pacer->backend, pacer->executable, times, &piece->ticket, error)) return false;
  pacer->pieces++;
  pacer->submitted += times;
  pacer->last = times;
  return true;
}

bool gt_pacer_drain(gt_pacer *pacer, gt_error *error) {
  while (pacer->pieces)
    if (!wait_for_oldest(pacer, error)) return false;
  return true;
}
