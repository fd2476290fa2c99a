import TenonParser
import Testing

@Suite struct MessageTests {
  @Test func precedence() {
    expectTree("a foo + b bar", "(send (send a foo) + (send b bar))")
    expectTree(
      "a + b foo: c + d bar: e baz", "(send (send a + b) foo: (send c + d) bar: (send e baz))")
    expectTree("3 + 4 * 2", "(send (send 3 + 4) * 2)")
    expectTree("3 + (4 * 2)", "(send 3 + (send 4 * 2))")
    expectTree("(a foo: b) bar", "(send (send a foo: b) bar)")
    expectTree("a foo: (b bar: c)", "(send a foo: (send b bar: c))")
    expectTree("(((a)))", "a")
  }

  @Test func operators() {
    expectTree("a ≤ b ≠ c ≥ d", "(send (send (send a <= b) ~= c) >= d)")
    expectTree("a , b @ c ! d ? e", "(send (send (send (send a , b) @ c) ! d) ? e)")
    expectTree("a && b || c", "(send (send a && b) || c)")
    expectTree("a ∪ b", "(send a ∪ b)")
    expectTree("a => b", "(send a => b)")
    expectTree("7 ~/ 2", "(send 7 ~/ 2)")
  }

  @Test func subscripts() {
    expectTree("a[1]", "(sub a 1)")
    expectTree("a[1][2] foo[3]", "(sub (send (sub (sub a 1) 2) foo) 3)")
    expectTree("a[1 to: 3]", "(sub a (send 1 to: 3))")
    expectTree("a[b := 3]", "(sub a (:= b 3))")
    expectTree("'abc'[1]. #a[1]. 3[1]", "(sub 'abc' 1) (sub #a 1) (sub 3 1)")
    expectTree("a foo: b[1] bar: c[2]", "(send a foo: (sub b 1) bar: (sub c 2))")
    expectTree("(a + b)[1]", "(sub (send a + b) 1)")
    expectTree("a[x[y[z]]]", "(sub a (sub x (sub y z)))")
    expectTree("a['x' , 'y']", "(sub a (send 'x' , 'y'))")
    expectDiagnostics("a 1️⃣[1]", "a subscript has no blank before '['")
    expectDiagnostics("(a 1️⃣[1])", "a subscript has no blank before '['")
    expectDiagnostics("x foo: a 1️⃣[1]", "a subscript has no blank before '['")
    expectDiagnostics("a[1️⃣]", "expected an expression, found ']'")
    expectDiagnostics("a[1️⃣1, 2]", "an index is one expression")
    expectDiagnostics("a[11️⃣", "expected ']', found the end of the text", isIncomplete: true)
  }

  @Test func queries() {
    expectTree("people[{ age > 30 }]", "(query people (block () (send age > 30)))")
    expectTree(
      "people[[:p | p age > 30]] first",
      "(send (query people (block (p) (send (send p age) > 30))) first)")
    expectTree("a[{ $0 }][1]", "(sub (query a (block () $0)) 1)")
    expectTree("a[{ x } value]", "(sub a (send (block () x) value))")
    expectTree("a[({ x })]", "(query a (block () x))")
  }

  @Test func pipes() {
    expectTree("a | b", "(send a b)")
    expectTree("f - 32 / 1.8 | rounded", "(send (send (send f - 32) / 1.8) rounded)")
    expectTree("a foo: b | bar: c", "(send (send a foo: b) bar: c)")
    expectTree("a | + 3 | * 2 | sqrt", "(send (send (send a + 3) * 2) sqrt)")
    expectTree("a | b c + d foo: e", "(send (send (send (send a b) c) + d) foo: e)")
    expectTree("a | foo[1] bar", "(send (sub (send a foo) 1) bar)")
    expectTree("x := a | b", "(:= x (send a b))")
    expectTree("(a | b) c", "(send (send a b) c)")
    expectTree("a foo: (b | c)", "(send a foo: (send b c))")
    expectTree("a\n| b\n| c", "(send (send a b) c)")
    expectDiagnostics("(a) | 1️⃣(b)", "expected a message after '|'; 'or' is written '||'")
    expectDiagnostics("a | 1️⃣3", "expected a message after '|'")
    expectDiagnostics("a | 1️⃣[b]", "expected a message after '|'")
    expectDiagnostics("a | 1️⃣| b", "expected a message after '|'")
    expectDiagnostics("a |1️⃣", "expected a message after '|', found the end", isIncomplete: true)
  }

  @Test func barsAndOperators() {
    expectTree("a || b | c", "(send (send a || b) c)")
    expectTree("a|b|c", "(send (send a b) c)")
    expectTree("(a > b) || [c]", "(send (send a > b) || (block () c))")
  }

