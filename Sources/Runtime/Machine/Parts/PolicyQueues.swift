internal import TenonStoreKit

/// The queues of the policies of an interpreter's connections, by their objects.
struct PolicyQueues {
  /// The queue of one policy.
  struct Queue {
    var schedule: ChangeSchedule<PolicyIdentifier>
    /// The number of the delivery that is under way.
    var delivery: Int?
  }

  var byObject: [UInt: Queue] = [:]
  /// The bytes of a waiting entry, besides the identifier's text.
  static let bytesPerEntry = 400
}

extension Machine {
  /// Forgets the queue of a policy.
  func closeQueue(of object: UInt) {
    guard let queue = stores.policyQueues.byObject.removeValue(forKey: object) else { return }
    heap.countOutside(-queue.schedule.count * PolicyQueues.bytesPerEntry)
  }

  /// Forgets the queues of policies that the collection has not found.
  func purgePolicyQueues() {
    for object in stores.policyQueues.byObject.keys
    where !heap.isMarked(ObjectRef(Value(bits: object))) { closeQueue(of: object) }
  }
}
