#include "base/pool.h"
#include <signal.h>

/* Bytes of stack. `ulimit -s` is ignored: it may be many gigabytes, which would be reserved for each thread.
 * The Makefile makes the compiler warn of stack frames that do not fit. */
enum { STACK = 1 << 20 };

int gt_thread_start(pthread_t *thread, void *(*function)(void *), void *context) {
  sigset_t all, old;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  const int failed = pthread_create(thread, &attributes, function, context);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return failed;
}
