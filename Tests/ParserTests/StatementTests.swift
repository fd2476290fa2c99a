import TenonLexer
import TenonParser
import Testing

@Suite struct StatementTests {
  @Test func fullStops() {
    expectTree("a. b", "a b")
    expectTree("a. b.", "a b")
    expectTree(". . a. . b. .", "a b")
    expectTree("", "")
    expectTree("// only a comment", "")
    expectTree("a\n  foo\n  bar.\nb", "(send (send a foo) bar) b")
    expectTree("a.\r\nb.\r\n", "a b")
  }

  @Test func returns() {
    expectTree("^3", "(^ 3)")
    expectTree("^ x := 3", "(^ (:= x 3))")
    expectTree("[ ^a |= b ]", "(block () (^ (|= a b)))")
    expectDiagnostics("x 1️⃣^ 3", "expected '.', found '^'")
    expectDiagnostics("x := 1️⃣^ 3", "'^' stands only at the start of a statement")
  }

  @Test func temporaries() {
    expectTree("| a b | a", "(temps a b) a")
    expectTree("|a||b| a", "(temps a) (temps b) a")
    expectTree("| | a", "(temps) a")
    expectTree("|| a", "(temps) a")
    expectTree("|a|-1", "(temps a) -1")
    expectTree("a. | b |. c", "a (temps b) c")
    expectDiagnostics("| a1️⃣", "expected '|' after the names", isIncomplete: true)
    expectDiagnostics("| a 1️⃣3 |", "expected '|' after the names, found '3'")
  }

  @Test func variables() {
    expectTree("var x", "(var x)")
    expectTree("var x := 3 + 4", "(var x (send 3 + 4))")
    expectTree("var <Number> x", "(var <Number> x)")
    expectTree("var <Number> x := 3. y", "(var <Number> x 3) y")
    expectTree("var x := a | b; c", "(var x (cascade a (b) (c)))")
    expectTree("[ var x := 1. x ]", "(block () (var x 1) x)")
    expectDiagnostics(
      "var x 1️⃣|= 3", "'var' takes one ':=' and no connector; write 'var x. x |= ...'")
    expectDiagnostics("var x := y 1️⃣|= 3", "'var' takes one ':=' and no connector")
    expectDiagnostics(
      "var s := A 1️⃣-> b. s run.",
      "'var' takes one ':=' and no connector; write 'var s := (A -> b)'")
    expectDiagnostics(
      "val s := a f: 3 1️⃣|= b c\nd",
      "'val' takes one ':=' and no connector; write 'val s := (a f: 3 |= b c)'")
    expectDiagnostics("var x := y 1️⃣:= 3", "'var' takes one ':=' and no connector")
    expectDiagnostics("var x 1️⃣y", "expected '.', found 'y'")
  }

  @Test func signatures() {
    expectTree(
      "#-sync:<ref>source to:<ref>target\nref:x foo",
      "(signature -sync:to: (<ref>source <ref>target)) (send (ref - x) foo)")
    expectTree(
      "#-<Number>sum:<Integer>a and:<Integer>b. x",
      "(signature -sum:and: <Number> (<Integer>a <Integer>b)) x")
    expectTree("#!/usr/bin/env tenon\n// a comment\n#-main\nfoo", "(signature -main ()) foo")
    expectTree("#-main", "(signature -main ())")
    expectDiagnostics("#-main 1️⃣foo", "expected the end of the line, found 'foo'")
    expectDiagnostics("#-1️⃣<X> + y\nfoo", "a signature is a name or has keywords")
    expectDiagnostics("#-a:1️⃣3\nfoo", "expected a parameter, found '3'")
    expectTree("foo. #- main", "foo (send #'-' main)")
  }

  @Test func comments() throws {
    let script = try #require(parse("// a\nx foo // b\n  bar: 3. // c\r\n[ // d\n]").script)
    #expect(script.comments.map { Int($0.start) } == [0, 11, 26, 34])
    #expect(script.comments.map { Int($0.end) } == [4, 15, 30, 38])
  }

  @Test func commentsAreKeptOnce() throws {
    let source = "#(1 -2 // a\n -3 // b\n, 4). a-b. // c\na-b := 1 // d"
    let script = try #require(parse(source).script)
    #expect(script.comments.count == 4)
  }
}

