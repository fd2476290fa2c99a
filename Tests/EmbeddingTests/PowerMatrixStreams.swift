import Foundation
import Tenon
import TenonRuntime
import TenonStoreKit
import TenonStores

// The schemes of the matrix that come with the console, the clock and the libraries.

/// A console with a secret to be read, which counts what is done with it.
final class MatrixConsole: Console {
  private(set) var readCount = 0
  private(set) var writtenCount = 0

  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    writtenCount += bytes.count
  }

  func flush() throws(ConsoleError) {}

  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? {
    readCount += 1
    return Array("wombat".utf8)
  }

  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] {
    readCount += 1
    return Array("wombat".utf8)
  }
}

/// A clock that stands in a year of its own.
final class MatrixClock: TenonStoreKit::Clock {
  private(set) var askCount = 0

  /// 2099-01-01T00:00:00Z.
  var wallTime: Int {
    askCount += 1
    return 4_070_908_800_000_000_000
  }

  var monotonicTime: Int { 1_000_000_000 }
  var jumps: Bool { true }
  func wait(until deadline: Int?, or wakeUp: WakeUp) {}
}

extension MatrixWorld {
  /// A scheme whose store is one of the language over what the interpreter was made with.
  private func standard(
    _ scheme: String, _ path: String, _ storeClass: String, secrets: [String], reads: Set<String>,
    writes: Set<String> = [], interpreter: @escaping (MatrixGrant) -> Interpreter,
    footprint: @escaping (Bool) -> String
  ) -> MatrixScheme {
    MatrixScheme(
      place: MatrixPlace(scheme: scheme, literal: path, text: path, storeClass: storeClass),
      secrets: secrets, reads: reads, writes: writes, interpreter: interpreter,
      grant: { grant, interpreter in
        // What a store of the language can do is up to what it stands on.
        guard grant == .granted || grant == .none else { return false }
        if grant == .granted { interpreter.mountRemoteStores(where: { $0 == scheme }) }
        return true
      }, footprint: footprint)
  }

  var input: MatrixScheme {
    let console = MatrixConsole()
    return standard(
      "stdin", "line", "InputStore", secrets: ["wombat"],
      reads: ["get", "literal", "stream", "copy", "exists"],
      interpreter: { $0 == .none ? Interpreter() : Interpreter(console: console) },
      footprint: { _ in "\(console.readCount)" })
  }

  var output: MatrixScheme {
    let console = MatrixConsole()
    return standard(
      "stdout", "line", "OutputStore", secrets: ["wombat"], reads: [],
      writes: ["put", "assign", "write", "connectTo"],
      interpreter: { $0 == .none ? Interpreter() : Interpreter(console: console) },
      footprint: { _ in "\(console.writtenCount)" })
  }

  var clock: MatrixScheme {
    let clock = MatrixClock()
    return standard(
      "clock", "now", "ClockStore", secrets: ["2099-01-01"],
      reads: ["get", "literal", "copy", "exists", "connect"],
      interpreter: { $0 == .none ? Interpreter() : Interpreter(clock: clock) },
      footprint: { _ in "\(clock.askCount)" })
  }

  var terminal: MatrixScheme {
    MatrixScheme(
      place: MatrixPlace(
        scheme: "terminal", literal: "stdin", text: "stdin", storeClass: "NativeStore"),
      secrets: ["\(isatty(0) == 1)"],
      reads: ["get", "literal", "copy", "status", "exists", "connect"], unclear: ["exists"],
      grant: { grant, interpreter in
        switch grant {
        case .granted: interpreter.mountTerminal()
        case .reading: interpreter.mountForReading(TerminalStore(), as: "terminal")
        case .elsewhere: return false
        case .none: break
        }
        return true
      })
  }

  var compression: MatrixScheme {
    MatrixScheme(
      place: MatrixPlace(
        scheme: "zlib", literal: "gzip/6", text: "gzip/6", storeClass: "NativeStore"),
      // How packed bytes begin.
      secrets: ["#[31 139 "], reads: ["pack"], readsWhereReading: [],
      grant: { grant, interpreter in
        switch grant {
        case .granted: interpreter.mountRemoteStores(where: { $0 == "zlib" })
        case .reading: interpreter.mountForReading(CompressionStore(), as: "zlib")
        case .elsewhere: return false
        case .none: break
        }
        return true
      })
  }
}
