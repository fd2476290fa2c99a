// Watching directories: the calls and the words of inotify, where the system has it.
#ifndef TENON_WATCH_H
#define TENON_WATCH_H

#include <errno.h>
#include <stdint.h>

#if defined(__linux__)
#include <sys/inotify.h>

enum {
  TENON_WATCH_CREATED = IN_CREATE,
  TENON_WATCH_WRITTEN = IN_CLOSE_WRITE,
  TENON_WATCH_MOVED_IN = IN_MOVED_TO,
  TENON_WATCH_MOVED_OUT = IN_MOVED_FROM,
  TENON_WATCH_DELETED = IN_DELETE,
  TENON_WATCH_SELF_GONE = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT,
  TENON_WATCH_ENDED = IN_IGNORED,
  TENON_WATCH_OVERFLOW = IN_Q_OVERFLOW,
};

// Opens a descriptor from which events are read; -1 with `errno`.
static inline int tenon_watch_open(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

// Watches a directory; returns the number that its events carry, or -1 with `errno`. What only writes
// to a file is left out: what is half written is of no interest.
static inline int tenon_watch_add(int descriptor, const char *path) {
  return inotify_add_watch(descriptor, path,
                           IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                               IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK);
}

static inline int tenon_watch_remove(int descriptor, int number) {
  return inotify_rm_watch(descriptor, number);
}
#else
enum {
  TENON_WATCH_CREATED = 1,
  TENON_WATCH_WRITTEN = 2,
  TENON_WATCH_MOVED_IN = 4,
  TENON_WATCH_MOVED_OUT = 8,
  TENON_WATCH_DELETED = 16,
  TENON_WATCH_SELF_GONE = 32,
  TENON_WATCH_ENDED = 64,
  TENON_WATCH_OVERFLOW = 128,
};

static inline int tenon_watch_open(void) {
  errno = ENOSYS;
  return -1;
}

static inline int tenon_watch_add(int descriptor, const char *path) {
  (void)descriptor, (void)path;
  errno = ENOSYS;
  return -1;
}

static inline int tenon_watch_remove(int descriptor, int number) {
  (void)descriptor, (void)number;
  return 0;
}
#endif

#endif
