import Foundation
import Tenon
import TenonGrammarSupport
import TenonLexer
import TenonRuntime
import Testing

/// Sends everything to everything: whatever a program does with the kernel, the answer is a value
/// or an exception of the language, never a trap and never a hang.
///
/// Each message that one of the receivers understands is sent to it once; the rest of the sends is
/// drawn at random. `HOSTILE_SENDS=300000` asks for more than a default run has, `TENON_TEST_SEED=7`
/// for others, `HOSTILE_LOG=path` for a file that names each before it is made. A smaller sample is made
/// with a collection at every safepoint, `HOSTILE_STRESSED_SENDS=20000` asks for more of it: what
/// only Swift code holds while the program's code runs is gone then.
@Suite struct HostileSendTests {
  /// What stands for receivers and arguments: each made anew for each send.
  static let values = """
    class Evil {
      -= other { ^3 }
      -hash { ^'hash' }
      -< other { ^nil }
      -<= other { ^#() }
      -size { ^-5 }
      -do: aBlock { aBlock value: self }
      -printOn: stream { ^self error: 'no print' }
      -displayString { ^3 }
      -printString { ^nil }
      -asString { ^nil }
      -asArray { ^7 }
      -asFloat { ^'float' }
      -isString { ^true }
      -isNumber { ^true }
      -isExact { ^true }
      -isCollection { ^true }
      -numerator { ^nil }
      -denominator { ^0 }
      -key { ^self }
      -value { ^self }
      -value: anObject { ^nil }
      -signal { ^3 }
    }
    values := #(
      [ nil ], [ true ], [ false ], [ 0 ], [ 1 ], [ -1 ], [ 3 ], [ 255 ], [ 4611686018427387903 ],
      [ -4611686018427387904 ], [ 4611686018427387904 ], [ 18446744073709551616 ],
      [ -340282366920938463463374607431768211456 ], [ 3 / 4 ], [ -7 / 2 ], [ 3.14s2 ], [ 1.5 ],
      [ -0.0 ], [ Float nan ], [ Float infinity ], [ 0.0 - Float infinity ], [ 5.0e-324 ],
      [ 1.0e300 ], [ $a ], [ 1114111 asCharacter ], [ '' ], [ 'abc' ], [ 'x' * 300 ],
      [ 'h\u{E9}\u{1F468}\u{200D}\u{1F469}e\u{301}' ], [ #name ], [ #at:put: ], [ #value: ],
      [ #+ ], [ #() ], [ #(1 2 3) copy ], [ #(3 'a' nil 1.5) copy ], [ #[1 2 255] copy ],
      [ [ ] ], [ [ :x | x ] ], [ [ :x :y | x < y ] ], [ [ :x :y :z | z ] ], [ [ nil foo ] ],
      [ #{ a: 1, 'b': 2 } ], [ Dictionary new ], [ IdentityDictionary new ],
      [ Set new add: 3; add: 'x'; yourself ], [ IdentitySet new ],
      [ OrderedCollection new add: 5; add: nil; yourself ], [ OrderedCollection new ],
      [ 1 to: 5 ], [ 5 to: 1 by: -2 ], [ 1 to: 0 ], [ 0 to: 1 by: 1 / 3 ], [ 1 => 2 ], [ 3 @ 4 ],
      [ ReadStream on: #(1 2 3) ], [ ReadStream on: 'a line' ], [ WriteStream on: '' ],
      [ WriteStream on: #() ], [ stdout ], [ stdin ], [ Object new ], [ Object ], [ Array ],
      [ Exception ], [ Exception new ], [ Error new messageText: 3; yourself ],
      [ MessageNotUnderstood new ], [ ZeroDivide , KeyNotFound ], [ ExceptionSet new ],
      [ Evil new ], [ Evil ], [ self ], [ Fraction basicNew ], [ Integer basicNew ],
      [ Boolean basicNew ], [ Number basicNew ], [ ScaledDecimal basicNew ],
      [ LinkedList withAll: #(1 2 3) ], [ (LinkedList withAll: #(1 2 3)) firstLink ],
      [ LinkedList basicNew ], [ ListLink new ], [ SortedCollection withAll: #(3 1 2) ],
      [ SortedCollection sortBlock: [ :a | a ] ], [ Bag new add: 3; add: 3; yourself ],
      [ ReadWriteStream with: 'text' ], [ ReadWriteStream on: #[] ], [ ReadWriteStream basicNew ],
      [ WriteStream on: #[] ], [ Random seed: 3 ], [ Random basicNew ], [ Array >> #sort: ],
      [ CompiledMethod new ], [ TestCase new ], [ TestResult new ], [ TestSuite new ],
      [ TestOutcome new ], [ Evil class ], [ Metaclass ], [ Class ], [ mem: ], [ ref:mem:a/b ],
      [ MemoryStore new ], [ stderr ], [ Association basicNew ], [ Set ], [ String ], [ Float ],
      [ Bag basicNew ], [ ExceptionSet basicNew ], [ IdentitySet basicNew ],
      [ OrderedCollection basicNew ], [ Dictionary basicNew ], [ Interval basicNew ],
      [ WriteStream basicNew ], [ ReadStream basicNew ], [ Point basicNew ],
      [ '(a)|b*' asRegex ], [ Regex basicNew ], [ 'xab' firstMatch: '(?<n>a)|(b)' ],
      [ RegexMatch basicNew ], [ JSON ], [ CSV new ], [ CSV basicNew ], [ UUID new ], [ UUID ],
      [ UUID basicNew ], [ URL ], [ URL basicNew ], [ 'http://a:8/b?c#d' asURL ], [ Regex ],
      [ Digest sha256 ], [ Digest ], [ Digest basicNew ], [ HTML ],
      [ Compression ], [ TextTable ], [ Terminal ], [ TextStyle ], [ Progress ], [ stdout ],
      [ #(3 1) withProgress: 'title' ], [ ProgressCollection basicNew ], [ ZipStore basicNew ],
      [ TextTable of: #(#(1 'a') #(2 'b')) columns: nil ], [ TextTable basicNew ],
      [ Message selector: #foo arguments: #(1) ], [ Message basicNew ],
      [ 90 minutes ], [ -1 nanosecond ], [ (2 raisedTo: 70) seconds ], [ '2024-02-29' asDate ],
      [ '-999999-01-01' asDate ], [ Time noon ], [ DateTime fromUnixTime: 5 / 3 ],
      [ '9999-12-31T23:59:59.9-12:30' asDateTime ], [ TimeZone utc ], [ TimeZone offset: 2 hours ],
      [ Future new ], [ Future resolved: 3 ], [ [ 3 / 0 ] future ], [ WeakReference on: 'abc' ],
      [ Duration ], [ Date ], [ Time ], [ DateTime ], [ TimeZone ], [ Future ], [ Timer ],
      [ Duration basicNew ], [ Date basicNew ], [ Time basicNew ], [ DateTime basicNew ],
      [ TimeZone basicNew ], [ Future basicNew ], [ Timer new ], [ WeakReference new ],
      [ (Array new: 3) at: 1 put: Evil new; yourself ],
      [ | a | a := Array new: 2. a at: 1 put: a; at: 2 put: #(a). a ],
      [ | c | c := OrderedCollection new. c add: c. c ],
      [ | d | d := Dictionary new. d at: #self put: d. d ],
      [ | s | s := Set new. s add: #(s). s ]
    ).
    selectors := [ :object |
      | all class |
      all := Set new.
      class := object class.
      [ class isNil ] whileFalse: [
        // What every object understands need not be sent as often as the rest.
        class == Object ifFalse: [ all addAll: class selectors ].
        class := class superclass ].
      all asArray sort ].
    """

