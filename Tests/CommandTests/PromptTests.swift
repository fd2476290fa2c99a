import Foundation
import Testing

/// What is on the screen while a text is edited.
@Suite struct EditorTests {
  private static let up = "\u{1B}[A"
  private static let down = "\u{1B}[B"
  private static let right = "\u{1B}[C"
  private static let left = "\u{1B}[D"

  @Test func aTextIsColoured() throws {
    let session = try ScreenSession()
    try session.type("x := #(1 'two') // three")
    try session.expect("tenon> x := #(1 'two') // three")
    for (style, text) in [
      ("0;1;32", "tenon> "), ("0;1;35", ":="), ("0;36", "1"), ("0;32", "'two'"),
      ("0;90", "// three"),
    ] {
      try session.expectScreen("\(text) is coloured") {
        $0.text(ofRow: $0.row, style: style) == text
      }
    }
    // The brackets at the cursor, and not when the text is done.
    try session.type("\u{1}" + String(repeating: EditorTests.right, count: 15))
    try session.expectScreen("the brackets are marked") {
      $0.text(ofRow: $0.row, style: "0;1;7") == "()"
    }
    try session.type("\r")
    try session.expect("tenon> x := #(1 'two') // three", "#(1 'two')", "tenon>")
    #expect(session.screen.text(ofRow: 0, style: "0;1;7") == "")
    #expect(session.screen.text(ofRow: 0, style: "0;32") == "'two'")
    try session.leave()
  }

  @Test func aTextOfSeveralLinesIsOne() throws {
    let session = try ScreenSession()
    try session.type("class Foo {\r")
    try session.expect("tenon> class Foo {", "")
    try session.type("-bar {\r")
    try session.expect("tenon> class Foo {", "  -bar {", "")
    try session.type("^42\r")
    try session.expect("  -bar {", "    ^42", "")
    // Closing brackets go back by a level.
    try session.type("}\r")
    try session.expect("    ^42", "  }", "")
    try session.type("}\r")
    try session.expect("tenon> class Foo {", "  -bar {", "    ^42", "  }", "}", "tenon>")
    try session.enter("Foo new bar", "42")
    // It is called back and edited as one.
    try session.type(EditorTests.up + EditorTests.up)
    try session.expect("tenon> class Foo {", "  -bar {", "    ^42", "  }", "}")
    try session.type(EditorTests.up + EditorTests.up + EditorTests.right + EditorTests.right)
    try session.type(EditorTests.right + EditorTests.right + "1\r")
    try session.expect("    ^142", "  }", "}", "tenon>")
    try session.enter("Foo new bar", "142")
    try session.leave()
  }

  @Test func whatWasTypedIsSuggested() throws {
    let session = try ScreenSession()
    try session.enter("'first' size + 1", "6")
    try session.enter("3 + 4", "7")
    try session.type("'fi")
    try session.expect("tenon> 'first' size + 1")
    #expect(session.screen.text(ofRow: session.screen.row, style: "90") == "rst' size + 1")
    try session.type(EditorTests.right)
    try session.expectScreen("it is typed") {
      $0.text(ofRow: $0.row, style: "90").isEmpty && $0.lines.last == "tenon> 'first' size + 1"
    }
    try session.type("0\r")
    try session.expect("tenon> 'first' size + 10", "15", "tenon>")
    // What is not taken does not stay on the screen.
    try session.type("3")
    try session.expect("tenon> 3 + 4")
    try session.type("\r")
    try session.expect("tenon> 3", "3", "tenon>")
    try session.leave()
  }

