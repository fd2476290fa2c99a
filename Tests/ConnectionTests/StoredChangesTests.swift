import TenonStoreKit
import Testing

@testable import TenonRuntime

/// What stores have announced and nobody has taken up.
@Suite struct StoredChangesTests {
  private func change(_ components: String...) throws -> Change {
    Change(.put, try Reference(scheme: "s", components: components))
  }

  @Test func fewAreKeptAsTheyCome() throws {
    let changes = StoredChanges()
    for number in 0..<StoredChanges.limit {
      changes.note(try change("list", "\(number % 10)", "\(number)"))
    }
    #expect(changes.count == StoredChanges.limit)
    let taken = changes.takeAll()
    #expect(taken.count == StoredChanges.limit)
    #expect(taken.allSatisfy { !$0.coversBelow && $0.reference.components.count == 3 })
    #expect(changes.isEmpty)
  }

  /// What stands for many covers each of them.
  @Test func manyAreToldAsWhatIsAboveThem() throws {
    let changes = StoredChanges()
    var all: [Reference] = []
    for number in 0..<20_000 {
      let change = try change("list", "\(number % 100)", "\(number)")
      all.append(change.reference)
      changes.note(change)
      #expect(changes.count <= StoredChanges.limit)
    }
    let taken = changes.takeAll()
    #expect(taken.count <= 100)
    for reference in all {
      let isTold = taken.contains {
        $0.reference == reference || $0.coversBelow && $0.reference.isPrefix(of: reference)
      }
      #expect(isTold, "\(reference)")
    }
    // The next ones come in full detail again.
    changes.note(try change("list", "1", "2"))
    #expect(changes.takeAll().map { $0.reference.description } == ["s:list/1/2"])
  }

  @Test func withoutAnythingAboveAllIsMeant() throws {
    let changes = StoredChanges()
    for number in 0..<10_000 { changes.note(try change("\(number)")) }
    let taken = changes.takeAll()
    #expect(taken.count == 1)
    #expect(taken.first?.coversBelow == true)
    #expect(taken.first?.reference.components == [])
  }

  /// A directory that is written to often is one listing.
  @Test func listingsAreNotedOnce() throws {
    let changes = StoredChanges()
    for number in 0..<1000 {
      let place = try Reference(scheme: "s", components: ["d\(number % 2)", "\(number)"])
      try changes.changing(place, notesListing: true) { () throws(StoreError) in
        changes.note(Change(.put, place))
      }
    }
    let taken = changes.takeAll()
    #expect(taken.count == 2)
    #expect(taken.allSatisfy { $0.isListing })
  }
}
