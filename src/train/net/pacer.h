/* gt_pacer: submits replays to a backend in pieces of about 30 ms, a few of them in flight, so that the
 * device never idles, the host sees results soon, and signals are handled in time. It waits only if a
 * limit is reached: of pieces, or of replays in flight. Owner: the loop that runs one executable. */
#ifndef GT_TRAIN_PACER_H
#define GT_TRAIN_PACER_H
#include "train/net/net.h"

enum { GT_PIECES_IN_FLIGHT = 3 };

typedef struct gt_pacer {
  gt_backend *backend;
  const gt_net *net;
  gt_executable *executable; /* of the net */
  double per_step,
      finished;            /* seconds per replay; time when the end of the last finished piece was observed */
  uint32_t last, most;     /* replays in the last piece; limit of replays in flight */
  int64_t submitted, done; /* number of replays so far */
  struct gt_piece {
    uint64_t ticket;
    uint32_t times;             /* number of replays */
    double at;                  /* time of submission */
  } piece[GT_PIECES_IN_FLIGHT]; /* the oldest first */
  int pieces;
} gt_pacer;

void gt_pacer_init(gt_pacer *pacer, gt_backend *backend, const gt_net *net, gt_executable *executable,
                   uint32_t most);
/* The number of replays that the next piece should have, at most `left` (>= 1). Waits for the oldest piece if
 * a limit is reached. 0 on errors. */
uint32_t gt_pacer_room(gt_pacer *pacer, int64_t left, gt_error *error);
bool gt_pacer_submit(gt_pacer *pacer, uint32_t times, gt_error *error);
bool gt_pacer_drain(gt_pacer *pacer, gt_error *error); /* waits for all pieces */
#endif
