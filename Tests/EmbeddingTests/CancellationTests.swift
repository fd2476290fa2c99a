import Foundation
import Synchronization
import Tenon
import TenonRuntime
import Testing

/// Whatever a script is at, another thread can stop it, and the interpreter goes on.
@Suite struct CancellationTests {
  /// Scripts that run very long or for ever; `go` says that it begins.
  static let loops = [
    // Loops of the language.
    "[ true ] whileTrue", "[ ] repeat", "1 to: 1 << 60 do: [ :i | i ]",
    "(1 << 60) timesRepeat: [ 1 ]",
    "[ false ] whileFalse: [ 3 ]",
    "| b | b := nil. b := [ b value: 1 ]. [ 1 / 0 ] on: Error do: [ :e | e retry ]",
    "self spin", "[ :x | self perform: #spin ] value: 1", "[ [ true ] whileTrue ] ensure: [ 3 ]",
    "[ [ true ] whileTrue ] on: Exception do: [ :e | e retry ]",
    "(1 to: 1 << 60) do: [ :i | i ]", "#(1 2 3) do: [ :i | [ true ] whileTrue ]",
    "[ nil foo ] on: Error do: [ :e | [ true ] whileTrue ]",
    "| c | c := OrderedCollection new. c add: 1. [ c add: c removeFirst ] repeat",
    // Folds and other passes over collections.
    "(1 to: 1 << 60) inject: 0 into: [ :a :b | a ]", "(1 to: 1 << 60) detect: [ :i | false ]",
    "(1 to: 1 << 60) anySatisfy: [ :i | i < 0 ]", "(1 to: 1 << 60) allSatisfy: [ :i | true ]",
    "(1 to: 1 << 60) count: [ :i | true ]", "[ (1 to: 100000) asArray sum ] repeat",
    "[ (1 to: 10000) collect: [ :i | i ] ] repeat",
    "[ (1 to: 10000) select: [ :i | i even ] ] repeat",
    "[ (1 to: 10000) asArray reversed ] repeat", "[ (1 to: 10000) asArray max ] repeat",
    // Sorting.
    "(1 to: 5000000) asArray sort: [ :a :b | a > b ]", "[ (1 to: 100000) asArray sorted ] repeat",
    "((1 to: 1000000) asArray collect: [ :i | i printString ]) sort",
    "[ ((1 to: 100000) collect: [ :i | i \\\\ 7 ]) sorted: [ :a :b | a > b ] ] repeat",
    // Numbers.
    "3 raisedTo: 20000000", "(3 raisedTo: 4000000) printString",
    "| a | a := 3 raisedTo: 3000000. [ a * a ] repeat", "200000 factorial",
    "| a | a := 7 raisedTo: 2000000. (a * a) gcd: a + 1",
    "[ (2 raisedTo: 100000) sqrtFloor ] repeat",
    "| a | a := 3 raisedTo: 3000000. [ a \\\\ (7 raisedTo: 900000) ] repeat",
    "[ (3 raisedTo: 100000) printString size ] repeat",
    // Text.
    "| s | [ s := ''. 1 to: 100000 do: [ :i | s := s , 'x' ] ] repeat",
    "| s | [ s := WriteStream on: ''. 1 to: 1000000 do: [ :i | s nextPut: $a ] ] repeat",
    "('a' * 40) , 'b' matches: '(a+)+c'. [ true ] whileTrue",
    "[ ('ab' * 100000) allMatches: '(a|b)*c' ] repeat",
    "[ ('ab' * 10000) replacingMatches: 'a' with: 'cc' ] repeat",
    "[ ('xyz' * 100000) asUppercase ] repeat",
    "[ ('a,b' * 100000) split: ',' ] repeat", "[ ('xyz' * 100000) reversed ] repeat",
    "[ ('xyz' * 100000) occurrencesOf: $x ] repeat", "[ ('xyz' * 100000) graphemes ] repeat",
    "[ ('xyz' * 100000) hash ] repeat", "[ ('xyz' * 100000) includesSubstring: 'zz' ] repeat",
    "[ ('b' , ('a' * 100000)) < ('b' , ('a' * 100000)) ] repeat",
    // Formats and printing.
    "(1 to: 3000000) asArray printString", "[ ('[' , ('1,' * 100000) , '1]') parseJSON ] repeat",
    "JSON write: (1 to: 3000000) asArray", "[ (\"a,b\\n\" * 100000) parseCSV ] repeat",
    "[ PropertyList writeBinary: (1 to: 10000) asArray ] repeat",
    "[ ('x' * 1000000) utf8 sha256 ] repeat", "[ ('xyz' * 100000) utf8 base64Encoded ] repeat",
    // Sets and dictionaries.
    "[ (Set new addAll: (1 to: 100000); yourself) ] repeat",
    "| d | d := Dictionary new. 1 to: 1 << 60 do: [ :i | d at: i \\\\ 1000 put: i ]",
    "| a | a := (1 to: 100000) asSet. [ a copy removeAll: a ] repeat",
    "[ ((1 to: 100000) asArray collect: [ :i | i ]) asBag ] repeat",
    "[ (1 to: 100000) asArray = (1 to: 100000) asArray ] repeat",
    // Streams, stores, connectors and solvers.
    "| s | s := ReadStream on: (1 to: 100). [ s reset. [ s atEnd ] whileFalse: [ s next ] ] repeat",
    "[ stdout println: 'x' ] repeat",
    "1 to: 1 << 60 do: [ :i | mem:{(i \\\\ 100) printString} := i ]",
    "| a b | a := 1. b |= a + 1. [ a := a + 1 ] repeat",
    "| a b | a := 1. b |= (1 to: a) inject: 0 into: [ :x :y | x ]. a := 1 << 60",
    "var p := 1. var q. q |= (1 to: p * 1000000000) inject: 0 into: [ :x :y | x ]",
    "var c := 1. var f. f =|= c * 9 / 5 + 32. [ f := f + 1. c := c + 1 ] repeat",
    "class Busy : Solver { -settle: turn { [ true ] whileTrue } }. var u := 1. var v. (v |= u + 1) solver: Busy",

    // Waiting and clean-up.
    "1 hours wait", "[ 1 hours wait ] ensure: [ 3 ]",
    "[ 1 milliseconds wait ] repeat",
    "[ [ true ] whileTrue ] ensure: [ [ true ] whileTrue ]",
    "-deep: n { ^(self deep: n + 1) + 1 }\n[ [ self deep: 1 ] on: StackOverflow do: [ :e | nil ] ] repeat",
  ]

