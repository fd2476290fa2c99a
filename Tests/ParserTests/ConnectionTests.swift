import TenonLexer
import TenonParser
import Testing

@Suite struct ConnectionTests {
  @Test func assignments() {
    expectTree("x := 3", "(:= x 3)")
    expectTree("x ← 3", "(:= x 3)")
    expectTree("a := b := c := 3", "(:= a (:= b (:= c 3)))")
    expectTree("x := a foo: b; bar", "(:= x (cascade a (foo: b) (bar)))")
    expectTree("(x := 3) foo", "(send (:= x 3) foo)")
    expectTree("y := (x := 3) + 1", "(:= y (send (:= x 3) + 1))")
  }

  @Test func places() {
    expectTree("a[1] := 3", "(:= (sub a 1) 3)")
    expectTree("button width := 3", "(:= (send button width) 3)")
    expectTree("self foo bar := 3", "(:= (send (send self foo) bar) 3)")
    expectTree("a[1] foo := 3", "(:= (send (sub a 1) foo) 3)")
    expectTree("ivar:c := 3. file:a foo := 4", "(:= (id ivar c) 3) (:= (send (id file a) foo) 4)")
    expectTree("ref:x := 3", "(:= (ref - x) 3)")
    expectTree("(a) foo := 3", "(:= (send a foo) 3)")
    let message = "the left side of ':=' is no place"
    expectDiagnostics("1️⃣3 := 4", message)
    expectDiagnostics("1️⃣3 foo := 4", message)
    expectDiagnostics("1️⃣a + b := 3", message)
    expectDiagnostics("1️⃣(a + b) foo := 3", message)
    expectDiagnostics("1️⃣x at: 1 := 3", message)
    expectDiagnostics("1️⃣[x] := 3", message)
    expectDiagnostics("1️⃣people[{ x }] := 3", message)
    expectDiagnostics("x := 1️⃣3 := 4", message)
    expectDiagnostics("1️⃣nil foo := 3", "'nil foo' can not be assigned")
    expectDiagnostics("1️⃣super foo := 3", "'super foo' can not be assigned")
    expectDiagnostics("1️⃣a + b += 3", "the left side of '+=' is no place")
  }

  @Test func connections() {
    expectTree("a |= b", "(|= a b)")
    expectTree("a =|= b =|= c", "(=|= a b c)")
    expectTree("a |= b |= c", "(|= a b c)")
    expectTree("a >=| b + 1", "(>=| a (send b + 1))")
    expectTree("a <=| b", "(<=| a b)")
    expectTree("k := a |= b + 1 | rounded", "(:= k (|= a (send (send b + 1) rounded)))")
    expectTree("(a >=| b) strength: #weak", "(send (>=| a b) strength: #weak)")
    expectTree(
      "button width |= 0.5 * var:box/width",
      "(|= (send button width) (send 0.5 * (id var box width)))")
    expectTree("[ a |= b. c =|= d ]", "(block () (|= a b) (=|= c d))")
    expectTree("(a |= b) |= c", "(|= (|= a b) c)")
    expectTree("a := b += 3", "(:= a (+= b 3))")
    expectTree("a += b | foo; bar", "(+= a (cascade b (foo) (bar)))")
  }

  @Test func flows() {
    expectTree("src → [:x|x] -> file:out", "(-> src (block (x) x) (id file out))")
    expectTree("#(1 2) -> f", "(-> (array 1 2) f)")
    expectTree("stdin: lines -> [:l | l] -> out", "(-> (send (id stdin) lines) (block (l) l) out)")
    let message = "'->' joins what things flow through; an association is written '=>'"
    for literal in ["3", "3.5", "1s2", "$a", "#a", "'a'", "\"a {b}\"", "-3"] {
      expectDiagnostics("1️⃣\(literal) -> out", message)
      expectDiagnostics("src -> 1️⃣\(literal)", message)
    }
    expectDiagnostics("src -> 1️⃣#a -> out", message)
  }

  @Test func connectorsDoNotMix() {
    expectDiagnostics(
      "a =|= b 1️⃣|= c", "connectors do not mix: one of '=|=' and '|=' needs parentheses")
    expectDiagnostics("a -> b 1️⃣|= c", "connectors do not mix")
    expectDiagnostics("x := a |= b 1️⃣-> c", "connectors do not mix")
    expectDiagnostics("a += b 1️⃣|= c", "connectors do not mix")
    expectDiagnostics("a += b 1️⃣+= c", "'+=' adds to one place and does not chain")
    expectDiagnostics("a |= b 1️⃣:= c", "an assignment after '|=' needs parentheses")
    expectDiagnostics("a += b 1️⃣:= c", "an assignment after '+=' needs parentheses")
    expectTree("(a -> b) |= c", "(|= (-> a b) c)")
  }

  @Test func connectorsOfTheProgram() {
    expectTree(
      "a ~> b. connector ~> { } a ~> b ~> c",
      "(send a ~> b) (connector ~>) (~> a b c)")
    expectTree("connector ⇒ : X { } a ⇒ b", "(connector ⇒ : X) (⇒ a b)")
    expectTree("a ~> b", "(~> a b)", connectors: ["~>"])
    expectTree("x ~> 3", "(~> x 3)", connectors: ["~>"])
    #expect(parse("connector ~> { } connector ==> : X { }").connectors == ["~>", "==>"])
    expectDiagnostics("connector 1️⃣~~~~~~~~> { }", "a connector has at most 8 characters")
    for sign in ["→", "≤", "||", "=", "-"] {
      expectDiagnostics("connector 1️⃣\(sign) { }", "'\(sign)' has a meaning already")
    }
    for sign in ["+=", ">=|", "<=|"] {
      expectDiagnostics(
        "connector 1️⃣\(sign) { }",
        "'\(sign)' keeps its meaning; '|=', '=|=' and '->' can be given another")
    }
    expectDiagnostics(
      "connector 1️⃣:= : X { }",
      "':=' keeps its meaning; '|=', '=|=' and '->' can be given another")
  }

  /// A sign of every program has the program's meaning behind its definition, not before and not
  /// within.
  @Test func connectorsWithAnotherMeaning() {
    func meanings(_ text: String, connectors: Set<String> = []) -> [Bool] {
      let statements =
        Parser(SourceText(name: "test", text), connectors: connectors).parseScript().script?
        .statements ?? []
      return statements.compactMap { statement in
        guard case .expression(.connect(let connect)) = statement else { return nil }
        return connect.isOwn
      }
    }
    #expect(
      meanings("a |= b. connector |= { -m { x |= y } } a |= b. a =|= b") == [false, true, false])
    #expect(meanings("a -> b. a |= b", connectors: ["->"]) == [true, false])
    expectTree("connector -> : X { } a -> b", "(connector -> : X) (-> a b)")
  }
}
