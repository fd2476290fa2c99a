#include "include/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct tenon_signal {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
};

tenon_signal *tenon_signal_create(void) {
  tenon_signal *signal = malloc(sizeof *signal);
  if (!signal) return NULL;
  pthread_mutex_init(&signal->mutex, NULL);
#if defined(__APPLE__)
  pthread_cond_init(&signal->condition, NULL);
#else
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&signal->condition, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
  return signal;
}

void tenon_signal_destroy(tenon_signal *signal) {
  pthread_cond_destroy(&signal->condition);
  pthread_mutex_destroy(&signal->mutex);
  free(signal);
}

void tenon_signal_lock(tenon_signal *signal) { pthread_mutex_lock(&signal->mutex); }

void tenon_signal_unlock(tenon_signal *signal) { pthread_mutex_unlock(&signal->mutex); }

void tenon_signal_call(tenon_signal *signal) { pthread_cond_broadcast(&signal->condition); }

void tenon_signal_wait(tenon_signal *signal, int64_t nanoseconds) {
  const int64_t second = 1000000000;
  // An hour is as good as for ever: whoever waits looks again.
  if (nanoseconds > 3600 * second) nanoseconds = 3600 * second;
  if (nanoseconds <= 0) return;
#if defined(__APPLE__)
  struct timespec time = {.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second};
  pthread_cond_timedwait_relative_np(&signal->condition, &signal->mutex, &time);
#else
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_sec += nanoseconds / second;
  time.tv_nsec += nanoseconds % second;
  if (time.tv_nsec >= second) {
    time.tv_sec += 1;
    time.tv_nsec -= second;
  }
  pthread_cond_timedwait(&signal->condition, &signal->mutex, &time);
#endif
}

struct start {
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  start.body(start.context);
  return NULL;
}

int tenon_start_thread(void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (!start) return ENOMEM;
  *start = (struct start){.body = body, .context = context};
  sigset_t all, old;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int result = pthread_create(&thread, &attributes, run, start);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  if (result != 0) free(start);
  return result;
}

int64_t tenon_monotonic_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

uintptr_t tenon_thread_number(void) { return (uintptr_t)pthread_self(); }
