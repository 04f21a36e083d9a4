/* gt_session: a config on a backend: the buffers, the data in them, and the evaluations. Training, `eval`,
 * `predict` and `bench` each open one. Owner: the command; gt_session_close waits for queued work and frees
 * everything. */
#ifndef GT_TRAIN_SESSION_H
#define GT_TRAIN_SESSION_H
#include "store/buffers.h"
#include "train/confusion.h"
#include "train/metrics.h"
#include "train/model_file.h"
#include "train/net.h"

typedef struct gt_evaluator {
  gt_net *net;
  gt_executable *executable;
  const float *log; /* mapped; NULL where the net has outputs in its place */
  struct gt_evaluator
      *hard; /* the hard evaluation of the same split, for models where it differs; else NULL */
} gt_evaluator;

typedef struct gt_session {
  gt_arena arena;
  gt_arena *nets; /* holds the nets of evaluations: `arena`, unless they are to go before the session does */
  gt_config *config;
  gt_backend *backend;
  gt_buffers buffers;
  gt_tuned tuned;        /* ways of the training step that were found best on this device; empty: none */
  uint64_t memory_limit; /* bytes of the device that the session may use; 0: those that it has */
  gt_windows windows;    /* of the splits that are too large for that */
  gt_feed *feed[3];      /* what fills the windows of train, validation and test; NULL: not needed yet */
  gt_executable *executables[16]; /* destroyed at the end */
  int executable_count;
  const uint64_t *draw; /* as in gt_net_options, of evaluations */
  bool confusion;       /* evaluations count answers */
  const gt_model_file
      *model; /* NULL, or the file whose parameters evaluations will be given: checked before use */
} gt_session;

/* split, device: as in gt_choose_backend. The config must have been read; it stays the caller's. */
bool gt_session_open(gt_session *session, gt_config *config, const char *split, const char *device,
                     gt_error *error);
/* The same in two parts, for whoever has to look elsewhere before the device is opened: a session that has
 * none yet, but an arena; then the device, which becomes the session's. */
void gt_session_begin(gt_session *session, gt_config *config);
void gt_session_start(gt_session *session, gt_backend *backend);
void gt_session_close(gt_session *session); /* accepts a zeroed one, and one that has no device */
/* Decides what the device keeps whole and what comes through windows, for the nets to come: the training
 * step, if there are options for it, and evaluations of the splits; says so if it is not all of the data.
 * GT_ERR_MEMORY if the limit leaves no room for that. */
bool gt_session_place(gt_session *session, const gt_net_options *training, const char *const *split,
                      int splits, gt_error *error);
/* Would there be room with another config? That of a phase to come, say. */
bool gt_session_has_room(gt_session *session, gt_config *config, const gt_net_options *training,
                         const char *const *split, int splits, gt_error *error);
/* Destroys all executables and all buffers but those of the data. */
void gt_session_release(gt_session *session);
/* Compiles, and brings the constants of the net's model to the device. */
gt_executable *gt_session_compile(gt_session *session, gt_net *net, gt_error *error);
/* Destroys what that made, `executable` being what it returned; the net is not run again. */
void gt_session_discard(gt_session *session, const gt_net *net, gt_executable *executable);
/* Brings the samples of a net's split, unless they come through a window, and their scaling to the device. */
bool gt_session_load_data(gt_session *session, const gt_net *net, gt_error *error);
/* Evaluates with the weights that training leaves, or with the moving averages of some roles. */
bool gt_evaluator_open(gt_session *session, gt_evaluator *evaluator, const char *split, unsigned averaged,
                       gt_error *error);
/* Only what the model stands for (gt_net.hard), with the weights that training leaves. */
bool gt_evaluator_open_hard(gt_session *session, gt_evaluator *evaluator, const char *split, gt_error *error);
/* One pass over the split; sums in double, in order. */
bool gt_evaluator_run(gt_session *session, gt_evaluator *evaluator, gt_sums *sums, gt_error *error);
/* What its last pass counted, in the arena: of the gates of a model that has them; false also where it counts
 * nothing: then matrix->count is NULL, and there is no error. */
bool gt_evaluator_confusion(gt_session *session, const gt_evaluator *evaluator, gt_arena *arena,
                            gt_confusion_matrix *matrix, gt_error *error);
/* Makes a model file's weights and constants those of the store, and of the device. */
bool gt_session_take_weights(gt_session *session, gt_store *store, const gt_model_file *file,
                             gt_error *error);
/* Mapped memory of a host-visible variable. */
void *gt_session_map(gt_session *session, const char *variable);
/* Sets a net's clock, and with it which samples come next. */
bool gt_session_set_clock(gt_session *session, const gt_net *net, int64_t step, gt_error *error);
#endif
