public import TenonRuntime

extension Interpreter {
  /// Creates an interpreter for a program that is trusted as much as whoever runs it.
  ///
  /// The command uses it. What reaches outside the process is granted here and nowhere else.
  ///
  /// - Parameters:
  ///   - options: Its limits.
  ///   - console: What the program prints to and reads from.
  /// - Returns: The interpreter.
  public static func standard(
    _ options: Options = Options(), console: any Console
  ) -> Interpreter {
    Interpreter(options, console: console)
  }
}
