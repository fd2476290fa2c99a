#if TENON_VISIBLE_LOCKS
  internal import TenonStoreKit

  typealias Mutex = VisibleMutex
#endif