  /// Ctrl-K, Ctrl-U and Ctrl-W stop at the ends of a line and of a word; Ctrl-Y brings back what they have taken.
  @Test func linesAreKilled() throws {
    let session = try ScreenSession(environment: ["NO_COLOR": "1"])
    try session.type("\u{1B}[200~#(1,\n22,\n333)\u{1B}[201~" + EditorTests.up + "\u{1}\u{B}")
    try session.expect("tenon> #(1,", "", "333)")
    try session.type("\u{19}\u{19}")
    try session.expect("tenon> #(1,", "22,22,", "333)")
    try session.type("\u{15}")
    try session.expect("tenon> #(1,", "", "333)")
    // An empty line goes with its break; a rest of nothing as well.
    try session.type("\u{15}\u{B}")
    try session.expect("tenon> #(1,333)")
    try session.type("\u{15}3 + 44\u{17}4\r")
    try session.expect("tenon> 3 + 4", "7", "tenon>")
    try session.leave()
  }

  @Test func whatBeginsLikeTheLineIsCalledBack() throws {
    let session = try ScreenSession()
    for text in ["alpha := 1", "beta := 2", "alphabet := 3", "gamma := 4"] {
      try session.enter(text, String(text.last ?? " "))
    }
    try session.type("al" + EditorTests.up)
    try session.expect("tenon> alphabet := 3")
    try session.type(EditorTests.up)
    try session.expect("tenon> alpha := 1")
    try session.type(EditorTests.down)
    try session.expect("tenon> alphabet := 3")
    try session.type(EditorTests.down)
    try session.expectScreen("what was typed is back") {
      $0.column == 9 && $0.lines.last?.hasPrefix("tenon> al") == true
    }
    try session.type("\u{15}" + EditorTests.up)
    try session.expect("tenon> gamma := 4")
    try session.leave()
  }

  @Test func controlCLeavesTheTextOnTheScreen() throws {
    let session = try ScreenSession()
    try session.type("#(1\r2\r3" + EditorTests.up)
    try session.expectScreen("three lines are there") { $0.lines.count == 3 && $0.row == 1 }
    try session.type("\u{3}")
    try session.expectScreen("the prompt stands below") {
      $0.lines.count == 4 && $0.lines[2].hasSuffix("3^C") && $0.lines[3] == "tenon>"
    }
    try session.enter("3 + 4", "7")
    try session.leave()
  }

  /// Nothing of pasted text runs before Enter, however many lines it has.
  @Test func pastedLines() throws {
    let session = try ScreenSession()
    let lines = (1...200).map { "sum := (sum ifNil: [ 0 ]) + \($0)." }.joined(separator: "\r")
    try session.type("sum := 0\r")
    try session.expect("0", "tenon>")
    try session.type("\u{1B}[200~" + lines + "\u{1B}[201~")
    try session.expectScreen("the last line is shown") {
      $0.lines.last == "sum := (sum ifNil: [ 0 ]) + 200."
    }
    try session.type("\r")
    try session.expect("20100", "tenon>")
    try session.leave()
  }

  @Test func wideLettersAndFamilies() throws {
    let session = try ScreenSession()
    try session.type("'日本' size + ''" + EditorTests.left + "é")
    try session.expect("tenon> '日本' size + 'é'")
    try session.type("\u{7F}" + EditorTests.left + EditorTests.left)
    for _ in 1...8 { try session.type(EditorTests.left) }
    // Behind the second of the two.
    try session.type("\u{7F}")
    try session.expect("tenon> '日' size + ''")
    try session.type("\u{15}'👨‍👩‍👧x' size")
    for _ in 1...7 { try session.type(EditorTests.left) }
    try session.type("\u{7F}\r")
    try session.expectScreen("a family is one letter") { $0.lines.suffix(2) == ["1", "tenon>"] }
    try session.leave()
  }

  @Test func theWindowIsResized() throws {
    let session = try ScreenSession()
    try session.type("'a text that is longer than forty columns' size")
    try session.expect("tenon> 'a text that is longer than forty columns' size")
    session.session.terminal.resize(rows: 24, columns: 100)
    try session.type(" + 1\r")
    try session.expectScreen("it goes on") { $0.lines.suffix(2) == ["41", "tenon>"] }
    try session.leave()
  }

