#include "train/run/signals.h"
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPPING = sizeof stopping / sizeof *stopping };

static volatile sig_atomic_t received, save_requested;
static struct timespec first; /* time of the first signal */
static struct sigaction previous_action[STOPPING];

/* One request often arrives as two signals: `timeout` signals its child and then its process group; when a
 * terminal closes, the shell gets SIGHUP and sends it to its jobs. So a signal shortly after the first one is
 * not a second request. */
static bool is_second_request(void) {
  static const double burst = 0.25; /* seconds */
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec) > burst;
}

static void on_stop(int number) {
  if (received) {
    if (number != SIGHUP && is_second_request()) _exit(128 + number);
    return;
  }
  clock_gettime(CLOCK_MONOTONIC, &first);
  received = number;
}

static void on_save(int number) {
  (void)number;
  save_requested = 1;
}

/* Installs a handler, unless the signal is ignored (by nohup, or for background jobs of a shell). */
static void handle(int number, void (*handler)(int), struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  if (sigaction(number, NULL, old) == 0 && old->sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void gt_signals_prepare(void) {
  struct sigaction old;
  save_requested = 0;
  handle(SIGUSR1, on_save, &old);
  handle(SIGPIPE, SIG_IGN, &old);
}

void gt_signals_catch(void) {
  received = 0;
  for (int i = 0; i < STOPPING; i++) handle(stopping[i], on_stop, &previous_action[i]);
}

void gt_signals_release(void) {
  for (int i = 0; i < STOPPING; i++) sigaction(stopping[i], &previous_action[i], NULL);
}

int gt_signal_received(void) { return received; }
bool gt_save_requested(void) { return save_requested; }
void gt_save_acknowledge(void) { save_requested = 0; }
