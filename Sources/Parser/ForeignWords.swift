/// Words that mean something in other languages and nothing here, with what is written instead.
///
/// They are names like any others. Only where a text is wrong anyway, as nothing of that name is
/// known or the statement can not be parsed, they tell what was meant.
public enum ForeignWords {
  /// Returns what is written instead of a word; nil for a word that nobody expects to work.
  public static func hint(for word: String) -> String? { hints[word] }

  /// Whether a word begins a statement in some language, so that it explains what is wrong.
  static func beginsStatement(_ word: String) -> Bool {
    // An import has errors of its own.
    hints[word] != nil && !values.contains(word) && word != "import"
  }

  /// Words that stand for values.
  private static let values: Set<String> = [
    "var", "null", "NULL", "None", "Nil", "nullptr", "undefined", "TRUE", "FALSE", "this",
  ]

  private static let hints: [String: String] = {
    var hints: [String: String] = [:]
    for (words, hint) in rows {
      for word in words.split(separator: " ") { hints[String(word)] = hint }
    }
    return hints
  }()

  private static let rows: [(words: String, hint: String)] = [
    ("null NULL None Nil nullptr undefined", "nothing is written 'nil'"),
    ("TRUE", "it is written 'true'"),
    ("FALSE", "it is written 'false'"),
    ("this", "the receiver is written 'self'"),
    (
      "if unless else elif elsif elseif then",
      "a condition is written 'x ifTrue: [ ... ] ifFalse: [ ... ]'"
    ),
    ("while until loop", "a loop is written '[ x ] whileTrue: [ ... ]'"),
    (
      "for foreach",
      "a loop is written 'list do: [ :each | ... ]' or '1 to: 10 do: [ :i | ... ]'"
    ),
    ("switch match", "a choice is written with 'ifTrue:ifFalse:' or a dictionary of blocks"),
    (
      "def func function fn fun sub",
      "a method is written '-name: parameter { ... }', a block '[ :x | ... ]'"
    ),
    ("lambda", "a block is written '[ :x | ... ]'"),
    ("return", "an answer is written '^x'"),
    ("var", "a variable with a type is declared with 'var <Number> x := 3'"),
    ("let const local", "a variable is declared with 'var x := 3'"),
    (
      "try catch except finally rescue",
      "errors are handled with '[ ... ] on: Error do: [ :e | ... ]'"
    ),
    ("throw raise", "an error is signalled with 'Error signal: text'"),
    (
      "print println puts echo printf console",
      "output is written with 'stdout println: x'"
    ),
    ("import include require", "another script is run with import 'path'"),
    ("new", "an object is made with 'Name new'"),
    ("not", "'not' follows what it negates: 'x not'"),
    (
      "struct enum interface trait public private abstract",
      "a class is written 'class Name : Superclass { ... }'"
    ),
    (
      "break continue",
      "a loop is left early in '[ :leave | ... leave value ... ] valueWithExit'"
    ),
    ("pass", "an empty block is written '[ ]'"),
    ("end", "a block ends with ']' or '}'"),
  ]
}
