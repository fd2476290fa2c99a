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
          -down { begun := begun + 1. ^[ self down ] ensure: [ ended := ended + 1 ] }
        }
        | counter |
        counter := Counter new.
        [ counter down ] on: StackOverflow do: [ :e | 'caught' ].
        stdout println: counter begun > 100.
        stdout println: (counter begun - counter ended between: 0 and: 1)
        """.utf8))
    // The last activation may find the stack full where it sends `ensure:`, before the block counts.
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
