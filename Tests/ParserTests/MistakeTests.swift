import TenonLexer
import TenonParser
import Testing

/// Texts that either could misread: each is an error or a warning with the right spelling in it.
@Suite struct MistakeTests {
  @Test func stringsAsComments() {
    let unused = "warning: the string is not used; a comment is written '// text'"
    expectDiagnostics("1️⃣\"a comment\".\nx foo", unused)
    expectDiagnostics("1️⃣'a comment'.\nx foo", unused)
    expectDiagnostics("-foo { 1️⃣'nothing' }", unused)
    expectDiagnostics("[ 1️⃣'a'. b ]", unused)
    expectDiagnostics(
      "1️⃣\"a comment\" x := 3", "a string can not begin a statement like this; a comment is written")
    expectDiagnostics(
      "1️⃣\"a comment\" 3", "a string can not begin a statement like this; a comment is written")
    expectDiagnostics(
      "1️⃣\"a comment\" Transcript show: 'x'; cr",
      "warning: the string receives 'Transcript'; a comment is written '// text'")
    expectTree("'a'", "'a'")
    expectTree("[ 'a' ]", "(block () 'a')")
    expectTree("\"a {x}\". b", "(str \"a \" x) b")
    expectTree("\"abc\" size", "(send (str \"abc\") size)")
  }

  @Test func comparisonForAssignment() {
    expectDiagnostics("x 1️⃣= 3. y", "warning: '=' compares and the result is not used; ':=' assigns")
    expectTree("x = 3", "(send x = 3)")
    expectTree("[ x = 3 ]", "(block () (send x = 3))")
  }

  @Test func dotsWithoutBlank() {
    let message = "a blank is missing after '.'"
    expectDiagnostics(
      "x foo1️⃣.bar", "\(message); a message is sent by a blank: 'foo bar'")
    expectDiagnostics("x := 31️⃣.y := 4", message)
    expectDiagnostics("(x1️⃣.y)", message)
    expectDiagnostics("x foo: y1️⃣.z", message)
    expectDiagnostics("[x1️⃣.y]", message)
    expectDiagnostics("x\n1️⃣.foo", message)
    expectTree(
      "x.(y). x.[y]. x.'y'. x.#y. ^x.^y", "x y x (block () y) x 'y' x #y (^ x) (^ y)",
      allowsWarnings: true)
  }

  @Test func missingReceivers() {
    expectDiagnostics("{ 1️⃣a: 1 }", "'{' begins a block; a dictionary is written '#{ a: 1 }'")
    expectDiagnostics(
      "{ 1️⃣a: 'b', c: 2 }", "'{' begins a block; a dictionary is written '#{ a: 'b' }'")
    expectDiagnostics("1️⃣ifTrue: [3]", "the message 'ifTrue:' has no receiver")
    expectDiagnostics("1️⃣at: 3 put: 4", "the message 'at:' has no receiver")
    expectDiagnostics("x := 1️⃣at: -3", "the message 'at:' has no receiver")
    expectTree("ifTrue:[3]", "(sub (id ifTrue) 3)")
  }

  @Test func selectorsThatNameVariables() {
    expectDiagnostics(
      "x := 3.\ny := foo\n1️⃣x bar.", "warning: 'x' is a variable too: a '.' may be missing before it"
    )
    expectDiagnostics("| a |\nb\n1️⃣a at: 3", "warning: 'a' is a variable too")
    expectDiagnostics("[:a | b\n1️⃣a foo]", "warning: 'a' is a variable too")
    expectDiagnostics("-x:a { b\n 1️⃣a foo }", "warning: 'a' is a variable too")
    expectTree("x := foo\n  bar", "(:= x (send foo bar))")
  }

  @Test func literalsInBlocks() {
    expectDiagnostics("[1 1️⃣2 3]", "'[' begins a block; an array is written '#(1 2 3)'")
    expectDiagnostics("{'a' 1️⃣'b'}", "'{' begins a block; an array is written '#(1 2 3)'")
    expectDiagnostics("-x { 1 1️⃣2 }", "expected '.', found '2'")
    expectDiagnostics("1️⃣[1, 2, 3]", "warning: a block that joins literals; an array is written")
    expectDiagnostics("x foo: 1️⃣{'a', 'b', 'c'}", "warning: a block that joins literals")
    expectDiagnostics("1️⃣['a', 2]", "warning: a block that joins literals")
    expectDiagnostics("1️⃣[1, 2]", "warning: a block that joins literals")
    // A text in two parts is more likely meant.
    expectTree("['', 'abcdefgh']", "(block () (send '' , 'abcdefgh'))")
    expectTree(
      "[1]. ['a' , x]. [:x | 'a' , 'b' foo]",
      "(block () 1) (block () (send 'a' , x)) (block (x) (send 'a' , (send 'b' foo)))")
  }

