import Foundation
import Tenon
import Testing

@testable import TenonRuntime

/// Memory that is refused at the n-th chance leaves a sound heap, at whatever chance that is.
///
/// The interpreter collects all the time, which checks the marks and fills dead cells with nonsense.
@Suite struct RefusedMemoryTests {
  /// Programs that take memory in all kinds of ways; each answers the same text whenever it comes to its end.
  static let programs = [
    "| c | c := OrderedCollection new. 1 to: 60 do: [ :i | c add: i printString ]. c printString",
    "| d | d := Dictionary new. 1 to: 60 do: [ :i | d at: i printString put: i ]. (d at: '33') printString",
    "((1 to: 300) collect: [ :i | i * i ]) sum printString",
    "(((1 to: 200) asArray collect: [ :i | i * 7 \\\\ 31 ]) sort: [ :a :b | a < b ]) printString",
    "| s | s := 'x'. 12 timesRepeat: [ s := s , s ]. s size printString",
    "(('ab,c' * 400) , 'd') size printString",
    "(3 raisedTo: 4000) printString size printString",
    "(JSON write: (JSON parse: '[1, {\"a\": [2, 3.5, \"x\"]}, null]'))",
    "(('a1b22c333' * 40) allMatches: '[0-9]+') size printString",
    "[ | a b k | a := 1. k := (b |= a + 1). 1 to: 30 do: [ :i | a := i ]. "
      + "k state = #satisfied ifTrue: [ b printString ] ifFalse: [ 'OutOfMemory' ] ] value",
    "[ | a b k | a := 1. k := (b =|= a * 2). b := 20. "
      + "k state = #satisfied ifTrue: [ a printString ] ifFalse: [ 'OutOfMemory' ] ] value",
    "class Leaf { var left. var right. -left: a right: b { left := a. right := b } -count { ^1 + (left ifNil: [ 0 ] ifNotNil: [ left count ]) } }. "
      + "| t | t := Leaf new. 40 timesRepeat: [ t := Leaf new left: t right: nil; yourself ]. t count printString",
    "[ 1 / 0 ] on: ZeroDivide do: [ :e | e messageText ]",
    "| s | s := WriteStream on: ''. 1 to: 80 do: [ :i | s print: i ]. s contents size printString",
    "1 to: 20 do: [ :i | mem:{i printString} := i ]. (ref:mem: children) size printString",
    "((1 to: 40) inject: #() into: [ :all :each | all , #(each) ]) size printString",
    "'%1' , ('a b c' split: ' ') printString",
    "(Set new addAll: (1 to: 50); yourself) size printString",
    "x := twice value: 21. (tank fill: 3; level) printString , x printString",
  ]

  final class Tank: ScriptObject {
    var level = 0
  }

  private func interpreter() throws -> Interpreter {
    let interpreter = Interpreter()
    interpreter["twice"] = interpreter.function { (x: Int) in x * 2 }
    try interpreter.define(Tank.self) {
      HostProperty("level", \.level)
      HostMethod("fill:") { (tank, amount: Int) in tank.level = amount }
    }
    interpreter["tank"] = Tank()
    return interpreter
  }

  private func answer(_ program: String, in interpreter: Interpreter) -> String {
    do throws(EvaluationError) {
      return try interpreter.evaluate(program, as: String.self)
    } catch { return error.scriptError?.className ?? "\(error)" }
  }

  /// How many chances there are to refuse memory.
  private func chances(_ program: String) throws -> Int {
    let interpreter = try interpreter()
    interpreter.machine.collect(every: 50)
    interpreter.machine.collector.grantsLeft = 1 << 40
    let before = interpreter.safepointCount
    _ = answer(program, in: interpreter)
    return interpreter.safepointCount - before
  }

  @Test(arguments: programs)
  func theHeapIsSound(_ program: String) throws {
    let expected = answer(program, in: try interpreter())
    let chances = try chances(program)
    let samples = isFullSize ? 500 : 105
    var refused = 0
    let interpreter = try interpreter()
    // Every chance of a short program, and of a long one some, from the first to the last.
    for sample in 0..<min(samples, chances) {
      let number = chances <= samples ? sample : sample * chances / samples
      interpreter.machine.collect(every: 101)
      interpreter.machine.collector.grantsLeft = number
      let found = answer(program, in: interpreter)
      if interpreter.machine.collector.grantsLeft ?? -1 < 0 { refused += 1 }
      #expect(found == expected || found == "OutOfMemory", "\(number) of \(chances): \(found)")
      interpreter.machine.collector.grantsLeft = nil
      interpreter.machine.collect(every: 0)
      guard sample % 10 == 0 else { continue }
      let again = answer(program, in: interpreter)
      #expect(again == expected, "after \(number) of \(chances): \(again)")
    }
    #expect(refused >= min(samples, chances) / 2, "\(refused) of \(chances)")
  }
}

/// Whether everything is tried in full size.
let isFullSize = ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] != nil
