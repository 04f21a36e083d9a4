#include "train/signals.h"
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPPING = sizeof stopping / sizeof *stopping };

static volatile sig_atomic_t received, save_wanted;
static struct timespec first;
static struct sigaction before[STOPPING];

/* One request often arrives as two signals: `timeout` signals its child and then its group; a closing
 * terminal hangs up on the shell, which hangs up on its jobs. A signal this soon after the first is not a
 * second request. */
static bool is_second_wish(void) {
  static const double burst = 0.25; /* seconds */
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec) > burst;
}

static void on_stop(int number) {
  if (received) {
    if (number != SIGHUP && is_second_wish()) _exit(128 + number);
    return;
  }
  clock_gettime(CLOCK_MONOTONIC, &first);
  received = number;
}

static void on_save(int number) {
  (void)number;
  save_wanted = 1;
}

/* The parent may have set a signal to be ignored (nohup, background jobs of a shell): that is kept. */
static void handle(int number, void (*handler)(int), struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  if (sigaction(number, NULL, old) == 0 && old->sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void gt_signals_prepare(void) {
  struct sigaction old;
  save_wanted = 0;
  handle(SIGUSR1, on_save, &old);
  handle(SIGPIPE, SIG_IGN, &old);
}

void gt_signals_catch(void) {
  received = 0;
  for (int i = 0; i < STOPPING; i++) handle(stopping[i], on_stop, &before[i]);
}

void gt_signals_release(void) {
  for (int i = 0; i < STOPPING; i++) sigaction(stopping[i], &before[i], NULL);
}

int gt_signal_received(void) { return received; }
bool gt_save_wanted(void) { return save_wanted; }
void gt_save_begins(void) { save_wanted = 0; }
