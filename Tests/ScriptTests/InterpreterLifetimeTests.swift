import Foundation
import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// An interpreter goes when nobody holds it, whatever its scripts have left behind.
@Suite struct InterpreterLifetimeTests {
  /// Runs a script and returns whether its interpreter outlives it.
  private func outlives(_ script: String, isPrompt: Bool = false) -> Bool {
    onThread(stackSize: 8 << 20) {
      weak var machine: Machine?
      do {
        let interpreter = Interpreter()
        machine = interpreter.machine
        let watchdog = Watchdog(interpreter.interrupter, seconds: 10)
        defer { watchdog.stop() }
        _ = interpreter.run(SourceText(name: "gone.st", script), isPrompt: isPrompt)
      }
      return machine != nil
    }
  }

  @Test(arguments: [
    "3 + 4", "nil foo", "x", "b := [ :x | x + 1 ]. b value: 3", "c := 3. d := 4. d |= c + 1",
    "c := 3. d := 4. d =|= c * 2 + 1", "class A { var a. -foo { ^[ a ] } } x := A new",
    "scheme S { /k { get { 3 } } } scheme:s := S new. s:k", "mem:a := 3. r := ref:mem:a",
    "class A { var a. ivar:a |= 3 } x := A new. class A { var b. var a. } x b: 4",
    "[ :x | x foo ] on: Error do: [ :e | e ]",
    "[ 1 / 0 ] on: ZeroDivide do: [ :e | e retryUsing: [ 3 ] ]",
    "class A { -down { ^1 + self down } } [ A new down ] on: StackOverflow do: [ :e | e ]",
    "class A { -doesNotUnderstand: m { ^m } } A new foo bar", "3 perform: #foo",
    "a := Array new: 3. a[1] := a. a", "x := ref:var:y. y := 3. x value",
  ])
  func interpretersGo(_ script: String) {
    #expect(!outlives(script))
    #expect(!outlives(script, isPrompt: true))
  }

  @Test(arguments: ScriptFile.all.filter { $0.path.hasPrefix("language/") })
  func interpretersOfTestScriptsGo(_ file: ScriptFile) throws {
    #expect(try !outlives(file.text()))
  }
}
