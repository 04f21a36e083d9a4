#include "train/signals.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t received;

static void on_signal(int number) {
  if (received) _exit(128 + number);
  received = number;
}

static void set_handler(void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

void gt_signals_catch(void) {
  received = 0;
  set_handler(on_signal);
}

void gt_signals_release(void) { set_handler(SIG_DFL); }
int gt_signal_received(void) { return received; }
