import TenonLexer
import TenonParser
import Testing

@Suite struct PrinterTests {
  private func expectPrint(
    _ source: String, _ printed: String, at location: SourceLocation = #_sourceLocation
  ) {
    guard let script = parse(source).script else {
      Issue.record("does not parse: \(source)", sourceLocation: location)
      return
    }
    #expect(SyntaxPrinter.print(script) == printed + "\n", sourceLocation: location)
    expectRoundTrip(script, at: location)
  }

  @Test func statementsStandOnLines() {
    expectPrint("a.b:=3 . ^c".replacing("a.b", with: "a. b"), "a.\nb := 3.\n^c.")
    expectPrint("|a b|a", "| a b |\na.")
    expectPrint("var x:=3. var <T> y", "var x := 3.\nvar <T> y.")
    expectPrint("#-main:<T>x\nfoo", "#-main:<T>x\nfoo.")
    #expect(parse("").script.map { SyntaxPrinter.print($0) } == "")
  }

  @Test func parenthesesStandWhereTheyAreNeeded() {
    expectPrint("((a)+(b))*((c foo))", "a + b * c foo.")
    expectPrint("a+(b*c)", "a + (b * c).")
    expectPrint("(a foo:b) bar", "(a foo: b) bar.")
    expectPrint("a foo:(b bar:c)", "a foo: (b bar: c).")
    expectPrint("a foo:(b+c)", "a foo: b + c.")
    expectPrint("(a|b) c. a|b c. (a|b)+c", "a | b c.\na | b c.\na | b + c.")
    expectPrint("a+(b|c)", "a + (b | c).")
    expectPrint("(a foo;bar) baz", "(a foo; bar) baz.")
    expectPrint("a foo;bar|baz", "a foo; bar | baz.")
    expectPrint("(a:=b) foo", "(a := b) foo.")
    expectPrint("a:=(b:=c)", "a := b := c.")
    expectPrint("(a|=b)|=c", "(a |= b) |= c.")
    expectPrint("(a+b)[1]", "(a + b)[1].")
    expectPrint("(a foo)[1]", "a foo[1].")
    expectPrint("(-1) abs", "-1 abs.")
    expectPrint("(a foo: b) | c", "a foo: b | c.")
  }

  @Test func commasThatSeparate() {
    expectPrint("#(('a','b'),'c')", "#(('a' , 'b'), 'c').")
    expectPrint("#{a:(x,y)}", "#{ a: (x , y) }.")
    expectPrint("#((x foo))", "#((x foo)).")
    expectPrint("#(1 #(2 3))", "#(1 #(2 3)).")
    expectPrint("#(1,2)", "#(1 2).")
  }

  @Test func literals() {
    expectPrint("0xff. 1e3. 2.50. 1.0e100. 3s", "16rFF.\n1000.\n2.5.\n1.0e100.\n3s0.")
    expectPrint("#'a b'. #'at:put:'. #'+'. #'-'. #'a-b'", "#'a b'.\n#at:put:.\n#+.\n#'-'.\n#'a-b'.")
    expectPrint("\"a\n\\u{1}{x}\"", "\"a\\n\\u{1}{x}\".")
    expectPrint("#{'a':1,b:2,#'c d':3}", "#{ 'a': 1, b: 2, #'c d': 3 }.")
  }

  @Test func shortBlocksStandOnOneLine() {
    expectPrint("[:x|x foo.x bar]".replacing("foo.x", with: "foo. x"), "[ :x | x foo. x bar ].")
    expectPrint("[]", "[ ].")
    expectPrint("{|t|t}", "{ | t | t }.")
  }

  @Test func longBlocksAreBroken() {
    expectPrint(
      "people do: [ :person | total := total + person salary. out show: person name; cr; flush ]",
      """
      people do: [ :person |
        total := total + person salary.
        out show: person name; cr; flush
      ].
      """)
    expectPrint(
      "condition ifTrue: [ aVeryLongName doSomething. anotherName foo ] ifFalse: [ yetAnotherName doNothing ]",
      """
      condition
        ifTrue: [ aVeryLongName doSomething. anotherName foo ]
        ifFalse: [ yetAnotherName doNothing ].
      """)
  }

  @Test func definitions() {
    expectPrint(
      "class A:B{var x:=1.-foo{^x}+bar:y{^y.} /a/:b{get{x}} c|=d}",
      """
      class A : B {
        var x := 1.
        -foo { ^x }
        +bar:y { ^y }
        /a/:b {
          get { x }
        }
        c |= d.
      }
      """)
    expectPrint("class A{}", "class A { }")
    expectPrint("filter a|{^object}", "filter a |{ ^object }")
    expectPrint("filter a{var n.|{^n}}", "filter a {\n  var n.\n  |{ ^n }\n}")
    expectPrint("protocol A{-a.+ + b}", "protocol A {\n  -a.\n  + + b.\n}")
    expectPrint("object A:#B{c:1}", "object A : #B{ c: 1 }")
    expectPrint("group a-b{c->d e}", "group a-b {\n  c -> d e.\n}")
    expectPrint("connector ~>{-<A>a:<B>b{}}", "connector ~> {\n  -<A>a:<B>b { }\n}")
    expectPrint("-<Boolean> < other{}", "-<Boolean> < other { }")
    expectPrint(
      "scheme A{/{|={1}=|{2}}}", "scheme A {\n  / {\n    get { 1 }\n    put { 2 }\n  }\n}")
  }

  @Test func partsOfAScript() throws {
    let script = try #require(parse("x := 3 + 4. class A { -foo { ^3 } }").script)
    #expect(SyntaxPrinter.print(script.statements[0]) == "x := 3 + 4")
    guard case .expression(let expression) = script.statements[0] else { return }
    #expect(SyntaxPrinter.print(expression) == "x := 3 + 4")
    guard case .definition(.class(let definition)) = script.statements[1] else { return }
    #expect(SyntaxPrinter.print(definition.members[0]) == "-foo { ^3 }")
    #expect(TreePrinter.dump(definition.members[0]) == "(method -foo () (^ 3))")
    #expect(TreePrinter.dump(expression) == "(:= x (send 3 + 4))")
  }

  @Test func exactTrees() throws {
    let script = try #require(parse("a | b. { c }").script)
    #expect(TreePrinter.dump(script, isExact: true) == "(send (pipe a) b) (block{} () c)")
  }

  /// What is printed has no line that is longer than it must be.
  @Test func linesAreKeptShort() throws {
    let source = String(
      repeating: "x foo: [ :a | a bar: b baz: c. ^d at: e ] quux: #(1 2 3). ", count: 20)
    let script = try #require(parse("-m { \(source) }").script)
    let lines = SyntaxPrinter.print(script).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.count > 20)
  }
}
