import Foundation
import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Programs that want more memory than they may have: an exception that they can catch, and they go
/// on.
@Suite struct MemoryLimitTests {
  /// Each asks for too much at once.
  static let requests = [
    "Array new: (1 bitShift: 40)", "Array new: (1 bitShift: 60)",
    "ByteArray new: (1 bitShift: 40)", "1 bitShift: (1 bitShift: 40)",
    "1 bitShift: SmallInteger maxVal", "2 raisedTo: 10000000000", "3 raisedTo: 1000000000",
    "'x' * 10000000000", "(1 to: 10000000000) asArray",
    "(1 to: 10000000000) collect: [ :each | each ]", "3 perform: ('x' * 100000000)",
    "'' padLeft: 1000000000", "'x' * 1e12", "Random bytes: 1000000000",
    "('ab' * 100000) replacingMatches: 'a' with: 'c' * 1000",
    "('ab' * 300000) allMatches: '((((((((((((a))))))))))))'", "('a' * 20000000) graphemes",
    "('[' , ('[],' * 3000000) , '1]') parseJSON", "(\"a\\n\" * 3000000) parseCSV",
  ]

  /// Each takes more and more.
  ///
  /// Bytes beyond the limit may be in use between two collections.
  static let growth = [
    "| s | s := 'x'. [ s := s , s ] repeat", "| a | a := #(1). [ a := a , a ] repeat",
    "| a | a := #(). [ a := Array with: a ] repeat", "| a | [ a := 1 => a ] repeat",
    "| a | [ a := 1 @ a ] repeat", "| s | s := 'x'. [ s := \"{s}{s}\" ] repeat",
    "| a | a := OrderedCollection new. [ a add: 'x' copy ] repeat",
    "| a | a := OrderedCollection new. [ | x | x := a size. a add: [ x ] ] repeat",
    "| b | b := [ 3 ]. [ | c | c := b. b := [ c value ] ] repeat",
    "| d i | d := Dictionary new. i := 0. [ d at: i put: i printString. i := i + 1 ] repeat",
    "| d i | d := Set new. i := 0. [ d add: i printString. i := i + 1 ] repeat",
    "| s | s := WriteStream on: ''. [ s nextPutAll: 'abcdefghijklmnopqrstuvwxyz' ] repeat",
    "| s | s := WriteStream on: ''. s nextPutAll: 'abc'. [ s nextPutAll: s contents ] repeat",
    "| s | s := #a. [ s := (s , s) asSymbol ] repeat",
    """
    | i a | i := 0. a := OrderedCollection new.
    [ a add: ('symbol' , i printString , ('x' * 200)) asSymbol. i := i + 1 ] repeat
    """,
    """
    | i | i := 0.
    [ [ mem:{i printString} := 'x' * 1000. i := i + 1 ] repeat ] ifCurtailed: [
      0 to: i do: [ :k | mem:{k printString} := nil ] ]
    """,
    """
    | i a | a := OrderedCollection new. i := 0.
    [ a add: ref:mem:{i printString}. i := i + 1 ] repeat
    """,
    """
    | a | a := OrderedCollection new.
    [ [ 1 / 0 ] on: ZeroDivide do: [ :e | a add: e ] ] repeat
    """,
    """
    | m | m := 'x'.
    [ m := m , m. [ Error signal: m ] on: Error do: [ :e | m := e messageText ] ] repeat
    """,
  ]

  /// Connections are counted, and that a formula fails for want of memory is not all.
  static let growthOfConnections = [
    """
    | n keep | n := 1. keep := OrderedCollection new. [ | x | x |= n + 1. keep add: [ x ] ] repeat
    """,
    """
    | n keep | n := 1. keep := OrderedCollection new. [ | x | x =|= n. keep add: [ x ] ] repeat
    """,
  ]

  /// Runs blocks, each in an interpreter of its own, and says what came of each.
  private func outcomes(_ blocks: [String], memoryLimit: Int) -> [String] {
    onThread(stackSize: 8 << 20) {
      var options = Interpreter.Options()
      options.memoryLimit = memoryLimit
      return blocks.map { block in
        let interpreter = Interpreter(options)
        let watchdog = Watchdog(interpreter.interrupter, seconds: 120)
        defer { watchdog.stop() }
        let script = """
          [ \(block). 'none' ] on: OutOfMemory do: [ :e | e class name ]
          """
        do {
          let caught = try interpreter.evaluate(script).string ?? "no name"
          // And on it goes, with a good part of what it may have.
          let sum = try interpreter.evaluate(
            """
            ((1 to: 10000) collect: [ :i | i printString size ])
              inject: 0 into: [ :a :b | a + b ]
            """)
          return sum.integer == 38_894 ? caught : "the interpreter is damaged"
        } catch {
          return "\(error)"
        }
      }
    }
  }

