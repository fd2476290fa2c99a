// Calls of functions that are found when they are first needed, and that Swift cannot call itself.
#ifndef TENON_DYNAMIC_H
#define TENON_DYNAMIC_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

// The options and answers of libcurl are variable arguments, which not every system hands over as
// it does others.
static inline int tenon_curl_set_long(void *function, void *handle, int option, long value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int tenon_curl_set_pointer(void *function, void *handle, int option,
                                         const void *value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int tenon_curl_set_size(void *function, void *handle, int option, int64_t value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int tenon_curl_set_callback(void *function, void *handle, int option,
                                          size_t (*callback)(char *, size_t, size_t, void *)) {
  return ((int (*)(void *, int, ...))function)(handle, option, callback);
}

static inline int tenon_curl_get_long(void *function, void *handle, int option, long *value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int tenon_curl_get_pointer(void *function, void *handle, int option, void **value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

// The items of a list of libcurl: a text and what comes next.
static inline const char *tenon_curl_list_text(const void *item) {
  return *(const char *const *)item;
}

static inline void *tenon_curl_list_next(const void *item) { return ((void *const *)item)[1]; }

// How a transfer ended, which a message of libcurl tells.
static inline int tenon_curl_result(const void *message) {
  typedef struct {
    int kind;
    void *handle;
    union {
      void *other;
      int result;
    } data;
  } curl_message;
  return ((const curl_message *)message)->data.result;
}

// Keeps a broken connection from ending the process: blocks SIGPIPE in this thread. Returns whether
// it was blocked or waiting already, so that nothing is to be taken back.
static inline int tenon_block_sigpipe(sigset_t *previous) {
  sigset_t set, waiting;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  sigemptyset(&waiting);
  sigpending(&waiting);
  if (pthread_sigmask(SIG_BLOCK, &set, previous) != 0) return 1;
  return sigismember(previous, SIGPIPE) || sigismember(&waiting, SIGPIPE);
}

// Takes back what `tenon_block_sigpipe` did when it returned 0, and what has come meanwhile.
static inline void tenon_restore_sigpipe(const sigset_t *previous) {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  if (sigismember(&waiting, SIGPIPE)) {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigwait(&set, &number);
  }
  pthread_sigmask(SIG_SETMASK, previous, NULL);
}

#endif