  /// Ends the process, and says at what, when something does not end.
  private final class Alarm: Sendable {
    private let isOff = Mutex(false)
    init(_ text: String) {
      Thread.detachNewThread { [self] in
        for _ in 0..<1200 {
          Thread.sleep(forTimeInterval: 0.1)
          if isOff.withLock({ $0 }) { return }
        }
        fatalError("it does not end: \(text)")
      }
    }
    func turnOff() { isOff.withLock { $0 = true } }
  }

  /// Stops a script some time after it has begun; how long that has taken, and how it has ended.
  private func stop(
    _ text: String, in interpreter: Interpreter, after milliseconds: Int
  ) -> (Duration, String) {
    let alarm = Alarm(text)
    defer { alarm.turnOff() }
    let begun = DispatchSemaphore(value: 0)
    let asked = Mutex<ContinuousClock.Instant?>(nil)
    let interrupter = interpreter.interrupter
    let worker = Worker {
      begun.wait()
      usleep(UInt32(milliseconds) * 1000)
      asked.withLock { $0 = .now }
      interrupter.interrupt()
    }
    interpreter["go"] = interpreter.function { () -> Void in begun.signal() }
    var ending = "an end"
    let definitions =
      text.hasPrefix("-") ? text.split(separator: "\n", maxSplits: 1).map(String.init) : []
    let script =
      definitions.count == 2
      ? "\(definitions[0])\ngo value. \(definitions[1])"
      : "-spin { [ true ] whileTrue }\ngo value. \(text)"
    do throws(EvaluationError) {
      _ = try interpreter.evaluate(script)
    } catch {
      if case .interrupted = error { ending = "interrupted" } else { ending = "\(error)" }
    }
    let end = ContinuousClock.now
    begun.signal()
    worker.wait()
    interrupter.withdraw()
    return (asked.withLock { $0.map { end - $0 } ?? .zero }, ending)
  }

  /// Times are told, not tested: a busy machine makes them what it likes.
  @Test func everyLoopEnds() throws {
    var times: [(Duration, String)] = []
    var interrupted = 0
    for (number, text) in Self.loops.enumerated() {
      var options = Interpreter.Options()
      options.memoryLimit = 256 << 20
      let interpreter = Interpreter(options, clock: Interpreter.systemClock)
      let (time, ending) = stop(text, in: interpreter, after: isFullSize ? 50 : 3 + number % 5)
      #expect(ending == "interrupted", "\(text): \(ending)")
      if ending == "interrupted" { interrupted += 1 }
      times.append((time, text))
      #expect(try interpreter.evaluate("(1 to: 100) sum", as: Int.self) == 5050, "\(text)")
    }
    times.sort { $0.0 < $1.0 }
    let worst = times.suffix(3).map { "\($0.0): \($0.1)" }.joined(separator: "; ")
    print("cancellation: \(times.count) loops, median \(times[times.count / 2].0), worst \(worst)")
    #expect(interrupted >= 60)
  }
}