  /// Messages that may go on for ever, as they are meant to.
  static let endless: Set<String> = [
    "repeat", "whileTrue", "whileFalse", "whileTrue:", "whileFalse:", "timesRepeat:", "to:do:",
    "to:by:do:", "retry", "factorial", "productFrom:", "take:", "isWitness:odd:shifts:",
    "next:put:", "next:putAll:", "doWhileTrue:", "doWhileFalse:", "permutationsDo:",
    "permutationsFrom:do:", "combinations:do:",
  ]

  @Test func everythingToEverything() {
    run(count("HOSTILE_SENDS") ?? 25_000, collectEvery: 0)
  }

  @Test func everythingWithACollectionAtEverySafepoint() {
    run(count("HOSTILE_STRESSED_SENDS") ?? 120, collectEvery: 1)
  }

  private func count(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
  }

  private func run(_ count: Int, collectEvery: Int) {
    let log = ProcessInfo.processInfo.environment["HOSTILE_LOG"]
    let problems = onThread(stackSize: 64 << 20) {
      var sends = HostileSends(seed: testSeed, log: log, collectEvery: collectEvery)
      return collectEvery == 0 ? sends.run(count: count) : sends.runAtRandom(count: count)
    }
    for problem in problems { Issue.record("\(problem)") }
  }
}

/// A series of sends, each of random values.
private struct HostileSends {
  private var generator: RandomNumbers
  private let log: FileHandle?
  private let collectEvery: Int
  private let interpreter: Interpreter
  private var values: [Handle] = []
  private var selectors: [[String]] = []
  private var commonSelectors: [String] = []

