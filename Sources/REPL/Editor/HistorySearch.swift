/// What the arrow keys call back: entries that begin with what was typed.
struct HistorySearch {
  private var entries: [String] = []
  /// The index of the entry that is shown; the number of entries for what was typed.
  private var position = 0
  /// What was typed before the first entry was called back, and its part before the cursor.
  private var typed = ""
  private var prefix = ""
  /// What was called back last: when the text is another one, a new search begins.
  private var shown: String?

  /// Begins a new text, with the entries so far, oldest first.
  mutating func begin(_ entries: [String]) {
    self.entries = entries
    position = entries.count
    shown = nil
  }

  /// Finds the nearest older entry that begins with what was typed.
  ///
  /// - Parameters:
  ///   - text: What stands there now.
  ///   - prefix: Its part before the cursor.
  /// - Returns: The entry; nil when there is none.
  /// - Complexity: O(*n*) in the entries that are passed over.
  mutating func older(than text: String, prefix: String) -> String? {
    note(text, prefix)
    var index = position - 1
    while index >= 0 {
      if isNews(entries[index]) { return show(index) }
      index -= 1
    }
    return nil
  }

  /// Returns the nearest newer entry, or what was typed; nil when that stands there already.
  mutating func newer(than text: String, prefix: String) -> String? {
    note(text, prefix)
    guard position < entries.count else { return nil }
    var index = position + 1
    while index < entries.count {
      if isNews(entries[index]) { return show(index) }
      index += 1
    }
    position = entries.count
    shown = typed
    return typed
  }

  /// What the newest entry that begins with a text adds to it; empty when there is none.
  func suggestion(for text: String) -> String {
    guard !text.isEmpty, let entry = entries.last(where: { $0.hasPrefix(text) && $0 != text })
    else {
      return ""
    }
    return String(entry.unicodeScalars.dropFirst(text.unicodeScalars.count))
  }

  private mutating func note(_ text: String, _ prefix: String) {
    guard text != shown else { return }
    position = entries.count
    typed = text
    self.prefix = prefix
  }

  /// Whether an entry fits, and is not what stands there.
  private func isNews(_ entry: String) -> Bool {
    entry.hasPrefix(prefix) && entry != shown && entry != typed
  }

  private mutating func show(_ index: Int) -> String {
    position = index
    shown = entries[index]
    return entries[index]
  }
}
