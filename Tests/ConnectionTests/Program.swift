import Foundation
import Tenon
import TenonLexer

@testable import TenonRuntime
@testable import TenonSolvers

/// An interpreter with connections, and what tests want to know of it.
final class Program {
  let interpreter: Interpreter
  let console = TextConsole()

  init(collectEvery: Int = 0, memoryLimit: Int? = nil) {
    var options = Interpreter.Options()
    options.collectEvery = collectEvery
    if let memoryLimit { options.memoryLimit = memoryLimit }
    interpreter = Interpreter(options, console: console)
  }

  /// The failure of a script.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a script and answers what its last statement answers.
  @discardableResult
  func run(_ text: String) throws -> Handle {
    do throws(EvaluationError) {
      return try interpreter.evaluate(text)
    } catch {
      throw Failure(description: error.description)
    }
  }

  /// What a script's value prints as.
  func print(_ text: String) throws -> String { interpreter.printString(try run(text)) }

  /// A variable of the script as a number.
  subscript(name: String) -> Double? { interpreter[name]?.double }

  /// What the class and the text of an error are that a script does not handle; nil when it ends
  /// well.
  func error(of text: String) -> String? {
    switch interpreter.run(SourceText(name: "test", text)) {
    case .failed(let error): error.message
    case .rejected(let diagnostics, _): diagnostics.map(\.message).joined(separator: "\n")
    case .finished: nil
    case .interrupted: "interrupted"
    }
  }
}

// MARK: - The graph

extension Program {
  private var graph: ConnectionGraph { interpreter.machine.graph }

  /// How often the formulas of each connection have run, in the order of connecting.
  var runs: [Int] {
    graph.connections.values.sorted { $0.number < $1.number }.map(\.runs)
  }

  /// How often formulas have run that still are in force.
  var runCount: Int { runs.reduce(0, +) }

  /// What the graph holds: everything that could be left behind.
  struct Size: Equatable, CustomStringConvertible {
    var connections = 0
    var cells = 0
    var formulas = 0
    var constraints = 0
    var regions = 0
    var watchedObjects = 0
    var watchedPaths = 0
    var waiting = 0

    var description: String {
      "\(connections) connections, \(cells) cells, \(formulas) formulas, \(constraints) "
        + "constraints, \(regions) regions, \(watchedObjects) watched objects, "
        + "\(watchedPaths) watched paths, \(waiting) waiting"
    }
  }

  var size: Size {
    Size(
      connections: graph.connections.count, cells: graph.cellCount,
      formulas: graph.formulaCount, constraints: graph.tables.constraintTable.count,
      regions: graph.regionCount, watchedObjects: graph.watched.count,
      watchedPaths: graph.watchers.pathWatchers.count,
      waiting: graph.pendingCount + graph.scheduledFormulas.count
        + graph.replanning.awaitingInverse.count
        + graph.watchers.retargeted.count + graph.regionWork.waitingRegions.count)
  }

  /// How long the tables are, with the records that are free.
  var tableSizes: [String: Int] {
    var sizes = [
      "cells": graph.recordCounts.cells, "formulas": graph.recordCounts.formulas,
      "constraints": graph.recordCounts.constraints, "connections": graph.connections.capacity,
      "objects": graph.objectMap.capacity,
      "levels": graph.levels.count,
    ]
    for (index, level) in graph.levels.enumerated() {
      if let solver = level.solver as? DataflowSolver {
        sizes["level \(index)"] = solver.recordCount
      } else if let solver = level.solver as? PropagationSolver {
        sizes["level \(index)"] = solver.recordCount
      }
    }
    return sizes
  }

  /// How many plans the solvers of regions have made, for regions that are there.
  var planCount: Int {
    let regions = graph.cells.indices.lazy.map { [graph] in graph.cells[$0] }
      .filter { !$0.isFree }.compactMap(\.region)
    return Array(regions).unique().reduce(0) { count, region in
      switch region.solver {
      case let solver as PropagationSolver: count + solver.planCount
      case let solver as LinearSolver: count + solver.planCount
      default: count
      }
    }
  }

  /// How many constraints have been given to solvers anew, and cells been looked at for cycles.
  var structuralWork: Int { graph.regionWork.structuralWork }

  /// The memory that lives, in bytes, after a collection.
  var liveBytes: Int {
    collect()
    return interpreter.machine.heap.liveBytes
  }

  /// Collects garbage between two scripts.
  func collect() {
    interpreter.machine.withEntry { interpreter.machine.collect() }
  }
}

// MARK: - Console

/// A console that keeps what is written.
final class TextConsole: Console {
  private var bytes: [UInt8] = []

  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    unsafe bytes.withUnsafeBufferPointer { unsafe self.bytes += $0 }
  }

  func flush() throws(ConsoleError) {}

  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? { nil }

  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] { [] }

  /// Everything that was written, whatever the channel.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

// MARK: - Threads

/// Runs something on a thread with a large stack, as programs have it.
func onThread<Result: Sendable>(
  stackSize: Int = 64 << 20, _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
  let slot = ResultSlot<Result>()
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    slot.result = Swift.Result { try body() }
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  done.wait()
  guard let result = slot.result else { preconditionFailure("the thread left no result") }
  return try result.get()
}

/// A thread that others wait for.
final class Worker: Sendable {
  private let done = DispatchSemaphore(value: 0)

  init(stackSize: Int = 64 << 20, _ body: @escaping @Sendable () -> Void) {
    let done = self.done
    let thread = Thread {
      body()
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
  }

  func join() { done.wait() }
}

/// Where a thread leaves its result; the semaphore orders the two accesses.
private final class ResultSlot<Value: Sendable>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}

// MARK: - Sizes

/// Whether scenarios run in their full sizes: `scripts/check-full`.
let isFullSize = ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] != nil

// MARK: - Chance

/// The seed of everything random: `TENON_TEST_SEED`, or always the same.
let testSeed: UInt64 = {
  let seed = ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap { UInt64($0) } ?? 20_260
  print("seed of the random graphs: TENON_TEST_SEED=\(seed)")
  return seed
}()
