#if TENON_VISIBLE_LOCKS
  #if canImport(Darwin)
    internal import Darwin
  #elseif canImport(Musl)
    internal import Musl
  #else
    internal import Glibc
  #endif

  /// A lock that the thread sanitizer can see, in place of `Mutex` in builds for it.
  ///
  /// On Linux a contended `Mutex` is handed over by the kernel, past all code that the sanitizer
  /// watches: it takes what the lock keeps apart for a race. The locks of POSIX it knows. Each module
  /// that has locks says that its `Mutex` is this.
  @safe
  package struct VisibleMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Creates a lock that keeps a value.
    package init(_ value: consuming sending Value) {
      unsafe lock = .allocate(capacity: 1)
      _ = unsafe pthread_mutex_init(lock, nil)
      unsafe self.value = .allocate(capacity: 1)
      unsafe self.value.initialize(to: value)
    }

    deinit {
      _ = unsafe pthread_mutex_destroy(lock)
      unsafe lock.deallocate()
      unsafe value.deinitialize(count: 1)
      unsafe value.deallocate()
    }

    /// Does something with the value while nobody else can.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      _ = unsafe pthread_mutex_lock(lock)
      defer { _ = unsafe pthread_mutex_unlock(lock) }
      return unsafe try body(&value.pointee)
    }
  }

  typealias Mutex = VisibleMutex
#endif