  @Test func signs() {
    expectDiagnostics("1️⃣- x", "'-' is no sign but before a digit; write 'x negated' or '0 - x'")
    expectDiagnostics("y := 1️⃣-x", "'-' is no sign but before a digit; write 'x negated' or '0 - x'")
    expectDiagnostics("3 + 1️⃣-(x)", "'-' is no sign but before a digit")
    expectDiagnostics("1️⃣- 3", "a '-' stands directly before the digits of its number: '-3'")
    expectDiagnostics("1️⃣+ 3", "'+' is no sign; it stands between two operands")
    expectDiagnostics("a + 1️⃣* b", "expected an expression, found '*'")
  }

  @Test func divisions() {
    let message = "warning: '//' begins a comment; a division that rounds down is written '~/'"
    expectDiagnostics("x := 7 1️⃣// 2.\n", message)
    expectDiagnostics("-half { ^x 1️⃣// 2.\n}", message)
    expectDiagnostics("x := 71️⃣ 2️⃣// 2.\ny := 3.", "a '.' is missing", message)
    expectTree("x := 7. // the number.", "(:= x 7)")
    expectTree("x := 7 // the number", "(:= x 7)")
    expectTree("x foo: // the number.\n 3", "(send x foo: 3)")
    expectTree("x\n// the number.\nfoo", "(send x foo)")
    expectTree("x | // the number.\nfoo", "(send x foo)")
  }

  @Test func fullStopsThatAreMissing() {
    let message = "a '.' is missing"
    expectDiagnostics("foo bar1️⃣\nbaz := 3", message)
    expectDiagnostics("x := 31️⃣\ny := 4", message)
    expectDiagnostics("x := a + b1️⃣\ny := 4", message)
    expectDiagnostics("x := a foo: b1️⃣\ny z := 4", message)
    expectDiagnostics("x foo1️⃣\ny[1] := 4", message)
    expectDiagnostics("x := 31️⃣\nivar:y := 4", message)
    expectDiagnostics("x foo1️⃣\n'abc' bar", message)
    expectDiagnostics("x foo1️⃣\n(y) bar", message)
    expectDiagnostics("x foo1️⃣\n[y] value", message)
    expectDiagnostics("x := 31️⃣\nself foo", message)
    expectDiagnostics("a |= b1️⃣\nc |= d", message)
    expectDiagnostics("ivar:f |= ivar:c * 91️⃣\nivar:c |= ivar:f", message)
    expectDiagnostics("a =|= b1️⃣\nc =|= d", message)
    expectDiagnostics("x1️⃣   // comment\ny := 3", message)
    expectDiagnostics("x += 31️⃣\ny += 3", message)
    expectDiagnostics("a |= b1️⃣\nc := 3", message)
    expectDiagnostics("a |= b1️⃣\nc -> d", message)
    expectDiagnostics("a += b1️⃣\nc := 3", message)
    expectDiagnostics("var a := b1️⃣\nc := 3", message)
    expectDiagnostics("a -> b1️⃣\nc |= d", message)
    expectTree("foo\n  := 3", "(:= foo 3)")
    expectTree("x :=\n 3 +\n y", "(:= x (send 3 + y))")
    expectTree("src lines\n  foo -> out", "(-> (send (send src lines) foo) out)")
    expectTree(
      "x foo: (a\n b) bar: 3. (a\n b) |= 3", "(send x foo: (send a b) bar: 3) (|= (send a b) 3)")
    expectTree(
      "x foo: [a\n b]. y := [a\n b]",
      "(send x foo: (block () (send a b))) (:= y (block () (send a b)))")
  }

  @Test func otherLanguages() {
    expectDiagnostics(
      "f1️⃣(x)", "expected '.', found '('; an argument follows a keyword: 'f: x'")
    expectDiagnostics("a ? b 1️⃣: c", "expected '.', found ':'")
    expectDiagnostics(
      "x := 1️⃣“abc”", "unexpected character '“' (U+201C); a string is written \"text\"")
    expectDiagnostics(
      "x := 1️⃣‘abc’", "unexpected character '‘' (U+2018); a string is written 'text'")
    expectDiagnostics("3 1️⃣– 4", "unexpected character '–' (U+2013); a minus sign is written '-'")
    expectDiagnostics("x foo1️⃣`", "unexpected character '`' (U+0060)")
    expectDiagnostics("x 1️⃣\u{1}", "unexpected character (U+0001)")
    expectDiagnostics("x1️⃣\u{200B}foo", "unexpected character '\u{200B}' (U+200B)")
  }

