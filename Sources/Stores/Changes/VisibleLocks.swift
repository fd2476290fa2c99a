#if TENON_VISIBLE_LOCKS
  internal import TenonRuntime

  typealias Mutex = VisibleMutex
#endif
