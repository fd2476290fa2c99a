import Foundation
import Synchronization
import TenonGrammarSupport
import TenonStoreKit
import TenonText
import Testing

@testable import TenonStores

/// Databases through the system's libsqlite3; without it these tests fail, and say so.
@Suite struct SQLiteStoreTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = SQLiteStore(path: directory.path + "/test.db")
    try execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, age INTEGER DEFAULT 18)")
  }

  func place(_ path: String) throws -> Reference { try reference("db", path) }

  @discardableResult
  func perform(_ command: String, _ json: String, _ path: String = "") throws(StoreError) -> String?
  {
    let components = path.split(separator: "/").map(String.init)
    let answer = try store.perform(
      command, Resource(Array(json.utf8), contentType: "application/json"),
      at: try Reference(scheme: "db", components: components))
    guard case .resource(let resource) = answer else { return nil }
    return String(decoding: resource.bytes, as: UTF8.self)
  }

  @discardableResult
  func execute(_ statement: String, _ parameters: String = "[]") throws(StoreError) -> String? {
    try perform("execute", "[\(JSONText.quoted(statement)),\(parameters)]")
  }

  @Test func rowsGoThereAndBack() throws {
    #expect(try store.text(place("people/1")) == nil)
    try store.put(place("people/1"), #"{"name":"Ada","age":36}"#)
    #expect(try store.text(place("people/1")) == #"{"id":1,"name":"Ada","age":36}"#)
    // What is not named gets its default.
    try store.put(place("people/1"), #"{"name":"Bob"}"#)
    #expect(try store.text(place("people/1")) == #"{"id":1,"name":"Bob","age":18}"#)
    let added = try store.post(place("people"), Resource(#"{"name":"Cid"}"#))
    #expect(try added == place("people/2"))
    #expect(try store.names(place("people")) == ["1", "2"])
    #expect(try store.names(place("")) == ["people/"])
    #expect(try store.delete(place("people/1"), if: nil))
    #expect(try !store.delete(place("people/1"), if: nil))
    #expect(try store.names(place("people")) == ["2"])
    // Another connection sees it, and so does another program.
    #expect(
      try SQLiteStore(path: directory.path + "/test.db").text(place("people/2"))
        == #"{"id":2,"name":"Cid","age":18}"#)
  }

  /// A quote in a name is doubled also where the next sign joins it.
  @Test func quotesInNamesEndNoName() throws {
    let names = ["a\"b", "a\"\u{301}b", "\u{600}\"", "x\"\u{301}; DROP TABLE people; --"]
    for name in names {
      let quoted =
        "\"" + name.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
      try execute("CREATE TABLE \(quoted) (k TEXT PRIMARY KEY, \(quoted) TEXT)")
      let there = try Reference(scheme: "db", components: [name, "1"])
      let row = "{\"k\":\"1\",\(JSONText.quoted(name)):\"value\"}"
      try store.put(there, row)
      #expect(try store.text(there) == row)
      #expect(try store.names(there.dropping(1)) == ["1"])
    }
    #expect(try store.names(place("")).contains("people/"))
  }

  /// A condition holds for a column as for a row, whether it is there or not.
  @Test func columnsHaveConditions() throws {
    try store.put(place("people/1"), #"{"name":"Ada","age":36}"#)
    let column = try place("people/1/name")
    guard case .resource(let name) = try store.get(column, if: nil) else {
      Issue.record("there is a name")
      return
    }
    let tag = EntityTag(of: name.bytes)
    guard case .unchanged = try store.get(column, if: .differs(tag)) else {
      Issue.record("it has not changed")
      return
    }
    for path in ["people/1/name", "people/1"] {
      #expect(
        kind { _ = try store.get(place(path), if: .absent) } == .preconditionFailed, "\(path)")
    }
    guard case .missing = try store.get(place("people/2/name"), if: .absent) else {
      Issue.record("there is no such row")
      return
    }
  }

  /// What was opened is given back with the store.
  @Test func closedFilesAreGivenBack() throws {
    let files = SQLiteFilesStore()
    let path = directory.path + "/own.db"
    let own = SQLiteStore(path: path)
    _ = try own.perform(
      "execute", Resource(#"["CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT)",[]]"#),
      at: Reference(scheme: "db", components: []))
    try own.close()
    let components = Array(path.parts(between: UInt8(ascii: "/")))
    let place = try Reference(
      scheme: "sqlite", components: components + ["t", "1"], isAbsolute: true)
    try files.put(place, #"{"v":"x"}"#)
    func openCount() -> Int {
      let descriptors =
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return descriptors.count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
          .hasPrefix(path) == true
      }
    }
    #if os(Linux)
      #expect(openCount() > 0)
    #endif
    try files.close()
    #expect(openCount() == 0)
  }

  /// Files whose names only look the same are two databases.
  @Test func filesThatLookTheSameAreTwo() throws {
    let files = SQLiteFilesStore()
    for name in ["\u{e9}", "e\u{301}"] {
      let path = Array((directory.path + "/" + name).parts(between: UInt8(ascii: "/")))
      let own = SQLiteStore(path: directory.path + "/" + name)
      _ = try own.perform(
        "execute", Resource(#"["CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT)",[]]"#),
        at: Reference(scheme: "db", components: []))
      let place = try Reference(
        scheme: "sqlite", components: path + ["t", "1"], isAbsolute: true)
      try files.put(place, #"{"v":\#(JSONText.quoted(name))}"#)
      #expect(try own.text(self.place("t/1")) == #"{"k":"1","v":\#(JSONText.quoted(name))}"#)
    }
  }

  @Test func valuesKeepTheirTypes() throws {
    try execute(
      "CREATE TABLE t (k TEXT PRIMARY KEY, i INT, r REAL, s VARCHAR(9), b BLOB, f BOOLEAN, n NUMERIC, a)"
    )
    let row =
      #"{"k":"é/x","i":-9223372036854775808,"r":0.1,"s":"a\"\n\u0001","b":{"base64":"AP8="},"f":true,"n":"1x","a":null}"#
    let place = try Reference(scheme: "db", components: ["t", "é/x"])
    try store.put(place, row)
    #expect(try store.text(place) == row)
    try store.put(place, #"{"r":3,"f":false,"a":"text","b":{"base64":""}}"#)
    #expect(
      try store.text(place)
        == #"{"k":"é/x","i":null,"r":3.0,"s":null,"b":{"base64":""},"f":false,"n":null,"a":"text"}"#
    )
  }

  @Test(arguments: [
    (#"{"nam":"x"}"#, "'people' has no column 'nam', only id, name, age"),
    (#"{"age":"x"}"#, #"the column 'age' takes integers, not "x""#),
    (#"{"age":1.5}"#, "the column 'age' takes integers, not 1.5"),
    (#"{"age":true}"#, "the column 'age' takes integers, not true"),
    (#"{"name":[1]}"#, "the column 'name' cannot hold [1]"),
    (#"{"age":99999999999999999999}"#, "the column 'age' cannot hold 99999999999999999999"),
    (#"{"id":4}"#, "the row says that 'id' is 4, and the place says 3"),
    (#"[1]"#, "a row is a dictionary of columns"),
    (#"nonsense"#, "a row is a dictionary of columns"),
  ])
  func whatDoesNotFitIsRefused(_ row: String, _ reason: String) throws {
    #expect(message { try store.put(place("people/3"), row) } == "db:people/3: " + reason)
    #expect(try store.text(place("people/3")) == nil)
  }

  @Test func constraintsOfTheDatabaseHold() throws {
    try execute("CREATE TABLE u (id INTEGER PRIMARY KEY, n TEXT NOT NULL UNIQUE)")
    try store.put(place("u/1"), #"{"n":"x"}"#)
    #expect(kind { try store.put(place("u/2"), #"{"n":"x"}"#) } == .conflict)
    #expect(kind { try store.put(place("u/2"), #"{}"#) } == .conflict)
    #expect(kind { try store.put(place("u/1"), #"{"n":null}"#) } == .conflict)
    #expect(try store.text(place("u/1")) == #"{"id":1,"n":"x"}"#)
    #expect(try store.names(place("u")) == ["1"])
  }

  @Test func replacingARowDeletesNone() throws {
    try execute(
      "CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES people(id) ON DELETE CASCADE)")
    try store.put(place("people/1"), #"{"name":"Ada"}"#)
    try store.put(place("child/1"), #"{"p":1}"#)
    try store.put(place("people/1"), #"{"name":"Eve"}"#)
    #expect(try store.names(place("child")) == ["1"])
    _ = try store.delete(place("people/1"), if: nil)
    #expect(try store.names(place("child")) == [])
  }

  @Test func conditionsAndTheChangeAreOneStep() throws {
    let place = try place("people/1")
    #expect(kind { try store.put(place, "{}", if: .exists) } == .preconditionFailed)
    try store.put(place, #"{"age":1}"#, if: .absent)
    #expect(kind { try store.put(place, "{}", if: .absent) } == .preconditionFailed)
    let tag = try #require(try store.status(of: place)?.tag)
    guard case .unchanged = try store.get(place, if: .differs(tag)) else {
      Issue.record("it has not changed")
      return
    }
    try store.put(place, #"{"age":2}"#, if: .matches(tag))
    #expect(kind { try store.put(place, #"{"age":3}"#, if: .matches(tag)) } == .preconditionFailed)
    #expect(kind { _ = try store.delete(place, if: .matches(tag)) } == .preconditionFailed)
    #expect(try store.text(place) == #"{"id":1,"name":null,"age":2}"#)
  }

  @Test func namesAreNoStatements() throws {
    let name = #"x"; DROP TABLE people; --"#
    try execute(
      "CREATE TABLE \(SQLiteTable.quoted(name)) (\"a\"\"b\" TEXT PRIMARY KEY, \"?\" TEXT)")
    let place = try Reference(scheme: "db", components: [name, "'; DROP TABLE people; --"])
    try store.put(place, #"{"?":"'); DELETE FROM people; --"}"#)
    #expect(
      try store.text(place)
        == #"{"a\"b":"'; DROP TABLE people; --","?":"'); DELETE FROM people; --"}"#)
    #expect(try store.names(self.place("")).contains("people/"))
    for path in ["sqlite_master/1", "people WHERE 1=1/1", "PEOPLE/1"] {
      #expect(kind { _ = try store.text(self.place(path)) } == .notFound)
      #expect(try store.status(of: self.place(path)) == nil)
      #expect(kind { try store.put(self.place(path), "{}") } == .notFound)
    }
    #expect(try store.text(self.place("people/1 OR 1=1")) == nil)
    #expect(kind { try store.put(self.place("people/01"), "{}") } == .invalidReference)
    #expect(kind { try store.put(self.place("people/1/2"), "{}") } == .invalidReference)
    #expect(kind { try store.put(self.place("people"), "{}") } == .isADirectory)
  }

  @Test func keysOfSeveralColumnsAreSeveralComponents() throws {
    try execute("CREATE TABLE m (x TEXT, y INTEGER, v TEXT, PRIMARY KEY (x, y)) WITHOUT ROWID")
    try store.put(place("m/a/1"), #"{"v":"1"}"#)
    try store.put(place("m/a/10"), #"{"v":"2"}"#)
    try store.put(place("m/b/1"), #"{"v":"3"}"#)
    #expect(
      try store.list(place("m"))
        == [StoreEntry("a", isDirectory: true), StoreEntry("b", isDirectory: true)])
    #expect(try store.names(place("m/a")) == ["1", "10"])
    #expect(try store.text(place("m/a/10")) == #"{"x":"a","y":10,"v":"2"}"#)
    #expect(try store.post(place("m"), Resource(#"{"x":"c","y":2}"#)) == place("m/c/2"))
    #expect(kind { _ = try store.post(place("m"), Resource(#"{"x":"c"}"#)) } == .encode)
    #expect(kind { _ = try store.list(place("m/z")) } == .notFound)
    #expect(kind { _ = try store.list(place("m/a/1")) } == .notADirectory)
  }

  @Test func tablesWithoutAKeyHaveNumberedRows() throws {
    try execute("CREATE TABLE log (rowid TEXT, line TEXT)")
    #expect(try store.post(place("log"), Resource(#"{"line":"a"}"#)) == place("log/1"))
    try store.put(place("log/7"), #"{"line":"b"}"#)
    #expect(try store.text(place("log/7")) == #"{"rowid":null,"line":"b"}"#)
    #expect(try store.names(place("log")) == ["1", "7"])
  }

  @Test func listingsComeByThePage() throws {
    try execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001) "
        + "INSERT INTO people (id) SELECT i FROM n")
    #expect(kind { _ = try store.list(place("people")) } == .tooLarge)
    func page(_ pairs: [Reference.QueryPair]) throws -> [String] {
      try store.list(Reference(scheme: "db", components: ["people"], query: pairs)).map(\.name)
    }
    #expect(try page([.init("limit", "3")]) == ["1", "2", "3"])
    #expect(try page([.init("limit", "3"), .init("after", "9999")]) == ["10000", "10001"])
    for pairs in [
      [Reference.QueryPair("limit", "x")], [.init("limit", "0")], [.init("after", "y")],
      [.init("order", "id")],
    ] {
      #expect(throws: StoreError.self) { try page(pairs) }
    }
  }

  @Test func queriesAreTranslatedWithParameters() throws {
    for (id, name, age) in [(1, "Ada", "36"), (2, "Bob", "70"), (3, "bob", "null")] {
      try store.put(place("people/\(id)"), #"{"name":"\#(name)","age":\#(age)}"#)
    }
    func ids(_ condition: String) throws -> String? {
      try perform("select", condition, "people")?
        .split(separator: "{").compactMap { $0.split(separator: ",").first }
        .filter { $0.contains("id") }.joined(separator: " ")
    }
    #expect(try ids(#"true"#) == #""id":1 "id":2 "id":3"#)
    #expect(try ids(#"false"#) == "")
    #expect(try ids(#"["=","name","Bob"]"#) == #""id":2"#)
    #expect(try ids(#"["=","name","x' OR '1'='1"]"#) == "")
    #expect(try ids(#"["~=","name","Bob"]"#) == #""id":1 "id":3"#)
    #expect(try ids(#"["=","age",null]"#) == #""id":3"#)
    #expect(try ids(#"["and",[">","age",30],["<=","age",70]]"#) == #""id":1 "id":2"#)
    #expect(try ids(#"["or",["=","id",3],["not",[">=","age",70]]]"#) == #""id":1 "id":3"#)
    #expect(try ids(#"["startsWith:","name","B"]"#) == #""id":2"#)
    for wrong in [
      #"["=","nam","x"]"#, #"[">","name","x"]"#, #"["=","age","x"]"#, #"["=","age",true]"#,
      #"["like","name","x"]"#, #"[]"#, #"{}"#, #"["and",true]"#,
    ] {
      #expect(kind { try perform("select", wrong, "people") } == .unsupported)
    }
  }

  @Test func statementsHaveParameters() throws {
    #expect(try execute("INSERT INTO people VALUES (?, ?, ?)", #"[5, "x'; --", null]"#) == "1")
    #expect(
      try perform("query", #"["SELECT name AS n, age FROM people WHERE id = ?", [5]]"#)
        == #"[{"n":"x'; --","age":null}]"#)
    #expect(kind { try perform("query", #"["DELETE FROM people", []]"#) } == .readOnly)
    #expect(kind { try perform("query", #"["SELECT 1; SELECT 2", []]"#) } == .encode)
    #expect(try execute("SELECT 1; SELECT 2 AS n -- the last") == #"[{"n":2}]"#)
    #expect(kind { try execute("SELECT ?", "[]") } == .encode)
    #expect(kind { try execute("SELEKT 1") } == .encode)
    #expect(kind { try execute("") } == .encode)
    #expect(kind { try execute("SELECT ?", "[[1]]") } == .encode)
    #expect(try store.names(place("people")) == ["5"])
  }

  @Test func transactionsAreAllOrNothing() throws {
    try perform("begin", "null")
    try store.put(place("people/1"), "{}")
    #expect(kind { try store.put(place("people/2"), #"{"x":1}"#) } == .encode)
    #expect(try store.names(place("people")) == ["1"])
    try perform("rollback", "null")
    #expect(try store.names(place("people")) == [])
    try perform("begin", "null")
    try store.put(place("people/1"), "{}")
    try perform("commit", "null")
    #expect(try store.names(place("people")) == ["1"])
  }

  @Test func changesAreAnnounced() throws {
    try execute("CREATE TABLE seen (id INTEGER PRIMARY KEY)")
    try execute(
      "CREATE TRIGGER t AFTER INSERT ON people BEGIN INSERT INTO seen VALUES (new.id); END")
    let heard = Mutex<Set<String>>([])
    let feed = try #require(store.feed)
    let subscription = feed.subscribe { change in
      heard.withLock { _ = $0.insert(change.reference.description) }
    }
    func take() -> Set<String> {
      heard.withLock { set in
        defer { set = [] }; return set
      }
    }
    try store.put(place("people/1"), "{}")
    #expect(take() == ["db:people", "db:people/1", "db:seen", "db:seen/1"])
    #expect(kind { try store.put(place("people/2"), #"{"x":1}"#) } == .encode)
    #expect(take() == [])
    // What another connection does is found out when somebody looks.
    _ = try store.text(place("people/1"))
    let other = SQLiteStore(path: directory.path + "/test.db")
    try other.put(place("people/1"), #"{"name":"new"}"#)
    #expect(take() == [])
    try perform("check", "null")
    #expect(take().isSuperset(of: ["db:people/1"]))
    try perform("check", "null")
    #expect(take() == [])
    withExtendedLifetime(subscription) {}
  }

  @Test func aLongStatementIsInterrupted() throws {
    let asked = Mutex(0)
    store.isInterrupted = {
      asked.withLock {
        $0 += 1; return $0 > 3
      }
    }
    #expect(
      message {
        try execute(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n")
      } == "db:: interrupted")
  }

  @Test func largeAnswersEnd() throws {
    #expect(
      kind { try perform("query", #"["SELECT zeroblob(70000000)", []]"#) } == .tooLarge)
  }

  @Test func whatIsNoDatabaseIsAnError() throws {
    try directory.write("text.db", String(repeating: "this is no database ", count: 100))
    let broken = SQLiteStore(path: directory.path + "/text.db")
    #expect(kind { _ = try broken.get(place("a/1"), if: nil) } == .corrupt)
    let missing = SQLiteStore(path: directory.path + "/none.db")
    #expect(try missing.text(place("a/1")) == nil)
    #expect(directory.bytes("none.db") == nil)
    let nowhere = SQLiteStore(path: directory.path + "/no/such.db")
    #expect(kind { try nowhere.put(place("a/1"), "{}") } == .io)
  }

  @Test func closedIsClosed() throws {
    try store.close()
    #expect(kind { _ = try store.get(place("people/1"), if: nil) } == .closed)
    #expect(directory.openDescriptors == 0)
  }

  @Test func filesAreFoundOnTheWay() throws {
    try store.put(place("people/1"), #"{"name":"Ada"}"#)
    let files = SQLiteFilesStore()
    let base = try Reference(
      scheme: "sqlite",
      components: directory.path.split(separator: "/").map(String.init) + ["test.db"],
      isAbsolute: true)
    let row = try base.appending("people", "1")
    #expect(try files.text(row) == #"{"id":1,"name":"Ada","age":18}"#)
    #expect(try files.names(base) == ["people/"])
    #expect(
      try files.post(base.appending("people"), Resource("{}")) == base.appending("people", "2"))
    let none = try base.dropping(1).appending("none.db", "people", "1")
    #expect(try files.text(none) == nil)
    #expect(kind { try files.put(none, "{}") } == .notFound)
    #expect(directory.bytes("none.db") == nil)
  }

  /// What is there and is no database is not missing: only what is not there is.
  @Test func whatIsNoDatabaseIsTold() throws {
    let files = SQLiteFilesStore()
    let base = try Reference(
      scheme: "sqlite", components: directory.path.split(separator: "/").map(String.init),
      isAbsolute: true)
    #expect(kind { _ = try files.get(base, if: nil) } == .isADirectory)
    #expect(
      message { _ = try files.list(base) }
        == "\(base): '\(directory.path)' is a directory, no database")
    #expect(try files.text(base.appending("none")) == nil)
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    #expect(kind { _ = try files.get(base.appending("pipe", "t"), if: nil) } == .unsupported)
    try directory.write("text", String(repeating: "no database, but a text ", count: 40))
    #expect(kind { _ = try files.get(base.appending("text", "t"), if: nil) } == .corrupt)
    let folder = SQLiteStore(path: directory.path)
    #expect(
      message { _ = try folder.get(place("t/1"), if: nil) }
        == "db:t/1: '\(directory.path)' cannot be opened: unable to open database file")
  }

  /// What a float column has been given it gives back, to the bit but for the sign of zero.
  @Test func floatsGoThereAndBack() throws {
    let given = ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    var generator = RandomNumbers(seed: seed)
    try execute("CREATE TABLE f (id INTEGER PRIMARY KEY, x REAL)")
    try execute("PRAGMA synchronous = OFF")
    let special = [
      0, 1e16, 1e20, 1.5e21, 9007199254740992, 9223372036854775808, 18446744073709551616,
      .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, .ulpOfOne,
    ]
    let random =
      (0..<500).map { _ in Double(bitPattern: generator.next()) }
      + (0..<200).map { _ in Double(Int64(truncatingIfNeeded: generator.next())) }
    for number in (special + random).flatMap({ [$0, -$0] }) where !number.isNaN {
      let text = try SQLiteValue.real(number).json()
      try store.put(place("f/1"), #"{"x":\#(text)}"#)
      let found = try perform("query", #"["SELECT x FROM f WHERE x = ?", [\#(text)]]"#)
      let row = try store.text(place("f/1"))
      let back = row?.dropFirst(#"{"id":1,"x":"#.utf8.count).dropLast()
      let value = back.flatMap { SQLiteValue(Array($0.utf8)[...]) }
      #expect(value == .real(number), "TENON_TEST_SEED=\(seed), \(number)")
      #expect(found == #"[{"x":\#(back ?? "")}]"#, "TENON_TEST_SEED=\(seed), \(number)")
    }
    #expect(try SQLiteValue.real(.infinity).json() == "1.0e999")
    #expect(refusal(of: .nan) == .decode)
  }

  private func refusal(of number: Double) -> StoreError.Kind? {
    do {
      _ = try SQLiteValue.real(number).json()
      return nil
    } catch { return error.kind }
  }

  /// Rows that are gone through are those that were there, whatever is written meanwhile, and their copies
  /// go with the last reader.
  @Test func rowsByThePageStayAsTheyWere() throws {
    try execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1700) "
        + "INSERT INTO people (id, age) SELECT i, i FROM n")
    func rows(_ page: String?) throws -> (number: String, count: Int, text: String) {
      let text = try #require(page)
      return (
        String(text.dropFirst().prefix { $0 != "," }),
        text.split(separator: "\"id\":").count - 1, text
      )
    }
    let first = try rows(perform("select", "true", "people"))
    let other = try rows(perform("select", #"[">","age",600]"#, "people"))
    #expect(first.count == 500 && other.count == 500)
    try execute("UPDATE people SET age = -1")
    try execute("DELETE FROM people WHERE id > 1000")
    var counts: [Int] = []
    var page = first
    while page.number != "null" {
      page = try rows(perform("next", page.number, "people"))
      counts.append(page.count)
      #expect(!page.text.contains("-1"))
    }
    #expect(counts.reduce(0, +) == 1200)
    #expect(
      try perform("query", #"["SELECT count(*) AS n FROM temp.sqlite_master", []]"#)
        == #"[{"n":2}]"#)
    // The end may be asked for twice.
    try perform("end", other.number, "people")
    try perform("end", other.number, "people")
    #expect(kind { try perform("next", other.number, "people") } == .conflict)
    #expect(
      try perform("query", #"["SELECT count(*) AS n FROM temp.sqlite_master", []]"#)
        == #"[{"n":0}]"#)
    #expect(try perform("count", "true", "people") == "1000")
    #expect(try perform("exists", #"["=","id",1001]"#, "people") == "false")
  }

  /// Whoever can ask again is told at once that another connection has locked the file; others wait.
  @Test func aLockIsToldToWhoeverCanAskAgain() throws {
    let other = SQLiteStore(path: directory.path + "/test.db")
    func begin() throws(StoreError) {
      _ = try other.perform("begin", Resource("null"), at: Reference(scheme: "db"))
    }
    func end() throws(StoreError) {
      _ = try other.perform("commit", Resource("null"), at: Reference(scheme: "db"))
    }
    try begin()
    store.mayRetry = { true }
    for _ in 0..<2 {
      let locked = try place("people/1")
      do throws(StoreError) {
        try store.put(locked, "{}")
        Issue.record("the file is locked")
      } catch {
        #expect(error.kind == .locked && error.retryAfter == 0)
      }
      #expect(kind { try execute("INSERT INTO people (id) VALUES (2); SELECT 1") } == .locked)
    }
    // The lock is one for writing.
    #expect(try store.text(place("people/1")) == nil)
    try end()
    try store.put(place("people/1"), "{}")
    // Others wait, and are interrupted.
    try begin()
    let asked = Mutex(0)
    store.mayRetry = { false }
    store.isInterrupted = {
      asked.withLock {
        $0 += 1; return $0 > 3
      }
    }
    #expect(kind { try store.put(place("people/2"), "{}") } == .timeout)
    store.isInterrupted = { false }
    try end()
    #expect(try store.names(place("people")) == ["1"])
  }

  /// A model in memory and the table agree on whatever is done to them.
  @Test func randomOperationsAgreeWithAModel() throws {
    let given = ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    var generator = RandomNumbers(seed: seed)
    try execute("CREATE TABLE t (k TEXT PRIMARY KEY, v INTEGER)")
    // A write to the disk costs milliseconds here.
    try execute("PRAGMA synchronous = OFF")
    let keys = ["a", "B", "b c", "é", "e\u{301}", "'"]
    var model: [[UInt8]: Int] = [:]
    let steps = ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] == nil ? 1500 : 10_000
    for step in 0..<steps {
      let key = keys.randomElement(using: &generator) ?? "a"
      let bytes = Array(key.utf8)
      let place = try Reference(scheme: "db", components: ["t", key])
      func text(_ value: Int) -> String { #"{"k":\#(JSONText.quoted(key)),"v":\#(value)}"# }
      let old = model[bytes]
      let tag = EntityTag(of: Array(text(Bool.random(using: &generator) ? old ?? step : step).utf8))
      let condition: Precondition? =
        [nil, nil, .absent, .exists, .matches(tag), .differs(tag)].randomElement(using: &generator)
        ?? nil
      let oldTag = old.map { EntityTag(of: Array(text($0).utf8)) }
      let holds = condition?.holds(for: oldTag, isThere: old != nil) ?? true
      let isRight: Bool
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        let failed = kind { try store.put(place, text(step), if: condition) }
        isRight = failed == (holds ? nil : .preconditionFailed)
        if holds { model[bytes] = step }
      case 1:
        var existed: Bool?
        let failed = kind { existed = try store.delete(place, if: condition) }
        isRight = holds ? existed == (old != nil) : failed == .preconditionFailed
        if holds { model[bytes] = nil }
      case 2:
        isRight = try store.text(place) == old.map { text($0) }
      default:
        let names = try store.names(self.place("t")).map { Array($0.utf8) }
        isRight = names == model.keys.sorted { $0.lexicographicallyPrecedes($1) }
      }
      guard isRight else {
        Issue.record(
          "TENON_TEST_SEED=\(seed), step \(step), \(place), \(String(describing: condition))")
        return
      }
    }
  }
}
