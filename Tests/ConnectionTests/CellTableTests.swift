import Tenon
import TenonGrammarSupport
import TenonTables
import Testing

internal import TenonSolverKit
@testable import TenonRuntime

/// What is known of cells: names, writes, readers, and how cells are found.
@Suite struct CellTableTests {
  // MARK: Names

  @Test(arguments: [
    "", "a", "celsius", "eight888", "nine99999", "defaults:celsius", "ä", "grad °C", "nul\0",
    String(repeating: "long ", count: 100),
  ])
  func nameIsKept(_ name: String) {
    let cells = CellTable()
    cells.append(name: name)
    #expect(cells[0].name == name)
    cells[0].isNamed = true
    cells[0].name = "before value"
    #expect(cells[0].name == "before value")
    #expect(cells[0].isNamed)
    cells[0].name = name
    #expect(cells[0].name == name)
    #expect(cells[0].isNamed)
    #expect(!cells[0].isFree)
    cells.free(0)
    #expect(cells[0].isFree)
    #expect(!cells[0].isNamed)
    #expect(cells.nameCount == 0)
  }

  @Test func sameNamesAreKeptOnce() {
    let cells = CellTable()
    for index in 0..<1000 { cells.append(name: index % 2 == 0 ? "before value" : "after value") }
    #expect(cells.nameCount == 2)
    for number in cells.indices where number % 4 == 0 { cells.free(number) }
    #expect(cells.nameCount == 2)
    #expect(cells[2].name == "before value")
    for number in cells.indices where number % 4 == 2 { cells.free(number) }
    #expect(cells.nameCount == 1)
    #expect(cells[1].name == "after value")
  }

  /// Names of unbounded variety come and go: as many are kept as there are cells.
  @Test func differentNamesDoNotPileUp() {
    let cells = CellTable()
    for number in 0..<1000 { cells.append(name: "defaults:place\(number)") }
    for round in 1...20 {
      for number in cells.indices {
        #expect(cells[number].name == "defaults:place\(1000 * (round - 1) + Int(number))")
        cells.free(number)
        cells.reuse(number, name: "defaults:place\(1000 * round + Int(number))")
      }
    }
    #expect(cells.nameCount == 1000)
    #expect(cells.nameCapacity <= 1001)
  }

  /// A record that is used again has nothing of the cell before.
  @Test func recordUsedAgainIsEmpty() {
    let cells = CellTable()
    cells.append(name: "an old name")
    let cell = cells[0]
    cell.ownerNumber = 3
    cell.level = 4
    cell.slots = [CellID(7)]
    cell.cachedValue = Value(small: 5)
    cell.addReader(1)
    cell.addReader(2)
    cell.removeReaders()
    cell.isNamed = true
    cells.free(0)
    cells.reuse(0, name: "a new name")
    #expect(cell.name == "a new name")
    #expect(!cell.isFree && !cell.isNamed && !cell.hasOwner && !cell.hasReaders)
    #expect(cell.level == 0 && cell.regionUses == 0 && cell.region == nil)
    #expect(cell.slots.isEmpty && cell.properties.isEmpty && cell.cachedValue == nil)
  }

  // MARK: Writes

  @Test func writesAreForgotten() {
    let writes = CellWrites()
    #expect(writes.age(of: CellID(3)) == 0)
    writes.setAge(1 << 40, of: CellID(3))
    writes.record(CellID(5), at: 7, by: nil)
    #expect(writes.age(of: CellID(3)) == 1 << 40)
    #expect(writes.age(of: CellID(5)) == 7)
    #expect(writes.count == 2)
    writes.forget(CellID(3))
    writes.forget(CellID(4))
    #expect(writes.age(of: CellID(3)) == 0)
    // The place of the one that is gone goes to another one.
    writes.setAge(9, of: CellID(4))
    #expect(writes.age(of: CellID(3)) == 0)
    #expect(writes.age(of: CellID(4)) == 9)
    #expect(writes.age(of: CellID(5)) == 7)
    #expect(writes.count == 2)
  }

