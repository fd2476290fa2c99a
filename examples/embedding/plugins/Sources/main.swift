// A command-line tool whose commands are scripts: `swift run plugins FOLDER [COMMAND WORD ...]`.
//
// Each file of the folder is a plug-in, with an interpreter of its own: it reaches nothing but the tool that
// it is given, and neither a loop without end nor an error in one of them touches the others.
import Foundation
import Tenon

/// A command that a plug-in has declared.
struct Command {
  let help: String
  let plugin: String
  let block: Handle
}

/// What plug-ins see of the tool.
final class Tool: ScriptObject {
  private(set) var commands: [String: Command] = [:]
  /// The plug-in that is being loaded.
  var plugin = ""

  func declare(_ name: String, _ help: String, _ block: Handle) throws {
    if let other = commands[name] { throw ToolError.declaredTwice(name, by: other.plugin) }
    commands[name] = Command(help: help, plugin: plugin, block: block)
  }
}

enum ToolError: Error, CustomStringConvertible {
  case declaredTwice(String, by: String)

  var description: String {
    switch self {
    case .declaredTwice(let name, let plugin): "'\(name)' is a command of \(plugin) already"
    }
  }
}

/// Loads a plug-in.
///
/// - Returns: Its interpreter, which must live as long as its commands are used.
func load(_ file: URL, into tool: Tool) throws -> Interpreter {
  var options = Interpreter.Options()
  options.stepLimit = 1_000_000
  options.memoryLimit = 16 << 20
  let interpreter = Interpreter(options)
  try interpreter.define(Tool.self) {
    HostMethod("on:help:do:") { (tool, name: String, help: String, block: Handle) in
      try tool.declare(name, help, block)
    }
  }
  interpreter["tool"] = tool
  tool.plugin = file.lastPathComponent
  _ = try interpreter.evaluate(
    String(contentsOf: file, encoding: .utf8), name: file.lastPathComponent)
  return interpreter
}

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
  print("usage: plugins FOLDER [COMMAND WORD ...]")
  exit(2)
}
let tool = Tool()
var interpreters: [Interpreter] = []
let files = try FileManager.default.contentsOfDirectory(
  at: URL(fileURLWithPath: arguments[1]), includingPropertiesForKeys: nil)
for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "st" {
  do {
    interpreters.append(try load(file, into: tool))
  } catch {
    print("\(file.lastPathComponent) is left out: \(error)")
  }
}
guard arguments.count > 2 else {
  for (name, command) in tool.commands.sorted(by: { $0.key < $1.key }) {
    print("\(name): \(command.help) (\(command.plugin))")
  }
  exit(0)
}
guard let command = tool.commands[arguments[2]] else {
  print("no plug-in has a command '\(arguments[2])'")
  exit(1)
}
do {
  let result = try command.block.call(arguments.dropFirst(3).joined(separator: " "))
  print(try result.send("displayString", as: String.self))
} catch {
  print(error)
  exit(1)
}