  @Test func wordsOfOtherLanguages() {
    expectDiagnostics("x := 3. 1️⃣if (x > 2) { y }", "'if' is no statement here; a condition is")
    expectDiagnostics("[ 1️⃣while x { y } ]", "'while' is no statement here; a loop is written")
    expectDiagnostics("-foo { 1️⃣return 3 }", "'return' is no statement here; an answer is")
    expectDiagnostics("class A { 1️⃣def foo { 3 } }", "'def' is no statement here; a method is")
    expectDiagnostics("x := function1️⃣(y) { }", "expected '.', found '('; a method is written")
    expectDiagnostics(
      "x := new Foo1️⃣(3)", "expected '.', found '('; an object is made with 'Foo new'")
    // The words are names like others.
    expectTree("if := 3. if foo", "(:= if 3) (send if foo)")
    expectDiagnostics("if := 3. if foo 1️⃣3", "expected '.', found '3'")
    expectDiagnostics("return 1️⃣]", "expected '.', found ']'")
    expectDiagnostics("for[11️⃣)", "expected ']', found ')'")
    #expect(parse("if (x > 2) {").isIncomplete == false)
    #expect(parse("while x: [").isIncomplete)
  }

  @Test func classesAndMethodsOfOtherLanguages() {
    let message = "a superclass is written 'class Foo : Bar { ... }'"
    expectDiagnostics("class Foo 1️⃣extends Bar { }", message)
    expectDiagnostics("class Foo1️⃣(Bar) { }", message)
    expectDiagnostics("class Foo 1️⃣< Bar { }", message)
    expectDiagnostics(
      "Foo 1️⃣>> bar ^3", "a method is written 'extension Name { -name { ... } }'")
    expectDiagnostics(
      "1️⃣!Foo methodsFor: 'x'!", "methods are written 'class Name { -name { ... } }'")
    expectDiagnostics(
      "class A { 1️⃣foo { ^3 } }", "expected a member: a variable, a method, a property path, an")
    expectDiagnostics(
      "class A { 1️⃣| a b | }", "variables of a class's instances are declared with 'var name'")
    expectDiagnostics("var x 1️⃣= 3", "a first value follows ':=': 'var x := ...'")
    expectDiagnostics("var x 1️⃣: Int := 3", "a type stands before the name: 'var <Int> x'")
  }

  @Test func signsOfOtherLanguages() {
    expectDiagnostics("x1️⃣++.", "'++' takes two operands; write 'x += 1'")
    expectDiagnostics("x1️⃣--;", "'--' takes two operands; write 'x := x - 1'")
    expectDiagnostics("1️⃣++x", "'++' takes two operands; write 'x += 1'")
    expectDiagnostics("y := 1️⃣!x", "'!' is no sign; write 'x not'")
    expectDiagnostics("1️⃣@x foo", "'@' is no sign; an instance variable is written 'x'")
    expectDiagnostics("x := 2 1️⃣^ 3", "expected '.', found '^'; a power is written 'x ** y'")
    expectDiagnostics("x > 2 ? 1 1️⃣: 2", "expected '.', found ':'; a choice is written")
    expectDiagnostics("x := 31️⃣;\ny := 4", "';' repeats the receiver of a message, and none")
    expectDiagnostics("x foo;\n1️⃣]", "expected a message after ';'; a statement ends with '.'")
    expectDiagnostics("1️⃣/* text */ x", "a comment is written '// text', to the end of the line")
    expectDiagnostics("x 1️⃣# text", "'#' begins no literal here; a comment is written '// text'")
    expectDiagnostics("{ 'a'1️⃣: 1 }", "expected '.', found ':'; a dictionary is written")
    expectDiagnostics("x := 'it's1️⃣'.", "a quote within a string is doubled: 'it''s'")
    expectDiagnostics(
      "5 mod 1️⃣3", "expected '.', found '3'; an argument follows a keyword: 'mod: 3'")
  }

  @Test func suspiciousValues() {
    expectDiagnostics("x := 1️⃣True", "warning: 'True' is a class; the value is written 'true'")
    expectDiagnostics(
      "-x { ^1️⃣False }", "warning: 'False' is a class; the value is written 'false'")
    expectDiagnostics("x 1️⃣== 'a'", "warning: '==' asks for the same object")
    expectTree("x class == True", "(send (send x class) == True)")
    expectTree("x == #a", "(send x == #a)")
  }