  @Test func requestsAreRefused() {
    let outcomes = outcomes(Self.requests, memoryLimit: 64 << 20)
    for (request, outcome) in zip(Self.requests, outcomes) {
      #expect(outcome == "OutOfMemory", "\(request)")
    }
  }

  @Test func growthIsStopped() {
    let outcomes = outcomes(Self.growth, memoryLimit: 8 << 20)
    for (growth, outcome) in zip(Self.growth, outcomes) {
      #expect(outcome == "OutOfMemory", "\(growth)")
    }
  }

  /// In less memory: making a connection takes long without optimisation.
  @Test func growthOfConnectionsIsStopped() {
    let outcomes = outcomes(Self.growthOfConnections, memoryLimit: 3 << 20)
    for (growth, outcome) in zip(Self.growthOfConnections, outcomes) {
      #expect(outcome == "OutOfMemory", "\(growth)")
    }
  }

  /// What nobody keeps is no growth: these run as long as one likes.
  @Test(arguments: [
    "('symbol' , i printString , ('x' * 200)) asSymbol",
    "[ 3 perform: ('selector' , i printString) ] on: Error do: [ :e | nil ]",
    "ref:mem:{i printString}", "[ 1 / 0 ] on: ZeroDivide do: [ :e | e return: i ]",
    "[ :x | x + i ] value: 3", "Array new: 1000", "(1 bitShift: 4000) + i",
  ])
  func whatNobodyKeepsIsFreed(_ expression: String) {
    let found = onThread(stackSize: 8 << 20) { () -> String in
      var options = Interpreter.Options()
      options.memoryLimit = 16 << 20
      let interpreter = Interpreter(options)
      let script = "1 to: 40000 do: [ :i | \(expression) ]. 'done'"
      return switch interpreter.run(SourceText(name: "many.st", script)) {
      case .finished(let value): interpreter.printString(value)
      case .failed(let error): error.rendered()
      case .rejected(let diagnostics, _): diagnostics.first?.message ?? ""
      case .interrupted: "interrupted"
      }
    }
    #expect(found == "'done'")
  }

  /// An error that nobody catches ends the script, not the interpreter.
  @Test func uncaught() {
    let found = onThread(stackSize: 8 << 20) { () -> [String] in
      var options = Interpreter.Options()
      options.memoryLimit = 16 << 20
      let interpreter = Interpreter(options)
      return ["x := #(). [ x := Array with: x ] repeat", "x := nil. 3 + 4"].map { script in
        switch interpreter.run(SourceText(name: "bomb.st", script)) {
        case .finished(let value): interpreter.printString(value)
        case .failed(let error): error.message
        default: "other"
        }
      }
    }
    #expect(found == ["out of memory: the limit is 16 MiB", "7"])
  }

  // MARK: What the process takes

  private static let measured = ProcessInfo.processInfo.environment["TENON_BOMBS"].flatMap {
    Int($0)
  }

  /// The most memory that the process has had since it was last asked to forget, and what it has now, in bytes.
  private static func resident(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }

  /// What runs in the process that is measured: all bombs, each in an interpreter of its own.
  @Test(.enabled(if: measured != nil, "run by 'bombsStayWithinBounds'")) func bombs() throws {
    let limit = (Self.measured ?? 0) << 20
    let base = Self.resident("VmRSS")
    var worst = (0, "")
    for bomb in Self.requests + Self.growth + Self.growthOfConnections {
      // From now on the peak is counted anew.
      try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
      let outcome = outcomes([bomb], memoryLimit: limit)
      let peak = Self.resident("VmHWM") - base
      if peak > worst.0 { worst = (peak, bomb) }
      // Some are made for 64 MiB and fit into more.
      let isCaught = outcome[0] == "OutOfMemory" || limit > 64 << 20 && outcome[0] == "none"
      let isWithin = peak <= limit * 3 / 2 + 64 << 20
      print("bomb: \(isCaught && isWithin) \(peak >> 20) MiB: \(outcome[0]) \(bomb)")
    }
    print("worst: \(worst.0 >> 20) MiB of \(limit >> 20): \(worst.1)")
  }

  /// In a process of its own: other tests take memory as well.
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["TENON_BOMB_PROCESS"] != nil,
      "TENON_BOMB_PROCESS=1: it takes minutes"))
  func bombsStayWithinBounds() throws {
    for limit in ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] != nil
      ? [64, 256] : [16]
    {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = [
        "--testing-library", "swift-testing", "--filter",
        #"TenonScriptTests.MemoryLimitTests/bombs\("#,
      ]
      process.environment = ProcessInfo.processInfo.environment
        .merging(["TENON_BOMBS": "\(limit)", "LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
      let bombs = lines.filter { $0.hasPrefix("bomb: ") }
      #expect(bombs.count >= 30)
      for bomb in bombs where !bomb.hasPrefix("bomb: true") {
        Issue.record("\(limit) MiB: \(bomb)")
      }
      print(lines.last { $0.hasPrefix("worst: ") } ?? "nothing was measured")
    }
  }
}