  init(seed: UInt64, log: String?, collectEvery: Int) {
    self.collectEvery = collectEvery
    generator = RandomNumbers(seed: seed)
    self.log = log.flatMap {
      FileManager.default.createFile(atPath: $0, contents: nil)
        ? FileHandle(forWritingAtPath: $0) : nil
    }
    var options = Interpreter.Options()
    options.memoryLimit = 32 << 20
    interpreter = Interpreter(options, console: RecordingConsole(input: ["a line", "another"]))
  }

  /// Makes the sends, each message of each receiver first, and returns what was wrong with them.
  mutating func run(count: Int) -> [String] {
    if let problem = prepare() { return [problem] }
    var problems: [String] = []
    var made = 0
    for receiver in values.indices {
      for selector in selectors[receiver] where made < count && problems.count < 20 {
        made += 1
        if let problem = send(selector, to: receiver) { problems.append(problem) }
      }
    }
    return problems + sendAtRandom(count: count - made, problems: problems.count)
  }

  /// Makes sends that are drawn, and returns what was wrong with them.
  mutating func runAtRandom(count: Int) -> [String] {
    if let problem = prepare() { return [problem] }
    interpreter.machine.collect(every: collectEvery)
    return sendAtRandom(count: count, problems: 0)
  }

  /// Makes the values and finds what they understand; answers why it could not.
  private mutating func prepare() -> String? {
    do {
      let list = try interpreter.evaluate(HostileSendTests.values + " values")
      values = list.elements ?? []
      commonSelectors =
        try interpreter.evaluate("Object selectors").elements?.compactMap(\.string) ?? []
      for value in values {
        let object = try interpreter.send("value", to: value)
        guard let block = interpreter["selectors"] else { return "no selectors" }
        let names = try interpreter.send("value:", to: block, object)
        selectors.append(names.elements?.compactMap(\.string) ?? [])
      }
    } catch {
      return "the values cannot be made: \(error)"
    }
    return nil
  }

  private mutating func sendAtRandom(count: Int, problems known: Int) -> [String] {
    var problems: [String] = []
    var made = 0
    while made < count && known + problems.count < 20 {
      made += 1
      if let problem = sendOnce() { problems.append(problem) }
    }
    return problems
  }

  private mutating func sendOnce() -> String? {
    let receiver = Int.random(in: 0..<values.count, using: &generator)
    let isCommon = selectors[receiver].isEmpty || Int.random(in: 0..<8, using: &generator) == 0
    let choices = isCommon ? commonSelectors : selectors[receiver]
    return choices.randomElement(using: &generator).flatMap { send($0, to: receiver) }
  }

  private mutating func send(_ selector: String, to receiver: Int) -> String? {
    let arguments = (0..<argumentCount(of: selector)).map { _ in
      Int.random(in: 0..<values.count, using: &generator)
    }
    if HostileSendTests.endless.contains(selector) { return nil }
    log?.write(Data("\(receiver) \(selector) \(arguments)\n".utf8))
    guard let object = make(receiver) else { return "value \(receiver) cannot be made" }
    let parameters = arguments.compactMap { make($0) }
    guard parameters.count == arguments.count else { return "values \(arguments) cannot be made" }
    // Some walk all classes, with a collection for each.
    let patience = collectEvery == 0 ? 20.0 : 600
    let watchdog = Watchdog(interpreter.interrupter, seconds: patience)
    defer { watchdog.stop() }
    switch interpreter.perform(selector, on: object, parameters) {
    case .finished, .failed, .rejected: return nil
    case .interrupted: return "\(receiver) \(selector) \(arguments): does not end"
    }
  }

  /// Makes a value anew, as a send may have changed it.
  private func make(_ index: Int) -> Handle? {
    try? interpreter.send("value", to: values[index])
  }

  private func argumentCount(of selector: String) -> Int {
    let colons = selector.utf8.count { $0 == UInt8(ascii: ":") }
    if colons > 0 { return colons }
    return selector.first.map { $0.isLetter || $0 == "_" } == true ? 0 : 1
  }
}

extension Interpreter {
  /// Sends a message with any number of arguments.
  fileprivate func perform(
    _ selector: String, on receiver: Handle, _ arguments: [Handle]
  ) -> Outcome {
    let list = value(arguments)
    do {
      return .finished(
        try send("perform:withArguments:", to: receiver, value(selector), list))
    } catch {
      return switch error {
      case .script(let error): .failed(error)
      case .syntax, .conversion: .rejected([], isIncomplete: false)
      case .interrupted, .limit: .interrupted
      }
    }
  }
}
