import Foundation
import Tenon
import TenonLexer
import TenonRuntime
import TenonStoreKit
import TenonStores
import Testing

/// What was not granted cannot be done, by whatever way.
@Suite struct PowerTests {
  /// How a text ends: its value as text, or the class of the exception, or `rejected`.
  private func end(_ text: String, in interpreter: Interpreter) -> String {
    do throws(EvaluationError) {
      return interpreter.printString(try interpreter.evaluate(text))
    } catch {
      switch error {
      case .script(let error): return error.className
      case .syntax: return "rejected"
      default: return "\(error)"
      }
    }
  }

  @Test func nothingIsThereAtFirst() {
    for scheme in ["file", "env", "http", "https", "sqlite", "process", "defaults", "zlib"] {
      let interpreter = Interpreter()
      #expect(end("\(scheme):a", in: interpreter) == "rejected")
      #expect(end("Smalltalk evaluate: '\(scheme):a'", in: interpreter) != "'a'")
      #expect(end("(Reference scheme: '\(scheme)' path: #('a')) value", in: interpreter) != "'a'")
    }
  }

  @Test func filesBelowADirectory() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID().uuidString)")
    let inside = root.appending(path: "inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    try Data("public".utf8).write(to: inside.appending(path: "a.txt"))
    try Data("secret".utf8).write(to: root.appending(path: "b.txt"))
    try FileManager.default.createSymbolicLink(
      atPath: inside.appending(path: "link").path, withDestinationPath: "../b.txt")
    let reader = Interpreter()
    try reader.grantFiles(below: inside.path)
    let ways = [
      "file:a.txt", "var p := 'a.txt'. file:{p}", "Smalltalk evaluate: 'file:a.txt'",
      "ref:file:a.txt value",
    ]
    for way in ways { #expect(end(way, in: reader) == "'public'", "\(way)") }
    let out = [
      "file:../b.txt", "file:/../b.txt", "file:link", "var q := '../b.txt'. file:{q}",
      "Smalltalk evaluate: 'file:../b.txt'",
    ]
    for way in out { #expect(!end(way, in: reader).contains("secret"), "\(way)") }
    let writes = [
      "file:a.txt := 'x'", "file:n.txt := 'x'", "ref:file:a.txt delete",
      "ref:file:d makeDirectory", "ref:file:a.txt deleteTree",
      "ref:file:a.txt moveTo: ref:file:c.txt",
      "var t := 'x'. file:a.txt |= t", "var u := 'y'. file:a.txt =|= u",
      "Smalltalk evaluate: 'file:a.txt := ''x'''", "ref:file:a.txt perform: #delete",
      "ref:file:a.txt appendLine: 'x'",
    ]
    for way in writes { _ = end(way, in: reader) }
    #expect(try String(contentsOf: inside.appending(path: "a.txt"), encoding: .utf8) == "public")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: inside.path).sorted() == [
        "a.txt", "link",
      ])
    let another = Interpreter()
    try another.grantFiles(below: inside.path)
    #expect(end("file:a.txt := 'x'", in: another) == "StoreError")
    let writer = Interpreter()
    try writer.grantFiles(below: inside.path, .writing)
    #expect(end("file:a.txt := 'new'. file:a.txt", in: writer) == "'new'")
    #expect(throws: StoreError.self) {
      try writer.grantFiles(below: inside.appending(path: "missing").path)
    }
  }

  @Test func variablesOfTheEnvironment() {
    let interpreter = Interpreter()
    interpreter.grantEnvironment(["PATH", "TENON_NO_SUCH_VARIABLE"])
    #expect(end("env:PATH isString", in: interpreter) == "true")
    #expect(end("env:TENON_NO_SUCH_VARIABLE", in: interpreter) == "nil")
    #expect(end("env:HOME", in: interpreter) == "nil")
  }

  @Test func serversByName() {
    let interpreter = Interpreter()
    interpreter.grantServers(["example.invalid"])
    let refused = [
      "http://other.invalid/a", "https://example.invalid.other.invalid/",
      "http://example.invalid/a := 'x'", "(http:) proxy: 'http://127.0.0.1:9'",
      "(http:) certificates: '/etc/passwd'", "ref:http://other.invalid/a webSocket",
      "ref:http://other.invalid/a writeStream",
      "ref:http://example.invalid/a writeStreamDo: [ :out | out << 'x' ]",
      "ref:http://other.invalid/a request body: [ :out | out << 'x' ]; put",
      "ref:http://example.invalid/a request body: [ :out | out << 'x' ]; post",
      "ref:http://example.invalid/a request upload: ref:http://example.invalid/b",
    ]
    for text in refused {
      let message = "[ \(text) ] on: StoreError do: [ :e | e messageText ]"
      #expect(end(message, in: interpreter).contains("granted"), "\(text)")
    }
  }
}
