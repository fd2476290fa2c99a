import Tenon
import TenonLexer
import TenonRuntime

#if canImport(Glibc)
  import Glibc
#endif

@main
struct Main {
  static func main() {
    let arguments = CommandLine.arguments
    let interpreter = Interpreter(console: TemporaryConsole())
    interpreter["arguments"] = interpreter.value(
      arguments.dropFirst(2).map { interpreter.value($0) })
    guard let file = unsafe fopen(arguments[1], "r") else { return }
    var bytes = [UInt8](repeating: 0, count: 1 << 22)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let source = SourceText(name: arguments[1], bytes: ContiguousArray(bytes[..<count]))
    switch interpreter.run(source) {
    case .finished: break
    case .rejected(let diagnostics, _):
      for each in diagnostics { print(each.rendered(in: source)) }
    case .failed(let error): print(error.rendered(), terminator: "")
    case .interrupted: print("interrupted")
    }
  }
}

final class TemporaryConsole: Console {
  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    _ = unsafe bytes.withUnsafeBufferPointer { unsafe Glibc.write(Int32(channel.rawValue), $0.baseAddress, $0.count) }
  }
  func flush() throws(ConsoleError) {}
  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? { nil }
  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] { [] }
}
