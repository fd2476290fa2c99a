internal import TenonLexer

/// Completes what is typed at the prompt.
struct Completion {
  /// What there is to complete with.
  let source: any CompletionSource

  /// What a text may go on with.
  struct Result: Equatable {
    /// What is certain to follow, a blank included when nothing else can.
    var insertion = ""
    /// What it may become, as it is shown.
    var candidates: [String] = []
  }

  /// A word that may stand there.
  struct Candidate: Equatable {
    let word: String
    /// What is shown of it: with the names of arguments, say.
    var label: String
    /// What follows it when it is the only one.
    var end = " "

    init(_ word: String, label: String? = nil, end: String = " ") {
      self.word = word
      self.label = label ?? word
      self.end = end
    }
  }

  /// Completes the end of a text; nil where a tab stands for itself.
  func complete(_ text: String) -> Result? {
    switch CompletionContext(text, connectors: source.connectors) {
    case .text: nil
    case .indentation: Result(insertion: "  ")
    case .command(let prefix):
      Completion.result(prefix, source.commands.map { Candidate($0) })
    case .setting(let prefix):
      Completion.result(prefix, source.settings.map { Candidate($0) })
    case .topic(let prefix):
      Completion.result(
        prefix,
        prefix.isEmpty
          ? source.commands.map { Candidate($0, end: "") }
          : (source.commands + source.names.sorted()).map { Candidate($0, end: "") })
    case .method(let name, let prefix):
      Completion.result(
        prefix,
        source.selectors(of: .instance(name), from: prefix).map {
          Candidate($0.name, end: "")
        })
    case .file(let path): places(path, source.files(in:)) { !source.files(in: $0).isEmpty }
    case .place(let scheme, let path):
      places(path, { source.children(ofScheme: scheme, $0) }) { source.hasChildren(scheme, $0) }
    case .property(let name, let given, let prefix):
      Completion.result(
        prefix,
        source.properties(of: name).filter { !given.contains($0) }.map {
          Candidate($0 + ":")
        })
    case .message(let receiver, let keywords, let prefix):
      messages(receiver, keywords: keywords, prefix)
    case .name(let prefix): names(prefix)
    }
  }

  private func names(_ prefix: String) -> Result {
    guard !prefix.isEmpty else { return Result() }
    let names = source.names.filter { $0.begins(with: prefix) }.sorted().map { Candidate($0) }
    let schemes = source.schemes.map { Candidate($0 + ":", end: "") }
    return Completion.result(prefix, names + schemes + [Candidate("ref:", end: "")])
  }

  private func places(
    _ path: String, _ list: (String) -> [String], hasChildren: (String) -> Bool
  ) -> Result {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let prefix = String(path[slash...])
    let directory = String(path[..<slash])
    let children = list(directory)
      .filter { prefix.hasPrefix(".") || !$0.hasPrefix(".") }
    var result = Completion.result(prefix, children.map { Candidate($0, end: "") })
    if result.candidates.count == 1, hasChildren(directory + result.candidates[0]) {
      result.insertion += "/"
    }
    return result
  }

  /// Messages to a receiver, and the next keyword of the message that was begun.
  private func messages(
    _ receiver: CompletionContext.Receiver, keywords: String, _ prefix: String
  ) -> Result {
    let own = source.selectors(of: receiver, from: prefix).map {
      Candidate(Completion.firstPart(of: $0.name), label: $0.label)
    }
    guard !keywords.isEmpty else { return Completion.result(prefix, own) }
    let further = source.selectors(of: .unknown, from: keywords + prefix)
      .filter { $0.name.count > keywords.count }
      .map { selector in
        let rest = String(selector.name.dropFirst(keywords.count))
        return Candidate(Completion.firstPart(of: rest), label: rest)
      }
    return Completion.result(prefix, further.isEmpty || !prefix.isEmpty ? further + own : further)
  }

  /// The first keyword of a selector, or all of it.
  private static func firstPart(of selector: String) -> String {
    guard let colon = selector.firstIndex(of: ":") else { return selector }
    return String(selector[...colon])
  }

  /// What is certain of a word that begins with a prefix, and what it may be.
  static func result(_ prefix: String, _ candidates: [Candidate]) -> Result {
    var seen: Set<String> = []
    let fitting = candidates.filter {
      $0.word.begins(with: prefix) && seen.insert($0.label).inserted
    }
    guard let first = fitting.first else { return Result() }
    let common = first.word.commonPrefix(with: fitting.lazy.map(\.word))
    let certain = String(common.unicodeScalars.dropFirst(prefix.unicodeScalars.count))
    let isOnly = fitting.allSatisfy { $0.word == first.word }
    return Result(
      insertion: isOnly ? certain + first.end : certain, candidates: fitting.map(\.label))
  }
}

/// What a session knows that a text can be completed with, found out without an effect.
protocol CompletionSource: AnyObject {
  /// Begins another text: what was evaluated may have changed everything.
  ///
  /// - Parameter entries: What was typed so far, oldest first.
  func begin(_ entries: [String])

  /// The spellings of all connectors.
  var connectors: [String] { get }
  /// The names of variables and classes.
  var names: [String] { get }
  /// The names of schemes.
  var schemes: [String] { get }
  /// The names of commands, without the colon.
  var commands: [String] { get }
  /// The names of settings.
  var settings: [String] { get }
  /// The names below a place, whose path is empty or ends in a slash.
  func children(ofScheme scheme: String, _ path: String) -> [String]
  /// The names in a directory of files.
  func files(in directory: String) -> [String]
  /// Whether there are names below a place.
  func hasChildren(_ scheme: String, _ path: String) -> Bool
  /// The properties of a class's instances.
  func properties(of className: String) -> [String]
  /// The selectors that a receiver understands and that begin with a text, the likeliest first.
  func selectors(of receiver: CompletionContext.Receiver, from prefix: String) -> [Selector]
}

/// A selector, and how it is shown: with the names of its arguments, say.
struct Selector: Equatable {
  let name: String
  let label: String
}

extension String {
  /// Whether it begins with the bytes of a text; what is typed of a name is compared with thousands of names.
  fileprivate func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  /// The text that it and all of others begin with, of whole code points.
  fileprivate func commonPrefix(with others: some Sequence<String>) -> String {
    let bytes = Array(utf8)
    var count = bytes.count
    for other in others {
      var same = 0
      for byte in other.utf8 {
        guard same < count, bytes[same] == byte else { break }
        same += 1
      }
      count = same
    }
    // Not within a code point.
    while count < bytes.count, count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
