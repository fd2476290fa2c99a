import Foundation
import Synchronization
import Tenon
import TenonRuntime
import Testing

/// Many interpreters, at once and one after the other.
@Suite struct ScaleTests {
  /// A script that has something to do with everything, and whose answer depends on two numbers.
  private static func script(_ interpreter: Int, _ number: Int) -> String {
    let (a, b) = (interpreter, number)
    let scripts = [
      "total := total + \(b). total * \(a)",
      "((1 to: \(b % 50)) collect: [ :i | i * \(a) ]) asArray printString",
      "| d | d := Dictionary new. 1 to: 20 do: [ :i | d at: i * \(b) \\\\ 37 put: i ]. d keys sorted printString",
      "seen := seen + 1. (twice value: \(b)) + derived",
      "base := \(b). derived printString , ' ' , total printString",
      "[ 1 / (\(b) \\\\ 2) ] on: ZeroDivide do: [ :e | e messageText , '\(a)' ]",
      "class C\(b % 7) { var x := \(a). -next { x := x + \(b). ^x } }. c := C\(b % 7) new. c next; next",
      "((\(a) + 3) raisedTo: \(b % 90)) printString size",
      "(('a\(b)b' * 30) allMatches: '[0-9]+') size",
      "JSON write: (JSON parse: '{\"a\": [\(a), \(b)], \"b\": {\"c\": \"x\"}}')",
      "mem:{'\(b % 11)'} := total. (ref:mem: children) size",
      "[ nil foo\(b) ] on: Error do: [ :e | e messageText ]",
      "| s | s := WriteStream on: ''. 1 to: \(b % 40) do: [ :i | s print: i * \(a) ]. s contents",
      "fahrenheit := \(b). celsius printString", "celsius := \(a). fahrenheit printString",
      "(((1 to: 30) asArray collect: [ :i | i * \(b) \\\\ 31 ]) sort: [ :x :y | x > y ]) printString",
    ]
    return scripts[number % scripts.count]
  }

  /// What the scripts of one interpreter answer and print.
  private static func outputs(_ number: Int, count: Int) -> [String] {
    let interpreter = Interpreter()
    interpreter["twice"] = interpreter.function { (x: Int) in x * 2 }
    let beginning = """
      var total := 0. var seen := 0. var base := 1. var derived. derived |= base * \(number) + 1.
      var celsius := 20. var fahrenheit. fahrenheit =|= celsius * 9 / 5 + 32
      """
    var found: [String] = []
    for index in -1..<count {
      do throws(EvaluationError) {
        let text = index < 0 ? beginning : script(number, index)
        found.append(interpreter.printString(try interpreter.evaluate(text)))
      } catch { found.append("\(error)") }
    }
    return found
  }

  @Test func eightInterpretersInEightThreads() {
    let count = isFullSize ? 1000 : 96
    let alone = (0..<8).map { Self.outputs($0, count: count) }
    #expect(Set(alone).count == 8)
    #expect(!alone.joined().contains { $0.contains("unknown name") || $0.contains("expected") })
    let together = Mutex<[Int: [String]]>([:])
    let workers = (0..<8).map { number in
      Worker {
        let found = Self.outputs(number, count: count)
        together.withLock { $0[number] = found }
      }
    }
    workers.forEach { $0.wait() }
    for number in 0..<8 {
      #expect(together.withLock { $0[number] } == alone[number], "\(number)")
    }
  }

  // MARK: Growth

  private static let measured = ProcessInfo.processInfo.environment["TENON_GROWTH"].flatMap {
    Int($0)
  }

  private static var resident: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  /// An interpreter that has done a little of everything.
  private static func makeAndDrop(_ number: Int) throws {
    let interpreter = Interpreter()
    let kept = Interpreter()
    interpreter["f"] = interpreter.function { (x: Int) in x + number }
    _ = try interpreter.evaluate(
      "var a := \(number). var b. b |= (f value: a) * 2. class C { var x := 3. } mem:x := C new. a := 4"
    )
    _ = try kept.evaluate("[ 1 / 0 ] on: ZeroDivide do: [ :e | e ]")
  }

  /// What runs in the process that is measured.
  @Test(.enabled(if: measured != nil, "run by 'interpretersLeaveNothing'")) func growth() throws {
    for number in 0..<200 { try Self.makeAndDrop(number) }
    let before = Self.resident
    // Two in each turn.
    for number in 0..<(Self.measured ?? 0) / 2 { try Self.makeAndDrop(number) }
    print("growth: \(Self.resident - before) bytes;")
  }

  /// Interpreters are made and dropped in a process of its own: other tests take memory as well.
  @Test func interpretersLeaveNothing() throws {
    let count = isFullSize ? 10_000 : 1000
    let output = try TestProcess.run("ScaleTests/growth", ["TENON_GROWTH": "\(count)"])
    let growth = output.split(separator: "growth: ").last?.split(separator: " ").first
    let bytes = try #require(growth.flatMap { Int($0) }, "\(output)")
    print("\(count) interpreters made and dropped grow the process by \(bytes) bytes")
    #expect(bytes <= 5 << 20)
  }
}

/// These tests in a process of their own, one of them alone.
enum TestProcess {
  /// Runs a test; what it prints.
  static func run(_ test: String, _ variables: [String: String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "--testing-library", "swift-testing", "--filter", "TenonEmbeddingTests.\(test)",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
      .merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
