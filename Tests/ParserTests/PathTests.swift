import Testing

@Suite struct PathTests {
  @Test func components() {
    expectTree("file:a/b.txt", "(id file a b.txt)")
    expectTree("file:/", "(id file /)")
    expectTree("file:/a/b/", "(id file / a b /)")
    expectTree("file:a//b", "(id file a \"\" b)")
    expectTree("file:größe/ü x", "(send (id file größe ü) x)")
    expectTree("file:a-b+c*d@e%20~f#g$h!i&j=k:l", "(id file a-b+c*d@e%20~f#g$h!i&j=k:l)")
    expectTree("file:a,b;c.d", "(id file a,b;c.d)")
    expectTree("env:HOME size", "(send (id env HOME) size)")
  }

  @Test func anEmptyPathIsTheStore() {
    expectTree("mem:", "(id mem)")
    expectTree("mem: size", "(send (id mem) size)")
    expectTree("mem:. x", "(id mem) x")
    expectTree("(mem:). [mem:]. {mem:}", "(id mem) (block () (id mem)) (block () (id mem))")
    expectTree("mem:[1]", "(sub (id mem) 1)")
    expectTree("mem: at: 3", "(send (id mem) at: 3)")
    expectTree("x foo: mem: bar: 3", "(send x foo: (id mem) bar: 3)")
    expectTree("x foo: bar:", "(send x foo: (id bar))")
  }

  @Test func parents() {
    expectTree("file:..", "(id file ..)")
    expectTree("file:...", "(id file ..)")
    expectTree("file:../a/..", "(id file .. a ..)")
    expectTree("file:..[1]", "(sub (id file ..) 1)")
    expectTree("[file:..]", "(block () (id file ..))")
    expectTree("file:../..?q", "(id file .. ..?q)")
    expectTree("file:..x", "(id file ..x)")
    expectTree("file:./a", "(id file . a)")
    expectTree("file:.", "(id file)")
    expectTree("file:a/.", "(id file a /)")
  }

  @Test func authorities() {
    expectTree("http://h:80/a/b", "(id http //h:80 a b)")
    expectTree("http://h", "(id http //h)")
    expectTree("http://h/", "(id http //h /)")
    expectTree("http://[::1]:80/a[1]", "(sub (id http //[::1]:80 a) 1)")
    expectTree("http://[fe80::1%25eth0]/", "(id http //[fe80::1%25eth0] /)")
    expectTree("http://{h}:{p}/x", "(id http //{h}:{p} x)")
    expectTree("file:///etc/x", "(id file // etc x)")
    expectTree("http://h[1]", "(sub (id http //h) 1)")
    expectTree("(http://)[1]", "(sub (id http //) 1)")
    expectTree("http://u:p@h/a//b", "(id http //u:p@h a \"\" b)")
  }

  @Test func queries() {
    expectTree("http://h/a?q={x}&r&s=1", "(id http //h a?q={x}&r&s=1)")
    expectTree("http://h?q=1", "(id http //h ?q=1)")
    expectTree("http://h/?q", "(id http //h / ?q)")
    expectTree("http://h/a/?q=a/b?c", "(id http //h a / ?q=a/b?c)")
    expectTree("file:a? foo", "(send (id file a?) foo)")
    expectTree("file:a?q=", "(id file a?q=)")
  }