  @Test func longWordsAreCut() {
    let name = String(repeating: "a", count: 1_000)
    let result = parse("x := \(name) )")
    #expect(result.diagnostics.count == 1)
    let long = parse("(x \(name)" + "\"" + name + "\"")
    #expect(long.diagnostics.allSatisfy { $0.message.utf8.count < 200 })
    #expect(parse("3 #(1 \(name))").diagnostics.allSatisfy { $0.message.utf8.count < 300 })
  }
}

@Suite struct RecoveryTests {
  @Test func eachStatementIsParsed() {
    expectDiagnostics(
      "x := 1️⃣].\ny := 2️⃣).\nz := 3.\nw 3️⃣}", "expected an expression, found ']'",
      "expected an expression, found ')'", "expected '.', found '}'")
  }

  @Test func oneErrorForALine() {
    expectDiagnostics("x := 1️⃣]. y := ). z := }", "expected an expression, found ']'")
  }

  @Test func errorsInBlocksStayThere() {
    expectDiagnostics(
      "x do: [\n  a 1️⃣^ b.\n  c 2️⃣^ d ].\ny 3️⃣^ z", "expected '.', found '^'",
      "expected '.', found '^'", "expected '.', found '^'")
    expectDiagnostics(
      "(a b: [ c 1️⃣) d).\nx 2️⃣]", "expected ']', found ')'", "expected '.', found ']'")
  }

  @Test func errorsInMembersStayThere() {
    expectDiagnostics(
      """
      class A {
        -foo: 1️⃣{ x }
        -bar { y 2️⃣] }
        /x { 3️⃣foo { } }
        var x 4️⃣y.
        -baz { z }
      }
      x 5️⃣^
      """, "expected a parameter", "expected '}', found ']'", "expected 'get', 'put'",
      "expected '.', found 'y'", "expected '.', found '^'")
  }

  @Test func bracketsThatDoNotMatch() {
    expectDiagnostics("(a1️⃣]", "expected ')', found ']'")
    expectDiagnostics("[a1️⃣)", "expected ']', found ')'")
    expectDiagnostics("a[11️⃣)", "expected ']', found ')'")
    expectDiagnostics("1️⃣)", "expected an expression, found ')'")
    expectDiagnostics("x 1️⃣}", "expected '.', found '}'")
    let source = "foo.\n (a\n  ]"
    let result = parse(source)
    #expect(result.diagnostics.first?.notes.first?.message == "to close this '('")
    #expect(result.diagnostics.first?.notes.first?.range.start == 6)
  }

  @Test func twentyErrorsAtMost() {
    let many = String(repeating: "x := ].\n", count: 1_000)
    #expect(parse(many).diagnostics.count == 20)
    let mixed = String(repeating: "'unused'.\nx := ].\n", count: 1_000)
    #expect(parse(mixed).diagnostics.count == 20)
    let warnings = String(repeating: "'unused'.\n", count: 1_000) + "x"
    #expect(parse(warnings).diagnostics.count == 20)
    #expect(parse(warnings).script != nil)
  }

  @Test func diagnosticsAreInOrder() {
    let result = parse("x := foo\ny bar.\ny := 3.\n'a'.\nz := ].\nx")
    let starts = result.diagnostics.map(\.range.start)
    #expect(starts == starts.sorted())
    #expect(starts.count == 3)
  }

  @Test func incompleteTexts() {
    for source in [
      "(", "[", "{", "x := ", "x foo: ", "x +", "#(", "#(1 2", "#{", "#{ a:", "#P{", "#[", "'a",
      "\"a",
      "\"{", "^", "x foo;", "x |", "| a", "class A {", "class A { -x", "class A { -x:", "-x {",
      "class A { var", "x[", "a |=", "a +=", "a -> ", "file:{", "group g { a ->", "filter f |{",
      "scheme S { /x {", "[:x", "[:x |", "connector ~> : X {", "var x :=", "(a\n\n// comment\n",
      "\"a {x} ", "protocol P { -", "object A :", "class A :", "x := #(1 -2",
    ] {
      #expect(parse(source).isIncomplete, "\(source)")
      #expect(parse(source).script == nil, "\(source)")
    }
  }

  @Test func completeTexts() {
    for source in [
      "x", "x foo", "x := 3", "", "// a", "x foo: bar:", "class Foo", "(]", ")", "x := ]", "] (",
      "#",
      "x ^", "x := ].\n(",
    ] {
      #expect(!parse(source).isIncomplete, "\(source)")
    }
  }
}

