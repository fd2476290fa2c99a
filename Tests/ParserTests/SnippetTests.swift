import Testing

/// The snippets of the language's overview.
@Suite struct SnippetTests {
  @Test func binaryMessages() {
    expectTree("3 + 4 * 2", "(send (send 3 + 4) * 2)")
    expectTree("a -1", "(send a - 1)")
    expectTree("3--1", "(send 3 - -1)")
  }

  @Test func cascadesAndPipes() {
    expectTree(
      "x at: 1 put: y foo + 2; yourself",
      "(cascade x (at: 1 put: (send (send y foo) + 2)) (yourself))")
    expectTree("f - 32 / 1.8 | rounded", "(send (send (send f - 32) / 1.8) rounded)")
    expectTree("out show: 1; show: 2 | flush", "(send (cascade out (show: 1) (show: 2)) flush)")
    expectTree("(a > b) || [c]", "(send (send a > b) || (block () c))")
    expectDiagnostics("(a) | 1️⃣(b)", "expected a message after '|'")
  }

  @Test func subscripts() {
    expectTree("x foo[1] bar", "(send (sub (send x foo) 1) bar)")
    expectTree("d['k'] := a[1][2]", "(:= (sub d 'k') (sub (sub a 1) 2))")
    expectTree(
      "people[{ age > 30 }] first", "(send (query people (block () (send age > 30))) first)")
    expectDiagnostics("a 1️⃣[1]", "a subscript has no blank before '['")
  }

  @Test func blocks() {
    expectTree("x do:[:e|e]", "(send x do: (block (e) e))")
    expectTree("{ a:1 }", "(block () (id a 1))")
    expectTree("[:x || t | t]", "(block (x) (temps t) t)")
    expectTree("[:x | | t | t]", "(block (x) (temps t) t)")
  }

  @Test func collections() {
    expectTree("#(1 -2 3)", "(array 1 -2 3)")
    expectDiagnostics("1️⃣#(foo bar)", "words in #( ): write '#(#foo #bar)'")
    expectTree(
      "#{ a: 1, 'k': x, #b: 2, (c): 3 }", "(dict (#a 1) ('k' x) (#b 2) (c 3))")
    expectTree("#{a:b:c}", "(dict (#a (id b c)))")
    expectTree("#Point{ x: 3, y: 4 }", "(object Point (x 3) (y 4))")
  }

  @Test func interpolation() {
    expectTree(#""hi {d['k']} \{""#, #"(str "hi " (sub d 'k') " \{")"#)
  }

  @Test func identifiers() {
    expectTree("x foo:ivar:c bar: 2", "(send x foo: (id ivar c) bar: 2)")
    expectTree("x := ivar:c, 'm'", "(:= x (send (id ivar c) , 'm'))")
    expectTree("x := file:a.b.c. y", "(:= x (id file a.b.c)) y")
    expectTree("[ivar:a/b.]", "(block () (id ivar a b))")
    expectTree("file:../a/..", "(id file .. a ..)")
    expectTree("file:{dir , 'x'}/{n}.txt", "(id file {(send dir , 'x')} {n}.txt)")
    expectTree("http://h:80/a?q={x}. // c", "(id http //h:80 a?q={x})")
    expectTree("var:list[1] := 3", "(:= (sub (id var list) 1) 3)")
    expectTree("ref:file:a/b value", "(send (ref file a b) value)")
    expectTree("scheme:box := mem: size", "(:= (id scheme box) (send (id mem) size))")
  }

  @Test func connectors() {
    expectTree("k := a |= b + 1 | rounded", "(:= k (|= a (send (send b + 1) rounded)))")
    expectTree("a =|= b =|= c", "(=|= a b c)")
    expectDiagnostics("a =|= b 1️⃣|= c", "connectors do not mix")
    expectTree("(a >=| b) strength: #weak", "(send (>=| a b) strength: #weak)")
    expectTree("src → [:x|x] -> file:out", "(-> src (block (x) x) (id file out))")
    expectTree(
      "button width |= 0.5 * var:box/width",
      "(|= (send button width) (send 0.5 * (id var box width)))")
  }

  @Test func hyphenatedNames() {
    expectTree("a-b + x-1", "(send (send (send a - b) + x) - 1)")
    expectTree("a-b := 1. a-b foo", "(:= a-b 1) (send a-b foo)")
  }

  @Test func methods() {
    expectTree("- + other { ^self }", "(method -+ (other) (^ self))")
    expectTree("class A { - + other { ^self } }", "(class A (method -+ (other) (^ self)))")
  }
}
