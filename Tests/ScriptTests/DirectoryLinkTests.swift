import Foundation
import TenonStoreKit
import TenonStores
import Testing

@testable import Tenon

/// Stores over files in which links lead to directories: links are moved and deleted as links, and
/// what they lead to stays where it is.
@Suite struct DirectoryLinkTests {
  /// What a program prints over files: `outside` with the files `a.txt` and `b`, and `box` with the
  /// directory `d`, in which are `x.txt` and `l`, a link to `outside`.
  private func run(_ program: String) throws -> [String] {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "tenon-links-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    for name in ["outside", "box/d"] {
      try FileManager.default.createDirectory(
        at: directory.appending(path: name), withIntermediateDirectories: true)
    }
    for (name, text) in [("outside/a.txt", "1"), ("outside/b", "2"), ("box/d/x.txt", "3")] {
      try Data(text.utf8).write(to: directory.appending(path: name))
    }
    try FileManager.default.createSymbolicLink(
      atPath: directory.appending(path: "box/d/l").path, withDestinationPath: "../../outside")
    return onThread(stackSize: 64 << 20) {
      let console = RecordingConsole()
      let interpreter = Interpreter(console: console, clock: VirtualClock())
      interpreter.grant(FileStore(directory: directory.path))
      do {
        _ = try interpreter.evaluate(
          """
          say := [ :value | stdout println: value printString ].
          try := [ :block | [ block value ] on: StoreError do: [ :e | "{e kind} {e messageText}" ] ].
          outside := [ #(file:outside, file:outside/a.txt, file:outside/b) ].
          """ + "\n" + program + "\nsay value: outside value.")
      } catch {
        return console.lines + ["\(error)"]
      }
      return console.lines
    }
  }

  private static let untouched = "#(#('a.txt' 'b') '1' '2')"

  @Test(arguments: [
    // Nothing is hidden: all moves at once.
    (
      """
      scheme:s := #FilterStore{ block: [ :each | true ] } -> file:box.
      ref:s:d moveTo: ref:s:e.
      say value: #(file:box, file:box/e, file:box/e/l).
      """, "#(#('e') #('l' 'x.txt') #('a.txt' 'b'))"
    ),
    // A value in an overlay takes the place of a directory of which it has deleted everything.
    (
      """
      file:box/e/f/x := '1'.
      scheme:s := OverlayStore -> file:box.
      ref:s:e deleteTree. s:e := 'a file'.
      (scheme:s) commit.
      say value: #(file:box/e, (scheme:s) changedPaths).
      """, "#('a file' #())"
    ),
    // Something is hidden beside the link, and behind it.
    (
      """
      scheme:s := #FilterStore{ block: [ :each | each ~= '2' && [ each ~= '4' ] ] } -> file:box.
      file:box/d/y := '4'.
      ref:s:d moveTo: ref:s:e.
      say value: #(file:box/d, file:box/e, file:box/e/l).
      """, "#(#('y') #('l' 'x.txt') #('a.txt' 'b'))"
    ),
    // The link itself.
    (
      """
      scheme:s := #FilterStore{ block: [ :each | each ~= '2' ] } -> file:box.
      ref:s:d/l moveTo: ref:s:d/m.
      say value: #(file:box/d, file:box/d/m).
      """, "#(#('m' 'x.txt') #('a.txt' 'b'))"
    ),
    (
      """
      scheme:s := #FilterStore{ block: [ :each | each ~= '2' ] } -> file:box.
      say value: #((ref:s: store) paths, ref:s:d deleteTree, ref:file:box/d exists).
      """, "#(#(#('d' 'x.txt')) true false)"
    ),
    (
      """
      scheme:s := #ExtensionStore{ extension: 'txt' } -> file:box.
      file:box/d/other := 'o'.
      ref:s:d moveTo: ref:s:e.
      say value: #(s:e, file:box/e, file:box/d).
      """, "#(#('l' 'x') #('l' 'x.txt') #('other'))"
    ),
    (
      """
      scheme:s := SequentialStore stores: #(ref:file:box asScheme, MemoryStore new at: 'd/m' put: 5; yourself).
      say value: (try value: [ ref:s:d moveTo: ref:s:e ]).
      ref:s:d/m delete.
      ref:s:d moveTo: ref:s:e.
      say value: #(s:e, ref:s:d exists).
      say value: #(ref:s:e deleteTree, ref:s:e exists, ref:file:box/e exists).
      """,
      """
      'unsupported s:d: of several stores no link can be moved: s:d/l'
      #(#('l' 'x.txt') false)
      #(true false false)
      """
    ),
    (
      """
      scheme:s := MergingStore stores: #(MemoryStore new at: 'd/m' put: 5; yourself, ref:file:box asScheme).
      say value: #(ref:s:d deleteTree, ref:s:d exists, ref:file:box/d exists).
      """, "#(true false false)"
    ),
    // A link in a store that is not written stays.
    (
      """
      scheme:s := OverlayStore -> file:box.
      say value: (try value: [ ref:s:d deleteTree ]).
      say value: (try value: [ ref:s:d/l deleteTree ]).
      (s:) commit.
      say value: #(s:d, file:box/d/l).
      """,
      """
      'unsupported s:d: s:d/l is a link to a directory, in a store that is not written'
      'unsupported s:d/l: s:d/l is a link to a directory, in a store that is not written'
      #(#('l' 'x.txt') #('a.txt' 'b'))
      """
    ),
  ]) func whatLinksLeadToStays(_ program: String, _ expected: String) throws {
    let lines = try run(program)
    #expect(lines == expected.split(separator: "\n").map(String.init) + [Self.untouched])
  }

  /// What links lead to is no part of what is copied: they may lead back.
  @Test func linksThatLeadBackAreNotFollowed() throws {
    let lines = try run(
      """
      scheme:s := #FilterStore{ block: [ :each | true ] } -> file: .
      say value: (ref:s: store) paths.
      """)
    #expect(
      lines == [
        "#(#('box' 'd' 'x.txt') #('outside' 'a.txt') #('outside' 'b'))", Self.untouched,
      ])
  }
}
