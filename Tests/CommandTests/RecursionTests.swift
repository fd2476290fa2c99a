import Testing

/// How deep a program may call itself, in whatever way.
@Suite struct RecursionTests {
  /// Methods of a class that call themselves `n` times, each in its own way.
  private static let levels = """
    class R {
      -method: n { ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self method: n - 1) ] }
      -ensured: n {
        ^n = 0 ifTrue: [ 0 ] ifFalse: [ [ 1 + (self ensured: n - 1) ] ensure: [ n ] ]
      }
      -handled: n {
        ^n = 0 ifTrue: [ 0 ] ifFalse: [
          [ 1 + (self handled: n - 1) ] on: ZeroDivide do: [ :e | 0 ] ]
      }
      -block: n {
        | b |
        b := [ :k | k = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (b value: k - 1) ] ].
        ^b value: n
      }
      -unknown: n { ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self foo: n - 1) ] }
      -doesNotUnderstand: m { ^self unknown: (m arguments at: 1) }
      -performed: n {
        ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self perform: #performed: with: n - 1) ]
      }
      -looped: n {
        ^n = 0 ifTrue: [ 0 ] ifFalse: [
          #(1) inject: 0 into: [ :sum :each | 1 + (self looped: n - 1) ] ]
      }
      -even: n { ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self odd: n - 1) ] }
      -odd: n { ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self even: n - 1) ] }
    }

    """

  /// Methods of a class that call themselves without end.
  private static let endless = """
    class R {
      -method { ^1 + self method }
      -ensured { ^[ self ensured ] ensure: [ 1 ] }
      -handled { ^[ self handled ] on: ZeroDivide do: [ :e | 1 ] }
      -block { | b | b := [ 1 + b value ]. ^b value }
      -performed { ^1 + (self perform: #performed) }
      -sorted { ^#(2 1) sort: [ :a :b | self sorted ] }
      -printOn: stream { stream print: self copy }
      -doesNotUnderstand: m { ^1 + (self perform: #unknown) }
      -= other { ^self hash = other }
      -hash { ^self = 3 }
      -temporaries {
        | a b c d e f g h i j k l m n o p q r s t u v w x y z |
        ^1 + self temporaries
      }
    }

    """

  @Test(arguments: [
    "method:", "ensured:", "handled:", "block:", "unknown:", "performed:", "looped:", "even:",
  ])
  func aHundredThousandLevels(_ selector: String) throws {
    let result = try Command.run(
      "-", input: RecursionTests.levels + "stdout println: (R new \(selector) 100000)")
    #expect(result.output == "100000\n")
    #expect(result.errors == "")
    #expect(result.status == .status(0))
  }

  @Test func tooDeepIsAnErrorOfTheProgram() throws {
    // With all of the usual stack, once.
    let result = try Command.run(
      "-",
      input: RecursionTests.endless + """
        [ R new method ] on: StackOverflow do: [ :e | stdout println: e messageText ].
        stdout println: 'after'
        """)
    #expect(result.output == "stack overflow: the program calls itself too deep\nafter\n")
    #expect(result.errors == "")
    #expect(result.status == .status(0))
  }

  @Test func aProgramRecoversAThousandTimes() throws {
    // With a small stack, as each time goes through all of it.
    let result = try Command.run(
      ["--stack", "2M", "-"],
      input: Array(
        (RecursionTests.endless + """
          | r count |
          r := R new.
          count := 0.
          100 timesRepeat: [
            #(#method #ensured #handled #block #performed #sorted #printString #unknown #hash
              #temporaries) do: [ :each |
                [ r perform: each ] on: StackOverflow do: [ :e | count := count + 1 ] ] ].
          stdout println: count
          """).utf8))
    #expect(result.output == "1000\n")
    #expect(result.errors == "")
    #expect(result.status == .status(0))
  }

