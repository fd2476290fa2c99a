internal import TenonSolverKit
internal import TenonStoreKit

extension Machine {
  /// Gives a policy an empty queue.
  fileprivate func openQueue(of policy: Value, _ options: ChangeQueueOptions) {
    closeQueue(of: ObjectRef(policy).bits)
    stores.policyQueues.byObject[ObjectRef(policy).bits] = PolicyQueues.Queue(
      schedule: ChangeSchedule(options))
  }

  /// Calls a closure with a policy's queue; a queue that was never opened holds nothing back.
  fileprivate func withQueue<Result>(
    of policy: Value, _ body: (inout PolicyQueues.Queue) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let object = ObjectRef(policy).bits
    var queue =
      stores.policyQueues.byObject.removeValue(forKey: object)
      ?? PolicyQueues.Queue(schedule: ChangeSchedule(ChangeQueueOptions()))
    let count = queue.schedule.count
    defer {
      heap.countOutside((queue.schedule.count - count) * PolicyQueues.bytesPerEntry)
      stores.policyQueues.byObject[object] = queue
    }
    return try body(&queue)
  }

  /// The time by the clock; always the same without one.
  fileprivate var policyTime: Int { host.clock?.monotonicTime ?? 0 }

  fileprivate func identifier(_ value: Value) throws(Failure) -> PolicyIdentifier {
    guard let name = text(value) else { return .reference(try reference(value)) }
    return name == "everything" ? .everything : .name(name)
  }

  fileprivate func identifiers(
    _ entries: [ChangeSchedule<PolicyIdentifier>.Entry]
  ) -> Value {
    let root = roots.count
    defer { dropRoots(to: root) }
    var isAll = false
    for entry in entries {
      switch entry.told {
      case .everything: isAll = true
      case .name(let name): roots.append(symbol(name))
      case .reference(let reference): roots.append(makeReference(reference))
      }
    }
    // With everything nothing else need be told.
    return isAll ? makeArray([symbol("everything")]) : makeArray(Array(roots[root...]))
  }

  /// Returns the identifiers that are due, and removes them; nil when there are none, or they are held.
  fileprivate func takeIdentifiers(_ policy: Value, isUrgent: Bool) throws(Failure) -> Value {
    let now = policyTime
    let entries = try withQueue(of: policy) { queue -> [ChangeSchedule<PolicyIdentifier>.Entry]? in
      guard case .deliver(let delivery) = queue.schedule.step(at: now, isUrgent: isUrgent) else {
        return nil
      }
      queue.delivery = delivery.number
      return delivery.entries
    }
    return entries.map { identifiers($0) } ?? .nil
  }
}

extension Primitive {
  static let queuedPolicy: [Primitive] = [
    Primitive(
      "openQueueCut: count window: window limit: limit",
      "Private: begins with an empty queue; window is nanoseconds, nil adapts, 0 holds nothing."
    ) { machine, arguments throws(Failure) in
      var options = ChangeQueueOptions()
      options.drop = max(0, try machine.integer(arguments[0]))
      if arguments[1].isNil {
        options.throttle = ChangeQueueOptions.Throttle()
      } else if case let window = try machine.integer(arguments[1]), window > 0 {
        options.throttle = ChangeQueueOptions.Throttle(
          window: window, budget: try machine.integer(arguments[2]))
      }
      machine.openQueue(of: arguments.receiver, options)
      return arguments.receiver
    },
    Primitive("enqueue: identifiers", "Private: lets identifiers wait, each once.") {
      machine, arguments throws(Failure) in
      let values = try machine.array(arguments[0])
      let now = machine.policyTime
      for index in 0..<values.elementCount {
        guard !machine.heap.exceedsLimit(adding: PolicyQueues.bytesPerEntry) else {
          throw .outOfMemory(limit: machine.options.memoryLimit)
        }
        let identifier = try machine.identifier(values[element: index])
        try machine.withQueue(of: arguments.receiver) { queue in
          _ = queue.schedule.post(identifier, at: now)
        }
      }
      return arguments.receiver
    },
    Primitive("waiting", "The identifiers that wait, in their order.") {
      machine, arguments throws(Failure) in
      machine.identifiers(
        try machine.withQueue(of: arguments.receiver) { $0.schedule.waiting })
    },
    Primitive("takeDue", "Private: takes what is due, which 'delivered' follows; nil for none.") {
      machine, arguments throws(Failure) in
      try machine.takeIdentifiers(arguments.receiver, isUrgent: false)
    },
    Primitive("takeAll", "Private: takes what waits, which 'delivered' follows; nil for none.") {
      machine, arguments throws(Failure) in
      try machine.takeIdentifiers(arguments.receiver, isUrgent: true)
    },
    Primitive("delivered", "Private: what was taken has been taken up.") {
      machine, arguments throws(Failure) in
      let now = machine.policyTime
      try machine.withQueue(of: arguments.receiver) { queue in
        guard let delivery = queue.delivery else { return }
        queue.delivery = nil
        _ = queue.schedule.finish(delivery, at: now)
      }
      return arguments.receiver
    },
    Primitive("nanosecondsHeld", "Private: how long delivery is held from now on; 0 if it is not.")
    { machine, arguments throws(Failure) in
      let now = machine.policyTime
      let end = try machine.withQueue(of: arguments.receiver) { $0.schedule.holdEnd }
      return machine.makeInteger(end > now ? end - now : 0)
    },
  ]
}
