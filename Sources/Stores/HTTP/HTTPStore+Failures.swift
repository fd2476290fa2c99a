internal import TenonStoreKit
internal import TenonText

extension HTTPStore {
  /// The error for a condition that does not hold.
  func refusal(
    _ condition: Precondition?, isThere: Bool, _ reference: Reference
  ) -> StoreError {
    StoreError(
      .preconditionFailed, reference.hidingPassword,
      condition?.refusal(isThere: isThere) ?? "the server has a condition that does not hold")
  }

  /// The error for an answer that is none of success.
  func failure(
    _ answer: HTTPResponse, _ method: String, _ condition: Precondition?, _ reference: Reference
  ) -> StoreError {
    var error = kindOfFailure(answer, method, condition, reference)
    error.systemCode = Int32(clamping: answer.status)
    if !answer.body.isEmpty { error.output = Array(answer.body.prefix(HTTPStore.longestOutput)) }
    return error
  }

  /// The most bytes of an answer that an error keeps.
  private static var longestOutput: Int { 64 << 10 }

  private func kindOfFailure(
    _ answer: HTTPResponse, _ method: String, _ condition: Precondition?, _ reference: Reference
  ) -> StoreError {
    if let problem = problem(in: answer, reference) { return problem }
    func error(_ kind: StoreError.Kind, _ reason: String) -> StoreError {
      StoreError(kind, reference.hidingPassword, reason)
    }
    let number = answer.status
    switch number {
    case 401: return error(.needsAuth, "the server asks who is asking")
    case 407: return error(.needsAuth, "the proxy asks who is asking")
    case 403: return error(.permission, "the server forbids it")
    case 404, 410:
      guard let condition else { return error(.notFound, "the server has no such place") }
      return refusal(condition, isThere: condition == .absent, reference)
    case 405, 501:
      let allowed = answer["Allow"].map { ", only \($0.printable)" } ?? ""
      return error(.unsupported, "the server does not support \(method)" + allowed)
    case 406, 415: return error(.encode, "the server does not take this type of content")
    case 409: return error(.conflict, "it conflicts with what the server has")
    case 412: return refusal(condition, isThere: condition != .exists, reference)
    case 413: return error(.tooLarge, "it is too large for the server")
    case 414: return error(.invalidReference, "the address is too long for the server")
    case 423: return error(.locked, "the server has locked it")
    case 428: return error(.conflict, "the server asks for a condition")
    case 408, 425, 429, 500, 502, 503, 504:
      var unavailable = error(.unavailable, transientReason(answer))
      unavailable.retryAfter = retryAfter(answer)
      return unavailable
    case 300..<400:
      return error(.io, "the server sends on, to a place that it does not name for \(method)")
    case 400, 422:
      let isReading = method == "GET" || method == "HEAD"
      return error(
        isReading ? .invalidReference : .encode, "the server refuses the request (\(number))")
    default: return error(.io, "the server answers \(number)")
    }
  }

  private func transientReason(_ answer: HTTPResponse) -> String {
    let reason =
      switch answer.status {
      case 429: "the server is asked too often"
      case 500: "the server has failed"
      case 502, 504: "the server behind this one does not answer"
      default: "the server is not available"
      }
    guard let seconds = retryAfter(answer) else { return reason }
    return "\(reason); it may be in \(Int(seconds)) s"
  }

  /// How long the server asks to wait, in seconds.
  private func retryAfter(_ answer: HTTPResponse) -> Double? {
    guard let text = answer["Retry-After"] else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? Double(min(seconds, 1 << 31)) : nil }
    guard let time = HTTPDate.seconds(text), let now = answer["Date"].flatMap(HTTPDate.seconds)
    else { return nil }
    return Double(max(0, time - now))
  }

  /// The error that a server describes itself, RFC 9457; nil when it does not name its kind.
  private func problem(in answer: HTTPResponse, _ reference: Reference) -> StoreError? {
    guard let type = answer["Content-Type"], MediaType(type).essence == "application/problem+json",
      case .object(let members) = try? JSONPart.read(answer.body[...]),
      let name = members.text("kind"), let kind = StoreError.Kind(rawValue: name),
      kind != .notDurable
    else { return nil }
    let reason = members.text("detail") ?? members.text("title") ?? "the server answers \(name)"
    var error = StoreError(kind, reference.hidingPassword, reason.printable)
    error.retryAfter = retryAfter(answer)
    return error
  }
}

extension String {
  /// A text from somebody else as part of a message: short, and without control characters.
  var printable: String {
    let signs = unicodeScalars.prefix(200).filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: signs)
    return text
  }
}

/// Dates in headers: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970; nil for what is no such date.
  ///
  /// Source of the algorithm: RFC 9110, section 5.6.7, the preferred form; days are counted from
  /// March on, so that a leap day is the last of its year.
  static func seconds(_ text: String) -> Int? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
      let month = months.firstIndex(of: String(parts[2])),
      let year = Int(parts[3]), (1601...9999).contains(year)
    else { return nil }
    let time = parts[4].split(separator: ":").compactMap { Int($0) }
    guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]),
      (0...60).contains(time[2])
    else { return nil }
    let shifted = (month + 10) % 12
    let years = month < 2 ? year - 1 : year
    let days =
      years * 365 + years / 4 - years / 100 + years / 400 + (shifted * 306 + 5) / 10 + day - 1
    let sinceEpoch = days - 719_468
    return sinceEpoch * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }
}
