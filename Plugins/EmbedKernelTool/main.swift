import Foundation
import TenonLexer
import TenonParser

// Usage: EmbedKernelTool OUTPUT FILE.st...
//
// Writes the texts of the kernel as raw string literals, and for each class a row with its
// variables and the places of its methods, so that an interpreter parses a method when it is first
// sent and not before. (Arrays of bytes would take the compiler a minute.)

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(1)
}

/// A Swift string literal that stands for exactly this text.
func literal(_ text: String) -> String {
  var marks = "#"
  while text.contains("\"" + marks) || text.contains("\\" + marks) { marks += "#" }
  return text.contains("\n") || text.contains("\"")
    ? "\(marks)\"\"\"\n\(text)\n\"\"\"\(marks)" : "\(marks)\"\(text)\"\(marks)"
}

/// The comment lines directly above a definition, joined; indented ones are examples and left out.
func commentLines(above start: Int, in bytes: ContiguousArray<UInt8>) -> String {
  let lines = String(decoding: bytes[..<start], as: UTF8.self)
    .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  let comments = lines.reversed().prefix { $0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
  return comments.reversed().map { $0.trimmingCharacters(in: .whitespaces).dropFirst(2) }
    .filter { !$0.hasPrefix("  ") }
    .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
}

/// The methods among the members of a class or an extension: a line with side, selector, file and
/// place for each.
func methodLines(_ members: [Member], file: Int, source: SourceText) -> [String] {
  members.compactMap { member in
    switch member {
    case .variable: return nil
    case .method(let method):
      let side = method.isClassMethod ? "+" : "-"
      return "\(side) \(method.header.selector) \(file) \(method.range.start) \(method.range.end)"
    default:
      let line = source.location(of: member.range.start).line
      fail("\(source.name):\(line): the kernel's classes have variables and methods only")
    }
  }
}

/// A class of the kernel, with what the files say of it.
struct ClassRow {
  let name: String
  let order: Int
  let superclass: String
  let comment: String
  let variables: [String]
  var methods: [String]

  init(_ definition: ClassDefinition, order: Int, file: Int, source: SourceText) {
    name = definition.name.text
    self.order = order
    superclass = definition.superclass?.text ?? "Object"
    comment = commentLines(above: Int(definition.range.start), in: source.bytes)
    variables = definition.members.compactMap { member in
      guard case .variable(let variable) = member else { return nil }
      guard variable.value == nil else {
        fail("\(source.name): the kernel's variables begin as nil")
      }
      return variable.name.text
    }
    methods = methodLines(definition.members, file: file, source: source)
  }

  /// The row as Swift text.
  var text: String {
    """
      KernelClass(
        name: \(literal(name)), order: \(order), superclass: \(literal(superclass)),
        comment: \(literal(comment)),
        variables: \(literal(variables.joined(separator: " "))),
        methods: \(literal(methods.joined(separator: "\n")))),

    """
  }
}

guard CommandLine.arguments.count > 2 else { fail("usage: EmbedKernelTool OUTPUT FILE.st...") }
var files = ""
var classes: [ClassRow] = []
var extensions: [(definition: ExtensionDefinition, file: Int, source: SourceText)] = []
for (number, path) in CommandLine.arguments.dropFirst(2).enumerated() {
  guard let data = FileManager.default.contents(atPath: path),
    let text = String(data: data, encoding: .utf8)
  else { fail("cannot read \(path)") }
  let name = (path as NSString).lastPathComponent
  let source = SourceText(name: "kernel/\(name)", text)
  let result = Parser(source).parseScript()
  guard let script = result.script else {
    fail(result.diagnostics.map { $0.rendered(in: source) }.joined(separator: "\n"))
  }
  files += "    KernelFile(name: \(literal(source.name)), text: \(literal(text))),\n"
  for statement in script.statements {
    switch statement {
    case .definition(.class(let definition)):
      classes.append(
        ClassRow(definition, order: classes.count, file: number, source: source))
    case .definition(.extension(let definition)):
      extensions.append((definition, number, source))
    default: fail("\(name): the kernel's files hold classes and extensions only")
    }
  }
}
for (definition, file, source) in extensions {
  guard let index = classes.firstIndex(where: { $0.name == definition.name.text }) else {
    fail("\(source.name): there is no class \(definition.name.text)")
  }
  classes[index].methods += methodLines(definition.members, file: file, source: source)
}
// A class is looked for by name.
classes.sort { $0.name < $1.name }
let output = """
  // Written by EmbedKernelTool from the texts of the kernel.

  enum KernelText {
    static let files: [KernelFile] = [
  \(files)  ]

    static let classes: [KernelClass] = [
  \(classes.map(\.text).joined())  ]
  }

  """
do {
  try output.write(toFile: CommandLine.arguments[1], atomically: true, encoding: .utf8)
} catch {
  fail("cannot write \(CommandLine.arguments[1]): \(error)")
}
