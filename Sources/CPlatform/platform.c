#include "include/platform.h"

#include <fcntl.h>
#include <unistd.h>

int tenon_pipe(int ends[2]) {
#if defined(__linux__)
  extern int pipe2(int[2], int);
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) != 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

#if !defined(__APPLE__)
// Declared here because the header hides it unless everybody asks for GNU extensions.
extern int pthread_getattr_np(pthread_t, pthread_attr_t *);

// Asking is dear for the first thread, whose bounds the system reads out of a file: each thread
// asks once.
int tenon_stack_bounds(uintptr_t *low, size_t *size) {
  static _Thread_local uintptr_t known_low = 0;
  static _Thread_local size_t known_size = 0;
  if (known_size == 0) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return -1;
    void *bottom = NULL;
    int result = pthread_attr_getstack(&attributes, &bottom, size);
    pthread_attr_destroy(&attributes);
    if (result != 0) return result;
    known_low = (uintptr_t)bottom;
    known_size = *size;
  }
  *low = known_low;
  *size = known_size;
  return 0;
}
#endif
