internal import Synchronization
internal import TenonStoreKit
internal import TenonText

/// Answers that a server can be asked about: whoever reads a place again gets them, if the server says that
/// they hold (304), so that looking again and again moves no bodies.
///
/// Every answer is asked about, so none is out of date. Threads may use it at the same time.
final class ValidatedAnswers: Sendable {
  private struct Entry {
    let fields: [HTTPField]
    let answer: HTTPResponse
    var lastUse: Int
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var size = 0
    var uses = 0
  }

  /// The most bytes of all bodies, and of one.
  private static let mostBytes = 8 << 20
  private static let mostBytesOfOne = 1 << 20
  private static let mostEntries = 1024

  private let state = Mutex(State())

  /// The answer that is known of a request, which the server can be asked about.
  func known(of request: HTTPRequest) -> HTTPResponse? {
    guard request.method == "GET", request.body == nil, !request.isConditional else { return nil }
    return state.withLock { state in
      let key = request.url.text
      // What another header asked for may be another answer.
      guard let entry = state.entries[key], entry.fields == request.fields else { return nil }
      state.uses += 1
      state.entries[key]?.lastUse = state.uses
      return entry.answer
    }
  }

  /// Whether an answer is what it says that it is: one that was cut on the way would hold as long as its tag.
  private static func isWhole(_ answer: HTTPResponse) -> Bool {
    let type = answer["Content-Type"]?.lowercased().split(separator: ";").first ?? ""
    guard type == "application/json" || type.hasSuffix("+json") else { return true }
    return (try? JSONPart.read(answer.body[...])) != nil
  }

  /// Keeps an answer that has a tag, if it is small and may be kept.
  func keep(_ answer: HTTPResponse, to request: HTTPRequest) {
    guard request.method == "GET", request.body == nil, !request.isConditional else { return }
    let isKept =
      answer.status == 200 && answer["ETag"] != nil
      && answer.body.count <= ValidatedAnswers.mostBytesOfOne
      && !(answer["Cache-Control"]?.lowercased().contains("no-store") ?? false)
      && ValidatedAnswers.isWhole(answer)
    state.withLock { state in
      let key = request.url.text
      if let old = state.entries.removeValue(forKey: key) { state.size -= old.answer.body.count }
      guard isKept else { return }
      state.uses += 1
      state.entries[key] = Entry(fields: request.fields, answer: answer, lastUse: state.uses)
      state.size += answer.body.count
      while state.size > ValidatedAnswers.mostBytes
        || state.entries.count > ValidatedAnswers.mostEntries,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
        state.size -= oldest.value.answer.body.count
      }
    }
  }
}

extension HTTPRequest {
  /// Whether it has a condition already.
  fileprivate var isConditional: Bool {
    fields.contains { $0.name.lowercased().hasPrefix("if-") || $0.name.lowercased() == "range" }
  }
}
