internal import TenonStoreKit

/// How long to wait for another process.
struct Patience {
  /// In milliseconds, since the last progress.
  let limit: Int
  /// Whether somebody wants the program to stop.
  let isInterrupted: () -> Bool

  /// How often, in milliseconds, to ask whether the program is to stop.
  private static let slice = 50

  /// Waits until a descriptor can be read from or written to.
  ///
  /// - Throws: A failure of the kind `timeout` when nothing came in time.
  func waitUntilReady(
    _ descriptor: Descriptor, for direction: Direction, _ fileSystem: any FileSystem
  ) throws(FileFailure) {
    let deadline = fileSystem.now + limit
    while true {
      let left = deadline - fileSystem.now
      let isReady = try fileSystem.waitUntilReady(
        descriptor, for: direction, milliseconds: min(max(0, left), Patience.slice))
      if isReady { return }
      try checkInterruption()
      guard left > 0 else {
        throw failure(direction)
      }
    }
  }

  /// That nothing has moved for too long.
  func failure(_ direction: Direction) -> FileFailure {
    let what = direction == .reading ? "nothing came" : "nothing was taken"
    return FileFailure(.timeout, "\(what) for \(limit) ms")
  }

  /// Waits until nobody else has the lock of a file.
  ///
  /// - Throws: A failure of the kind `locked` when somebody kept it.
  func waitForLock(
    _ descriptor: Descriptor, _ fileSystem: any FileSystem
  ) throws(FileFailure) {
    let deadline = fileSystem.now + limit
    var pause = 1
    while try !fileSystem.lock(descriptor) {
      try checkInterruption()
      guard fileSystem.now < deadline else {
        throw FileFailure(.locked, "locked by another process for \(limit) ms")
      }
      // Short at first, as a write takes a few milliseconds.
      fileSystem.pause(milliseconds: pause)
      pause = min(pause * 2, 16)
    }
  }

  private func checkInterruption() throws(FileFailure) {
    if isInterrupted() { throw FileFailure(.timeout, "interrupted") }
  }
}

extension Duration {
  /// The duration in whole milliseconds, 0 up to eleven days.
  var milliseconds: Int {
    let seconds = min(max(0, components.seconds), 1_000_000)
    let rest = max(0, components.attoseconds / 1_000_000_000_000_000)
    return Int(seconds * 1000 + rest)
  }
}
