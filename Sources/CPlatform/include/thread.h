// Threads and what wakes them: wrappers around POSIX threads whose types differ from system to
// system.
#ifndef TENON_THREAD_H
#define TENON_THREAD_H

#include <stdint.h>

// A lock with a condition, whose waits end at a time of the clock that nobody sets.
typedef struct tenon_signal tenon_signal;

// Makes a signal; NULL when there is no memory.
tenon_signal *tenon_signal_create(void);
void tenon_signal_destroy(tenon_signal *signal);
void tenon_signal_lock(tenon_signal *signal);
void tenon_signal_unlock(tenon_signal *signal);
// Wakes all who wait; the caller has the lock.
void tenon_signal_call(tenon_signal *signal);
// Waits, with the lock, until somebody calls or so many nanoseconds have passed; it may be earlier.
void tenon_signal_wait(tenon_signal *signal, int64_t nanoseconds);

// Runs a function on a thread of its own that nobody waits for, with all signals blocked: they are
// for others. Returns 0 on success.
int tenon_start_thread(void (*body)(void *), void *context);

// Nanoseconds on the clock that nobody sets.
int64_t tenon_monotonic_time(void);

// A number of the calling thread that no other living thread has.
uintptr_t tenon_thread_number(void);

#endif
