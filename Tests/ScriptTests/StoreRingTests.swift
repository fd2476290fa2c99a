import Foundation
import TenonStoreKit
import Testing

@testable import Tenon

/// Scenario 21 of the design of stores: constraint cycles through stores end.
///
/// `TENON_TEST_SEED` chooses other writes; a failure names the seed.
@Suite struct StoreRingTests {
  private static let seed =
    ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap { UInt32($0) } ?? 20_261

  /// Ten stores of a class, each joined with the next one; writes to any of them.
  private static let ring = """
    -ringOf: aClass {
      | stores |
      stores := (1 to: 10) collect: [ :each | aClass new ].
      links := OrderedCollection new.
      stores doWithIndex: [ :store :index |
        | left right |
        left := store. right := stores at: index \\\\ 10 + 1.
        links add: (left =|= right) ].
      ^stores
    }
    -contentsOf: store {
      ^((store paths collect: [ :path | path joined: '/' ]) sorted collect: [ :path |
        "{path} {(store at: path) printString}" ]) joined: ', '
    }
    links := OrderedCollection new.

    """

  private func run(_ program: String) -> [String] {
    onThread(stackSize: 64 << 20) {
      let console = RecordingConsole()
      let interpreter = Interpreter(console: console, clock: VirtualClock())
      do {
        _ = try interpreter.evaluate(Self.ring + program)
        _ = interpreter.runLoop()
      } catch {
        return console.lines + ["\(error)"]
      }
      return console.lines
    }
  }

  @Test(.timeLimit(.minutes(10))) func aRingOfStoresComesToRest() throws {
    let lines = run(
      """
      random := Random seed: \(Self.seed).
      stores := self ringOf: MemoryStore.
      1000 timesRepeat: [
        | store path |
        store := stores at: (random between: 1 and: 10).
        path := "l{random between: 1 and: 5}/{random between: 1 and: 8}".
        (random between: 1 and: 4) = 1
          ifTrue: [ store delete: (store reference: path) ]
          ifFalse: [ store at: path put: (random between: 1 and: 1000) ] ].
      first := self contentsOf: stores first.
      stdout println: first isEmpty.
      stdout println: (stores allSatisfy: [ :each | (self contentsOf: each) = first ]).
      stdout println: ((links inject: 0 into: [ :sum :each | sum + each updateCount ])
        between: 1000 and: 10 * 1000).
      """)
    #expect(lines == ["false", "true", "true"], "TENON_TEST_SEED=\(Self.seed)")
  }

  /// The control: with stores whose values are never the same twice nothing comes to rest, and that
  /// is noticed.
  @Test func aRingInWhichNothingIsEqualIsRefused() throws {
    let lines = run(
      """
      class Restless : MemoryStore {
        -get: reference { ^(super get: reference) ifNotNil: [ :value | Array with: value first ] }
      }
      stores := self ringOf: Restless.
      stdout println: ([ stores first at: 'a' put: #(1). 'it came to rest' ]
        on: Error do: [ :error | error class name ]).
      """)
    #expect(lines == ["ConstraintError"])
  }

  @Test func aSourceThatFailsChangesNothing() throws {
    let lines = run(
      """
      class Failing : MemoryStore {
        var fails.
        -fails: aBoolean { fails := aBoolean }
        -get: reference {
          (fails == true and: [ reference name = 'b' ]) ifTrue: [ ^self error: 'it failed' ].
          ^super get: reference
        }
      }
      source := Failing new at: 'a' put: 1; at: 'b' put: 2; yourself.
      middle := MemoryStore new. last := MemoryStore new.
      one := (middle |= source). two := (last |= middle).
      stdout println: (self contentsOf: last).
      source fails: true.
      source at: 'b' put: 3; at: 'a' put: 4.
      stdout println: (self contentsOf: last); println: one state; println: two state.
      stdout println: one failures keys.
      source fails: false.
      one synchronize.
      stdout println: (self contentsOf: last); println: one state.
      """
    ).filter { !$0.hasPrefix("stderr:") }
    #expect(
      lines == [
        "a 1, b 2", "a 4, b 2", "error", "satisfied", "#('b')", "a 4, b 3", "satisfied",
      ])
  }
}