@Suite struct DefinitionTests {
  @Test func classes() {
    expectTree("class A { }", "(class A)")
    expectTree("class A : B { }", "(class A : B)")
    expectTree("class A: B { }", "(class A : B)")
    expectTree("class A:B{}", "(class A : B)")
    expectTree("class A :B{} x", "(class A : B) x")
    expectTree(
      """
      class Tank : Object {            // superclass optional
        var level := 0. var <Number> max.
        classvar count other.
        classvar table := Dictionary new.
        -fill { ivar:level := ivar:max. }
        -add:<Number>amount to:other { ^level + amount }
        -<Boolean> < other { ^level < other level }
        +of:max { ^self new max: max; yourself }
        /tasks/:id { get { 1 } put { newValue } post { 2 } delete { 3 } }
        ivar:full |= level >= max.
      }
      """,
      """
      (class Tank : Object (var level 0) (var <Number> max) (classvar count other) \
      (classvar table (send Dictionary new)) \
      (method -fill () (:= (id ivar level) (id ivar max))) \
      (method -add:to: (<Number>amount other) (^ (send level + amount))) \
      (method -< <Boolean> (other) (^ (send level < (send other level)))) \
      (method +of: (max) (^ (cascade (send self new) (max: max) (yourself)))) \
      (path tasks :id (get 1) (put newValue) (post 2) (delete 3)) \
      (|= (id ivar full) (send level >= max)))
      """)
  }

  @Test func members() {
    expectTree("class A { . -a { } . . -b { }. }", "(class A (method -a ()) (method -b ()))")
    expectTree(
      "class A { ivar:a := 1. b += 2. c =|= d. group g { x -> y } }",
      "(class A (:= (id ivar a) 1) (+= b 2) (=|= c d) (group g (x y)))")
    expectTree(
      "class A { x := [ 3 ]. y := { 4 }. z |= 5 }",
      "(class A (:= x (block () 3)) (:= y (block () 4)) (|= z 5))")
    expectTree("class A { var := 3. classvar := 4 }", "(class A (:= var 3) (:= classvar 4))")
    expectDiagnostics("class A { 1️⃣x foo }", "expected a member: a variable, a method")
    expectDiagnostics("class A { 1️⃣3 }", "expected a member: a variable, a method")
    expectDiagnostics("class A { 1️⃣^3 }", "expected a member, found '^'")
    expectDiagnostics("class A { 1️⃣|{ } }", "'|{' stands only in a filter")
    expectDiagnostics("class A { var x1️⃣\n-foo { } }", "a '.' is missing")
    expectDiagnostics("class A : 1️⃣{ }", "expected a name, found '{'")
    expectDiagnostics("class A {1️⃣", "expected '}', found the end of the text", isIncomplete: true)
    expectDiagnostics("class A { -foo {1️⃣", "expected '}', found the end", isIncomplete: true)
  }

  @Test func methods() {
    expectTree("-foo { ^3 }", "(method -foo () (^ 3))")
    expectTree("+foo { ^3 }", "(method +foo () (^ 3))")
    expectTree("-foo:x bar:<Number>y { }", "(method -foo:bar: (x <Number>y))")
    expectTree("-foo: x bar: y { }", "(method -foo:bar: (x y))")
    expectTree("-<Boolean> < other { }", "(method -< <Boolean> (other))")
    expectTree("-< other { }", "(method -< (other))")
    expectTree("-<Number>sum { }", "(method -sum <Number> ())")
    expectTree("- + other { ^self }", "(method -+ (other) (^ self))")
    expectTree("-+other { }", "(method -+ (other))")
    expectTree("-- x { } - - y { }", "(method -- (x)) (method -- (y))")
    expectTree("->x { } -|| y { } -, z { }", "(method -> (x)) (method -|| (y)) (method -, (z))")
    expectTree("-≤ x { }", "(method -<= (x))")
    expectTree("-foo { } x. +bar { }", "(method -foo ()) x (method +bar ())")
    expectTree("-foo { | t | ^t }", "(method -foo () (temps t) (^ t))")
    expectDiagnostics("[ 1️⃣-foo { } ]", "a method is defined in a class or outside of all brackets")
    expectDiagnostics("class A { -1️⃣|= x { } }", "'|=' is a connector and no message")
    expectDiagnostics("class A { -foo: 1️⃣{ } }", "expected a parameter, found '{'")
    expectDiagnostics("class A { -foo 1️⃣}", "expected '{', found '}'")
    expectDiagnostics("class A { -1️⃣3 { } }", "expected the name of a method, found '3'")
    expectDiagnostics("1️⃣-foo:x bar: { }", "'-' is no sign but before a digit; a method is written")
  }