  /// Up and Down go one entry at a time, and Down comes back to what was typed.
  @Test func upAndDown() throws {
    let session = try ScreenSession()
    for text in ["11", "22", "33"] { try session.enter(text, text) }
    for text in ["33", "22", "11"] {
      try session.type(EditorTests.up)
      try session.expect("tenon> " + text)
    }
    for text in ["22", "33", ""] {
      try session.type(EditorTests.down)
      try session.expect(text.isEmpty ? "tenon>" : "tenon> " + text)
    }
    try session.leave()
  }

  @Test func timersWriteAboveTheLine() throws {
    let session = try ScreenSession()
    try session.type("[ stdout println: 'tick' ] after: 300 milliseconds\r")
    try session.expectScreen("there is a prompt") {
      $0.lines.last == "tenon>" && $0.lines.contains("an active Timer")
    }
    try session.type("#(1,\r2, 3")
    try session.expectScreen("the text stands below it") {
      $0.lines.contains("tick") && $0.lines.last?.hasSuffix("2, 3") == true
        && $0.lines[$0.lines.count - 2] == "tenon> #(1,"
    }
    #expect(session.screen.lines.filter { $0.hasPrefix("tenon> #") }.count == 1)
    try session.type(") size\r")
    // What is typed before there is a prompt again may be lost.
    try session.expect("3", "tenon>")
    try session.leave()
  }

  /// What a timer asks for is shown as it is typed, and the line comes back below it.
  @Test func timersAskAboveTheLine() throws {
    let session = try ScreenSession()
    try session.type(
      "[ stdout nextPutAll: 'name? '; flush. stdout println: stdin nextLine asUppercase ]"
        + " after: 10 milliseconds\r")
    try session.expectScreen("it asks") { $0.lines.last == "name?" }
    // What is typed before it reads, an eye's blink later, is not shown.
    try session.session.terminal.awaitEcho()
    try session.type("Adb\u{7F}a")
    try session.expect("name? Ada")
    try session.type("\r")
    try session.expect("name? Ada", "ADA", "tenon>")
    try session.enter("3 + 4", "7")
    try session.leave()
  }

  /// The user's own file may choose vi's keys.
  @Test func viKeys() throws {
    try Directory.withTemporary { directory in
      try directory.write("bind -v\n", to: ".editrc")
      let session = try ScreenSession(in: directory, environment: ["HOME": directory.path("")])
      try session.type("+ 4\u{1B}")
      try session.expectScreen("the cursor goes back") { $0.column == 9 }
      try session.type("0i3 \u{1B}")
      // Enter directly behind Escape would be Alt-Enter.
      try session.expectScreen("the text is inserted") {
        $0.lines.last == "tenon> 3 + 4" && $0.column == 8
      }
      try session.type("\r")
      try session.expect("tenon> 3 + 4", "7", "tenon>")
      try session.type(EditorTests.up)
      try session.expect("tenon> 3 + 4")
      try session.type(EditorTests.left + "\u{1B}")
      try session.expectScreen("it is vi's command mode") { $0.column == 10 }
      try session.type("x")
      try session.expect("tenon> 3 +4")
      try session.type("i\u{3}")
      try session.expect("tenon>")
      try session.leave()
    }
  }
}

