import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// The copy of the environment.
@Suite struct EnvironmentStoreTests {
  @Test func theProcessEnvironmentIsThere() throws {
    let store = EnvironmentStore()
    let variables = ProcessInfo.processInfo.environment
    #expect(try store.text(environment("PATH")) == variables["PATH"])
    #expect(store.value(of: "PATH") == variables["PATH"].map { Array($0.utf8) })
    #expect(try store.text(environment("TENON_NO_SUCH_VARIABLE")) == nil)
    #expect(store.variables.count == (try store.list(environment("")).count))
  }

  @Test func writesStayInTheStore() throws {
    let store = EnvironmentStore()
    try store.put(environment("TENON_TEST_VARIABLE"), "value")
    #expect(try store.text(environment("TENON_TEST_VARIABLE")) == "value")
    #expect(ProcessInfo.processInfo.environment["TENON_TEST_VARIABLE"] == nil)
    #expect(EnvironmentStore().value(of: "TENON_TEST_VARIABLE") == nil)
    #expect(try store.delete(environment("PATH"), if: nil))
    #expect(ProcessInfo.processInfo.environment["PATH"] != nil)
  }

  @Test func stringsAreTakenApart() throws {
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    let store = EnvironmentStore(strings: [
      bytes("A=1"), bytes("B="), bytes("C=x=y"), bytes("no sign"), bytes("=hidden"), bytes(""),
      bytes("A=second"), [0xFF] + bytes("=1"), bytes("D=") + [0xFF, 0x80], bytes("line\nbreak=1"),
      bytes(String(repeating: "n", count: 256) + "=1"),
    ])
    #expect(try store.names(environment("")) == ["A", "B", "C", "D"])
    #expect(try store.text(environment("A")) == "1")
    #expect(try store.text(environment("B")) == "")
    #expect(try store.text(environment("C")) == "x=y")
    #expect(store.value(of: "D") == [0xFF, 0x80])
  }

  @Test func aVariableHasOnlyAName() throws {
    let store = EnvironmentStore(["A": "1"])
    #expect(kind { _ = try store.get(environment("A/b"), if: nil) } == .invalidReference)
    #expect(kind { try store.put(environment("A=B"), "1") } == .invalidReference)
    #expect(kind { _ = try store.get(reference("env", "A/"), if: nil) } == .notADirectory)
    #expect(
      kind { try store.put(environment("A"), Resource([1, 0, 2], contentType: ""), if: nil) }
        == .encode)
    #expect(
      message { _ = try store.list(environment("A")) } == "env:A: a variable has nothing below it")
    #expect(try store.text(environment("A")) == "1")
    #expect(store.capabilities.durability == .none)
  }
}
