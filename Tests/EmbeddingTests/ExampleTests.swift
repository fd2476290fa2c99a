import Foundation
import Testing

/// The programs below `examples/embedding`: each is built with the tests and run here.
@Suite struct ExampleTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/embedding")

  /// A program that runs.
  final class Example {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    init(_ name: String, _ arguments: [String] = []) throws {
      let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      let program = tests.deletingLastPathComponent().appending(path: "TenonExample\(name)")
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      // What a process that is ended writes about its coverage would spoil that of the tests.
      process.arguments = ["LLVM_PROFILE_FILE=/dev/null", program.path] + arguments
      process.standardOutput = output
      process.standardInput = input
      try process.run()
    }

    func type(_ line: String) throws {
      try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    func readLine() -> String {
      var line: [UInt8] = []
      while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
        line.append(byte)
      }
      return String(decoding: line, as: UTF8.self)
    }

    /// Closes the input and waits for the end; what is left of the output.
    func finish() throws -> [String] {
      try input.fileHandleForWriting.close()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Ends a program that does not end by itself, and waits for that.
    ///
    /// Its signals are blocked as those of the thread are that has begun it: SIGTERM would wait for ever, and who
    /// reads what the tests print would wait for the program.
    func end() {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  private func run(_ name: String, _ arguments: String...) throws -> [String] {
    try Example(name, arguments).finish()
  }

  /// Calls a closure with a folder that is removed afterwards.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func pluginsDeclareCommands() throws {
    let plugins = ExampleTests.folder.appending(path: "plugins/plugins").path
    #expect(
      try run("Plugins", plugins) == [
        "backwards: says it from its end (letters.st)", "shout: says it loudly (letters.st)",
        "words: counts words (words.st)",
      ])
    #expect(try run("Plugins", plugins, "words", "three", "small", "words") == ["3"])
    #expect(try run("Plugins", plugins, "shout", "hey") == ["HEY!"])
    #expect(try run("Plugins", plugins, "sing") == ["no plug-in has a command 'sing'"])
  }

  @Test func aPluginThatFailsIsLeftOut() throws {
    try withFolder { folder in
      try "[ true ] whileTrue".write(
        to: folder.appending(path: "a.st"), atomically: true, encoding: .utf8)
      try "tool on: 'id' help: 'the same' do: [ :text | text ]".write(
        to: folder.appending(path: "b.st"), atomically: true, encoding: .utf8)
      try "tool on: 'id' help: 'again' do: [ :text | text ]".write(
        to: folder.appending(path: "c.st"), atomically: true, encoding: .utf8)
      let lines = try run("Plugins", folder.path)
      #expect(lines.first == "a.st is left out: the evaluation takes too many steps")
      #expect(lines.contains { $0.contains("error: 'id' is a command of b.st already") })
      #expect(lines.last == "id: the same (b.st)")
    }
  }

  @Test func theServerAnswersFromAScheme() throws {
    let site = ExampleTests.folder.appending(path: "server/site.st").path
    let server = try Example("Server", [site])
    defer { server.end() }
    let greeting = server.readLine()
    let port = try #require(greeting.split(separator: ":").last.map { $0.dropLast() })
    let client = """
      import http.client, sys
      def ask(method, path, body=None):
          c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=60)
          c.request(method, path, body)
          r = c.getresponse()
          print(r.status, r.read().decode().strip())
      ask('GET', '/greetings/Ada')
      ask('GET', '/notes/1')
      ask('PUT', '/notes/1', 'milk')
      ask('GET', '/notes/1')
      ask('DELETE', '/notes/1')
      ask('GET', '/notes/1')
      ask('PUT', '/greetings/Ada', 'x')
      ask('GET', '/slow')
      ask('GET', '/greetings/Bob')
      ask('PATCH', '/notes/1')
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", client, String(port)]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(
      String(decoding: data, as: UTF8.self).split(separator: "\n") == [
        "200 Hello, Ada!", "404 nothing is there", "204 ", "200 milk", "204 ",
        "404 nothing is there",
        "405 site:greetings/Ada: 'put' is not supported, only get", "503 that takes too long",
        "200 Hello, Bob!", "501 no PATCH here",
      ])
  }

  @Test func theGameTakesUpItsScript() throws {
    try withFolder { folder in
      let file = folder.appending(path: "game.st")
      let text = try String(
        contentsOf: ExampleTests.folder.appending(path: "game/game.st"), encoding: .utf8)
      try text.write(to: file, atomically: true, encoding: .utf8)
      let game = try Example("Game", [file.path])
      func frame() throws -> String {
        try game.type("")
        return game.readLine()
      }
      #expect(try frame() == "score 1 1 3")
      #expect(try frame() == "score 2 2 6")
      let edited = text.replacing("score {score}", with: "points {score}:")
        .replacing("var speed := 1.", with: "var speed := 1. var lift := 100.")
        .replacing("-step {", with: "-height { ^lift }\n  -step {")
        .replacing("{ball place}", with: "{ball place}/{ball height}")
      try edited.write(to: file, atomically: true, encoding: .utf8)
      #expect(try frame() == "variables: kept balls, score, display")
      #expect(game.readLine() == "classes: changed Ball (+lift, 2 instances)")
      #expect(
        game.readLine().hasPrefix("connections: added 'display |= \"points {score}:\"'; ended"))
      #expect(game.readLine() == "points 3: 3/100 9/100")
      // With an error in the text it goes on as it was.
      try (edited + "\nclass {").write(to: file, atomically: true, encoding: .utf8)
      #expect(try frame().contains("error"))
      var line = game.readLine()
      while !line.hasPrefix("points") { line = game.readLine() }
      #expect(line == "points 4: 4/100 12/100")
      #expect(try game.finish() == [])
    }
  }

  @Test func settingsAreKeptInStep() throws {
    let window = try Example("Settings")
    for line in ["points 20", "millimetres 1.75", "family Mono", "points many", "preview x"] {
      try window.type(line)
    }
    let lines = try window.finish()
    #expect(lines.contains("millimetres: 7.0") && lines.contains("points: 5.0"))
    #expect(lines.contains("preview: Mono, 5.0 pt"))
    #expect(lines.contains("problem: too small to read"))
    #expect(lines.contains("points: 'many' is none"))
    #expect(lines.contains { $0.hasPrefix("'preview' is determined by") })
    #expect(lines.last == "saved: Mono, 5.0")
  }

  @Test func theThermostatHeats() throws {
    let lines = try run("Thermostat")
    #expect(lines.contains { $0.contains("heating") } && lines.contains { $0.contains("off") })
  }
}
