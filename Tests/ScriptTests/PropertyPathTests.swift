import Tenon
import TenonLexer
import TenonRuntime
import TenonStoreKit
import Testing

/// Property paths, of whatever a class or a scheme inherits, by whatever way a place is named.
@Suite struct PropertyPathTests {
  /// What a text inherits from: nothing of its own, or each store of the library that a program can
  /// make an object of without further ado, found by reflection.
  static let superclasses: [String] = {
    let interpreter = Interpreter(console: RecordingConsole())
    // Their paths are those of what they stand for.
    let others =
      "#('Group' 'ObjectStore' 'SQLite' 'NativeStore' 'PersistentStore' 'DescribedPlaces')"
    let names = try? interpreter.evaluate(
      """
      ((Store allSubclasses collect: [ :each | each name ]) reject: [ :each |
        \(others) includes: each ]) joinUsing: ' '
      """)
    return ["", "Object", "Store"] + (names?.string?.split(separator: " ").map(String.init) ?? [])
  }()

  /// What handlers tell and answer: one component, two, a parameter, an integer, and one that can
  /// only be read.
  private static let members = """
      /one { get { 'one' } put { var:log add: 'put' } post { var:log add: 'post' }
        delete { var:log add: 'delete' } }
      /two/parts { get { 'parts' } put { var:log add: 'put 2' } post { var:log add: 'post 2' }
        delete { var:log add: 'delete 2' } }
      /any/:name { get { name } put { var:log add: 'put ' , name } post { var:log add: 'post ' , name }
        delete { var:log add: 'delete ' , name } }
      /number/:n<int> { get { n + 1 } put { var:log add: n + 2 } post { var:log add: n + 3 }
        delete { var:log add: n + 4 } }
      /only/read { get { 'read' } }
      -gets { ^#(self:one, self:two/parts, self:any/x, self:number/7, self:only/read) }
      -puts { self:one := 1. self:two/parts := 1. self:any/x := 1. self:number/7 := 1 }
      -posts { self:one += 1. self:two/parts += 1. self:any/x += 1. self:number/7 += 1 }
      -refused { self:only/read := 1 }
    """

  private static let uses = """
    log := OrderedCollection new.
    p := P basicNew.
    show := [ :block |
      log := OrderedCollection new.
      stdout println: ([ block value. log asArray ] on: Error do: [ :e | e messageText ]) ].
    read := [ :values | stdout println: values ].
    read value: p gets.
    read value: #(var:p/one, var:p/two/parts, var:p/any/x, var:p/number/7, var:p/only/read).
    read value: (#('one' 'two/parts' 'any/x' 'number/7' 'only/read') collect: [ :path |
      (ref:p under: (path substrings: '/')) value ]).
    read value: (#('one' 'two/parts' 'any/x' 'number/7' 'only/read') collect: [ :path |
      p asStore at: path ]).
    scheme:s := p asStore.
    read value: #(s:one, s:two/parts, s:any/x, s:number/7, s:only/read).
    show value: [ p puts ].
    show value: [ var:p/one := 1. var:p/two/parts := 1. var:p/any/x := 1. var:p/number/7 := 1 ].
    show value: [ ref:p/one value: 1. ref:p/two/parts value: 1. ref:p/any/x value: 1.
      ref:p/number/7 value: 1 ].
    show value: [ s:one := 1. s:two/parts := 1. s:any/x := 1. s:number/7 := 1 ].
    show value: [ p posts ].
    show value: [ var:p/one += 1. var:p/two/parts += 1. var:p/any/x += 1. var:p/number/7 += 1 ].
    show value: [ ref:p/one post: 1. ref:p/two/parts post: 1. ref:p/any/x post: 1.
      ref:p/number/7 post: 1 ].
    show value: [ s:one += 1. s:two/parts += 1. s:any/x += 1. s:number/7 += 1 ].
    show value: [ ref:p/one delete. ref:p/two/parts delete. ref:p/any/x delete.
      ref:p/number/7 delete ].
    show value: [ ref:s:one delete. ref:s:two/parts delete. ref:s:any/x delete.
      ref:s:number/7 delete ].
    #([ p refused ], [ var:p/only/read := 1 ], [ ref:p/only/read value: 1 ], [ s:only/read := 1 ],
      [ s:only/read += 1 ], [ ref:s:only/read delete ]) do: [ :block |
      block on: Error do: [ :e | stdout println: (e messageText copyAfterLast: $:) trimmed ] ].
    """

  private static let expected =
    Array(repeating: "#('one' 'parts' 'x' 8 'read')", count: 5)
    + Array(repeating: "#('put' 'put 2' 'put x' 9)", count: 4)
    + Array(repeating: "#('post' 'post 2' 'post x' 10)", count: 4)
    + Array(repeating: "#('delete' 'delete 2' 'delete x' 11)", count: 2)
    + Array(repeating: "'put' is not supported, only get", count: 4)
    + ["'post' is not supported, only get", "'delete' is not supported, only get"]

  @Test(arguments: ["class", "scheme"], superclasses)
  func theyHold(_ kind: String, _ superclass: String) throws {
    // A scheme inherits from a store.
    if kind == "scheme", superclass == "Object" { return }
    let head = "\(kind) P" + (superclass.isEmpty ? "" : " : \(superclass)")
    let console = RecordingConsole()
    let interpreter = Interpreter(console: console)
    let text = "\(head) {\n\(PropertyPathTests.members)\n}\n\(PropertyPathTests.uses)"
    let outcome = interpreter.run(SourceText(name: "paths.st", text))
    guard case .finished = outcome else {
      Issue.record("\(head): \(outcome)")
      return
    }
    #expect(
      console.lines == PropertyPathTests.expected, "\(head)")
  }

  @Test func allStoresOfTheLibraryAreAmongThem() {
    #expect(PropertyPathTests.superclasses.count > 30)
    #expect(PropertyPathTests.superclasses.contains("CachingStore"))
  }
}
