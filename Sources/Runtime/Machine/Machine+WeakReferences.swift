/// References that keep nothing alive, and hooks for the end of objects.
///
/// A table says what a weak reference refers to, so that the collector meets no slot which it would
/// have to leave out, and a class may inherit from WeakReference whatever variables it has.
extension Machine {
  /// Bytes that a weak reference or a hook takes in its table.
  static let bytesPerWeakReference = 48

  /// Lets a weak reference refer to an object.
  func setWeakTarget(of reference: ObjectRef, to target: Value) {
    if collector.weakTargets.updateValue(target, forKey: reference.bits) == nil {
      heap.countOutside(Machine.bytesPerWeakReference)
    }
  }

  /// What a weak reference refers to; nil once that is gone.
  ///
  /// Who reads it holds it: a collection that goes on in slices must not take it for dead.
  func weakTarget(of reference: ObjectRef) -> Value {
    guard let target = collector.weakTargets[reference.bits] else { return .nil }
    heap.recordEntry(target)
    return target
  }

  /// Evaluates a block once an object has been collected.
  func addFinalizer(_ block: Value, to object: ObjectRef) {
    heap.countOutside(Machine.bytesPerWeakReference)
    collector.finalizers[object.bits, default: []].append(block)
  }

  /// Forgets the references to objects that the collection has not found, and lines up their hooks:
  /// everything that lives is marked.
  func clearWeakReferences() {
    if !collector.weakTargets.isEmpty {
      let count = collector.weakTargets.count
      collector.weakTargets = collector.weakTargets.filter { bits, target in
        heap.isMarked(ObjectRef(Value(bits: bits)))
          && (!target.isObject || heap.isMarked(ObjectRef(target)))
      }
      heap.countOutside((collector.weakTargets.count - count) * Machine.bytesPerWeakReference)
    }
    if !stores.policyQueues.byObject.isEmpty { purgePolicyQueues() }
    if !stores.streams.isEmpty {
      stores.streams.endLost(heap) { error in
        let text = "warning: \(error)\n"
        try? host.console.write(Array(text.utf8).span, to: .error)
      }
    }
    guard !collector.finalizers.isEmpty else { return }
    let dead = collector.finalizers.keys.filter { !heap.isMarked(ObjectRef(Value(bits: $0))) }
    // Sorted, as a table has another order in each run: the older object is mostly the lower one.
    for bits in dead.sorted() {
      guard let hooks = collector.finalizers.removeValue(forKey: bits) else { continue }
      heap.countOutside(-hooks.count * Machine.bytesPerWeakReference)
      loop.hooks += hooks
    }
  }
}