/// What Tab completes.
@Suite struct PromptCompletionTests {
  @Test(arguments: [
    ("#(1, 2) coll", "tenon> #(1, 2) collect"), ("'a' , 'b' asUpperc", "asUppercase"),
    ("Ordered\t new addFir", "tenon> OrderedCollection  new addFirst:"),
    ("file:/et", "tenon> file:/etc/"), ("ref:file:/etc/passw", "tenon> ref:file:/etc/passwd"),
    ("env:TENON_TEST_N", "tenon> env:TENON_TEST_NAME"), ("mem:one/tw", "tenon> mem:one/two"),
    ("own:one/tw", "tenon> own:one/two"), ("#Person{ na", "tenon> #Person{ name:"),
    ("#Person{ name: 'x', ", "tenon> #Person{ name: 'x', age:"), (":wat", "tenon> :watch"),
    (":why per", "tenon> :why person"), (":load /etc/passw", "tenon> :load /etc/passwd"),
    ("person na", "tenon> person name"), ("import '/etc/passw", "tenon> import '/etc/passwd"),
    ("'abc' at: 1 pu", "tenon> 'abc' at: 1 put:"), ("\"{Ordered", "tenon> \"{OrderedCollection"),
    ("'in a string", "tenon> 'in a string"), ("defau", "tenon> defaults:"),
    ("nothing at al", "tenon> nothing at al"), ("var:person/na", "tenon> var:person/name"),
  ])
  func theTextGoesOn(_ typed: String, _ completed: String) throws {
    try Directory.withTemporary { directory in
      let session = try ScreenSession(
        in: directory, environment: ["TENON_TEST_NAME": "1", "NO_COLOR": "1"])
      try session.type("class Person { var name. var age. }\r")
      try session.type(
        "var person := Person new. mem:one/two := 1. scheme:own := MemoryStore new.\r")
      try session.type("own:one/two := 1\r")
      try session.expect("1", "tenon>")
      try session.type(typed + "\t")
      try session.expectScreen("it ends with '\(completed)'") {
        ($0.lines.last ?? "").hasSuffix(completed)
      }
      try session.leave()
    }
  }

  @Test func whatMayFollowIsShown() throws {
    let session = try ScreenSession(environment: ["NO_COLOR": "1"])
    try session.type("#(3 1) inj\t")
    try session.expectScreen("it is certain") { $0.lines.last == "tenon> #(3 1) inject:" }
    try session.type("\u{15}#(3 1) addA\t\t")
    try session.expectScreen("the arguments are named") {
      $0.lines.contains { $0.contains("includesAll:") } || $0.lines.last?.contains("addA") == true
    }
    // Settings, topics and methods behind commands.
    for (typed, completed) in [
      (":set li\t", "tenon> :set lines"), (":help wa\t", "tenon> :help watch"),
      (":doc Collection>>inj\t", "tenon> :doc Collection>>inject:into:"),
      (":source Ord\t", "tenon> :source OrderedCollection"),
    ] {
      try session.type("\u{15}" + typed)
      try session.expectScreen("'\(typed)' becomes '\(completed)'") {
        $0.lines.last == completed
      }
    }
    try session.type("\u{15}:w\t\t")
    try session.expect("watch  when   where  why", "tenon> :w")
    try session.leave()
  }
}

/// How values are shown.
@Suite struct ResultTests {
  @Test func onlyWhatIsWorthIt() throws {
    let session = try ScreenSession()
    try session.enter("var x. x := nil", "tenon> var x. x := nil")
    try session.enter("nil", "tenon> nil", "nil")
    try session.enter("stdout println: 'once'", "tenon> stdout println: 'once'", "once")
    try session.leave()
  }

  @Test func longOnesAreCut() throws {
    let session = try ScreenSession(rows: 40, columns: 40)
    try session.type("(1 to: 1000) asArray\r")
    try session.expectScreen("the rest is counted") {
      $0.lines.dropLast().last?.hasSuffix("more") == true
        && $0.lines.contains("#(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15")
    }
    try session.type(":set lines 2\r(1 to: 1000) asArray\r")
    try session.expect(
      "#(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "  16 17 18 19 20 21 22 23 24 25 26 27",
      "… 973 more", "tenon>")
    try session.leave()
  }

  @Test func rowsAreATable() throws {
    let session = try ScreenSession()
    try session.enter(
      "#(#{ name: 'fig', price: 3 }, #{ name: 'pear', price: 12 })", "name  price",
      "----  -----", "fig       3", "pear     12")
    try session.enter("_ size + _ first['price']", "5")
    try session.enter("_1 last['name'] , _ printString", "'pear5'")
    try session.leave()
  }

