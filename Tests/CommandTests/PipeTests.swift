import Foundation
import Testing

/// Pipes among the files: nothing stands still until they are filled.
struct PipeTests {
  @Test func theLoopRunsWhileAPipeIsFilled() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "tenon-pipe-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let pipe = directory.path + "/pipe"
    let result = try Command.run(
      "-e",
      """
      process:mkfifo/{'\(pipe)'}.
      pipe := Reference on: 'file:\(pipe)'.
      var ticks := 0. var seen.
      fill := [ :text | (ref:process:sh/-c/{'while [ ! -e "\(pipe).go" ]; do sleep 0.01; done; rm "\(pipe).go"; printf ' , text , ' > "\(pipe)"'}) start ].
      Timer evaluate: [ ticks := ticks + 1. ticks = 10 ifTrue: [ (Reference on: 'file:\(pipe).go') value: '' ] ] every: 5 milliseconds.
      fill value: 'one'.
      stdout println: #(pipe value, ticks >= 10).
      fill value: 'two'. ticks := 0.
      k := (seen |= pipe value).
      [ seen = 'two' ] whileFalse: [ 5 milliseconds wait ].
      stdout println: #(seen, ticks >= 10).
      Exit status: 0
      """)
    #expect(result.errors == "")
    #expect(result.output == "#('one' true)\n#('two' true)\n")
  }
}