  /// Each way in which a program may call itself, and the only way that is used.
  @Test func whateverItCallsItselfBy() throws {
    let result = try Command.run(
      ["--stack", "2M", "-"],
      input: Array(
        """
          class Base { -onwards: n { ^self down: n } }
          class Deep : Base {
            -unary { ^self unary + 1 }
            -other { ^Deep new other + 1 }
            -binary { ^(self + 1) size }
            -+ n { ^(self + (n + 1)) size }
            -keyword { ^self one: 1 }
            -one: a { ^(self one: a + 1) + 1 }
            -two: a with: b { ^(self two: b with: a) + 1 }
            -two { ^self two: 1 with: 2 }
            -three: a with: b with: c { ^(self three: b with: a with: c) + 1 }
            -three { ^self three: 1 with: 2 with: 3 }
            -super { ^self down: 1 }
            -down: n { ^(super onwards: n + 1) + 1 }
            -block { | b | b := nil. b := [ :x | (b value: x + 1) + 1 ]. ^b value: 1 }
            -inBlock { ^[ self inBlock + 1 ] value }
            -loop { #(1) do: [ :each | self loop ]. ^1 }
            -inlined { 1 to: 1 do: [ :i | self inlined ]. ^1 }
            -collected { ^#(1) collect: [ :each | self collected ] }
            -performed { ^(self perform: #performed) + 1 }
            -element { ^self[1] }
            -at: i { ^(self at: i + 1) + 1 }
            -put { self[1] := 2. ^1 }
            -at: i put: v { self[i + 1] := v. ^v }
            -printed { ^self printString }
            -printOn: stream { stream print: self; nextPutAll: 'x' }
            -text { ^"<{self text}>" }
            -doesNotUnderstand: message { ^self perform: (message selector , 'x') asSymbol }
            -unknown { ^self unknownMessage }
            -cascade { ^self yourself; cascade; yourself }
            -ensured { ^[ self ensured + 1 ] ensure: [ 1 ] }
            -handled { ^[ self handled + 1 ] on: ZeroDivide do: [ :e | 1 ] }
            -made { ^Endless new }
          }
          class Endless { -initialize { Endless new } }
          #(#unary #other #binary #keyword #two #three #super #block #inBlock #loop #inlined
            #collected #performed #element #put #printed #text #cascade #ensured #handled #made)
            do: [ :each |
              [ Deep new perform: each. stdout println: each ] on: StackOverflow do: [ :e | nil ] ].
          stdout println: 'after'
        """.utf8))
    #expect(result.output == "after\n")
    #expect(result.errors == "")
    #expect(result.status == .status(0))
  }

  @Test(arguments: ["512K", "8M"])
  func aHandlerMayOverflowAsWell(_ size: String) throws {
    let result = try Command.run(
      ["--stack", size, "-"],
      input: Array(
        """
        -down { ^1 + self down }
        [ self down ] on: StackOverflow do: [ :a |
          stdout println: 1.
          [ self down ] on: StackOverflow do: [ :b |
            stdout println: 2.
            [ self down ] on: StackOverflow do: [ :c |
              stdout println: 3.
              self down ] ] ]
        """.utf8))
    #expect(result.output == "1\n2\n3\n")
    #expect(result.errors.hasPrefix("<stdin>:1:19: error: stack overflow: "))
    #expect(result.status == .status(1))
  }

  @Test func cleanUpBlocksRunAtTheEndOfTheStack() throws {
    let result = try Command.run(
      ["--stack", "2M", "-"],
      input: Array(
        """
        class Counter {
          var begun. var ended.
          -initialize { begun := 0. ended := 0 }
          -begun { ^begun }
          -ended { ^ended }
          -down { ^[ begun := begun + 1. self down ] ensure: [ ended := ended + 1 ] }
        }
        | counter |
        counter := Counter new.
        [ counter down ] on: StackOverflow do: [ :e | 'caught' ].
        stdout println: counter begun > 100.
        // The last of all may have run over before its protected block began.
        stdout println: (counter ended - counter begun between: 0 and: 1)
        """.utf8))
    #expect(result.output == "true\ntrue\n")
  }

  @Test func theReportOfAnOverflowIsShort() throws {
    let script = "-down { ^1 + self down }\nself down"
    let result = try Command.run(["--stack=32M", "-"], input: Array(script.utf8))
    #expect(result.status == .status(1))
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 54)
    #expect(lines.first == "<stdin>:1:19: error: stack overflow: the program calls itself too deep")
    #expect(lines.last?.hasPrefix("  ... and ") == true)
  }

  @Test func aSmallAddressSpaceIsEnough() throws {
    let (status, output) = try Command.shell(
      #"ulimit -v 500000; exec "$0" -e "$1" 2>&1"#,
      "-down { ^1 + self down }\n[ self down ] on: StackOverflow do: [ :e | 'caught' ]")
    #expect(status == .status(0))
    #expect(output == "'caught'\n")
  }
}