@Suite struct EntryTests {
  @Test func methodsInARange() throws {
    let source = "class A { -foo:x { ^x bar } var y := 3. /a { get { 1 } } }"
    let text = SourceText(name: "kernel.st", source)
    let script = try #require(Parser(text).parseScript().script)
    guard case .definition(.class(let definition)) = script.statements[0] else { return }
    for member in definition.members {
      let result = Parser(text).parseMember(in: member.range)
      let again = try #require(result.tree)
      #expect(again.range == member.range)
      #expect(TreePrinter.dump(again, isExact: true) == TreePrinter.dump(member, isExact: true))
      guard case .method(let method) = member else { continue }
      let parsed = try #require(Parser(text).parseMethodDefinition(in: method.range).tree)
      #expect(TreePrinter.dump(parsed) == "(method -foo: (x) (^ (send x bar)))")
      #expect(parsed.range == method.range)
    }
  }

  @Test func whatIsNoMethod() {
    let text = SourceText(name: "kernel.st", "-foo { } -bar { ")
    let parser = Parser(text)
    #expect(parser.parseMethodDefinition(in: SourceRange(0, 8)).tree != nil)
    #expect(parser.parseMethodDefinition(in: SourceRange(0, 16)).tree == nil)
    #expect(parser.parseMethodDefinition(in: SourceRange(1, 8)).tree == nil)
    #expect(parser.parseMethodDefinition(in: SourceRange(9, 16)).isIncomplete)
    #expect(parser.parseMethodDefinition(in: SourceRange(4, 4)).isIncomplete)
    #expect(parser.parseMember(in: SourceRange(-5, 99)).tree == nil)
    #expect(parser.parseMember(in: SourceRange(99, 99)).tree == nil)
  }

  @Test func aParserMayBeUsedAgain() {
    let parser = Parser(SourceText(name: "test.st", "a-b. a-b := 1. connector ~> { } x ~> y"))
    let first = parser.parseScript()
    let second = parser.parseScript()
    #expect(first.script.map { TreePrinter.dump($0) } == second.script.map { TreePrinter.dump($0) })
    #expect(first.hyphenatedNames == ["a-b"])
    #expect(first.connectors == ["~>"])
  }

  @Test func encodingErrors() {
    let text = SourceText(name: "test.st", bytes: [0x78, 0xFF, 0x0A, 0x79, 0x00])
    let result = Parser(text).parseScript()
    #expect(result.script == nil)
    #expect(!result.isIncomplete)
    #expect(result.diagnostics.map(\.range.start) == [1, 4])
  }

  @Test func theWholeTextIsTheScriptsRange() throws {
    let script = try #require(parse("\u{FEFF}#!x\nfoo").script)
    #expect(script.range == SourceRange(0, 10))
    #expect(script.statements.map(\.range) == [SourceRange(7, 10)])
  }

  @Test func rangesOfDefinitions() throws {
    let parts = [
      "class A : B { }", "extension A { -a { } }", "scheme A { }", "filter a |{ ^object }",
      "protocol A { -a. }", "object A : #B{ }", "group a { b -> c. }", "connector ~> { }", "-a { }",
      "| a b |", "var <T> x := 3",
    ]
    let text = SourceText(name: "test.st", parts.joined(separator: "\n"))
    let script = try #require(Parser(text).parseScript().script)
    #expect(script.statements.map { text.text(in: $0.range) } == parts)
    let members = ["var x := 1", "classvar y", "-a { }", "/a { get { } }", "|{ }", "a |= b"]
    let body = SourceText(name: "test.st", "filter f { \(members.joined(separator: ". ")) }")
    let filter = try #require(Parser(body).parseScript().script)
    guard case .definition(.filter(let definition)) = filter.statements[0] else { return }
    #expect(definition.members.map { body.text(in: $0.range) } == members)
  }

  @Test func rangesCoverWhatTheyName() throws {
    let source = "(a + b) foo[1] bar: c; baz. x := #(1) | size. ^ y"
    let text = SourceText(name: "test.st", source)
    let script = try #require(Parser(text).parseScript().script)
    #expect(
      script.statements.map { text.text(in: $0.range) } == [
        "(a + b) foo[1] bar: c; baz", "x := #(1) | size", "^ y",
      ])
    guard case .expression(.cascade(let cascade)) = script.statements[0] else { return }
    #expect(text.text(in: cascade.receiver.range) == "(a + b) foo[1]")
  }
}