  /// Many cells written by a few statements: each statement is kept once, until no cell was last
  /// written by it.
  @Test func sitesAreKeptAsLongAsTheyAreNeeded() throws {
    try onThread {
      let program = Program()
      let graph = program.interpreter.machine.graph
      try program.run(
        """
        class Place {
          var value := 0. var other := 0.
          -value: x { value := x }
          -connect { other |= value + 1 }
        }
        var all := (1 to: 100) asArray collect: [ :i | Place new ].
        all do: [ :each | each connect ].
        """)
      let before = (graph.writes.count, graph.writes.siteCount)
      try program.run("all do: [ :each | each value: 3 ]")
      #expect(graph.writes.count == before.0 + 100)
      #expect(graph.writes.siteCount == before.1 + 1)
      #expect(try program.print("all last other") == "4")
      try program.run("all := nil")
      program.collect()
      #expect(graph.writes.count == before.0)
      #expect(graph.writes.siteCount == before.1)
    }
  }

  // MARK: Readers

  @Test func readersAreInTheOrderInWhichTheyCame() {
    var random = RandomNumbers(seed: 1)
    for limit in [10, 60, 3000] {
      let table = ReaderTable(0)
      var model: [Int32] = [0]
      var next: Int32 = 1
      for _ in 0..<4 * limit {
        if model.count < limit, Int.random(in: 0..<2, using: &random) > 0 {
          table.append(next)
          model.append(next)
          next += 1
        } else if Int.random(in: 0..<3, using: &random) == 0 {
          #expect(table.removeFirst() == (model.first ?? -1))
          if !model.isEmpty { model.removeFirst() }
        } else if !model.isEmpty {
          let formula = model.remove(at: Int.random(in: 0..<model.count, using: &random))
          #expect(table.remove(formula))
          #expect(!table.remove(formula))
        }
        #expect(Int(table.count) == model.count)
      }
      #expect(table.formulas.filter { $0 >= 0 } == ContiguousArray(model))
      #expect(table.formulas.count <= 2 * model.count + 16)
    }
  }

