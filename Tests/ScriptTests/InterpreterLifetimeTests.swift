import Testing

@testable import Tenon
@testable import TenonRuntime

/// An interpreter takes everything with it that it made.
@Suite struct InterpreterLifetimeTests {
  /// Something of an interpreter, which must not keep it alive.
  private struct Weak {
    weak var object: AnyObject?
  }

  @Test(arguments: [
    "3 + 4",
    "#(1, 2) collect: [ :each | each printString ]",
    "class Tank { var level := 3. -fill { level := 4 } } x := Tank new. x fill. y := [ x ]",
    "class A { var level. } tank := A new. class A { var level. var name. } tank name: 'x'",
    "var a := 1. var b. b |= a + 1. a := 2. b =|= mem:copy. self connections",
    "class Tank { var a. var b. ivar:b |= ivar:a. } tank := Tank new. tank a: 3",
    "scheme Box { /:name { get { ^name } } } scheme:box := Box new. box:x",
    "nil foo",
    "[ nil foo ] on: Error do: [ :e | kept := e ]",
    "[ ^3 ] value",
    "class A { -down { ^1 + self down } } [ A new down ] on: StackOverflow do: [ :e | e ]",
    "class A { -doesNotUnderstand: m { ^m } } A new foo bar",
    "a := Array new: 3. a[1] := a. a",
    "x := ref:var:y. y := 3. x value",
    "x := ]",
  ])
  func nothingStays(_ script: String) {
    var parts: [Weak] = []
    do {
      let interpreter = Interpreter()
      _ = try? interpreter.evaluate(script)
      let machine = interpreter.machine
      parts.append(Weak(object: machine))
      for case let info? in machine.classes {
        parts.append(Weak(object: info))
        parts += info.allMethods.map { Weak(object: $0) }
        parts += info.allMethods.compactMap(\.code).map { Weak(object: $0) }
        parts += info.allMethods.compactMap(\.trackedCode).map { Weak(object: $0) }
      }
      parts += (machine.methodCodes + machine.retiredCodes).map { Weak(object: $0) }
    }
    #expect(parts.count > 100)
    #expect(parts.count { $0.object != nil } == 0)
  }

  @Test func handlesDoNotKeepTheInterpreter() throws {
    var handle: Handle?
    weak var machine: Machine?
    do {
      let interpreter = Interpreter()
      machine = interpreter.machine
      handle = try interpreter.evaluate("[ :x | x ]")
    }
    #expect(machine == nil)
    #expect(handle?.isNil == true)
  }
}
