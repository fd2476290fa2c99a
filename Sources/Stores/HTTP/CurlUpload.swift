internal import TenonStoreKit

/// The piece of a body that goes out now; libcurl takes it, and pauses where there is none.
final class OutgoingBody {
  /// How many bytes there will be; nil where that is not known.
  let size: Int?
  private var piece: [UInt8] = []
  private var taken = 0
  /// How many bytes have gone.
  private(set) var sent = 0
  /// Whether the request has been begun.
  var hasBegun = false
  /// Whether there is no more than this piece.
  var isComplete = false

  /// What the library is answered to wait.
  private static let pause = 0x1000_0001

  init(size: Int?) { self.size = size }

  /// Whether all of the piece has gone.
  var isEmpty: Bool { taken == piece.count }

  /// Gives the next piece.
  func give(_ bytes: [UInt8]) {
    piece = bytes
    taken = 0
  }

  /// Copies bytes to where the library wants them.
  ///
  /// - Returns: How many; 0 at the end.
  func take(into target: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(target.count, piece.count - taken)
    guard count > 0 else { return isComplete ? 0 : OutgoingBody.pause }
    unsafe piece.withUnsafeBytes {
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<taken + count]))
    }
    taken += count
    sent += count
    return count
  }

  static func at(_ address: UnsafeMutableRawPointer?) -> OutgoingBody? {
    guard let address = unsafe address else { return nil }
    return unsafe Unmanaged<OutgoingBody>.fromOpaque(address).takeUnretainedValue()
  }
}

/// A request whose body libcurl sends piece by piece.
///
/// It gets on only while somebody writes, so that nothing is collected on the way.
final class CurlUpload: HTTPUpload {
  private let exchange: CurlExchange
  private let body: OutgoingBody

  init(_ exchange: CurlExchange, _ body: OutgoingBody) {
    self.exchange = exchange
    self.body = body
  }

  func write(_ bytes: [UInt8]) throws(HTTPTransportError) -> Bool {
    body.give(bytes)
    return try exchange.send(body)
  }

  func finish() throws(HTTPTransportError) -> any HTTPExchange {
    try exchange.finish(body)
    return exchange
  }

  func cancel() { exchange.close() }
}

extension CurlSession {
  /// Has a body sent piece by piece, with its size before it or in chunks.
  func send(_ body: OutgoingBody, by method: String) {
    let source = unsafe UnsafeRawPointer(Unmanaged.passUnretained(body).toOpaque())
    // A body that waits for its next piece holds no other streams of a connection up.
    unsafe curl.set(easy, .httpVersion, HTTPVersion.oneAndOne)
    unsafe curl.set(easy, .upload, 1)
    unsafe curl.set(easy, .method, method)
    unsafe curl.set(easy, size: .uploadSize, body.size ?? -1)
    unsafe curl.set(easy, .readData, source)
    unsafe curl.set(easy, .readFunction) { bytes, size, count, body in
      unsafe OutgoingBody.at(body)?.take(
        into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
  }

  /// Has the library ask for bytes again after it has been told to wait.
  func resume() { _ = unsafe curl.pause(easy, 0) }
}

/// The library's numbers of versions.
enum HTTPVersion {
  static let oneAndOne = 2
}
