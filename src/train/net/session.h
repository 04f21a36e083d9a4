/* gt_session: a config on a backend: buffers, the data in them, and evaluations. Each command that computes
 * opens one (train, eval, predict, bench). Owner: the command; gt_session_close waits for queued work and
 * frees everything. */
#ifndef GT_TRAIN_SESSION_H
#define GT_TRAIN_SESSION_H
#include "store/buffers.h"
#include "train/file/model_file.h"
#include "train/net/net.h"

typedef struct gt_session {
  gt_arena arena;
  gt_arena *nets; /* for the nets of evaluations: `arena`, or one that is freed before the session */
  gt_config *config;
  gt_backend *backend;
  gt_buffers buffers;
  gt_tuned tuned;                 /* tuned candidates for the training step on this device; may be empty */
  uint64_t memory_limit;          /* limit of device memory in bytes; 0: all of it */
  gt_windows windows;             /* for splits that do not fit into device memory */
  gt_feed *feed[GT_PARTS];        /* streams a split into its window; NULL: not opened */
  gt_executable *executables[16]; /* all executables, which gt_session_close destroys */
  int executable_count;
  const uint64_t *draw;       /* as in gt_net_options, for evaluations */
  bool confusion;             /* evaluations count a confusion matrix */
  bool scores;                /* evaluations keep the predictions of each batch (gt_net_options.scores) */
  const double *threshold;    /* [config->threshold.count]; NULL: 1/2 */
  const gt_model_file *model; /* file that provides the weights of evaluations, checked before use; or NULL */
} gt_session;

/* Opens a device for a config that has been read. part, device: as in gt_choose_backend. The caller still
 * owns the config. */
bool gt_session_open(gt_session *session, gt_config *config, int part, const char *device, gt_error *error);
/* The same in two steps, for callers that need the arena before they open a device: begin makes a session
 * without a device, start adds the device, which the session then owns. */
void gt_session_begin(gt_session *session, gt_config *config);
void gt_session_start(gt_session *session, gt_backend *backend);
void gt_session_close(gt_session *session); /* accepts a zeroed session, or one without a device */
/* Decides which splits are resident on the device and which are streamed through windows. training: options
 * of the training step, or NULL; parts: bits 1 << GT_PART_… of the splits that are evaluated. Logs streamed
 * splits. GT_ERR_MEMORY if the memory limit is too small. */
bool gt_session_place(gt_session *session, const gt_net_options *training, unsigned parts, gt_error *error);
/* True if another config, such as that of a later phase, also fits with this placement. */
bool gt_session_has_room(gt_session *session, gt_config *config, const gt_net_options *training,
                         unsigned parts, gt_error *error);
/* Destroys all executables, and all buffers except those of the data. */
void gt_session_release(gt_session *session);
/* Compiles a net and uploads the constants of its model. */
gt_executable *gt_session_compile(gt_session *session, gt_net *net, gt_error *error);
/* Destroys the executables of a net; `executable`: as returned by gt_session_compile. The net is not run
 * again. */
void gt_session_discard(gt_session *session, const gt_net *net, gt_executable *executable);
/* Uploads the samples of a net's split, unless they are streamed, and the scaling of inputs and targets. */
bool gt_session_load_data(gt_session *session, const gt_net *net, gt_error *error);
/* Uploads session->threshold for the evaluations that are open, if they use it. */
bool gt_session_load_threshold(gt_session *session, gt_error *error);
/* Loads the weights and constants of a model file into the store and onto the device. */
bool gt_session_load_weights(gt_session *session, gt_store *store, const gt_model_file *file,
                             gt_error *error);
/* Mapped memory of a host-visible variable. */
void *gt_session_map(gt_session *session, const char *variable);
/* Sets the clock of a net, which determines the next samples. */
bool gt_session_set_clock(gt_session *session, const gt_net *net, int64_t step, gt_error *error);
#endif