  @Test func expressions() {
    expectTree("file:{dir , 'x'}/{n}.txt", "(id file {(send dir , 'x')} {n}.txt)")
    expectTree(
      "file:{d at: 'k'}/{[3] value}", "(id file {(send d at: 'k')} {(send (block () 3) value)})")
    expectTree(#"file:{"x{y}"}/b"#, #"(id file {(str "x" y)} b)"#)
    expectTree("file:{a}{b}/{*c}/d", "(id file {a}{b} {*c} d)")
    expectTree("file:{#{ a: 1 }}/x", "(id file {(dict (#a 1))} x)")
    expectTree("file:a{file:b{c}}d", "(id file a{(id file b{c})}d)")
    expectDiagnostics("file:{1️⃣}", "expected an expression, found '}'")
    expectDiagnostics("file:{a1️⃣", "expected '}', found the end of the text", isIncomplete: true)
    expectDiagnostics("file:1️⃣{a}{*b}", "'{*expression}' stands alone between two slashes")
    expectDiagnostics("http://h/?1️⃣q={*b}", "'{*expression}' stands alone between two slashes")
  }

  @Test func whereAPathEnds() {
    expectTree("x := ivar:c, 'm'", "(:= x (send (id ivar c) , 'm'))")
    expectTree("x := file:a.b.c. y", "(:= x (id file a.b.c)) y")
    expectTree("x at: file:a; foo", "(cascade x (at: (id file a)) (foo))")
    expectTree("x foo: ivar:c; bar", "(cascade x (foo: (id ivar c)) (bar))")
    expectTree("[ivar:a/b.]", "(block () (id ivar a b))")
    expectTree(
      "(ivar:c) foo. {ivar:c}. x[ivar:c]",
      "(send (id ivar c) foo) (block () (id ivar c)) (sub x (id ivar c))")
    expectTree("#(ivar:c, 3)", "(array (id ivar c) 3)")
    expectTree("file:a.// comment", "(id file a)")
    expectTree("file:a.'b'", "(id file a) 'b'")
    expectTree("file:a.\"b\"", "(id file a) (str \"b\")")
    expectTree(
      "file:a<b. file:a>b. file:a|foo",
      "(send (id file a) < b) (send (id file a) > b) (send (id file a) foo)")
    expectTree("file:a\\\\b", "(send (id file a) \\\\ b)")
    expectTree(
      "x := file:a≤b. y := file:a≠b",
      "(:= x (send (id file a) <= b)) (:= y (send (id file a) ~= b))")
    expectTree("file:a→b. file:a->b", "(-> (id file a) b) (-> (id file a) b)")
    expectTree("ivar:a:=3. ivar:a←3", "(:= (id ivar a) 3) (:= (id ivar a) 3)")
    expectTree("ivar:a=|=ivar:b", "(=|= (id ivar a) (id ivar b))")
    expectTree("ivar:a|=ivar:b", "(|= (id ivar a) (id ivar b))")
    expectTree("ivar:a\u{A0}foo", "(send (id ivar a) foo)")
    expectTree("file:a\nfoo", "(send (id file a) foo)")
  }

  @Test func parenthesesInPaths() {
    expectTree("file:a(1).txt foo", "(send (id file a(1).txt) foo)")
    expectTree("(file:a(b)c)", "(id file a(b)c)")
    expectTree("(file:a(b ) foo", "(send (id file a(b) foo)")
    expectTree("#(file:a(b , 3)", "(array (id file a(b) 3)")
    expectDiagnostics("file:a1️⃣)b", "expected '.', found ')'")
  }

  @Test func pathsThroughObjects() {
    expectTree("ivar:a/b/1/{x}", "(id ivar a b 1 {x})")
    expectTree("var:list[1] := 3", "(:= (sub (id var list) 1) 3)")
    expectTree("self:tasks/3. this:x. default:y", "(id self tasks 3) (id this x) (id default y)")
    expectTree("self:/tasks", "(id self / tasks)")
    expectDiagnostics(
      "ivar:1️⃣{*path}",
      "'{*expression}' stands in paths of stores; a component here is a name, an index or "
        + "'{expression}'")
    expectTree("var:memory-model", "(id var memory-model)", knownNames: ["memory-model"])
  }

  @Test func aPathRunsToTheNextBlank() {
    let message = "a path runs to the next blank"
    expectDiagnostics("ivar:1️⃣a,ivar:b", "\(message); write 'ivar:a ,ivar:b'")
    expectDiagnostics("ivar:1️⃣a-1", "\(message); write 'ivar:a -1'")
    expectDiagnostics("ivar:1️⃣a.b", "\(message); write 'ivar:a/b' or 'ivar:a. '")
    expectDiagnostics("var:1️⃣x+=1", "\(message); write 'var:x +=1'")
    expectDiagnostics("var:1️⃣memory-model", "\(message); write 'var:memory -model'")
    expectDiagnostics(
      "ivar:1️⃣a/", "\(message); a component here is a name, an index or '{expression}'")
    expectDiagnostics("ivar:1️⃣{x}y", "\(message); a component here is a name")
    expectDiagnostics("this:1️⃣a?b", "\(message); write 'this:a ?b'")
    expectDiagnostics("class:1️⃣//a", "\(message); a component here is a name")
    expectDiagnostics("ref:ivar:1️⃣a,b", "\(message); write 'ref:ivar:a ,b'")
    expectDiagnostics("ref:1️⃣a.b", "\(message); write 'ref:a/b' or 'ref:a. '")
  }

  @Test func signsAtTheEndOfAPath() {
    expectDiagnostics("file:a1️⃣..", "a path can not end in '.'; where it belongs to a component")
    expectDiagnostics("file:a1️⃣,;", "a path can not end in ','; where it belongs to a component")
    expectDiagnostics("file:a1️⃣.[1]", "a path can not end in '.'")
    expectTree("file:a{'.'}", "(id file a{'.'})")
  }

  @Test func references() {
    expectTree("ref:x value", "(send (ref - x) value)")
    expectTree("ref:person/name", "(ref - person name)")
    expectTree("ref:file:a/b value", "(send (ref file a b) value)")
    expectTree("ref:http://h/a", "(ref http //h a)")
    expectTree("ref:{x}", "(ref - {x})")
    expectTree("ref:file: children", "(send (ref file) children)")
    expectTree("ref: size", "(send (id ref) size)")
    expectTree("ref:file:a := 3", "(:= (ref file a) 3)")
  }

  @Test func keywordsAndSchemes() {
    expectTree("x foo:ivar:c bar: 2", "(send x foo: (id ivar c) bar: 2)")
    expectTree("x foo:bar", "(send x foo: bar)")
    expectTree("x foo:bar:3", "(send x foo: (id bar 3))")
    expectTree("x foo:#bar baz:'a'", "(send x foo: #bar baz: 'a')")
    expectTree("{ a:1 }", "(block () (id a 1))")
    expectDiagnostics("x foo:1️⃣:b", "expected an expression, found ':'")
  }
}
