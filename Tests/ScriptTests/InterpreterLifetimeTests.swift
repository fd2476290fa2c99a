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
    "a := 1. b := 2. c := 3. b =|= a * 2. c =|= b + 1. d |= c. a := 5",
    "a := 1. b := 2. (b =|= a + 1) solver: #linear. k := (a + b >=| 2). a := 3",
    "x := nil. x |= x2 + 1. x2 := 'no number'",
    "class Eager : Solver { -settle: turn { constraints do: [ :c | turn run: c formulas first ] } } "
      + "a := 1. b := nil. (b |= a + 1) solver: Eager. a := 2",
    "a := 1. b := nil. (b |= a) policy: QueuedPolicy new. a := 2. ref:var:a watch: [ :x | x ]",
    "list := #(1, 2, 3) asOrderedCollection. s |= list sum. list add: 4. mem:total |= s",
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
      for case let info? in machine.classes.infos {
        parts.append(Weak(object: info))
        parts += info.allMethods.map { Weak(object: $0) }
        parts += info.allMethods.compactMap(\.code).map { Weak(object: $0) }
        parts += info.allMethods.compactMap(\.trackedCode).map { Weak(object: $0) }
      }
      parts += (machine.codeTable.methods + machine.codeTable.retired).map { Weak(object: $0) }
      let graph = machine.graph
      parts +=
        [Weak(object: graph)]
        + graph.connections.values.map {
          Weak(object: $0.statement)
        }
      for formula in graph.formulasInUse {
        let region = formula.constraint?.region
        let solver = region.map { $0.solver as AnyObject }
        parts += [region, formula.fold, solver].compactMap { $0.map { Weak(object: $0) } }
      }
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
