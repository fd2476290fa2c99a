/// What an interpreter has been granted of a scheme.
enum MatrixGrant: String, CaseIterable {
  /// All that the store can do.
  case granted
  /// The same of another root, host, domain or variable.
  case elsewhere
  /// Reading alone.
  case reading
  /// Nothing.
  case none
}

/// Something that a script does with a place: a line of the matrix.
struct MatrixVerb {
  /// What it is made of.
  enum Form {
    /// A message to the reference of the place.
    case message(String, [String])
    /// A text that has `{R}` for an expression of the reference.
    case text(String)
    /// A statement that has `{L}` for the place as it is written in a script, and how it is written with a
    /// reference in the variable `r`.
    case statement(String, reference: String?)
  }

  let name: String
  let form: Form
  var isWriting = false
  /// What tells beside the secrets that it was done.
  var evidence: [String] = []
  /// Whether the place changes before its effect is looked for.
  var waitsForChange = false

  /// What is left in variables is looked at as well: `seen`, `mem:copy`.
  static let all: [MatrixVerb] = [
    MatrixVerb(name: "get", form: .message("value", [])),
    MatrixVerb(name: "literal", form: .statement("{L}", reference: nil)),
    MatrixVerb(name: "stream", form: .message("readStreamDo:", ["[ :s | s upToEnd ]"])),
    MatrixVerb(name: "lines", form: .message("linesDo:", ["[ :line | seen := line ]"])),
    MatrixVerb(name: "copy", form: .message("copyTo:", ["ref:mem:copy"])),
    MatrixVerb(name: "status", form: .message("status", []), evidence: ["a resource of "]),
    MatrixVerb(name: "exists", form: .message("exists", []), evidence: ["true | #("]),
    MatrixVerb(name: "digest", form: .message("digest:", ["'sha256'"])),
    MatrixVerb(
      name: "details", form: .text("({R}) store perform: 'details' with: nil at: ({R})"),
      evidence: ["'kind': 'file'"]),
    MatrixVerb(
      name: "pack", form: .text("({R}) store perform: 'pack' with: #[1 2 3] at: ({R})")),
    MatrixVerb(name: "list", form: .text("({R}) parent children")),
    MatrixVerb(
      name: "watch", form: .message("watch:", ["[ :value | seen := value ]"]), waitsForChange: true),
    MatrixVerb(
      name: "poll", form: .text("({R}) watch: [ :value | seen := value ] every: 2 milliseconds"),
      waitsForChange: true),
    MatrixVerb(
      name: "connect",
      form: .statement(
        "(seen |= {L}) policy: (Policy poll: 5 milliseconds). seen",
        reference: "(seen |= r value) policy: (Policy poll: 5 milliseconds). seen")),
    MatrixVerb(name: "put", form: .message("value:", ["'changed'"]), isWriting: true),
    MatrixVerb(
      name: "assign", form: .statement("{L} := 'changed'", reference: nil), isWriting: true),
    MatrixVerb(name: "delete", form: .message("delete", []), isWriting: true),
    MatrixVerb(name: "post", form: .message("post:", ["'changed'"]), isWriting: true),
    MatrixVerb(name: "merge", form: .message("merge:", ["#{ name: 'changed' }"]), isWriting: true),
    MatrixVerb(name: "move", form: .text("({R}) moveTo: ({R}) parent / 'moved'"), isWriting: true),
    MatrixVerb(name: "tree", form: .message("deleteTree", []), isWriting: true),
    MatrixVerb(
      name: "directory", form: .text("(({R}) parent / 'made') makeDirectory"), isWriting: true),
    MatrixVerb(
      name: "write", form: .message("writeStreamDo:", ["[ :s | s nextPutAll: 'changed' ]"]),
      isWriting: true),
    MatrixVerb(
      name: "append", form: .message("appendStreamDo:", ["[ :s | s nextPutAll: 'changed' ]"]),
      isWriting: true),
    MatrixVerb(
      name: "permissions", form: .text("({R}) store perform: 'permissions' with: 0 at: ({R})"),
      isWriting: true),
    MatrixVerb(
      name: "start", form: .text("[ :p | p input close. p wait ] value: ({R}) start"),
      isWriting: true),
    MatrixVerb(
      name: "connectTo", form: .statement("{L} |= source", reference: nil), isWriting: true),
    MatrixVerb(
      name: "connectBoth",
      form: .statement(
        "({L} =|= source) policy: (Policy poll: 5 milliseconds). source := 'changed'",
        reference: nil),
      isWriting: true),
  ]
}

