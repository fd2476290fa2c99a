#if TENON_VISIBLE_LOCKS
  import TenonStoreKit

  typealias Mutex = VisibleMutex
#endif
