internal import TenonSolverKit
internal import TenonTables

/// A plan of a solver with data that the graph lays out for it.
///
/// The data that a turn needs of the first formulas is laid out flat, as far as they are plain copies from
/// slot to slot of which no other reader has to hear. They are run in one loop: value, undo and cause are
/// stored for each, and the counts and reasons of runs, which only explanations need, are counted once
/// for all and written down on demand.
///
/// A step holds the address of a slot and two objects, none of which the collector knows of. They
/// are there whenever a step is followed:
///
/// - The steps are laid out in the turn in which they run or in an earlier one with the same
///   `planVersion`, which grows with every change they rely on: that a formula ends (`free`), that the
///   flags of a cell change (`setFlag`), that a formula is held back, fails or gets a tolerance.
/// - As long as none of their formulas ends, their connections are in force. The collector keeps
///   the objects that the formulas of such a connection read (`mark(_:_:)`), and ends a connection when an
///   object is gone that it writes to (`keys`), which frees its formulas first and so changes the version.
/// - Objects never move; one of a class that was defined anew keeps its slots where they are.
/// - Between laying out and the last step no code of a program runs and nothing is collected:
///   `isUnchanged` compares bits and bytes, and storing a slot tells the collector at most.
/// - Steps name formulas and cells by numbers of tables that never shrink.
@safe
final class LaidOutPlan: FormulaPlan {
  @safe
  struct Step: BitwiseCopyable {
    var source: UnsafePointer<Value>
    var object: Value
    var slot: Int
    var formula: Int32
    var output: Int32
    var connection: Int32
    var input: Int32
  }

  let steps = FlatTable<Step>()
  /// The version of the graph for which the steps are laid out, and the number of formulas at that time.
  var version = UInt64.max
  var laidOutCount = 0
  /// The turn in which they last ran, and the number of runs since the counts were last written down.
  var turn = -1
  var runs: UInt32 = 0
  /// The number of them that ran each time.
  var lastCount = 0
}

extension ConnectionGraph {
  /// Runs the first formulas of a plan, as far as they are laid out and change something.
  func run(_ plan: LaidOutPlan) -> Int {
    let isLaidOut =
      plan.version == words[0].planVersion && plan.laidOutCount == plan.formulas.count
    if isLaidOut, plan.steps.isEmpty { return 0 }
    // Formulas that run twice in a turn are counted one by one.
    guard !isHalted, !hasFailures, !causes.isTracing, isSolvingRegion, plan.turn != turn else {
      return 0
    }
    if !isLaidOut { layOut(plan) }
    let count = plan.steps.count
    if count == 0 { return 0 }
    // Of more entries than the ring holds only the last are kept.
    let firstKnown = max(0, count - ChangeLog.capacity)
    var causesOfRun = causes.beginRun(turn: turn, atMost: count - firstKnown)
    // The entries of each step are counted once: old values are plain words, and no code of the program
    // runs in between.
    let undone = unsafe log.reserve(count)
    let steps = unsafe plan.steps.address(of: 0)
    var index = 0
    while index < count {
      let step = unsafe steps[index]
      let object = ObjectRef(step.object)
      let read = unsafe step.source.pointee
      let value = read.isUndefined ? .nil : read
      let old = object[slot: step.slot]
      if old == value || value.isObject && machine.isUnchanged(old, value) { break }
      unsafe (undone + index).initialize(
        to: TurnLog.Entry(object: step.object, number: step.slot, value: old))
      object[slot: step.slot] = value
      if index >= firstKnown {
        causesOfRun.record(
          step.output, connection: step.connection, because: step.input, old: old, new: value)
      }
      index &+= 1
    }
    log.take(index)
    causes.endRun(causesOfRun)
    if index > 0 { record(plan, ran: index) }
    return index
  }

  private func record(_ plan: LaidOutPlan, ran count: Int) {
    plan.turn = turn
    if plan.runs > 0, plan.lastCount == count, plan.runs < .max {
      plan.runs += 1
      return
    }
    if plan.runs > 0 { flushRunCounts(of: plan) } else { ended.openPlans.append(plan) }
    plan.lastCount = count
    plan.runs = 1
  }

  /// Lays out the first formulas of a plan, as far as they are plain copies.
  private func layOut(_ plan: LaidOutPlan) {
    flushRunCounts()
    plan.steps.removeAll()
    for index in 0..<plan.formulas.count {
      let number = plan.formulas[index]
      guard number >= 0, Int(number) < hotFormulas.count else { break }
      let formula = hotFormulas[number]
      guard formula.kind == .copy, formula.status == .satisfied, !formula.isDeferred,
        !formula.isTolerant
      else { break }
      let inputNumber = Int32(truncatingIfNeeded: formula.word)
      let (input, output) = (hot[inputNumber], hot[formula.output])
      guard input.flags & CellFlag.plain != 0, output.flags & CellFlag.plain != 0,
        output.flags & (CellFlag.hasObservers | CellFlag.read | CellFlag.determined) == 0
      else { break }
      unsafe plan.steps.append(
        LaidOutPlan.Step(
          source: ObjectRef(input.object).address(ofSlot: input.slot), object: output.object,
          slot: output.slot, formula: number, output: formula.output,
          connection: formula.connection, input: inputNumber))
      hot[formula.output].flags |= CellFlag.planned
    }
    plan.version = words[0].planVersion
    plan.laidOutCount = plan.formulas.count
  }

  /// Writes down the counts and causes of formulas that ran in plans.
  ///
  /// - Complexity: O(formulas that have run in plans since the last time).
  @inline(never)
  func flushRunCounts() {
    if ended.openPlans.isEmpty { return }
    for plan in ended.openPlans {
      flushRunCounts(of: plan)
      plan.runs = 0
    }
    ended.openPlans.removeAll()
  }

  private func flushRunCounts(of plan: LaidOutPlan) {
    for index in 0..<min(plan.lastCount, plan.steps.count) {
      let step = plan.steps[index]
      hotFormulas[step.formula].runs &+= plan.runs
      hotFormulas[step.formula].cause = step.input
      hot[step.output].writer = step.formula
    }
  }

  /// Invalidates laid-out plans: a condition that they rely on has changed.
  @inline(__always)
  func forgetPlans() {
    if !ended.openPlans.isEmpty { flushRunCounts() }
    words[0].planVersion &+= 1
  }
}