  @Test func cascades() {
    expectTree("a foo; bar: 1; + 2", "(cascade a (foo) (bar: 1) (+ 2))")
    expectTree("a foo bar; baz", "(cascade (send a foo) (bar) (baz))")
    expectTree("3 + 4; * 5", "(cascade 3 (+ 4) (* 5))")
    expectTree("a + b foo: c; bar", "(cascade (send a + b) (foo: c) (bar))")
    expectTree("a | b; c", "(cascade a (b) (c))")
    expectTree("a | b c; d", "(cascade (send a b) (c) (d))")
    expectTree("a b; c | d; e", "(cascade (cascade a (b) (c)) (d) (e))")
    expectTree("(a b; c) d; e", "(cascade (cascade a (b) (c)) (d) (e))")
    expectTree("a foo: (b c; d); e", "(cascade a (foo: (cascade b (c) (d))) (e))")
    expectTree("a foo;\n  bar: 3;\n  baz", "(cascade a (foo) (bar: 3) (baz))")
    expectDiagnostics("a1️⃣; foo", "';' repeats the receiver of a message, and none stands before it")
    expectDiagnostics("a[1]1️⃣; foo", "';' repeats the receiver of a message")
    expectDiagnostics("a foo; bar 1️⃣baz", "one message follows ';'")
    expectDiagnostics("a foo; + 3 1️⃣* 4", "one message follows ';'")
    expectDiagnostics("a foo; 1️⃣3", "expected a message after ';'")
    expectDiagnostics("a foo;1️⃣", "expected a message after ';', found the end", isIncomplete: true)
  }

  @Test func blocks() {
    expectTree("[]", "(block ())")
    expectTree("{}", "(block ())")
    expectTree("[ :x :y | x + y ]", "(block (x y) (send x + y))")
    expectTree("{ :x :y | x + y }", "(block (x y) (send x + y))")
    expectTree("[:x]", "(block (x))")
    expectTree("[:x|]", "(block (x))")
    expectTree("[:x:y|x]", "(block (x y) x)")
    expectTree("[ : x | x ]", "(block (x) x)")
    expectTree("[:x || t u | t]", "(block (x) (temps t u) t)")
    expectTree("[:x||t|t]", "(block (x) (temps t) t)")
    expectTree("[ | t | t := 1. ^t ]", "(block () (temps t) (:= t 1) (^ t))")
    expectTree("[ || 1 ]", "(block () (temps) 1)")
    expectTree("[. a. . b.]", "(block () a b)")
    expectTree("[[[ ]]]", "(block () (block () (block ())))")
    expectTree("[:x |-1]", "(block (x) -1)")
    expectDiagnostics("[:x 1️⃣y]", "expected '|' after the parameters of the block, found 'y'")
    expectDiagnostics("[:1️⃣3 | x]", "expected a name, found '3'")
    expectDiagnostics("[:a1️⃣-b | x]", "expected '|' after the parameters of the block, found '-'")
    expectDiagnostics("[ | a 1️⃣]", "expected '|' after the names, found ']'")
    expectDiagnostics("[:x ||1️⃣]", "expected '|' after the names, found ']'")
  }

  @Test func implicitParameters() {
    expectTree("[$0 + $1]", "(block () (send $0 + $1))")
    expectTree("[ ($0) foo: #($1, 2) ]", "(block () (send $0 foo: (array $1 2)))")
    expectTree("[ $0 foo: [$1] ]", "(block () (send $0 foo: (block () $1)))")
    expectDiagnostics("1️⃣$0", "'$0' is a parameter of a block and stands in none")
    expectDiagnostics("-x { 1️⃣$0 }", "'$0' is a parameter of a block and stands in none")
    expectDiagnostics("[:x | 1️⃣$0]", "'$0' stands in a block that names its parameters")
    expectDiagnostics("[$0 foo: [:x | 1️⃣$1]]", "'$1' stands in a block that names its parameters")
    expectTree("[:x | [$0]]", "(block (x) (block () $0))")
  }

  @Test func implicitCounts() {
    func counts(_ source: String) -> [Int] {
      guard let script = parse(source).script else { return [] }
      return script.statements.compactMap { statement in
        guard case .expression(.block(let block)) = statement else { return nil }
        return block.implicitCount
      }
    }
    #expect(counts("[]. [$0]. [($2)]. [$0 + $3]. [:x | x]. [[$1]]") == [0, 1, 3, 4, 0, 0])
    #expect(counts(#"["{$1}"]. [file:{$0}]. [a[$2]]. [#{ a: $3 }]"#) == [2, 1, 3, 4])
  }
}
