internal import Tenon
internal import TenonLexer
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The command `tenon`.
@main
enum Main {
  static func main() {
    Interrupts.install()
    do throws(UsageError) {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      InterpreterThread.run(stackSize: options.stackSize) { stackSize in
        Command(options, stackSize: stackSize).run()
      }
    } catch {
      TerminalConsole(lineLimit: 0).tell("tenon: \(error.message); try 'tenon --help'")
      exit(ExitStatus.usage)
    }
  }
}
