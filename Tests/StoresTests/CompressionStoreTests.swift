import Foundation
import Synchronization
import TenonStoreKit
import TenonStores
import Testing

/// Packed bytes through the system's zlib.
@Suite struct CompressionStoreTests {
  private let store = CompressionStore()

  private func perform(_ command: String, _ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
    let answer = try store.perform(
      command, Resource(bytes, contentType: "application/octet-stream"),
      at: Reference(scheme: "zlib", components: ["gzip", command == "pack" ? "6" : "100000000"]))
    guard case .resource(let resource) = answer else { return [] }
    return Array(resource.bytes)
  }

  /// Bytes that pack badly, in many pieces.
  private static let bytes: [UInt8] = (0..<4_000_000).map {
    UInt8(truncatingIfNeeded: $0 &* $0 >> 7)
  }

  @Test func whatIsPackedComesBack() throws {
    let packed = try perform("pack", Self.bytes)
    #expect(packed.count < Self.bytes.count)
    #expect(try perform("unpack", packed) == Self.bytes)
  }

  /// Who interrupts it does not wait for the end of many bytes.
  @Test func bothWaysCanBeInterrupted() throws {
    let packed = try perform("pack", Self.bytes)
    for (command, bytes) in [("pack", Self.bytes), ("unpack", packed)] {
      let asked = Mutex(0)
      store.isInterrupted = {
        asked.withLock {
          $0 += 1
          return $0 >= 2
        }
      }
      #expect(
        message { _ = try perform(command, bytes) }?.contains("interrupted") == true, "\(command)")
      #expect(asked.withLock { $0 } == 2)
    }
  }
}
