import TenonLexer
import TenonParser
import Testing

@Suite struct NumberTests {
  @Test func integers() {
    expectTree("42", "42")
    expectTree("1_000_000", "1000000")
    expectTree("-5 abs", "(send -5 abs)")
    expectTree(
      "16r1F + 16rff + 2r101 + 36rZz", "(send (send (send 16r1F + 16rFF) + 2r101) + 36rZZ)")
    expectTree("0x1F + 0xdead_beef", "(send 16r1F + 16rDEADBEEF)")
    expectTree("0b101", "2r101")
    expectTree("-0x1F", "-16r1F")
    expectTree("1e10", "10000000000")
    expectTree("12E2", "1200")
    expectTree("123456789012345678901234567890", "123456789012345678901234567890")
    expectTree("007", "007")
  }

  @Test func aFullStopIsNoPoint() {
    expectTree("32. 5", "32 5")
    expectTree("x := 32.", "(:= x 32)")
  }

  /// An error in a number marks what is wrong with it, and nothing beside it.
  @Test func aMisplacedSeparatorAloneIsMarked() {
    for source in ["1__000", "1000_", "16rF__F", "2.5__1"] {
      let marked = parse(source).diagnostics.map { diagnostic in
        let bytes = Array(source.utf8)[Int(diagnostic.range.start)..<Int(diagnostic.range.end)]
        return String(decoding: bytes, as: UTF8.self)
      }
      #expect(marked == ["_"], "\(source)")
    }
  }

  @Test func floats() {
    expectTree("3.25", "3.25")
    expectTree("2.5e-3", "0.0025")
    expectTree("2.5e3", "2500.0")
    expectTree("1.0e300", "1.0e300")
    expectTree("1.5e-300", "1.5e-300")
    expectTree("-0.0", "-0.0")
    expectTree("1_000.5", "1000.5")
    expectTree("0.1 + 9007199254740993.0", "(send 0.1 + 9007199254740992.0)")
    expectTree("1.0e-999", "0.0")
  }

  @Test func scaledDecimals() {
    expectTree("3.14s2", "3.14s2")
    expectTree("3.14s", "3.14s2")
    expectTree("3s", "3s0")
    expectTree("-3s4", "-3s4")
    expectTree("0.05s1", "0.05s1")
  }

  @Test func signs() {
    expectTree("a -1", "(send a - 1)")
    expectTree("a - -1", "(send a - -1)")
    expectTree("a-1", "(send a - 1)")
    expectTree("3--1", "(send 3 - -1)")
    expectTree("x>-1", "(send x > -1)")
    expectTree("x foo: -1 bar: -2", "(send x foo: -1 bar: -2)")
    expectTree("x:=-1", "(:= x -1)")
    expectTree("x|=-1", "(|= x -1)")
    expectTree("[-1]", "(block () -1)")
    expectTree("-1 - -1", "(send -1 - -1)")
  }

  @Test func mistakes() {
    expectDiagnostics("11️⃣__0", "a '_' in a number stands between two digits")
    expectDiagnostics("11️⃣_", "a '_' in a number stands between two digits")
    expectDiagnostics("16r1️⃣_1", "a '_' in a number stands between two digits")
    expectDiagnostics("1️⃣16r", "the digits of the number are missing; its radix is 16")
    expectDiagnostics("1️⃣0x", "the digits of the number are missing; its radix is 16")
    expectDiagnostics("1️⃣37r5", "a radix is a number from 2 to 36")
    expectDiagnostics("1️⃣99999999999999999999r5", "a radix is a number from 2 to 36")
    expectDiagnostics("2r11️⃣2", "'2' is no digit of radix 2")
    expectDiagnostics("0b1️⃣2", "'2' is no digit of radix 2")
    expectDiagnostics("16r1️⃣é", "'é' is no digit of radix 16")
    expectDiagnostics("1️⃣1e-3", "an integer has no negative exponent; a float is written '1.0e-3'")
    expectDiagnostics("1️⃣2.5e+3", "an exponent has no '+': '2.5e3'")
    expectDiagnostics("31️⃣foo", "a blank is missing between the number and 'foo'")
    expectDiagnostics("3.51️⃣e", "a blank is missing between the number and 'e'")
    expectDiagnostics("1️⃣1.0e999", "the number is too large for a float")
    expectDiagnostics("1️⃣1e1000000", "the exponent is too large to be written out")
    expectDiagnostics("1️⃣1e99999999999999999999", "the exponent is too large to be written out")
    expectDiagnostics("1e5. 1️⃣1e9223372036854775807", "the exponent is too large to be written")
    expectDiagnostics("1️⃣1s99999999999999999999", "the number has too many places")
    expectDiagnostics("x := 1️⃣.5", "a fraction begins with a digit: '0.5'")
    expectDiagnostics("1.51️⃣.5", "a blank is missing after '.'")
  }
}