  /// A value that cannot be printed is named, and one that prints for ever is stopped.
  @Test func whatCannotBePrinted() throws {
    let session = try ScreenSession()
    try session.type("class Bad { -printOn: stream { ^1 / 0 } }\rBad new\r")
    try session.expectScreen("the error is told") {
      $0.lines.contains("the value is a Bad, which cannot be printed:")
        && $0.lines.last == "tenon>"
    }
    try session.type("class Slow { -printOn: stream { [ true ] whileTrue } }\r")
    try session.type("Slow new\r")
    try session.expectScreen("it is evaluated") {
      $0.lines.last == "tenon> Slow new" || $0.lines.last == ""
    }
    usleep(50_000)
    try session.type("\u{3}")
    try session.expectScreen("it is stopped") { $0.lines.suffix(2) == ["interrupted", "tenon>"] }
    try session.enter("3 + 4", "7")
    try session.leave()
  }
}

/// The commands.
@Suite struct PromptCommandTests {
  @Test func theyShowConnections() throws {
    let session = try ScreenSession()
    try session.enter("var a := 3. var b. b |= a * 2", "b |= a * 2  // #satisfied")
    try session.enter(
      ":why b", "b is 6 by 'b |= a * 2' (<prompt 1>:1)", "a is 3 since before it was connected")
    try session.enter(
      ":when b", "turn 1: b := 6 (was nil) by 'b |= a * 2' (<prompt 1>:1)")
    try session.enter(":connections", "b |= a * 2  // #satisfied")
    try session.enter(":watch b", "b = 6")
    try session.enter("a := 5", "b = 10", "5")
    try session.enter(":watch", "b")
    try session.enter(":watch b", "tenon> :watch b")
    try session.enter("a := 7", "tenon> a := 7", "7")
    try session.enter(":vars", "a = 7", "b = 14")
    try session.leave()
  }

  /// What is watched is shown above the line that is typed.
  @Test func aWatchIsLive() throws {
    let session = try ScreenSession()
    try session.type("var n := 0. [ n := n + 1 ] every: 50 milliseconds. nil\r:watch n\r3 + ")
    try session.expectScreen("it goes on") {
      $0.lines.contains("n = 5") && $0.lines.last == "tenon> 3 +"
    }
    try session.type("\u{15}:watch n\r")
    // What is typed while a command runs may be lost.
    try session.expectScreen("the command has run") {
      $0.lines.suffix(2).elementsEqual(["tenon> :watch n", "tenon>"])
    }
    try session.leave()
  }

  @Test func theyDescribe() throws {
    let session = try ScreenSession(rows: 60, columns: 120)
    try session.type("class Tank { var level. // How full it is.\r-fill: n { ^level := n } }\r")
    try session.enter(":source Tank>>fill:", "-fill: n { ^level := n }")
    try session.enter(":doc Tank>>fill:", "Tank>>fill:", "  <prompt 1>:2")
    try session.type(":doc inject:into:\r")
    try session.expectScreen("who has it is told") {
      $0.lines.contains { $0.hasPrefix("Collection>>inject:into:  ") } && $0.lines.last == "tenon>"
    }
    try session.type(":browse Tank\r")
    try session.expectScreen("its messages are listed") {
      $0.lines.contains("class Tank : Object { var level. }")
    }
    try session.type("tank := Tank new. tank fill: #(10 20). 1\r:inspect tank\r")
    try session.expectScreen("its parts are shown") { $0.lines.contains("  .level  #(10 20)") }
    try session.enter(":inspect .level", "Array  #(10 20)", "  .1  10", "  .2  20")
    try session.enter(":inspect ..", "Tank  a Tank", "  .level  #(10 20)")
    try session.type(":time (1 to: 10) sum\r")
    try session.expectScreen("the time is told") {
      $0.lines.suffix(3).first == "55" && $0.lines.suffix(2).first?.hasPrefix("took ") == true
    }
    try session.enter(":ls mem:", "nothing")
    try session.enter("mem:b := 1. mem:a := 2", "2")
    try session.enter(":ls mem:", "a  b")
    try session.leave()
  }

