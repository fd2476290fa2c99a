import Foundation
import Tenon
import TenonRuntime
import Testing

/// Each verb at a place of each scheme, granted or not, said in each way: what has not been granted is not
/// done, and nothing is learnt of it.
@Suite struct PowerMatrixTests {
  /// The columns and lines of a part of the matrix, and what was found.
  private struct Count {
    /// All cells there are, of which some are tried unless everything is in full size.
    var all = 0
    var cells = 0
    var works = 0
    var leaks: [String] = []
    var refusals: [String] = []
  }

  /// A scheme granted in one way to one interpreter, where verbs are said in one way.
  private struct Situation {
    let scheme: MatrixScheme
    let grant: MatrixGrant
    let way: MatrixWay
    let interpreter: Interpreter

    /// What a text comes to: its value or error, and what it has left in variables.
    func loot(_ text: String) -> String {
      let found: String
      do throws(EvaluationError) {
        found = interpreter.printString(try interpreter.evaluate(text))
      } catch { found = "\(error)" }
      return found + " | " + left
    }

    /// What a script has left in variables.
    var left: String {
      let left = try? interpreter.evaluate("#(seen, mem:copy) printString", as: String.self)
      return left ?? ""
    }

    func clear() {
      let text = "self connections do: [ :each | each disconnect ]. seen := nil. mem:copy := nil"
      _ = try? interpreter.evaluate(text)
    }
  }

  private func situation(
    _ scheme: MatrixScheme, _ grant: MatrixGrant, _ way: MatrixWay, at place: MatrixPlace
  ) throws -> Situation? {
    let interpreter = scheme.interpreter(grant)
    _ = try interpreter.evaluate("seen := nil. var source := 'wallaby'. r := nil")
    if way.isBefore {
      // Something of the script's own is there first; connections and references are made with it.
      _ = try interpreter.evaluate("scheme:\(scheme.place.scheme) := MemoryStore new")
    } else {
      guard try scheme.grant(grant, interpreter) else { return nil }
      let text = way.setup(place)
      if !text.isEmpty { _ = try? interpreter.evaluate(text) }
    }
    return Situation(scheme: scheme, grant: grant, way: way, interpreter: interpreter)
  }

  /// Does what a verb says at a place.
  private func run(_ verb: MatrixVerb, at place: MatrixPlace, in situation: Situation) throws
    -> String?
  {
    guard var text = situation.way.text(verb, at: place) else { return nil }
    if situation.way.isBefore {
      // A block that was made, or a connection, before the grant.
      let isConnection = text.contains("|=")
      if !isConnection { text = "early := [ \(text) ]" }
      var loot = situation.loot(text)
      guard try situation.scheme.grant(situation.grant, situation.interpreter) else { return nil }
      if situation.grant == .none {
        _ = try situation.interpreter.evaluate("scheme:\(place.scheme) := nil")
      }
      loot += situation.loot(isConnection ? "source := 'numbat'. seen" : "early value")
      return loot
    }
    return situation.loot(text)
  }

  /// Tries a cell.
  ///
  /// - Returns: Whether the world has changed.
  private func check(
    _ verb: MatrixVerb, at place: MatrixPlace, in situation: Situation, _ count: inout Count
  ) throws -> Bool {
    let scheme = situation.scheme
    let works = scheme.works(verb, granted: situation.grant, situation.way)
    let isReading = situation.grant == .reading && verb.isWriting
    let before = scheme.footprint(!isReading)
    // A store of the script's own says what it likes of itself.
    let secrets = scheme.unclear.contains(verb.name) ? [] : scheme.secrets
    let telling = secrets + (situation.way.isTrick ? [] : verb.evidence)
    guard var loot = try run(verb, at: place, in: situation) else { return false }
    if verb.waitsForChange, let change = scheme.change { try change() }
    // What takes its time comes in turns of the run loop.
    for _ in 0..<(works ? 400 : 1) {
      _ = situation.interpreter.runDue()
      loot += situation.left
      let isThere = telling.contains { loot.contains($0) }
      if !works || (verb.isWriting ? before != scheme.footprint(true) : isThere) { break }
      situation.interpreter.wakeUp.wait(nanoseconds: 5_000_000)
    }
    if verb.waitsForChange { try scheme.reset() }
    let after = scheme.footprint(!isReading)
    let isLearnt = telling.contains { loot.contains($0) }
    let mayRead = situation.grant == .granted || situation.grant == .reading
    let isDone = verb.isWriting ? before != after : isLearnt
    let name =
      "\(place.scheme) \(situation.grant) \(situation.way.name) \(verb.name) \(place.text): \(loot)"
    count.cells += 1
    if works {
      count.works += 1
      if !isDone {
        count.refusals.append("\(name.prefix(400)) [\(before.prefix(200))] [\(after.prefix(200))]")
      }
    } else if situation.grant != .granted {
      let isChanged = before != after && !verb.waitsForChange
      if isChanged && (verb.isWriting || !mayRead) || isLearnt && !mayRead {
        count.leaks.append(name)
      }
    }
    situation.clear()
    return before != after
  }

