import Foundation
import Tenon
import TenonRuntime
import TenonStores
import Testing

/// Persistent stores as a host grants them.
@Suite struct PersistenceHostTests {
  @Test func whoWasGrantedNoneHasNone() {
    let interpreter = Interpreter()
    do throws(EvaluationError) {
      _ = try interpreter.evaluate("PersistentStore at: 'data'")
      Issue.record("opened")
    } catch {
      #expect("\(error)".contains("this program was granted no stores of the kind 'persistent'"))
    }
    #expect(interpreter.closeStores().isEmpty)
  }

  @Test func closingStoresGivesThemBack() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "tenon-persistence-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for number in 1...3 {
      let interpreter = Interpreter()
      interpreter.grantPersistence(in: FileStore(directory: directory)) { Issue.record("\($0)") }
      let value = try interpreter.evaluate(
        "store := PersistentStore at: 'data'. store at: 'n' put: ((store at: 'n') ifNil: [ 0 ]) + 1"
      )
      #expect(value.integer == number)
      #expect(interpreter.closeStores().isEmpty)
    }
  }
}