  @Test func filesAndPrograms() throws {
    try Directory.withTemporary { directory in
      let session = try ScreenSession(
        in: directory,
        environment: ["PAGER": "cat", "EDITOR": "sed -i s/old/new/", "VISUAL": ""])
      try session.enter(":cd \(directory.path(""))", directory.path(""))
      try session.enter("kept := 'old'", "'old'")
      try session.enter(":edit", "kept := 'new'", "'new'")
      try session.enter(":save work.st", "written to work.st")
      try session.enter("!cat work.st", "kept := 'old'.", "kept := 'new'.")
      let path = directory.path("b.st")
      try session.enter(":save \(path)", "written to \(path)")
      try session.enter("!cat b.st", "kept := 'old'.", "kept := 'new'.")
      try session.enter(":save no/b.st", "cannot write no/b.st: there is no such directory")
      try session.enter("!printf 'no end of line'", "no end of line")
      try session.enter("!exit 3", "exit status 3")
      try session.enter("kept := 1", "1")
      try session.enter(":load work.st", "tenon> :load work.st")
      try session.enter("kept", "'new'")
      try session.enter("(1 to: 3) asArray", "#(1 2 3)")
      try session.enter(":more", "#(1 2 3)")
      try session.enter(":diagram net.svg", "written to net.svg")
      try session.enter(
        ":history work", ":save work.st", "!cat work.st", ":load work.st", ":history work")
      try session.leave()
    }
  }

  /// What is watched is shown, and is no connection of the program.
  @Test func aWatchIsNoConnection() throws {
    let session = try ScreenSession()
    try session.enter("var x. var y. y |= x + 1", "y |= x + 1  // #waiting")
    try session.enter(":watch y", "y = nil")
    try session.enter("self connections", "#(y |= x + 1)")
    try session.enter(":diagram", "y = nil", "  y |= x + 1  // #waiting", "    x = nil")
    try session.enter("x := 2", "y = 3", "2")
    try session.enter(":watch y", "tenon> :watch y")
    try session.enter("x := 3", "tenon> x := 3", "3")
    try session.leave()
  }