@Suite struct TextTests {
  @Test func strings() {
    expectTree("'text'", "'text'")
    expectTree("''", "''")
    expectTree("'it''s'", "'it''s'")
    expectTree("''''", "''''")
    expectTree("'a\nb'", "'a\nb'")
    expectTree(#"'a\n{b}"c"'"#, #"'a\n{b}"c"'"#)
  }

  @Test func lineBreaksInStringsAreLineFeeds() {
    expectTree("'a\r\nb'", "'a\nb'")
    expectTree("'a''\r\nb'", "'a''\nb'")
    expectTree("\"a\r\nb\"", #"(str "a\nb")"#)
    expectTree("'a\rb'", "'a\rb'")
  }

  @Test func interpolatedStrings() {
    expectTree(#""""#, "(str)")
    expectTree(#""text""#, #"(str "text")"#)
    expectTree(#""{x}""#, "(str x)")
    expectTree(#""a {x} b {y foo: 3} c""#, #"(str "a " x " b " (send y foo: 3) " c")"#)
    expectTree(#""\n\t\r\"\\\{\0\u{1F600}""#, #"(str "\n\t\r\"\\\{\0😀")"#)
    expectTree(#""a } b""#, #"(str "a } b")"#)
    expectTree(#""{"{"{x}"}"}""#, "(str (str (str x)))")
    expectTree(#""{ '}' , "}" }""#, #"(str (send '}' , (str "}")))"#)
    expectTree(#""{[:e | e foo. e]}""#, "(str (block (e) (send e foo) e))")
    expectTree(#""{x := 3}""#, "(str (:= x 3))")
    expectTree(#""{ivar:c}.""#, #"(str (id ivar c) ".")"#)
    expectTree(#""{$}}""#, "(str $})")
    expectTree("\"{x // a comment \"}\n}\"", "(str x)")
    expectTree("\"it's\"", #"(str "it's")"#)
  }

  @Test func mistakesInInterpolation() {
    expectDiagnostics(#""1️⃣\q""#, #"unknown escape '\q'; there are \n"#)
    expectDiagnostics(#""1️⃣\}""#, #"unknown escape '\}'; a '}' needs no backslash"#)
    expectDiagnostics(#""1️⃣\u1F600""#, #"a character is written by its hexadecimal number"#)
    expectDiagnostics(#""1️⃣\u{D800}""#, #"a character is written by its hexadecimal number"#)
    expectDiagnostics(#""1️⃣\u{110000}""#, #"a character is written by its hexadecimal number"#)
    expectDiagnostics(#""1️⃣\u{}""#, #"a character is written by its hexadecimal number"#)
    expectDiagnostics(#""1️⃣\u{123456789}""#, #"a character is written by its hexadecimal number"#)
    expectDiagnostics(#""{1️⃣}""#, "expected an expression, found '}'")
    expectDiagnostics(#""{a1️⃣. b}""#, "expected '}', found '.'")
    expectDiagnostics(#""{a1️⃣"#, "expected '}', found the end of the text", isIncomplete: true)
    expectDiagnostics(#"1️⃣"abc"#, "the string is not closed", isIncomplete: true)
    expectDiagnostics(#""{1️⃣"abc}"#, "the string is not closed", isIncomplete: true)
    expectDiagnostics("x := 1️⃣'abc", "the string is not closed", isIncomplete: true)
    expectDiagnostics("x := 1️⃣#'abc", "the string is not closed", isIncomplete: true)
  }

  @Test func errorsInBracesDoNotSpread() {
    expectDiagnostics("x := \"a {b 1️⃣] c} d\".\ny := 2️⃣].\nz", "expected '}'", "expected an expr")
  }

  @Test func characters() {
    expectTree("$a", "$a")
    expectTree("$  foo", "(send $  foo)")
    expectTree("$' , $\"", "(send $' , $\")")
    expectTree("$$", "$$")
    expectTree("$é", "$é")
    expectTree("x[$]]", "(sub x $])")
    expectDiagnostics("1️⃣$ab", "'$' takes one character; a string is written 'ab'")
    expectDiagnostics("1️⃣$4", "'$0' to '$3' are parameters of a block; a digit is written '4' first")
    expectDiagnostics("1️⃣$12", "'$0' to '$3' are parameters of a block; a digit is written '12'")
    expectDiagnostics("1️⃣$", "expected a character after '$', found the end of the text")
  }

  @Test func symbols() {
    expectTree("#red", "#red")
    expectTree("#at:put:", "#at:put:")
    expectTree("x foo: #a: bar: #b", "(send x foo: #a: bar: #b)")
    expectTree("#+", "#+")
    expectTree("#-", "#'-'")
    expectTree("#||", "#||")
    expectTree("#,", "#,")
    expectTree("#'any text'", "#'any text'")
    expectTree("#'it''s'", "#'it''s'")
    expectTree("#'plain'", "#plain")
    expectTree("#≤", "#<=")
    expectTree("#größe", "#größe")
    expectDiagnostics("1️⃣#at:put", "this symbol is written #'at:put'")
    expectDiagnostics("1️⃣#memory-model foo", "this symbol is written #'memory-model'")
    expectDiagnostics("1️⃣# text", "'#' begins no literal here; a comment is written '// text'")
    expectDiagnostics("x := 1️⃣#->", "'#' begins no literal here")
  }
}

@Suite struct CollectionTests {
  @Test func literalArrays() {
    expectTree("#()", "(array)")
    expectTree(
      "#(1 -2 #red $c 'x' #(3 4) true nil)", "(array 1 -2 #red $c 'x' (array 3 4) true nil)")
    expectTree("#(1)", "(array 1)")
    expectTree("#(-1)", "(array -1)")
    expectTree("#(1 -2)", "(array 1 -2)")
    expectTree("#(#a #b: #+ -3)", "(array #a #b: #+ -3)")
    expectTree(
      "#(#[1 2] #{ a: 1 } #P{ x: 1 })", "(array (bytes 1 2) (dict (#a 1)) (object P (x 1)))")
    expectTree(#"#("a {x}" "b")"#, #"(array (str "a " x) (str "b"))"#)
    expectTree("#(#(x, y) #(1))", "(array (array x y) (array 1))")
    expectTree("#(true)", "(array true)")
  }

  @Test func expressionArrays() {
    expectTree("#(1, x + 1, 'c')", "(array 1 (send x + 1) 'c')")
    expectTree("#(x)", "(array x)")
    expectTree("#(x + 1)", "(array (send x + 1))")
    expectTree("#(x foo, 3)", "(array (send x foo) 3)")
    expectTree("#(x foo,)", "(array (send x foo))")
    expectTree("#((x foo))", "(array (send x foo))")
    expectTree("#(1 foo: 2)", "(array (send 1 foo: 2))")
    expectTree("#(1 + 2)", "(array (send 1 + 2))")
    expectTree("#(1 - 2)", "(array (send 1 - 2))")
    expectTree("#(nil, true)", "(array nil true)")
    expectTree("#('a' size, 3)", "(array (send 'a' size) 3)")
    expectTree("#(a := 3, b |= c)", "(array (:= a 3) (|= b c))")
    expectTree("#(x at: 1, y | foo; bar)", "(array (send x at: 1) (cascade y (foo) (bar)))")
    expectTree("#([1], [2])", "(array (block () 1) (block () 2))")
  }

  @Test func theCommaSeparates() {
    expectTree("#(('a' , 'b'), 'c')", "(array (send 'a' , 'b') 'c')")
    expectTree("#(x foo: 'a', 'b')", "(array (send x foo: 'a') 'b')")
    expectTree("#([1 , x])", "(array (block () (send 1 , x)))")
    expectTree("#{ a: ('x' , 'y') }", "(dict (#a (send 'x' , 'y')))")
    expectTree("#(x['a' , 'b'])", "(array (sub x (send 'a' , 'b')))")
    expectTree(#"#("{'a' , 'b'}", 1)"#, "(array (str (send 'a' , 'b')) 1)")
    expectTree("#((x a; , b; c), 2)", "(array (cascade x (a) (, b) (c)) 2)")
  }

  @Test func wordsInArrays() {
    expectDiagnostics(
      "1️⃣#(foo bar)", "words in #( ): write '#(#foo #bar)' for symbols, '#(foo, bar)'")
    expectDiagnostics("1️⃣#(1 foo)", "words in #( )")
    expectDiagnostics("1️⃣#(1 2 foo)", "words in #( )")
    expectDiagnostics("1️⃣#(foo 3)", "words in #( )")
    expectDiagnostics("1️⃣#(foo #bar)", "words in #( )")
    expectDiagnostics("1️⃣#('a' 'b' c, d)", "words in #( )")
    expectDiagnostics("1️⃣#(1 2️⃣-2 x)", "words in #( )", "warning: '- 2' is subtracted here")
    expectDiagnostics(
      "#(1 21️⃣, 3)", "expected a literal or ')', found ','; expressions are separated")
    expectDiagnostics("#(1️⃣,)", "expected an expression, found ','")
    expectDiagnostics("#(1,1️⃣,2)", "expected an expression, found ','")
    expectDiagnostics("#(1 21️⃣]", "expected ')', found ']'")
    expectDiagnostics("#(1 21️⃣", "expected ')', found the end of the text", isIncomplete: true)
    expectDiagnostics("#(a,1️⃣", "expected an expression, found the end", isIncomplete: true)
  }

  @Test func subtractionsInArrays() {
    expectDiagnostics(
      "#(1 1️⃣-2, 3)", "warning: '- 2' is subtracted here; a negative element is written ', -2'")
    expectDiagnostics("#(1, 2 1️⃣-3)", "warning: '- 3' is subtracted here")
    expectDiagnostics("#(x 1️⃣-1)", "warning: '- 1' is subtracted here")
    expectTree("#(1-2, 3)", "(array (send 1 - 2) 3)")
    expectTree("#((1 -2), 3)", "(array (send 1 - 2) 3)")
  }

  @Test func byteArrays() {
    expectTree("#[]", "(bytes)")
    expectTree("#[1 2 255 16rFF]", "(bytes 1 2 255 255)")
    expectDiagnostics("#[1 1️⃣256]", "a byte is an integer from 0 to 255")
    expectDiagnostics("#[1️⃣1.5]", "a byte is an integer from 0 to 255")
    expectDiagnostics(
      "#[11️⃣, 2]", "expected a byte or ']', found ','; bytes are separated by blanks")
    expectDiagnostics("#[1️⃣-1]", "expected a byte or ']', found '-'")
    expectDiagnostics("#[11️⃣", "expected ']', found the end of the text", isIncomplete: true)
  }

  @Test func dictionaries() {
    expectTree("#{}", "(dict)")
    expectTree(
      "#{ name: 'x', Content-Type: 't', 'any key': 1, 3: y, (expr): z }",
      "(dict (#name 'x') (#'Content-Type' 't') ('any key' 1) (3 y) (expr z))")
    expectTree("#{a:1,b:2,}", "(dict (#a 1) (#b 2))")
    expectTree("#{ a : 1 }", "(dict (#a 1))")
    expectTree("#{#b: 2, #c:d}", "(dict (#b 2) (#c d))")
    expectTree("#{ true: 1, self: 2 }", "(dict (#true 1) (#self 2))")
    expectTree("#{ -3: 1, $a: 2, #+ : 3, #'x y': 4 }", "(dict (-3 1) ($a 2) (#+ 3) (#'x y' 4))")
    expectTree(#"#{ "k": 1, "a{b}": 2 }"#, #"(dict ((str "k") 1) ((str "a" b) 2))"#)
    expectTree("#{ #(1 2): x, (a b): y }", "(dict ((array 1 2) x) ((send a b) y))")
    expectTree("#{ (true): 1, (file:a): 2 }", "(dict (true 1) ((id file a) 2))")
    expectTree(
      "#{ f: [:x | x], g: a | b; c }", "(dict (#f (block (x) x)) (#g (cascade a (b) (c))))")
    expectTree("#{ a: x foo: 1 bar: 2 }", "(dict (#a (send x foo: 1 bar: 2)))")
  }

  @Test func mistakesInDictionaries() {
    expectDiagnostics("#{ a 1️⃣}", "expected ':' and a value, found '}'")
    expectDiagnostics("#{ a1️⃣:= 3 }", "expected ':' and a value, found ':='")
    expectDiagnostics("#{ a: 1️⃣}", "expected an expression, found '}'")
    expectDiagnostics("#{ a: 1 1️⃣b: 2 }", "warning: 'b:' is a message here; a ',' may be missing")
    expectDiagnostics("#{ a: x\n1️⃣b: y }", "warning: 'b:' is a message here; a ',' may be missing")
    expectDiagnostics("#{ a: 1 1️⃣]", "expected ',' or '}', found ']'")
    expectDiagnostics("#{ 1️⃣^ }", "expected a key, found '^'")
    expectDiagnostics("#{ a: 1,1️⃣", "expected a key, found the end of the text", isIncomplete: true)
  }

  @Test func objects() {
    expectTree("#Point{}", "(object Point)")
    expectTree("#Point{ x: 3, y: 4, }", "(object Point (x 3) (y 4))")
    expectTree(
      "#Window{ frame: #Rect{ x: 1 + 2 }, title: 't' }",
      "(object Window (frame (object Rect (x (send 1 + 2)))) (title 't'))")
    expectTree("#Point{x:y}", "(object Point (x y))")
    expectDiagnostics("#Point 1️⃣{ x: 3 }", "an object literal has no blank before '{': '#Point{'")
    expectDiagnostics("p := #Point 1️⃣{ x: 3 }", "an object literal has no blank before '{'")
    expectTree("#Point{ 'x': 3, 22e3: 4 }", "(object Point ('x' 3) (22000 4))")
    expectDiagnostics("#Point{ 1️⃣^ }", "expected a property, found '^'")
    expectDiagnostics("#Point{ x 1️⃣}", "expected ':' and a value, found '}'")
  }
}
