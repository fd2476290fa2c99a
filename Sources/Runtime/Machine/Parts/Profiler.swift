internal import TenonText

/// Where the time of an evaluation goes, and what it allocates, by method.
///
/// While one is active each send and each turn of a loop takes the slow path, where the time and the bytes
/// since the last one are counted for the method that has begun then; none costs nothing. What the methods
/// around a method take with it is counted at every few of these steps, for all that is on the stack.
final class Profiler {
  /// What was used up.
  struct Use {
    var steps = 0
    var nanoseconds: UInt64 = 0
    var bytes = 0

    static func += (sum: inout Use, other: Use) {
      sum.steps += other.steps
      sum.nanoseconds &+= other.nanoseconds
      sum.bytes += other.bytes
    }
  }

  /// By the names of methods: what each has used up itself, and with all that it has sent.
  private(set) var own: [String: Use] = [:]
  private(set) var all: [String: Use] = [:]
  /// What no method on the stack was told yet.
  private var pending = Use()
  private var steps = 0
  private var current = Profiler.script
  private var lastTime: UInt64
  private var lastBytes: Int

  /// What belongs to no method.
  static let script = "script"
  /// How many steps are between two looks at the whole stack.
  private static let stepsPerWalk = 16
  /// How many sends of it are looked at.
  private static let deepestWalk = 400

  init(_ machine: Machine) {
    lastTime = machine.monotonicTime()
    lastBytes = machine.heap.allocatedBytes
  }

  /// Counts a step: the method that begins is that of the innermost frame.
  func count(_ machine: Machine) {
    let bytes = machine.heap.allocatedBytes
    // A collection begins to count anew.
    let use = Use(
      steps: 1, nanoseconds: machine.monotonicTime() &- lastTime,
      bytes: bytes >= lastBytes ? bytes - lastBytes : bytes)
    own[current, default: Use()] += use
    pending += use
    steps += 1
    current = name(of: machine.state.base, machine)
    if steps % Profiler.stepsPerWalk == 0 { share(machine) }
    lastBytes = bytes
    // What counting takes is not the program's.
    lastTime = machine.monotonicTime()
  }

  /// Counts what has been used since the last step.
  func finish(_ machine: Machine) {
    count(machine)
    share(machine)
  }

  /// Tells all methods on the stack what was used since the last time.
  private func share(_ machine: Machine) {
    var names: Set<String> = [current]
    var count = 0
    machine.visitSends(from: machine.state.base, includingKernel: true) { site, _ in
      names.insert(site.code.name ?? Profiler.script)
      count += 1
      return count < Profiler.deepestWalk
    }
    for name in names { all[name, default: Use()] += pending }
    pending = Use()
  }

  /// The name of the method whose frame begins.
  private func name(of frame: Frame, _ machine: Machine) -> String {
    let receiver = frame.receiver
    if let name = machine.selector(of: frame), !name.isEmpty,
      let selector = machine.symbolTable.selectors[name],
      let method = machine.classInfo(of: receiver).lookUp(selector),
      method.holder !== machine.kernel.block
    {
      return method.qualifiedName
    }
    if receiver.isObject(ofClass: ClassIndex.blockClosure) {
      return Closure(receiver).code.object.code.name ?? Profiler.script
    }
    var name = Profiler.script
    machine.visitSends(from: frame, includingKernel: true) { site, _ in
      name = site.code.name ?? Profiler.script
      return false
    }
    return name
  }

  // MARK: The language

  /// Evaluates a block while its uses are counted.
  ///
  /// - Returns: An array of the block's value and a row for each method: name, then steps, nanoseconds and
  ///   bytes of the method itself and of all that it has sent; or `unwind`.
  /// - Throws: When one is active already.
  static func run(_ block: Value, _ machine: Machine) throws(Failure) -> Value {
    guard machine.host.profiler == nil else {
      throw Failure(.error, "a profile is being made already")
    }
    let profiler = Profiler(machine)
    machine.host.profiler = profiler
    machine.state.requestSafepoint()
    let value = machine.evaluateBlock(block)
    machine.host.profiler = nil
    if value.isUnwind { return value }
    let root = machine.roots.count
    defer { machine.dropRoots(to: root) }
    machine.roots.append(value)
    profiler.finish(machine)
    let rows = profiler.all.map { name, all in
      let own = profiler.own[name] ?? Use()
      // The looks at the whole stack are few: what it has used itself is certain.
      let whole = Use(
        steps: max(own.steps, all.steps), nanoseconds: max(own.nanoseconds, all.nanoseconds),
        bytes: max(own.bytes, all.bytes))
      let numbers = [own, whole].flatMap { [$0.steps, Int(clamping: $0.nanoseconds), $0.bytes] }
      return machine.makeArray(
        [machine.makeString(name)] + numbers.map { machine.makeInteger($0) })
    }
    return machine.makeArray([value] + rows)
  }
}
