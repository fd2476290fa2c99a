import Foundation
import TenonLexer
import TenonParser
import Testing

/// No text takes time that grows with the square of its length.
///
/// Eight times the text may take twenty-four times as long, where a square would take sixty-four.
/// What is compared is the processor's time, and several attempts are made, so that nothing depends
/// on what else the machine does.
@Suite(.serialized) struct LinearityTests {
  static let shapes = [
    "a. ", "a + ", "(", "\"{", "a-", "a-b ", "+|", "|", "// c\n", "x := ]. ", "x := ].\n", "\"a{",
    "\"{'", "$", "#", "'", "\"", ")", ".", ":", "-", "-a:b ", "class A {", "| a ", "<a>",
    "a // b.\n",
    "a\n", "x foo: [a b] c ] ", "\"{[a b: . c]}\". ", "connector ~> { } ", "a:", "file:{",
    "file:{a ",
    "a[1]", "[:x|x]. ", "a-b := 1. ", "a ; b ", "-a { ^b } ", "'a'. ", "#(1 -2, ", "#(a b ", "(a]",
    "{ a: 1 } ", "#at:put: ", "a. b-c. b-c := 1. ",
  ]

  @Test(arguments: shapes) func shape(_ shape: String) {
    var ratio = 0.0
    for _ in 0..<4 {
      let small = time(shape, size: 8_000)
      let large = time(shape, size: 64_000)
      ratio = large / small
      if ratio < 24 || large < 0.02 { return }
    }
    Issue.record("\(shape.debugDescription) takes \(ratio) times as long for 8 times the text")
  }

  /// Returns the least of two processor times that parsing takes.
  private func time(_ shape: String, size: Int) -> Double {
    let text = SourceText(
      name: "shape.st", String(repeating: shape, count: size / shape.utf8.count))
    return (0..<2).map { _ in
      let start = processorTime()
      let result = Parser(text).parseScript()
      for diagnostic in result.diagnostics { _ = diagnostic.rendered(in: text) }
      return processorTime() - start
    }.min() ?? 0
  }

  /// Returns how long this thread has run, in seconds.
  private func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
