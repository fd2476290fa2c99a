import Foundation
import TenonStoreKit
import Testing

@testable import Tenon

/// What connections say of themselves.
///
/// Whenever one is `#satisfied`, the two sides of its statement, evaluated anew, agree; else there is
/// a reason. `Laws/StateLaw.st` makes random programs and looks after each step.
@Suite struct StateLawTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let law = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Laws/StateLaw.st")
  private static let seed = environment["TENON_TEST_SEED"].flatMap { UInt32($0) } ?? 20_261
  /// How many programs; `scripts/check full` has the release build run 100,000.
  private static let count = environment["TENON_STATE_PROGRAMS"].flatMap { Int($0) } ?? 250

  @Test(arguments: 0..<4) func whatIsSatisfiedHolds(_ part: UInt32) throws {
    let text = try String(contentsOf: Self.law, encoding: .utf8)
    let lines = onThread(stackSize: 64 << 20) {
      let console = RecordingConsole()
      let interpreter = Interpreter(console: console, clock: VirtualClock())
      do {
        _ = try interpreter.evaluate(text)
        _ = try interpreter.evaluate(
          "StateLaw new random: (Random seed: \(Self.seed + part)); run: \(Self.count).")
      } catch {
        return console.lines + ["\(error)"]
      }
      return console.lines.filter { !$0.hasPrefix("stderr: ") }
    }
    #expect(
      lines.count == 1 && lines[0].hasSuffix(", 0 failed"),
      "seed \(Self.seed + part): \(lines.joined(separator: "\n"))")
  }
}
