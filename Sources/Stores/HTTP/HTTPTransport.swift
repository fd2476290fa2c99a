package import TenonStoreKit

/// Carries one request to a server and brings the answer: what stands between the store and the
/// network, so that tests can answer, delay and fail as no server does on demand.
///
/// A transport follows no redirects, repeats nothing and keeps no credentials: that is the store's
/// affair. Threads may use one at the same time.
package protocol HTTPTransport: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// - Parameters:
  ///   - request: What is sent.
  ///   - isInterrupted: Asked while it waits, at least ten times a second.
  /// - Returns: The answer, whatever its status.
  /// - Throws: `HTTPTransportError`.
  func answer(
    to request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> HTTPResponse
}

/// A request.
package struct HTTPRequest: Sendable {
  /// `GET`, `PUT` and the like.
  package var method: String
  /// Where it goes.
  package var url: HTTPURL
  /// The fields of the header besides those of the connection.
  package var fields: [HTTPField] = []
  /// What is sent; nil for nothing, which is not the same as no bytes.
  package var body: [UInt8]?
  /// How long all of it may take, in milliseconds.
  package var timeout = 30_000
  /// The most bytes of an answer's body, its compression undone.
  package var limit = 64 << 20
  /// The file with the certificates of those who are trusted; nil for those whom the system trusts.
  package var certificates: String?

  /// Creates a request without a body.
  package init(_ method: String, _ url: HTTPURL) {
    self.method = method
    self.url = url
  }
}

/// A field of a header.
package struct HTTPField: Sendable, Equatable {
  /// The name, in whatever case it came.
  package let name: String
  /// The value, without blanks around it.
  package let value: String

  /// Creates a field.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// The fields of a header, in which those that a program has set take the places of others of their
  /// names (RFC 9110, 5.3: a field that is no list comes once).
  static func replacing(_ fields: [HTTPField], by others: [HTTPField]) -> [HTTPField] {
    let names = Set(others.map { $0.name.lowercased() })
    return fields.filter { !names.contains($0.name.lowercased()) } + others
  }
}

/// An answer.
package struct HTTPResponse: Sendable {
  /// The status, from 200 on.
  package var status: Int
  /// The fields of the header.
  package var fields: [HTTPField]
  /// The body, its compression undone.
  package var body: [UInt8]

  /// Creates an answer.
  package init(_ status: Int, _ fields: [HTTPField] = [], _ body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The value of the first field of a name, whatever its case; nil for none.
  package subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Why there is no answer.
package struct HTTPTransportError: Error, Sendable {
  /// What kind of failure it is.
  package let kind: StoreError.Kind
  /// What went wrong: lower case, no full stop.
  package let reason: String
  /// The number of the system's error, when there was one.
  package let systemCode: Int32?

  /// Creates an error.
  package init(_ kind: StoreError.Kind, _ reason: String, systemCode: Int32? = nil) {
    self.kind = kind
    self.reason = reason
    self.systemCode = systemCode
  }
}
