import Foundation
import Synchronization
import TenonStoreKit
import Testing

@testable import TenonStores

/// Other programs as places.
@Suite struct ProcessStoreTests {
  let store = ProcessStore()

  func place(_ arguments: String...) throws -> Reference {
    try Reference(scheme: "process", components: arguments)
  }

  /// The processes that were started here and are not gone.
  var children: [String] {
    let own = "\(ProcessInfo.processInfo.processIdentifier)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { name in
      guard Int(name) != nil,
        let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let rest = status.split(separator: ")").last
      else { return false }
      let parts = rest.split(separator: " ")
      return parts.count > 1 && parts[1] == own && status.contains("(tenon-sleeper")
    }
  }

  @Test func theOutputIsTheValue() throws {
    #expect(try store.text(place("echo", "a  b", "$HOME; ls", "*")) == "a  b $HOME; ls *\n")
    #expect(try store.text(place("true")) == "")
    guard case .resource(let bytes) = try store.get(place("printf", "\\377"), if: nil) else {
      Issue.record("there is output")
      return
    }
    #expect(bytes == Resource([0xFF], contentType: "application/octet-stream"))
  }

  @Test func failuresAreErrors() throws {
    #expect(
      message { _ = try store.get(place("sh", "-c", "echo oops >&2; echo no; exit 3"), if: nil) }
        == "process:sh/-c/echo oops >&2; echo no; exit 3: it ended with status 3: oops")
    #expect(
      message { _ = try store.get(place("sh", "-c", "kill -9 $$"), if: nil) }
        == "process:sh/-c/kill -9 $$: it was ended by signal 9")
    #expect(
      message { _ = try store.get(place("tenon-no-such-program"), if: nil) }
        == "process:tenon-no-such-program: there is no program 'tenon-no-such-program'")
    #expect(kind { _ = try store.get(place("/"), if: nil) } != nil)
    #expect(kind { _ = try store.get(reference("process", "ls/"), if: nil) } == .invalidReference)
    #expect(kind { _ = try store.list(place("ls")) } == .unsupported)
  }

  /// What a host ignores its children need not: signals mean to a program what they mean in a shell.
  @Test func ignoredSignalsAreNotHandedOn() throws {
    let usual = signal(SIGQUIT, SIG_IGN)
    defer { _ = signal(SIGQUIT, usual) }
    let status = try store.text(place("cat", "/proc/self/status")) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
    let mask = line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) }
    #expect(mask.map { $0 & (1 << UInt64(SIGQUIT - 1)) } == 0)
  }

  @Test func whatIsPutIsRead() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/out"
    let large = String(repeating: "0123456789", count: 100_000)
    try store.put(place("sh", "-c", "cat > \(file)"), large)
    #expect(directory.text("out") == large)
    // A program that reads nothing is none that fails.
    try store.put(place("true"), large)
    let answer = try store.perform(
      "filter", Resource(Array(#""b\na\n""#.utf8), contentType: "application/json"),
      at: place("sort"))
    guard case .resource(let sorted) = answer else {
      Issue.record("there is output")
      return
    }
    #expect(sorted == Resource("a\nb\n"))
  }

  /// What nobody can name any more is not kept.
  @Test func programsAreForgotten() throws {
    func perform(_ command: String, _ json: String) throws -> String? {
      let answer = try store.perform(
        command, Resource(Array(json.utf8), contentType: "application/json"), at: place("true"))
      guard case .resource(let resource) = answer else { return nil }
      return String(decoding: resource.bytes, as: UTF8.self)
    }
    let started = try #require(try perform("start", "{}"))
    let number = try #require(started.dropFirst().split(separator: ",").first.map(String.init))
    #expect(try perform("wait", number)?.contains("0") == true)
    #expect(try perform("ending", number) != nil)
    _ = try perform("forget", number)
    #expect(message { _ = try perform("ending", number) }?.contains("no such program") == true)
  }

  @Test func programsThatTakeTooLongEnd() throws {
    store.timeout = 100
    #expect(
      message { _ = try store.get(place("sh", "-c", "trap '' TERM; sleep 60"), if: nil) }?
        .hasSuffix("it has not ended within 100 ms") == true)
    store.timeout = nil
    let asked = Mutex(0)
    store.isInterrupted = {
      asked.withLock {
        $0 += 1; return $0 > 2
      }
    }
    #expect(
      message { _ = try store.get(place("sleep", "60"), if: nil) }
        == "process:sleep/60: interrupted")
  }

  @Test func programsThatPrintTooMuchEnd() throws {
    store.limit = 1 << 20
    #expect(kind { _ = try store.get(place("yes"), if: nil) } == .tooLarge)
  }

  @Test func nothingIsLeft() throws {
    // Under a name of its own, as other tests have children, too.
    let directory = try TemporaryDirectory()
    let program = directory.path + "/tenon-sleeper"
    try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
    store.timeout = 50
    for _ in 0..<3 {
      #expect(kind { _ = try store.get(place(program, "60"), if: nil) } == .timeout)
    }
    store.timeout = nil
    _ = try store.get(place(program, "0"), if: nil)
    #expect(kind { _ = try store.get(place(program, "x"), if: nil) } == .io)
    #expect(children == [])
  }

  @Test func whoStaysBehindIsNotWaitedFor() throws {
    let start = ContinuousClock.now
    #expect(try store.text(place("sh", "-c", "sleep 30 & echo done")) == "done\n")
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}