  /// What is found by a part of its name or by words, and what is not.
  @Test func whatOneDoesNotKnowTheNameOf() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(
        "// Sounds deep.\nclass Gong {\n  -strikeTwice { ^2 }\n}\n", to: "gong.st")
      let session = try ScreenSession(in: directory, columns: 120)
      try session.enter(":load \(file)", "tenon> :load \(file)")
      try session.enter(":doc strikeTw", "Gong>>strikeTwice")
      try session.enter(":help gong", "Gong  Sounds deep.")
      try session.enter(":help deep sounds", "Gong  Sounds deep.")
      try session.enter(":doc STRIKE", "Gong>>strikeTwice")
      try session.enter(":doc strikeThrice", "<evaluate>:1:1: unknown name 'strikeThrice'")
      try session.leave()
    }
  }

  /// Texts that connect what earlier ones have connected.
  @Test func connectionsAreReplaced() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(
        "b |= a + 1.\nc =|= a * 2.\nref:a -> [ :v | stdout println: \"a is {v}\" ].\n", to: "net.st"
      )
      let session = try ScreenSession(in: directory, columns: 120)
      try session.enter(
        "var a := 1. var b. var c. var d.", "tenon> var a := 1. var b. var c. var d.")
      let count = "self connections size"
      try session.enter(":load \(file)", "a is 1")
      try session.enter(count, "3")
      // All of it again: there is one of each.
      try session.enter(":load \(file)", "a is 1")
      try session.enter(count, "3")
      try session.enter("a := 5", "tenon> a := 5", "a is 5", "5")
      try session.enter("#(b, c)", "#(6 10)")
      // Of several statements those count that were not refused.
      try session.type("b |= a + 2. d |= d + 1\r")
      try session.expectScreen("the second was refused") {
        $0.lines.contains { $0.contains("no solver can keep: d <- d") }
      }
      try session.enter(count, "3")
      try session.enter("b", "7")
      // In one text, two for one place are one too many, and the first of them stays.
      try session.type("b |= a + 3. b |= a + 4\r")
      try session.expectScreen("the second was refused") {
        $0.lines.contains { $0.contains("'b' is determined already by 'b |= a + 3'") }
      }
      try session.enter("b", "8")
      try session.enter(count, "3")
      // A name that is computed means the place that it means then.
      try session.enter("#('x', 'y') do: [ :n | mem:{n} |= a ]. nil", "nil")
      try session.enter("mem:{'z'} |= a. nil", "nil")
      try session.enter("self connections size", "6")
      try session.enter("#(mem:x, mem:y, mem:z)", "#(5 5 5)")
      try session.enter(":disconnect mem:z", "ended: mem:{'z'} |= a")
      try session.enter("#('x', 'y') do: [ :n | mem:{n} |= a * 2 ]. mem:y", "10")
      try session.enter("self connections size", "5")
      // What a method connects is no text of the prompt.
      try session.enter(
        "class Net { var x. var y. -join { ivar:y |= ivar:x } }",
        "tenon> class Net { var x. var y. -join { ivar:y |= ivar:x } }")
      try session.enter("n := Net new join; yourself. m := Net new join; yourself. \(count)", "7")
      try session.leave()
    }
  }

  /// A command with nonsense behind it says what is wrong, and the prompt is there again.
  @Test func nonsense() throws {
    let session = try ScreenSession(rows: 60, columns: 120)
    for (number, command) in [
      ":browse ]", ":cd /no/such", ":diagram /no/such/file", ":doc )", ":doc 3 >> 4",
      ":edit Nobody",
      ":inspect .9", ":load /no/such", ":ls :", ":ls nobody:x", ":more )", ":save /no/such/file",
      ":set lines many", ":set nothing 3", ":source Nobody>>x", ":time ", ":time )", ":trace maybe",
      ":watch 3 + ", ":when )", ":why ", ":bench ", ":bench )", ":disconnect ",
      ":disconnect nobody",
      ":disconnect )", ":help nothing like that", ":unknown", ":", ": x", "!", ":load", ":more",
    ].enumerated() {
      try session.type(command + "\r")
      try session.type("'after \(number)'\r")
      try session.expectScreen("the prompt is there after '\(command)'") {
        $0.lines.suffix(2).elementsEqual(["'after \(number)'", "tenon>"])
      }
    }
    try session.leave()
  }

  /// Programs add commands of their own.
  @Test func ownCommands() throws {
    let session = try ScreenSession()
    try session.type(
      "Prompt command: 'hello' argument: 'NAME' help: 'greets' "
        + "do: [ :name | stdout println: 'hello ' , name ]. nil\r")
    try session.enter(":hello you", "hello you")
    try session.enter(":help hello", ":hello NAME", "  greets")
    try session.type(":bench [ ] value\r")
    try session.expectScreen("it is measured") {
      $0.lines.contains { $0.contains("at least ") && $0.contains(" of ") }
        && $0.lines.last == "tenon>"
    }
    try session.leave()
  }
}

/// The sessions in `docs/prompt.md` are what happens.
@Suite struct PromptDocumentationTests {
  @Test func theSessionsAreReplayed() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/prompt.md")
    let blocks = try String(contentsOf: file, encoding: .utf8)
      .components(separatedBy: "```session\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
    #expect(blocks.count > 4)
    for block in blocks {
      let session = try ScreenSession(environment: ["NO_COLOR": "1"], rows: 60, columns: 94)
      var lines = block.components(separatedBy: "\n")[...]
      while let line = lines.popFirst() {
        guard line.hasPrefix("tenon> ") || line.hasPrefix("debug> ") else { continue }
        // A text goes on while brackets are open; the editor indents what follows.
        var typed = [String(line.dropFirst("tenon> ".count))]
        while PromptDocumentationTests.openBrackets(typed) > 0, let next = lines.popFirst() {
          typed.append(String(next.drop { $0 == " " }))
        }
        try session.evaluate(typed)
      }
      #expect(session.screen.lines.joined(separator: "\n") == block + "\ntenon>")
      try session.leave()
    }
  }

  private static func openBrackets(_ lines: [String]) -> Int {
    lines.joined().reduce(0) { $0 + ("([{".contains($1) ? 1 : ")]}".contains($1) ? -1 : 0) }
  }
}
