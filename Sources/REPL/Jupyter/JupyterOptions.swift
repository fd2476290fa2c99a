/// What `tenon jupyter` is asked for.
struct JupyterOptions: Equatable {
  /// The directory under which the kernel goes into `share/jupyter/kernels`; nil for the user's own.
  var prefix: String?
}

extension JupyterOptions {
  /// Reads what follows the word `jupyter` on a command line.
  ///
  /// - Parameter words: The command line, the program's name left out; the first is `jupyter`.
  /// - Throws: `UsageError` for one that makes no sense.
  init(_ words: [String]) throws(UsageError) {
    guard words.count > 1 else { throw UsageError(message: "'jupyter' needs 'install'") }
    guard words[1] == "install" else {
      throw UsageError(message: "'jupyter' needs 'install', not '\(words[1])'")
    }
    var isUser = false
    var index = 2
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--user" {
        isUser = true
      } else if word == "--prefix" {
        guard index < words.count else { throw UsageError(message: "'--prefix' needs a value") }
        prefix = words[index]
        index += 1
      } else if word.hasPrefix("--prefix=") {
        prefix = String(word.dropFirst("--prefix=".count))
      } else if word.hasPrefix("--user=") {
        throw UsageError(message: "'--user' takes no value")
      } else if word.hasPrefix("-") {
        throw UsageError(message: "unknown option '\(word)' of 'jupyter install'")
      } else {
        throw UsageError(message: "'jupyter install' takes no argument; '\(word)' is one")
      }
    }
    if prefix == "" { throw UsageError(message: "'--prefix' takes a directory, not ''") }
    if isUser, prefix != nil {
      throw UsageError(message: "'--user' and '--prefix' are two places: give one")
    }
  }
}
