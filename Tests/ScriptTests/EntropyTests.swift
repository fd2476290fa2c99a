import Tenon
import TenonRuntime
import Testing

/// Where random bytes come from: from outside the process only where the host says so.
@Suite struct EntropyTests {
  private static func identifier(_ make: @escaping @Sendable () -> Interpreter) -> String? {
    onThread(stackSize: 8 << 20) {
      let interpreter = make()
      return try? interpreter.evaluate("UUID new displayString").string
    }
  }

  @Test func withoutASourceTheyAreTheSameInEachRun() throws {
    let first = try #require(Self.identifier { Interpreter() })
    #expect(first == Self.identifier { Interpreter() })
  }

  @Test func aHostGivesTheSource() throws {
    let identifier = Self.identifier {
      let interpreter = Interpreter()
      var words: [UInt64] = [0xFFEE_DDCC_BBAA_9988, 0x7766_5544_3322_1100]
      interpreter.entropy = { words.popLast() ?? 0 }
      return interpreter
    }
    // The version and the variant stand where they have to.
    #expect(identifier == "00112233-4455-4677-8899-aabbccddeeff")
  }

  @Test func theCommandHasTheSystems() throws {
    let make: @Sendable () -> Interpreter = {
      .standard(program: "entropy-tests", console: NullConsole())
    }
    let first = try #require(Self.identifier(make))
    #expect(first != Self.identifier(make))
  }
}