/// Where the secret of a scheme is.
struct MatrixPlace {
  let scheme: String
  /// The path as scripts write it.
  let literal: String
  /// The path in the text of a reference.
  let text: String
  /// The class of the scheme's store.
  let storeClass: String

  /// The reference as a text of the language.
  var quoted: String { MatrixPlace.quoted("\(scheme):\(text)") }

  /// The last component of a path.
  static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
  }
}

/// A way to say something: a column of the matrix.
struct MatrixWay {
  let name: String
  /// Statements that stand before.
  var setup: (MatrixPlace) -> String = { _ in "" }
  /// An expression of the reference.
  var reference: (MatrixPlace) -> String = { "ref:\($0.scheme):\($0.literal)" }
  /// The place as it is written; without it a reference is in `r`.
  var literal: ((MatrixPlace) -> String)? = { "\($0.scheme):\($0.literal)" }
  /// The text around that of a verb.
  var around: (String) -> String = { $0 }
  /// Whether messages are sent by `perform:`.
  var performs = false
  /// Whether it must lead nowhere, whatever is granted.
  var isTrick = false
  /// Whether the grant comes after the script has made what it uses.
  var isBefore = false

  /// By a reference that an expression answers.
  private static func computed(
    _ name: String, _ expression: @escaping (MatrixPlace) -> String
  ) -> MatrixWay {
    MatrixWay(
      name: name, setup: { "r := Reference on: (\(expression($0)))" }, reference: { _ in "r" },
      literal: nil)
  }

  /// By a store that is mounted as `way`.
  private static func mounted(
    _ name: String, isTrick: Bool = false, _ setup: @escaping (MatrixPlace) -> String
  ) -> MatrixWay {
    MatrixWay(
      name: name, setup: setup, reference: { "ref:way:\($0.literal)" },
      literal: { "way:\($0.literal)" }, isTrick: isTrick)
  }

  static var all: [MatrixWay] {
    [
      MatrixWay(name: "direct"),
      MatrixWay(name: "evaluate", around: { "Smalltalk evaluate: \(MatrixPlace.quoted($0))" }),
      MatrixWay(
        name: "perform",
        around: {
          "Smalltalk perform: #evaluate: withArguments: (Array with: \(MatrixPlace.quoted($0)))"
        }, performs: true),
      MatrixWay(
        name: "store", setup: { "r := ref:\($0.scheme):\($0.literal)" }, reference: { _ in "r" },
        literal: nil),
      mounted("remounted") { "scheme:way := scheme:\($0.scheme)" },
      mounted("subclassed") {
        "class Way : MappingStore { }. scheme:way := Way -> scheme:\($0.scheme)"
      },
      computed("computed") { "'\($0.scheme)' , ':' , \(MatrixPlace.quoted($0.text))" },
      computed("JSON") {
        "(JSON parse: \(MatrixPlace.quoted("{\"r\": \"\($0.scheme):\($0.text)\"}"))) at: 'r'"
      },
      computed("property list") {
        "(PropertyList parse: (PropertyList writeBinary: #{ r: \($0.quoted) })) at: 'r'"
      },
      MatrixWay(
        name: "error text",
        around: {
          "[ \($0) ] on: Exception do: [ :e | #(e class name, e messageText, e printString, "
            + "e displayString, ((e respondsTo: #reason) ifTrue: [ e reason ] ifFalse: [ nil ])) ]"
        }),
      MatrixWay(name: "before", isBefore: true),
      mounted("made", isTrick: true) { "scheme:way := \($0.storeClass) new" },
      mounted("forged", isTrick: true) { _ in
        "m := MemoryStore new. m at: 'x' put: #{ native: 0 }. "
          + "scheme:way := (#InstanceStore{ of: NativeStore } -> m) at: 'x'"
      },
    ]
  }

  /// The text of a verb said in this way; nil where there is none.
  func text(_ verb: MatrixVerb, at place: MatrixPlace) -> String? {
    let reference = reference(place)
    switch verb.form {
    case .message(let selector, let arguments):
      if performs {
        let list = arguments.isEmpty ? "#()" : "(Array with: \(arguments[0]))"
        return "(\(reference)) perform: #\(selector) withArguments: \(list)"
      }
      return around("(\(reference)) \(selector) \(arguments.first ?? "")")
    case .text(let text): return around(text.replacing("{R}", with: reference))
    case .statement(let text, let other):
      guard let literal else { return other.map(around) }
      return around(text.replacing("{L}", with: literal(place)))
    }
  }
}
