import Foundation

/// Starts threads that each do something with their number.
func startThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> [Thread] {
  (0..<count).map { number in
    let thread = Thread { body(number) }
    thread.start()
    return thread
  }
}

/// Waits until threads have ended.
func wait(for threads: [Thread]) {
  while !threads.allSatisfy(\.isFinished) { Thread.sleep(forTimeInterval: 0.001) }
}