  /// The lines of a scheme granted in a way.
  private func fill(
    _ scheme: MatrixScheme, _ grant: MatrixGrant, _ way: MatrixWay, _ count: inout Count
  ) throws {
    guard !way.isTrick || grant == .none || grant == .elsewhere else { return }
    guard grant != .elsewhere || !scheme.elsewhere.isEmpty else { return }
    var known: Situation?
    var knownPlace: String?
    for verb in MatrixVerb.all {
      // Of what is granted only what there is.
      guard grant != .granted || scheme.works(verb, granted: grant, way) else { continue }
      count.all += 1
      guard isFullSize || count.all % 13 == 0 else { continue }
      let place =
        grant == .elsewhere
        ? scheme.at(scheme.elsewhere[count.cells % scheme.elsewhere.count].secret) : scheme.place
      if known == nil || knownPlace != place.text || way.isBefore {
        known = try situation(scheme, grant, way, at: place)
        knownPlace = place.text
      }
      guard let situation = known else { return }
      let isChanged = try check(verb, at: place, in: situation, &count)
      // What it may have written elsewhere is nobody's secret, and must not look like one.
      if isChanged || grant == .elsewhere && verb.isWriting {
        try scheme.reset()
        known = nil
      }
    }
  }

  @Test func nothingLeaks() throws {
    let world = try MatrixWorld()
    var count = Count()
    let known = Set(
      try Interpreter.standard(program: "matrix", console: NullConsole())
        .evaluate(
          "Smalltalk schemeNames asArray collect: [ :each | each asString ]", as: [String].self))
    let own = Set(
      try Interpreter().evaluate(
        "Smalltalk schemeNames asArray collect: [ :each | each asString ]", as: [String].self))
    let schemes = world.schemes
    let names = known.union(StandardGrants.schemes).subtracting(own)
    #expect(names == Set(schemes.map(\.place.scheme)), "each scheme has its row")
    for scheme in schemes {
      try scheme.reset()
      for grant in MatrixGrant.allCases {
        for way in MatrixWay.all {
          try fill(scheme, grant, way, &count)
        }
      }
    }
    print(
      "capability matrix: \(count.cells) of \(count.all) cells of \(schemes.count) schemes, "
        + "\(count.works) of them granted, \(count.leaks.count) leaks")
    #expect(count.leaks.isEmpty, "\(count.leaks.joined(separator: "\n"))")
    #expect(count.refusals.isEmpty, "\(count.refusals.joined(separator: "\n"))")
    #expect(count.cells >= 600 && count.works >= 100)
  }

  /// What is refused is refused alike, whether something is there or not.
  @Test func errorsDoNotTellWhatIsThere() throws {
    let world = try MatrixWorld()
    var (cells, all) = (0, 0)
    for scheme in world.schemes {
      try scheme.reset()
      for way in MatrixWay.all where !way.isBefore {
        for (secret, nothing) in scheme.elsewhere where secret != nothing {
          for verb in MatrixVerb.all where !verb.isWriting && !verb.waitsForChange {
            all += 1
            guard isFullSize || all % 5 == 0 else { continue }
            // A link lies within what is granted, and is told of itself.
            guard verb.name != "details" || secret != "link" else { continue }
            let found = try [secret, nothing].map { path -> String? in
              guard
                let situation = try situation(scheme, .elsewhere, way, at: scheme.at(path)),
                let text = way.text(verb, at: scheme.at(path))
              else { return nil }
              return scheme.withoutNames(situation.loot(text))
            }
            guard let left = found[0], let right = found[1] else { continue }
            cells += 1
            #expect(left == right, "\(scheme.place.scheme) \(way.name) \(verb.name) \(secret)")
          }
        }
      }
    }
    #expect(cells >= 200)
  }
}

extension MatrixScheme {
  /// Whether a verb must work.
  func works(_ verb: MatrixVerb, granted grant: MatrixGrant, _ way: MatrixWay) -> Bool {
    guard !exceptions.contains("\(way.name) \(verb.name)") else { return false }
    return switch grant {
    case .granted: reads.contains(verb.name) || writes.contains(verb.name)
    case .reading: (readsWhereReading ?? reads).contains(verb.name)
    case .elsewhere, .none: false
    }
  }

  /// A text without the names of places, and without the lines of the program that it shows.
  func withoutNames(_ text: String) -> String {
    var lines: [Substring] = []
    for line in text.split(separator: "\n") {
      // The marks stand below the line that they mark.
      if !line.allSatisfy({ " ^~".contains($0) }) {
        lines.append(line)
      } else {
        _ = lines.popLast()
      }
    }
    let names = Set(elsewhere.flatMap { [$0.secret, $0.nothing] })
    let shown = lines.joined(separator: "\n").replacing(/>:\d+:\d+:/, with: "")
    return (names.union(names.map(MatrixPlace.name))).sorted { $0.count > $1.count }
      .reduce(shown) { $0.replacing($1, with: "NAME") }
  }

  /// Another place.
  func at(_ path: String) -> MatrixPlace {
    MatrixPlace(
      scheme: place.scheme, literal: path, text: path, storeClass: place.storeClass)
  }
}
