import TenonLexer
import Testing

/// The runner of the scripts itself: every kind of wrong expectation must fail.
@Suite struct RunnerTests {
  /// What the runner says about a script.
  private func failures(_ text: String) -> [String] {
    let annotated = AnnotatedText(text)
    let source = SourceText(name: "test.st", text)
    return annotated.failures(of: ScriptRun().observe(source, annotated))
  }

  /// What the runner makes of a script's comments.
  private func rewritten(_ text: String) -> String {
    let annotated = AnnotatedText(text)
    let source = SourceText(name: "test.st", text)
    return annotated.rewritten(for: ScriptRun().observe(source, annotated))
  }

  @Test func whatIsRightPasses() {
    #expect(failures("").isEmpty)
    #expect(failures("3 + 4. // => 7\n'a' , 'b'. 5 // => 5").isEmpty)
    #expect(failures("3\n  + 4. // => 7").isEmpty)
    #expect(failures("stdout println: 'a'. // expect: a\n// a comment").isEmpty)
    #expect(failures("3 do: [ // error: 3 does not understand 'do:'\n  1 ].").isEmpty)
    #expect(failures("3 foo. // error: 3 does not understand 'foo'").isEmpty)
    #expect(failures("3 foo.\n// error: 3 does not understand 'foo'").isEmpty)
    #expect(failures("stdin nextLine // => 'x'\n// input: x").isEmpty)
    #expect(failures("stderr println: 'a'. // expect: stderr: a").isEmpty)
  }

  @Test func wrongValuesFail() {
    #expect(failures("3 + 4. // => 8").count == 1)
    #expect(failures("3 + 4. // => 7.").count == 1)
    #expect(failures("3 +\n4. // => 7\n// => 8").count == 1)
  }

  @Test func valuesOfNothingFail() {
    #expect(failures("// => 7").count == 1)
    #expect(failures("nil foo. // error: nil does not understand 'foo'\n3. // => 3").count == 1)
    #expect(failures("#(1\n 2 // => 2\n )").count == 1)
  }

  @Test func wrongOutputFails() {
    #expect(failures("stdout println: 'a'. // expect: b").count == 1)
    #expect(failures("stdout println: 'a '. // expect: a").count == 1)
    #expect(failures("stdout println: 'a'").count == 1)
    #expect(failures("stdout println: ''").count == 1)
    #expect(failures("stdout nextPutAll: 'a'").count == 1)
    #expect(failures("3. // expect: a").count == 1)
    #expect(failures("stdout println: 'a'; println: 'b'\n// expect: b\n// expect: a").count == 1)
    #expect(failures("stderr println: 'a'. // expect: a").count == 1)
  }

  @Test func wrongErrorsFail() {
    #expect(failures("nil foo").count == 1)
    #expect(failures("nil foo. // error: nil does not understand 'bar'").count == 2)
    #expect(failures("// error: nil does not understand 'foo'\nnil foo").count == 2)
    #expect(failures("3 do: [\n  1 ]. // error: 3 does not understand 'do:'").count == 2)
    #expect(failures("1.\n// error: nil does not understand 'foo'\nnil foo").count == 2)
    #expect(failures("nil foo.\n1. // error: nil does not understand 'foo'").count == 2)
    #expect(failures("1. // error: nil does not understand 'foo'").count == 1)
  }

  @Test func wrongSyntaxErrorsFail() {
    let message = "unknown name 'foo'"
    #expect(failures("foo. // syntax error: \(message)").isEmpty)
    #expect(failures("foo").count == 1)
    #expect(failures("foo. // syntax error: unknown name").count == 2)
    #expect(failures("foo.\n1. // syntax error: \(message)").count == 2)
    #expect(failures("foo. // error: \(message)").count == 2)
    #expect(failures("foo.\nfoo. // syntax error: \(message)").count == 1)
    #expect(failures("1. // syntax error: \(message)").count == 1)
  }

  @Test func wrongWarningsFail() {
    let script = "#(1 -2, 3)."
    let found = failures(script)
    #expect(found.count == 1)
    let warning = String(found.first?.dropFirst("line 1: nobody expected ".count) ?? "")
    #expect(warning.hasPrefix("warning: "))
    #expect(failures("\(script) // \(warning)").isEmpty)
    #expect(failures("\(script) // \(warning)!").count == 2)
    #expect(failures("1. // \(warning)").count == 1)
  }

  @Test func endlessScriptsFail() {
    let text = "[ true ] whileTrue: [ ]"
    let annotated = AnnotatedText(text)
    var run = ScriptRun()
    run.patience = 0.2
    let observation = run.observe(SourceText(name: "test.st", text), annotated)
    #expect(annotated.failures(of: observation).count == 1)
  }

  @Test func commentsAreRewritten() {
    #expect(rewritten("3 + 4. // =>") == "3 + 4. // => 7")
    #expect(rewritten("3 + 4. // => 8\n") == "3 + 4. // => 7\n")
    #expect(rewritten("stdout println: 'a'. // expect:") == "stdout println: 'a'. // expect: a")
    #expect(rewritten("stdout println: 'a'\n") == "stdout println: 'a'\n// expect: a\n")
    #expect(rewritten("nil foo.\n") == "nil foo.  // error: nil does not understand 'foo'\n")
    #expect(rewritten("1. // error: x\n") == "1.\n")
    #expect(rewritten("// error: x\n1\n") == "1\n")
    #expect(rewritten("foo\n") == "foo  // syntax error: unknown name 'foo'\n")
    #expect(rewritten("x := 1. // a comment") == "x := 1. // a comment")
  }

  @Test func rewrittenScriptsPass() {
    for text in [
      "3 + 4. // => 8", "stdout println: 'a'; println: 'b'", "nil foo. // error: bar", "foo bar",
      "stdout println: 'a'. // expect: b\nnil foo\n", "#(1 -2, 3). // => 1",
    ] {
      #expect(failures(text).isEmpty == false)
      #expect(failures(rewritten(text)).isEmpty, "\(rewritten(text))")
    }
  }
}
