internal import TenonTables
internal import TenonLexer

// Formulas that must stay true: a turn that makes one false is given up and taken back.

extension ConnectionGraph {
  /// The formulas that must stay true and were not at some point of a turn that goes on.
  struct Invariants {
    /// How many there are.
    var count = 0
    /// The one that this turn has made false.
    var violated: Connection?
    /// Those that must be asked again at the end of `atomically:`.
    var doubtful: [Connection] = []
  }

  /// Has the invariants asked again that did not hold within `atomically:`.
  func askDoubtful() {
    guard atomicDepth == 0, !invariants.doubtful.isEmpty else { return }
    for connection in invariants.doubtful { forced += connection.formulas }
    invariants.doubtful = []
  }

  /// Gives the turn up when it has made an invariant false.
  ///
  /// - Throws: a failure that names the invariant; everything watched is then as before the turn.
  func checkInvariants() throws(Failure) {
    guard let violated = invariants.violated else { return }
    invariants.violated = nil
    guard atomicDepth == 0 else {
      if !invariants.doubtful.contains(violated) { invariants.doubtful.append(violated) }
      return
    }
    takeBack()
    abandonTurn()
    throw .violated(violated)
  }

  /// Gives places back what they held before the turn that `abandonTurn` does not reach: those of
  /// code of the program, and whole collections.
  private func takeBack() {
    endFolds()
    let entries = (0..<undo.count).map { undo[$0] }
    for entry in entries.reversed() {
      let (place, value) = (entry.place, entry.value)
      switch place.kind {
      case .slot: ObjectRef(place.object)[slot: place.index] = value
      case .whole: machine.restore(ObjectRef(place.object), from: value)
      case .element where place.index >= 0:
        ObjectRef(place.object)[element: place.index] = value
      case .element, .property, .stored:
        guard let cell = cellsByPlace[place] else { continue }
        let outer = writing
        writing = cell
        // What cannot be taken back stays; the first failure is the one that is told.
        _ = machine.write(value, to: cell)
        writing = outer
      }
      if let cell = cellsByPlace[place], place.kind == .element { setKnown(value, of: cell) }
    }
  }

  /// Keeps what a collection holds before it changes, for the case that the turn is taken back.
  func keepContents(of object: ObjectRef) {
    guard words[0].hasInvariants, invariants.count > 0, running == nil else { return }
    let place = Place.whole(object)
    guard !(0..<undo.count).contains(where: { undo[$0].place == place }) else { return }
    if let copy = machine.contents(of: object) { noteOld(copy, at: place) }
  }
}

extension Machine {
  /// A copy of a collection to restore it from.
  fileprivate func contents(of object: ObjectRef) -> Value? {
    guard case .value(let copy) = withErrorsCaught({ send(selector("copy"), to: Value(object)) }),
      copy.isObject, ObjectRef(copy).classIndex == object.classIndex
    else { return nil }
    return copy
  }

  /// Gives a collection the contents of a copy.
  fileprivate func restore(_ object: ObjectRef, from copy: Value) {
    let copy = ObjectRef(copy)
    if object.classIndex == ClassIndex.array {
      guard object.elementCount == copy.elementCount else { return }
      for index in 0..<object.elementCount { object[element: index] = copy[element: index] }
    } else if classInfo(of: Value(object)).format == .slots {
      for slot in 0..<min(object.slotCount, copy.slotCount) {
        object[slot: slot] = copy[slot: slot]
      }
    }
  }
}

extension Primitive {
  static let invariants: [Primitive] = [
    Primitive("violated", "Has the turn given up: what the connection says must hold does not.") {
      machine, arguments in
      machine.graph.invariants.violated = machine.connection(arguments.receiver)
      return arguments.receiver
    },
    Primitive("makeInvariant", "What the connection computes must stay true.") {
      machine, arguments in
      if let connection = machine.connection(arguments.receiver), !connection.isInvariant {
        connection.isInvariant = true
        machine.graph.invariants.count += 1
      }
      return arguments.receiver
    },
    Primitive("keep: anObject with: anOwner", "Keeps an object as long as anOwner lives.") {
      machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      connection.kept = arguments[0]
      let keys = arguments[1].isObject ? [arguments[1]] : []
      connection.keptKeys = keys
      connection.keys = keys
      return arguments.receiver
    },
  ]

  static let blockText: [Primitive] = [
    Primitive("sourceText", "The block as it is written, on one line.") { machine, arguments in
      let block = Closure(arguments.receiver).code.object
      let text = block.code.source.text(in: block.range)
      return machine.makeString(
        text.split(whereSeparator: { $0.isWhitespace }).joined(separator: " "))
    }
  ]
}
