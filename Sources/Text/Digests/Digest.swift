/// A digest of a message that comes in pieces.
///
/// MD5 (RFC 1321) and SHA-1 are there for files and protocols that have them; they do not keep
/// anybody from forging a message.
package struct Digest {
  /// A function that makes a digest.
  package enum Function: String, CaseIterable, Sendable {
    case crc32, md5, sha1, sha256, sha384, sha512

    /// The bytes that are digested at a time.
    var blockSize: Int {
      switch self {
      case .crc32: 1
      case .md5, .sha1, .sha256: 64
      case .sha384, .sha512: 128
      }
    }

    fileprivate var start: [UInt64] {
      switch self {
      case .crc32: [0xFFFF_FFFF]
      case .md5: Array(SHA1.start.prefix(4))
      case .sha1: SHA1.start
      case .sha256: SHA256.start
      case .sha384: SHA512.start384
      case .sha512: SHA512.start
      }
    }

    fileprivate var resultSize: Int {
      switch self {
      case .crc32: 4
      case .md5: 16
      case .sha1: 20
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }

    /// Takes whole blocks into a state.
    fileprivate func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt64]) {
      switch self {
      case .crc32: unsafe CRC32.compress(blocks, into: &state)
      case .md5: unsafe MD5.compress(blocks, into: &state)
      case .sha1: unsafe SHA1.compress(blocks, into: &state)
      case .sha256: unsafe SHA256.compress(blocks, into: &state)
      case .sha384, .sha512: unsafe SHA512.compress(blocks, into: &state)
      }
    }
  }

  private let function: Function
  private var state: [UInt64]
  /// The bytes that do not fill a block yet.
  private var rest: [UInt8] = []
  /// The number of bytes so far.
  private var count: UInt64 = 0

  /// Begins a message.
  package init(_ function: Function) {
    self.function = function
    state = function.start
  }

  /// Adds a piece of the message.
  ///
  /// - Complexity: O(n).
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let size = function.blockSize
    count &+= UInt64(bytes.count)
    var start = 0
    if !rest.isEmpty {
      start = min(size - rest.count, bytes.count)
      unsafe rest += bytes[..<start]
      guard rest.count == size else { return }
      unsafe rest.withUnsafeBytes { unsafe function.compress($0, into: &state) }
      rest.removeAll(keepingCapacity: true)
    }
    let end = start + (bytes.count - start) / size * size
    unsafe function.compress(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &state)
    unsafe rest += bytes[end...]
  }

  /// The digest of what has been added.
  package var value: [UInt8] {
    guard function != .crc32 else { return bytes(of: state[0] ^ 0xFFFF_FFFF, count: 4) }
    // The end: a bit that is set, zeros, and the number of bits.
    let size = function.blockSize
    var end = rest + [0x80]
    let lengthSize = size / 8
    while end.count % size != size - lengthSize { end.append(0) }
    let isLittle = function == .md5
    let length = bytes(of: count &<< 3, count: 8)
    end += isLittle ? length.reversed() : Array(repeating: 0, count: lengthSize - 8) + length
    var last = state
    unsafe end.withUnsafeBytes { unsafe function.compress($0, into: &last) }
    let wordSize = size / 16
    let all = last.flatMap { word in
      isLittle ? bytes(of: word, count: wordSize).reversed() : bytes(of: word, count: wordSize)
    }
    return Array(all.prefix(function.resultSize))
  }

  private func bytes(of word: UInt64, count: Int) -> [UInt8] {
    (1...count).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * (count - $0))) }
  }
}

// MARK: - States as bytes

extension Digest {
  /// The digest of the message so far, or what it takes to go on.
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - state: What a call that did not end the message returned; nothing to begin one.
  ///   - bytes: The next piece.
  ///   - ends: Whether it is the last one.
  /// - Returns: The digest or a state; nil for a name or state that is none.
  /// - Complexity: O(n).
  package static func step(
    _ name: String, after state: [UInt8], _ bytes: UnsafeRawBufferPointer, ends: Bool
  ) -> [UInt8]? {
    guard let function = Function(rawValue: name), var digest = Digest(function, state: state)
    else { return nil }
    unsafe digest.add(bytes)
    return ends ? digest.value : digest.savedState
  }

  /// The words, the number of bytes so far, and those that do not fill a block.
  private var savedState: [UInt8] {
    (state + [count]).flatMap { bytes(of: $0, count: 8) } + rest
  }

  private init?(_ function: Function, state saved: [UInt8]) {
    self.init(function)
    guard !saved.isEmpty else { return }
    let head = (state.count + 1) * 8
    guard saved.count >= head else { return nil }
    let words = stride(from: 0, to: head, by: 8).map { start in
      saved[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    state = Array(words.dropLast())
    count = words[words.count - 1]
    rest = Array(saved[head...])
    guard rest.count == Int(count % UInt64(function.blockSize)) else { return nil }
  }
}