  @Test func extensionsAndSchemes() {
    expectTree(
      "extension String { -shout { ^self asUppercase } }",
      "(extension String (method -shout () (^ (send self asUppercase))))")
    expectTree("scheme Clock { /now { get { 1 } } }", "(scheme Clock (path now (get 1)))")
    expectTree("scheme Clock : Base { }", "(scheme Clock : Base)")
    expectDiagnostics("extension A 1️⃣: B { }", "expected '{', found ':'")
  }

  @Test func propertyPaths() {
    expectTree("scheme S { / { get { 1 } } }", "(scheme S (path (get 1)))")
    expectTree(
      "scheme S { /a/:b/c.d/*:rest { |= { 1 } =| { 2 } } }",
      "(scheme S (path a :b c.d *:rest (get 1) (put 2)))")
    expectTree(
      "scheme S { /* { get {}. post {}. } /a{ delete{} } }",
      "(scheme S (path * (get) (post)) (path a (delete)))")
    expectDiagnostics("scheme S { /a/1️⃣/b { } }", "expected a name, ':name' or '*' after '/'")
    expectDiagnostics("scheme S { /a/1️⃣ { } }", "expected a name, ':name' or '*' after '/'")
    expectDiagnostics(
      "scheme S { /*/b1️⃣ { } }", "'*' takes all that is left: nothing follows it")
    expectDiagnostics("scheme S { /:1️⃣ { } }", "expected a name after ':'")
    expectDiagnostics("scheme S { /:1️⃣self { } }", "'self' is a reserved word")
    expectDiagnostics(
      "scheme S { /a { 1️⃣foo { } } }", "expected 'get', 'put', 'post' or 'delete', found 'foo'")
    expectDiagnostics("scheme S { /a 1️⃣}", "expected '{', found '}'")
  }

  @Test func filters() {
    expectTree("filter loud |{ ^object , '!' }", "(filter loud (emit (^ (send object , '!'))))")
    expectTree("filter loud : Base |{ }", "(filter loud : Base (emit))")
    expectTree("filter loud:Base |{ }", "(filter loud : Base (emit))")
    expectTree(
      "filter counter { var n := 0. |{ n := n + 1. ^n } }",
      "(filter counter (var n 0) (emit (:= n (send n + 1)) (^ n)))")
    expectTree("filter a-b { -flush { } |{ } } a-b", "(filter a-b (method -flush ()) (emit)) a-b")
  }

  @Test func protocols() {
    expectTree(
      "protocol Speaks { -speak. -say:what. +make }",
      "(protocol Speaks (method -speak ()) (method -say: (what)) (method +make ()))")
    expectTree(
      "protocol A : B { -<Boolean> = other. }", "(protocol A : B (method -= <Boolean> (other)))")
    expectDiagnostics("protocol A { -foo 1️⃣{ } }", "a protocol names messages")
    expectDiagnostics("protocol A { 1️⃣foo }", "expected '-' and a message, found 'foo'")
  }

  @Test func templatesAndGroups() {
    expectTree("object Big : #Button{ size: 20 }", "(template Big (object Button (size 20)))")
    expectTree("object Big:#Button{} x", "(template Big (object Button)) x")
    expectDiagnostics("object Big : 1️⃣Button", "expected an object literal '#Name{', found 'Button'")
    expectTree(
      "group memory-model { celsius -> ivar:c. f-x → x y. k -> a[1]. }",
      "(group memory-model (celsius (id ivar c)) (f-x (send x y)) (k (sub a 1)))")
    expectTree("group g { . a -> self b }", "(group g (a (send self b)))")
    expectDiagnostics("group g { a 1️⃣}", "expected '->' and a place, found '}'")
    expectDiagnostics("group g { a -> 1️⃣3 }", "expected a place after '->'")
    expectDiagnostics("group g { a -> b1️⃣\n c -> d }", "a '.' is missing")
  }

  @Test func connectors() {
    expectTree(
      "connector ~> : DataflowConnector { -connect: left to: right { } }",
      "(connector ~> : DataflowConnector (method -connect:to: (left right)))")
    expectTree("connector ~>: A { }", "(connector ~> : A)")
  }

  @Test func definitionsAreStatements() {
    expectTree("[ class A { } ] value", "(send (block () (class A)) value)")
    expectTree("-foo { class A { } ^A }", "(method -foo () (class A) (^ A))")
    expectTree(
      "class A { } class B { } filter c |{ } x. y", "(class A) (class B) (filter c (emit)) x y")
  }
}
