import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Objects that are nested as deep as memory allows: they are marked and freed without recursion,
/// and what has to recurse is an error that a program can catch.
@Suite struct DeepStructureTests {
  /// What a million of each is linked with.
  static let links = [
    "Array with: x", "N new next: x", "[ x ]", "OrderedCollection new add: x; yourself", "1 => x",
    "1 @ x", "#{ a: x }", "Set with: x",
    "(WriteStream on: #()) nextPut: x; yourself",
    "Message selector: #foo arguments: x", "Error new messageText: x; yourself",
  ]

  /// Runs a script on a thread with a small stack and prints what it answers.
  private func answer(_ script: String, stackSize: Int = 512 << 10) -> String {
    onThread(stackSize: stackSize) {
      let interpreter = Interpreter()
      let watchdog = Watchdog(interpreter.interrupter, seconds: 120)
      defer { watchdog.stop() }
      return switch interpreter.run(SourceText(name: "deep.st", script)) {
      case .finished(let value): interpreter.printString(value)
      case .rejected(let diagnostics, _): diagnostics.first?.message ?? "rejected"
      case .failed(let error): error.rendered()
      case .interrupted: "interrupted"
      }
    }
  }

  /// Makes a structure of a number of links, `x`, and another like it, `y`.
  private func making(_ link: String, count: Int) -> String {
    """
    class N {
      var next.
      -= other { ^next = other next }
      -hash { ^next hash }
      -printOn: stream { stream print: next }
    }
    class Maker { -extend: x { ^\(link) } }
    maker := Maker new.
    x := nil.
    y := nil.
    \(count) timesRepeat: [ x := maker extend: x ].

    """
  }

  @Test(arguments: links.indices) func aMillionLinksAreFreed(_ index: Int) {
    // The first ones at the full size; a shorter line of the others shows as well who recurses.
    let script =
      making(Self.links[index], count: index < 3 ? 1_000_000 : 100_000) + """
        kept := x.
        x := nil.
        // Collections mark all of it, then find it dead.
        8 timesRepeat: [ Array new: 1000000 ].
        kept := nil.
        8 timesRepeat: [ Array new: 1000000 ].
        'done'
        """
    #expect(answer(script) == "'done'")
  }

  /// Whatever walks such a structure answers or overflows, again and again.
  @Test(arguments: links) func walkingThemIsAnErrorAtMost(_ link: String) {
    let script =
      making(link, count: 30_000) + """
        30000 timesRepeat: [ y := maker extend: y ].
        2 timesRepeat: [
          #(#printString #displayString #hash #copy #asString #size) do: [ :each |
            [ x perform: each ] on: Error do: [ :e | nil ] ].
          [ x = y ] on: Error do: [ :e | nil ].
          [ Set with: x with: y ] on: Error do: [ :e | nil ].
          [ x foo ] on: Error do: [ :e | e messageText ].
          [ "{x}" ] on: Error do: [ :e | nil ].
          [ mem:x := x. mem:x = y ] on: Error do: [ :e | nil ] ].
        'done'
        """
    #expect(answer(script) == "'done'")
    #expect(answer(script, stackSize: 8 << 20) == "'done'")
  }

  /// An uncaught error is told although its receiver cannot be printed.
  @Test func errorsOfDeepReceiversAreTold() {
    let script = making("Array with: x", count: 100_000) + "x foo"
    #expect(answer(script).hasPrefix("deep.st:"))
  }

  /// Variables that a redefined class has got are found by a table, and marked without recursion.
  @Test func addedVariablesAreMarked() {
    let script = """
      class N { var a. }
      | all |
      all := (1 to: 100000) collect: [ :i | N new ].
      class N { var a. var next. }
      2 to: all size do: [ :i | (all at: i - 1) next: (all at: i) ].
      first := all first.
      all := nil.
      10 timesRepeat: [ Array new: 1000000 ].
      count := 0.
      [ first isNil ] whileFalse: [ count := count + 1. first := first next ].
      count
      """
    #expect(answer(script) == "100000")
  }
}
