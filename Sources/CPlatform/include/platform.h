// Wrappers for what Swift cannot import. Everything is `static inline`: the module has no code of
// its own to link.
#ifndef TENON_PLATFORM_H
#define TENON_PLATFORM_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>

#include "coroutine.h"
#include "dynamic.h"
#include "terminal.h"
#include "thread.h"
#include "watch.h"
#include "zlib_stream.h"

// The address of the caller's native stack frame. The evaluator compares it with its limit at
// every send; a Swift function has no other way to learn where its stack stands.
static inline __attribute__((always_inline)) uintptr_t tenon_frame_address(void) {
  return (uintptr_t)__builtin_frame_address(0);
}

// A word that another thread or a signal handler may write while the evaluator reads it. Relaxed
// order is enough: the reader only has to see the word some time.
static inline __attribute__((always_inline)) uintptr_t tenon_load_relaxed(const uintptr_t *word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void tenon_store_relaxed(uintptr_t *word,
                                                                      uintptr_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

// Finds the lowest address and the size of the calling thread's stack. Returns 0 on success.
#if defined(__APPLE__)
static inline int tenon_stack_bounds(uintptr_t *low, size_t *size) {
  *size = pthread_get_stacksize_np(pthread_self());
  *low = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - *size;
  return 0;
}
#else
int tenon_stack_bounds(uintptr_t *low, size_t *size);
#endif

// Waits until the first descriptor has something to read or is at its end, or the second has, with
// other signals blocked than usual if a set is given. Returns 1 when the first is ready, 2 when only
// the second is, 0 when neither is, -1 when a signal came, which it need not do while a descriptor is
// ready. Descriptors below 0 are left out; the first is taken to be ready when the call cannot handle
// it.
static inline int tenon_wait_for_input(int descriptor, int other, int64_t nanoseconds,
                                       const sigset_t *blocked) {
  if (descriptor >= FD_SETSIZE) return 1;
  fd_set set;
  FD_ZERO(&set);
  if (descriptor >= 0) FD_SET(descriptor, &set);
  if (other >= 0 && other < FD_SETSIZE) FD_SET(other, &set);
  else other = -1;
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  int last = descriptor > other ? descriptor : other;
  int count = pselect(last + 1, &set, NULL, NULL, &limit, blocked);
  if (count < 0) return errno == EINTR ? -1 : 1;
  if (count == 0) return 0;
  return descriptor >= 0 && FD_ISSET(descriptor, &set) ? 1 : 2;
}

// Makes a pipe whose ends no program inherits that is started, where the system can in one step.
int tenon_pipe(int ends[2]);

// Has a program that is started run in a directory. Returns 0, or the number of the error. Declared here
// because the header hides it unless everybody asks for GNU extensions.
#if defined(__APPLE__)
#include <spawn.h>
static inline int tenon_spawn_in(posix_spawn_file_actions_t *actions, const char *directory) {
  return posix_spawn_file_actions_addchdir_np(actions, directory);
}
#else
#include <spawn.h>
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
static inline int tenon_spawn_in(posix_spawn_file_actions_t *actions, const char *directory) {
  return posix_spawn_file_actions_addchdir_np(actions, directory);
}
#endif

// The strings of the process's environment, ended by NULL. A global variable in C, which Swift
// refuses to read.
#if defined(__APPLE__)
#include <crt_externs.h>
static inline char **tenon_environment(void) { return *_NSGetEnviron(); }
#else
extern char **environ;
static inline char **tenon_environment(void) { return environ; }
#endif

// Has the system's allocator keep pieces of memory that are given back, rather than return each to
// the system and fetch it anew, page by page. The chunks of the heap, of 2 MiB, are none of these:
// they are kept anyway. For programs that own their process.
#if defined(__GLIBC__)
#include <malloc.h>
static inline void tenon_keep_freed_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 1536 << 10);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
}
#else
static inline void tenon_keep_freed_memory(void) {}
#endif

// Opens a path from a directory on, and fails with EXDEV when it leads out of it, by whatever way:
// `..`, an absolute path, a symbolic link. Without `links` no symbolic link is followed at all. ENOSYS
// where the system has no such call. Declared here because the header hides it.
#if defined(__linux__)
#include <sys/syscall.h>
extern long syscall(long, ...);
#endif
static inline int tenon_open_beneath(int directory, const char *path, int flags, unsigned mode,
                                     int links) {
#if defined(__linux__) && defined(SYS_openat2)
  struct { uint64_t flags, mode, resolve; } how = {
    .flags = (uint64_t)(unsigned)flags,
    .mode = mode,
    // RESOLVE_BENEATH, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS
    .resolve = 0x08 | 0x02 | (links ? 0 : 0x04),
  };
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
#else
  (void)directory, (void)path, (void)flags, (void)mode, (void)links;
  errno = ENOSYS;
  return -1;
#endif
}

// Gives a file another name, in whatever directory; when `replaces` is 0, it fails with EEXIST where
// something has that name.
static inline int tenon_rename(int from, const char *name, int to, const char *new_name,
                               int replaces) {
#if defined(__linux__) && defined(SYS_renameat2)
  // RENAME_NOREPLACE
  return (int)syscall(SYS_renameat2, from, name, to, new_name, replaces ? 0 : 1);
#elif defined(__APPLE__)
  extern int renameatx_np(int, const char *, int, const char *, unsigned);
  // RENAME_EXCL
  return renameatx_np(from, name, to, new_name, replaces ? 0 : 4);
#else
  (void)from, (void)name, (void)to, (void)new_name, (void)replaces;
  errno = ENOSYS;
  return -1;
#endif
}
// The bytes that the allocator has given out; 0 where it does not tell. For measuring.
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
static inline size_t tenon_allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#else
static inline size_t tenon_allocated_bytes(void) { return 0; }
#endif

// Finds bytes in bytes in time that grows with their number; NULL when they are not there.
// Declared here because the header hides it unless everybody asks for GNU extensions.
extern void *memmem(const void *, size_t, const void *, size_t);

// Finds a byte in bytes; `count` when it is not there.
extern void *memchr(const void *, int, size_t);

static inline size_t tenon_index_of_byte(const void *bytes, uint8_t byte, size_t count) {
  const void *found = memchr(bytes, byte, count);
  return found == NULL ? count : (size_t)((const char *)found - (const char *)bytes);
}

static inline const void *tenon_memmem(const void *text, size_t size, const void *part,
                                       size_t count) {
  return memmem(text, size, part, count);
}

#endif
