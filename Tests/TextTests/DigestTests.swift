import TenonGrammarSupport
import Testing

@testable import TenonText

@Suite struct DigestTests {
  /// The digests of the messages of 0 to 299 bytes, one after another, as Python's hashlib and zlib
  /// compute them: lengths around the ends of all blocks, and several blocks.
  @Test(
    arguments: [
      (.crc32, "1cde24814d20bb6067b61f53eb4ad0511038e418aebdc75e1b25a05230be9749"),
      (.md5, "89fc1b3fdd87b0b93db7ae94be60b147f164c294e7dc721a54c38af6968f396b"),
      (.sha1, "37cc174cef2c50933b093533175ca8f7325e756df3bfeeb596f99ed2d68de09f"),
      (.sha256, "f65f14b090e805017546322e618401d41f0710c213e013a5131eb38bbe8f367f"),
      (.sha384, "e4f3969d097cea9e3cc7b76904982d597a878e1626982a18edbbfd1ffaf41c22"),
      (.sha512, "95285ff0955ee0267d63aac034012fa2a20a12d7b09002d25644aa555d6e37bc"),
    ] as [(Digest.Function, String)])
  func digestsAreThoseOfPython(_ function: Digest.Function, _ expected: String) {
    let all = (0..<300).flatMap { count in
      var digest = Digest(function)
      add(message(count)[...], to: &digest)
      return digest.value
    }
    let found = SHA256.digest(of: all)
    #expect(unsafe found.withUnsafeBytes { unsafe Hexadecimal.encoded($0) } == expected)
  }

  /// However a message is cut, with the state kept as bytes between the pieces.
  @Test(arguments: Digest.Function.allCases)
  func piecesMakeTheWhole(_ function: Digest.Function) throws {
    var generator = RandomNumbers(seed: 256)
    for count in 0..<300 {
      let message = message(count)
      var whole = Digest(function)
      add(message[...], to: &whole)
      var state: [UInt8] = []
      var start = 0
      while start < count {
        let end = Int.random(in: start...count, using: &generator)
        state = try #require(step(function, state, message[start..<end], ends: false))
        start = end
      }
      #expect(step(function, state, [], ends: true) == whole.value)
    }
  }

  /// A program may pass anything for a state.
  @Test(arguments: Digest.Function.allCases)
  func whatIsNoState(_ function: Digest.Function) {
    var generator = RandomNumbers(seed: 512)
    for count in 1..<200 {
      let state = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      // It is nil or a digest of nothing in particular.
      let result = step(function, state, message(200)[...], ends: true)
      #expect(result == nil || result?.count == step(function, [], [], ends: true)?.count)
    }
    let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(unsafe Digest.step("sha3", after: [], nothing, ends: true) == nil)
  }

  private func message(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
  }

  private func add(_ bytes: ArraySlice<UInt8>, to digest: inout Digest) {
    unsafe bytes.withUnsafeBytes { unsafe digest.add($0) }
  }

  private func step(
    _ function: Digest.Function, _ state: [UInt8], _ bytes: ArraySlice<UInt8>, ends: Bool
  ) -> [UInt8]? {
    unsafe bytes.withUnsafeBytes {
      unsafe Digest.step(function.rawValue, after: state, $0, ends: ends)
    }
  }
}
