import Foundation
import Testing

@testable import Tenon

/// Property lists of others, and what others read: those of Python's `plistlib`.
@Suite struct PropertyListTests {
  /// What a program in Python prints.
  private func python(_ program: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "the tests of property lists need python3")
    return String(decoding: data, as: UTF8.self)
  }

  /// What a program prints; its error when it has one.
  private func run(_ program: String) -> String {
    onThread(stackSize: 64 << 20) {
      let console = RecordingConsole()
      do {
        _ = try Interpreter(console: console).evaluate(program)
      } catch {
        return "\(error)"
      }
      return console.lines.joined(separator: "\n")
    }
  }

  /// Values in Python, and how they are read.
  private static let values = [
    (
      "{'ages': [36, 2.5, True, False], 'name': 'Ada'}",
      "#{'ages': #(36 2.5 true false), 'name': 'Ada'}"
    ),
    (
      "[0, 255, 256, 65535, 65536, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -1, -129, -2**63]",
      "#(0 255 256 65535 65536 4294967296 9223372036854775807 9223372036854775808 18446744073709551615 -1 -129 -9223372036854775808)"
    ),
    (
      "[0.1, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, float('inf')]",
      "#(0.1 -0.0 5.0e-324 2.2250738585072014e-308 1.7976931348623157e308 inf)"
    ),
    ("['', 'é', '\\U0001F600', 'a' * 15]", "#('' 'é' '😀' 'aaaaaaaaaaaaaaa')"),
    ("[b'', bytes(range(4)), plistlib.UID(70000)]", "#(#[] #[0 1 2 3] #{'CF$UID': 70000})"),
    (
      "[datetime.datetime(2024, 2, 29, 12, 34, 56), datetime.datetime(1969, 7, 20, 20, 17, 40, 123456)]",
      "#(2024-02-29T12:34:56Z 1969-07-20T20:17:40.123456Z)"
    ),
    ("list(range(300))", "#(" + (0..<300).map { "\($0)" }.joined(separator: " ") + ")"),
    ("{'%05d' % i: [i] for i in range(400)}['00399']", "#(399)"),
    ("[[[]], {}, {'a': {}}]", "#(#(#()) #{} #{'a': #{}})"),
    ("'plain'", "'plain'"),
  ]

  @Test(arguments: values) func bytesOfOthersAreRead(_ value: String, _ expected: String) throws {
    let bytes = try python(
      """
      import plistlib, datetime
      print(*plistlib.dumps(\(value), fmt=plistlib.FMT_BINARY))
      """)
    #expect(run("stdout println: (PropertyList parse: #[\(bytes)]) printString.") == expected)
  }

  /// Many objects need references of more than one byte.
  @Test func largePropertyListsAreRead() throws {
    let bytes = try python(
      """
      import plistlib
      value = {'%05d' % i: [i, str(i)] for i in range(400)}
      print(*plistlib.dumps(value, fmt=plistlib.FMT_BINARY))
      """)
    #expect(
      run(
        "list := PropertyList parse: #[\(bytes)]. "
          + "stdout println: list size; println: (list at: '00399') printString.")
        == "400\n#(399 '399')")
  }

  /// The same values, written here and read there: equal to what they are there.
  @Test(arguments: values.filter { !$0.0.contains("UID") && !$0.0.contains("%05d") })
  func othersReadWhatIsWritten(_ value: String, _ text: String) throws {
    let original = try python(
      """
      import plistlib, datetime
      print(*plistlib.dumps(\(value), fmt=plistlib.FMT_BINARY))
      """)
    // Parts of seconds.
    let isXML = !value.contains("123456")
    let written = run(
      """
      value := PropertyList parse: #[\(original)].
      stdout println: ((PropertyList writeBinary: value) asArray joined: ' ').
      \(isXML ? "stdout println: ((PropertyList write: value) utf8 asArray joined: ' ')." : "")
      """)
    for bytes in written.split(separator: "\n") {
      #expect(
        try python(
          """
          import plistlib, datetime
          print(plistlib.loads(bytes(map(int, '\(bytes)'.split()))) == \(value))
          """) == "True\n")
    }
    #expect(written.split(separator: "\n").count == (isXML ? 2 : 1))
  }
}
