/* Starts threads that block all signals, so that only the main thread handles them. */
#ifndef GT_BASE_THREAD_H
#define GT_BASE_THREAD_H
#include <pthread.h>

/* As pthread_create; returns its error number, 0 on success. */
int gt_thread_start(pthread_t *thread, void *(*function)(void *), void *context);
#endif
