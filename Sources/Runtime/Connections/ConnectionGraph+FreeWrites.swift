internal import TenonLexer
internal import TenonTables

// Writes that concern nothing but the formulas that read the place: nearly all of them.

extension ConnectionGraph {
  enum FreeWrite {
    /// Nothing is left to be done.
    case done
    /// The connections have to be brought up to date.
    case toBeSettled
    /// The cell is not one to be written like this.
    case refused(CellID)
  }

  /// Writes a slot, if that concerns nothing but the formulas that read it.
  func writeFreely(_ value: Value, into object: ObjectRef, slot: Int) -> FreeWrite {
    // The collector alone may be what wants to know of it.
    let number =
      object.flags & ObjectFlag.watched == 0 ? -1 : number(of: .slot(object, slot))
    if number < 0 {
      object[slot: slot] = value
      return .done
    }
    let cell = CellID(number)
    // No slot from which a property is computed: that is hooked.
    guard isFreelyWritable(cell) else { return .refused(cell) }
    let old = object[slot: slot]
    if old == value || value.isObject && machine.isUnchanged(old, value) { return .done }
    object[slot: slot] = value
    undo.noteSlot(Value(object), slot, old)
    if atomicDepth > 0 { noteBefore(old, of: cell) }
    noteFreeWrite(to: cell, by: currentSite(), old: old, new: value)
    return isSettling || atomicDepth > 0 ? .done : .toBeSettled
  }

  @inline(never)
  private func noteBefore(_ old: Value, of cell: CellID) {
    if valuesBefore[cell] == nil { valuesBefore[cell] = old }
  }
}