  /// Where each formula stands is noted only when one is taken out of the middle of a long list.
  @Test func readersAreIndexedLate() {
    let table = ReaderTable(0)
    for formula in 1..<10_000 { table.append(Int32(formula)) }
    #expect(table.capacity < 12_000)
    for formula in 0..<100 { #expect(table.removeFirst() == Int32(formula)) }
    for formula in (9900..<10_000).reversed() { #expect(table.remove(Int32(formula))) }
    #expect(!table.isIndexed)
    #expect(table.remove(5000))
    #expect(table.isIndexed)
    #expect(!table.remove(5000))
    table.append(5000)
    #expect(table.remove(5000))
    #expect(table.count == 9799)
    for _ in 0..<9799 { #expect(table.removeFirst() > 0) }
    #expect(table.count == 0)
    #expect(table.removeFirst() == -1)
    #expect(!table.isIndexed)
  }

  // MARK: Finding

  /// The cells of some places, and how they are found.
  private final class PlaceIndex {
    let map = ObjectMap()
    let hot = FlatTable<HotCell>()
    private var free: [Int32] = []

    func find(_ place: Place) -> Int32 { map.find(place, in: hot) }

    func insert(_ place: Place) -> Int32 {
      let cell = free.popLast() ?? Int32(hot.count)
      if Int(cell) == hot.count { hot.append(HotCell(place)) } else { hot[cell] = HotCell(place) }
      map.insert(cell, in: hot)
      return cell
    }

    func remove(_ cell: Int32) -> Bool {
      free.append(cell)
      return map.remove(cell, in: hot)
    }

    /// The cells of an object, the last one first.
    func cells(of object: UInt) -> [Int32] {
      var cells: [Int32] = []
      var each = map.first(object, in: hot)
      while each >= 0 {
        cells.append(each)
        each = map.next(each)
      }
      return cells
    }
  }

  /// Places of objects that come and go, few and many of each, against a dictionary.
  @Test(arguments: [1, 2, 4, 6, 40])
  func cellsAreFoundByPlace(_ limit: Int) {
    var random = RandomNumbers(seed: UInt64(limit))
    let index = PlaceIndex()
    var model: [Place: Int32] = [:]
    var lists: [UInt: [Int32]] = [:]
    for step in 0..<6000 {
      let object = UInt.random(in: 1...60, using: &random) * 32
      let place = Place(
        kind: Bool.random(using: &random) ? .slot : .element, object: Value(bits: object),
        index: Int.random(in: 0..<limit, using: &random), key: .nil)
      #expect(index.find(place) == model[place] ?? -1)
      // More and more, and then fewer and fewer.
      let isGrowing = step / 1500 % 2 == 0
      let isAgainst = Int.random(in: 0..<4, using: &random) == 0
      if let cell = model[place] {
        if isGrowing != isAgainst { continue }
        lists[object]?.removeAll { $0 == cell }
        #expect(index.remove(cell) == lists[object]?.isEmpty)
        model[place] = nil
      } else if isGrowing != isAgainst {
        let cell = index.insert(place)
        model[place] = cell
        lists[object, default: []].append(cell)
      }
      #expect(index.cells(of: object).reversed() == lists[object] ?? [])
    }
    #expect(index.map.count == lists.values.filter { !$0.isEmpty }.count)
    for (place, cell) in model { #expect(index.find(place) == cell) }
    // Of objects with few places none is found by its place.
    if limit <= 2 { #expect(index.map.placeCount == 0) }
    for cell in model.values { _ = index.remove(cell) }
    #expect(index.map.count == 0)
    #expect(index.map.placeCount == 0)
  }

  /// An object with many places, which go from either end.
  @Test func manyPlacesOfOneObject() {
    let index = PlaceIndex()
    let count = 20_000
    let places = (0...count).map {
      Place(kind: .element, object: Value(bits: 64), index: $0, key: .nil)
    }
    let cells = places.dropLast().map { index.insert($0) }
    #expect(index.map.count == 1)
    #expect(index.map.placeCount == count)
    #expect(index.find(places[count]) == -1)
    #expect(cells.indices.allSatisfy { index.find(places[$0]) == cells[$0] })
    let even = stride(from: 0, to: count, by: 2)
    #expect(even.allSatisfy { !index.remove(cells[$0]) && index.find(places[$0]) == -1 })
    let odd = stride(from: count - 3, to: 0, by: -2)
    #expect(odd.allSatisfy { index.find(places[$0]) == cells[$0] && !index.remove(cells[$0]) })
    #expect(index.map.placeCount == 0)
    #expect(index.find(places[count - 1]) == cells[count - 1])
    #expect(index.remove(cells[count - 1]))
    #expect(index.map.count == 0)
  }

  /// Objects with one place each take an entry each, of a table that is used by more than half.
  @Test func lonePlacesTakeLittle() {
    let index = PlaceIndex()
    let count = 50_000
    let places = (1...count).map {
      Place(kind: .slot, object: Value(bits: UInt($0) * 48), index: 0, key: .nil)
    }
    var cells = places.map { index.insert($0) }
    #expect(index.map.byteCount < 8 * count)
    let capacity = index.map.capacity
    for _ in 0..<3 {
      #expect(places.indices.allSatisfy { index.find(places[$0]) == cells[$0] })
      #expect(cells.allSatisfy { index.remove($0) })
      #expect(index.map.count == 0)
      cells = places.map { index.insert($0) }
    }
    #expect(index.map.capacity == capacity)
    #expect(index.map.count == count)
  }

  /// The language across the limit from which on the cells of an object are found by their places.
  @Test func elementsOfListsOfAnyLength() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var list := (1 to: 12) asArray collect: [ :i | 0 ].
        var links := Array new: 12.
        var a := 1.
        """)
      for count in 1...12 {
        try program.run("links[\(count)] := (list[\(count)] |= a + \(count)). a := \(count)")
        for index in 1...12 {
          let expected = index <= count ? count + index : 0
          #expect(try program.run("list[\(index)]").integer == expected)
        }
      }
      try program.run("a := 100")
      for count in 1...12 {
        try program.run("links[\(count)] disconnect. a := 100 + \(count)")
        for index in 1...12 {
          let expected = index <= count ? (100 + index - 1) + index : 100 + count + index
          #expect(try program.run("list[\(index)]").integer == expected)
        }
      }
      #expect(program.size == Program.Size())
    }
  }
}
