import Testing

@testable import Tenon
@testable import TenonRuntime

/// Code that nothing can run any more is given back, whatever made it superfluous.
@Suite struct CodeLifetimeTests {
  /// What is done again and again, and what must be there before.
  struct Change: CustomTestStringConvertible, Sendable {
    let change: String
    var before = ""

    var testDescription: String { change }
  }

  @Test(arguments: [
    Change(change: "[ :x | x ] value: 3"),
    Change(change: "kept := [ :x | x ]"),
    Change(change: "Smalltalk evaluate: '[ :x | x ] value: 3'"),
    Change(change: "A compile: '-m { ^[ :x | x ] }'. A new m value: 3", before: "class A { }"),
    Change(
      change: "A compile: '-m { ^[ :x | x ] }'. A new m. A removeSelector: #m",
      before: "class A { }"),
    Change(change: "class A { var a := [ 3 ]. -m { ^[ a ] } } A new m value value"),
    Change(change: "extension Object { -own { ^[ 3 ] } } 3 own"),
    Change(change: "-own { ^[ 3 ] } self own value"),
    Change(change: "scheme S { /:name { get { ^[ name ] value } } } scheme:s := S new. s:a"),
    Change(change: "k := b |= [ a + 1 ] value. a := 2. k disconnect", before: "a := 1. b := 2"),
    Change(
      change: "k := b |= x m. a := 2. k disconnect. x class compile: '-m { ^[ 3 ] value }'",
      before: "class A { -m { ^3 } } x := A new. a := 1. b := 2"),
  ])
  func codeGoes(_ each: Change) throws {
    let interpreter = Interpreter()
    let machine = interpreter.machine
    func repeats(_ count: Int) throws -> Int {
      for _ in 0..<count { _ = try interpreter.evaluate(each.change) }
      for _ in 0..<2 { _ = try interpreter.evaluate("Smalltalk garbageCollect") }
      return machine.codeTable.methods.count + machine.codeTable.retired.count
        + machine.codeTable.replaced.count
        + machine.codeTable.running.count
    }
    if !each.before.isEmpty { _ = try interpreter.evaluate(each.before) }
    let usual = try repeats(5)
    #expect(try repeats(40) <= usual + 3)
  }
}
