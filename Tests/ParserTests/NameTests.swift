import Testing

@Suite struct NameTests {
  @Test func names() {
    expectTree("größe foo_1 _x", "(send (send größe foo_1) _x)")
    expectTree("self foo. super foo. thisContext", "(send self foo) (send super foo) thisContext")
  }

  @Test func wordsOfDefinitionsAreNames() {
    expectTree("class := 3", "(:= class 3)")
    expectTree("class foo", "(send class foo)")
    expectTree("var := 3. (var) foo", "(:= var 3) (send var foo)")
    expectTree("var foo: 3", "(send var foo: 3)")
    expectTree("connector + 3", "(send connector + 3)")
    expectTree("(class) Foo bar: 3", "(send (send class Foo) bar: 3)")
    expectTree("(var) < x > y. (var) foo := 3", "(send (send var < x) > y) (:= (send var foo) 3)")
    expectTree("(var) foo |= 3", "(|= (send var foo) 3)")
    expectTree("scheme:box := 3. class:Foo new", "(:= (id scheme box) 3) (send (id class Foo) new)")
    expectTree(
      "object size. group. filter := protocol", "(send object size) group (:= filter protocol)")
  }

  @Test func hyphenatedNamesAreDeclared() {
    expectTree("a-b := 1. a-b foo", "(:= a-b 1) (send a-b foo)")
    expectTree("a-b:=1", "(:= a-b 1)")
    expectTree("a-b ← 1", "(:= a-b 1)")
    expectTree("a-b\n  := 1", "(:= a-b 1)")
    expectTree("var a-b. a-b", "(var a-b) a-b")
    expectTree("| a-b c | a-b", "(temps a-b c) a-b")
    expectTree("group memory-model { } memory-model", "(group memory-model) memory-model")
    expectTree("class A { var a-b. -x { ^a-b } }", "(class A (var a-b) (method -x () (^ a-b)))")
    expectTree("class A { classvar a-b. } a-b", "(class A (classvar a-b)) a-b")
    expectTree("x := a-b := 2", "(:= x (:= a-b 2))")
    expectTree("memory-model |= x", "(|= memory-model x)", knownNames: ["memory-model"])
    expectTree("größe-x2 := 3. größe-x2-1", "(:= größe-x2 3) (send größe-x2 - 1)")
  }

  @Test func declarationsMayStandBehindUses() {
    expectTree("a-b foo. a-b := 1", "(send a-b foo) (:= a-b 1)")
    expectTree("[ a-b ] value. [ | a-b | ]", "(send (block () a-b) value) (block () (temps a-b))")
    expectTree("var:a-b. a-b := 1", "(id var a-b) (:= a-b 1)")
    expectTree("x |= a-b. y a-b. a-b := 1", "(|= x a-b) (send (send y a) - b) (:= a-b 1)")
  }

  @Test func onlyTheWholeSpellingCounts() {
    expectTree("a-b := 1. a-b-c", "(:= a-b 1) (send (send a - b) - c)")
    expectTree("a-b-c := 1. a-b", "(:= a-b-c 1) (send a - b)")
    expectTree("a-b := 1. a-b-1", "(:= a-b 1) (send a-b - 1)")
    expectTree("a-b := 1. a-b -c", "(:= a-b 1) (send a-b - c)")
    expectTree("b-c := 1. a-b-c", "(:= b-c 1) (send (send a - b) - c)")
    expectTree("a-b := 1. a - b", "(:= a-b 1) (send a - b)")
    expectTree("a-b := 1. A-b", "(:= a-b 1) (send A - b)")
  }

  @Test func whatDoesNotDeclare() {
    expectTree("a-b. 'a-b := 1'", "(send a - b) 'a-b := 1'")
    expectTree("a-b. // a-b := 1", "(send a - b)")
    expectTree("file:a-b := 1. a-b", "(:= (id file a-b) 1) (send a - b)")
    expectTree("#{ a-b: 1 }. a-b", "(dict (#'a-b' 1)) (send a - b)")
    expectTree("x foo: a-b", "(send x foo: (send a - b))")
  }

  @Test func neverASelector() {
    expectTree(
      "memory-model := 1. x memory-model", "(:= memory-model 1) (send (send x memory) - model)")
    expectTree("a-b: c", "(send a - (send (id b) c))")
  }

  @Test func reservedWords() {
    for word in ["self", "super", "nil", "true", "false", "thisContext"] {
      expectDiagnostics("1️⃣\(word) := 3", "'\(word)' can not be assigned")
      expectDiagnostics("| 1️⃣\(word) |", "'\(word)' is a reserved word and can not be declared")
      expectDiagnostics("var 1️⃣\(word)", "'\(word)' is a reserved word and can not be declared")
      expectDiagnostics("[:1️⃣\(word) | ]", "'\(word)' is a reserved word and can not be declared")
      expectDiagnostics("x 1️⃣\(word)", "'\(word)' is a reserved word and no message")
      expectDiagnostics("-x:1️⃣\(word) { }", "'\(word)' is a reserved word and can not be declared")
    }
  }
}
