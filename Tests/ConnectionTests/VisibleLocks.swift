#if TENON_VISIBLE_LOCKS
  import TenonRuntime

  typealias Mutex = VisibleMutex
#endif
