import TenonRuntime
import TenonStoreKit

/// Keeps a checksum before the bytes of each resource of another store, and knows what was damaged.
final class Checksummed: ForwardingStore {
  override var capabilities: StoreCapabilities {
    StoreCapabilities(
      Set(source.capabilities.verbs).intersection([.get, .put, .delete, .list]),
      durability: source.capabilities.durability, isExternal: source.capabilities.isExternal)
  }

  override func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    let line = Array((EntityTag(of: resource.bytes).text + "\n").utf8)
    try super.put(
      reference, Resource(line + resource.bytes, contentType: resource.contentType), if: condition)
  }

  override func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    let outcome = try super.get(reference, if: condition)
    guard case .resource(let resource) = outcome else { return outcome }
    let parts = resource.bytes.split(
      separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let bytes = Array(parts.last ?? [])
    guard parts.count == 2, Array(EntityTag(of: bytes).text.utf8) == Array(parts[0]) else {
      throw StoreError(.corrupt, reference, "its checksum is wrong")
    }
    return .resource(Resource(bytes, contentType: resource.contentType))
  }

  override func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    throw unsupported("post", reference)
  }

  override func merge(
    _ reference: Reference, _ patch: Resource, if condition: Precondition?
  ) throws(StoreError) {
    throw unsupported("merge", reference)
  }
}
