import Foundation
import TenonStoreKit
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whole stores that are joined with one on a server; how often is looked there is a matter of the
/// program, so nothing here depends on the time.
@Suite struct RemoteSyncTests {
  private static let server = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("StoresTests/http_server.py").path

  /// What every program here begins with.
  private static let beginning = """
    scheme:s := ref:http://127.0.0.1:PORT/store asScheme.
    scheme:m := MemoryStore new.
    -show: values {
      stdout println: ((values asArray collect: [ :each | each printString ]) joined: ' ')
    }
    -names: reference { ^(reference children collect: [ :each | each name ]) asArray }

    """

  /// Runs a program beside a server; its errors stand among its output, with PORT for the port.
  private func run(
    _ text: String, in directory: Directory? = nil,
    meanwhile body: (_ program: Child, _ server: Child) throws -> Void = { _, _ in }
  ) throws -> String {
    let server = try Child.start(["/usr/bin/env", "python3", RemoteSyncTests.server])
    defer { server.send(signal: SIGKILL) }
    let port = try server.expectText(before: "\n")
    try #require(Int(port) != nil, "the tests of HTTP need python3")
    return try Directory.withTemporary { temporary in
      let program = (RemoteSyncTests.beginning + text)
        .replacingOccurrences(of: "PORT", with: port)
        .replacingOccurrences(of: "DIRECTORY", with: (directory ?? temporary).path("files"))
      let script = try temporary.write(program, to: "script.st")
      let child = try Child.start(["/bin/sh", "-c", #"exec "$0" "$1" 2>&1"#, Command.path, script])
      try body(child, server)
      let output = try child.readToEnd()
      #expect(child.waitForExit() == .status(0))
      return output.replacingOccurrences(of: port, with: "PORT")
        .replacingOccurrences(of: script, with: "script.st")
    }
  }

  /// A server need not tell of anything to follow a directory.
  @Test(.timeLimit(.minutes(10)))
  func aServerFollowsADirectory() throws {
    try Directory.withTemporary { directory in
      try directory.write("one", to: "files/a.txt")
      try directory.write("two", to: "files/sub/b.txt")
      try directory.write([0xFF, 0xFE, 0x00, 0x0A], to: "files/bytes")
      let output = try run(
        """
        scheme:f := ref:file:DIRECTORY asScheme.
        s:own.txt := 'own'.
        k := (s: |= f:).
        self show: #(s:a.txt, s:sub/b.txt, s:bytes, self names: ref:s:).
        f:a.txt := 'changed'. f:deep/er/c.txt := 'three'. ref:f:sub/b.txt delete.
        self show: #(s:a.txt, s:deep/er/c.txt, s:sub/b.txt).
        // A value where others are below is no matter for this server.
        f:deep/er/c.txt := nil. ref:f:deep/er delete. ref:f:deep delete.
        f:deep := 'a file'.
        self show: #(s:deep, self names: ref:s:).
        // Somebody else writes the file.
        process:cp/{'DIRECTORY/a.txt'}/{'DIRECTORY/d.txt'}.
        [ s:d.txt isNil ] whileTrue: [ 10 milliseconds wait ].
        self show: #(s:d.txt, k failures).
        k mirror: true.
        self show: (self names: ref:s:).
        k disconnect.
        f:a.txt := 'unseen'.
        self show: #(s:a.txt, RunLoop isLive).
        """, in: directory)
      #expect(
        output == """
          'one' 'two' #[255 254 0 10] #('a.txt' 'bytes' 'own.txt' 'sub')
          'changed' 'three' nil
          'a file' #('a.txt' 'bytes' 'deep' 'own.txt')
          'changed' #{}
          'a.txt' 'bytes' 'd.txt' 'deep'
          'changed' false

          """)
    }
  }

  /// A server tells nothing, so somebody has to look.
  @Test(.timeLimit(.minutes(10)))
  func whatAServerBecomesIsLookedFor() throws {
    let output = try run(
      """
      scheme:f := ref:file:DIRECTORY asScheme.
      ref:file:DIRECTORY makeDirectory.
      s:a.txt := 'one'. s:deep/b.txt := 'two'.
      #([ m: |= s: ], [ f: |= s: ], [ m: =|= s: ], [ s: =|= m: ], [ (m: |= s:) policy: Policy queued ]) do: [ :each |
        each on: ConstraintError do: [ :error | stdout println: error messageText ] ].
      self show: #(m:a.txt, f:a.txt).
      // Once is always possible.
      m: := s:.
      self show: #(m:a.txt, m:deep/b.txt).
      k := (m: |= s:) policy: (Policy poll: 1 hour).
      l := (f: |= s:) policy: (Policy poll: 1 hour).
      self show: #(m:a.txt, f:a.txt, f:deep/b.txt).
      s:a.txt := 'three'. ref:s:deep/b.txt delete. s:new := 'new'.
      self show: #(m:a.txt, f:a.txt).
      k synchronize. l synchronize.
      self show: #(m:a.txt, m:deep/b.txt, m:new, f:a.txt, f:deep/b.txt, self names: ref:f:).
      self show: #(k failures, l failures).
      Exit status: 0.
      """)
    let reason =
      "cannot tell about all its changes: connect some of its names, with named:, "
      + "or say how often to look, with policy: (Policy poll: 10 seconds)\n"
    #expect(
      output == String(repeating: "http://127.0.0.1:PORT/store " + reason, count: 5) + """
        nil nil
        'one' 'two'
        'one' 'one' 'two'
        'one' 'one'
        'three' nil 'new' 'three' nil #('a.txt' 'new')
        #{} #{}

        """)
  }

  /// Both ways: what is changed here goes up at once, what is changed there is found by looking, and
  /// of two changes none is lost.
  @Test(.timeLimit(.minutes(10)))
  func bothWays() throws {
    let output = try run(
      """
      s:a.txt := 'there'. m:b.txt := 'here'.
      k := (m: =|= s:) policy: (Policy poll: 1 hour).
      self show: #(m:a.txt, s:b.txt).
      m:a.txt := 'from here'. s:b.txt := 'from there'.
      self show: #(s:a.txt, m:b.txt).
      k synchronize.
      self show: #(s:a.txt, m:b.txt).
      // The server is on the right: it is the truth.
      s:a.txt := 'its own'. m:a.txt := 'mine'.
      k awaitAnswers.
      self show: #(m:a.txt, s:a.txt, k conflicts, s:a.conflict-1.txt, m:a.conflict-1.txt).
      // What was deleted on one side goes on the other, unless it was changed there.
      ref:s:b.txt delete. k synchronize.
      self show: #(m:b.txt, self names: ref:s:).
      s:a.txt := 'again'. ref:m:a.txt delete. k synchronize.
      self show: #(m:a.txt, s:a.txt, k failures).
      Exit status: 0.
      """)
    #expect(
      output == """
        'there' 'here'
        'from here' 'here'
        'from here' 'from there'
        script.st:8:7: warning: 'm: =|= s:': a.txt was changed on both sides; what m: had is kept as a.conflict-1.txt
        k := (m: =|= s:) policy: (Policy poll: 1 hour).
              ^~~~~~~~~
        'its own' 'its own' #('a.conflict-1.txt') 'mine' 'mine'
        nil #('a.conflict-1.txt' 'a.txt')
        'again' 'again' #{}

        """)
  }

  /// Values go over a server in another form, and come back as they were.
  ///
  /// The server is told the form, so that who reads it by itself gets the values, too.
  @Test(.timeLimit(.minutes(10)))
  func valuesInAnotherForm() throws {
    let output = try run(
      """
      scheme:j := JSONStore -> ref:http://127.0.0.1:PORT/store/json asScheme.
      m:lists/1 := #{ 'title': 'shopping', 'count': 3 }.
      k := (j: |= m:).
      m:lists/2 := #(1 2 3).
      self show: #(s:json/lists/1, s:json/lists/2, j:lists/1).
      m:odd := Object. k awaitAnswers.
      self show: #(k failures, s:json/odd).
      m:odd := 1. k awaitAnswers.
      self show: #(k failures, s:json/odd).
      scheme:back := MemoryStore new.
      back: := j:.
      self show: #(back:lists/1, back:lists/2, back:odd).
      """)
    #expect(
      output == """
        #{'title': 'shopping', 'count': 3} #(1 2 3) #{'title': 'shopping', 'count': 3}
        script.st:9:7: warning: 'j: |= m:' failed: j:odd: JSON cannot hold Object
        k := (j: |= m:).
              ^~~~~~~~
        #{'odd': 'j:odd: JSON cannot hold Object'} nil
        #{} 1
        #{'title': 'shopping', 'count': 3} #(1 2 3) 1

        """)
  }

  /// A server that refuses, and one that goes away, are told; nothing is taken for empty.
  @Test(.timeLimit(.minutes(10)))
  func aServerThatRefuses() throws {
    let output = try run(
      """
      scheme:none := ref:http://127.0.0.1:PORT/bad/status/403 asScheme.
      m:a := 1. m:b := 2.
      k := (none: |= m:).
      self show: (Array with: k failures).
      k disconnect.
      [ none: := m: ] on: Error do: [ :error | stdout println: error messageText ].
      scheme:copy := MemoryStore new.
      copy:mine := 1.
      l := (copy: |= none:) policy: (Policy poll: 1 hour).
      self show: #(l failures, (scheme:copy) paths).
      Exit status: 0.
      """)
    let refusal = "http://127.0.0.1:PORT/bad/status/403"
    #expect(
      output == """
        script.st:9:7: warning: 'none: |= m:' failed: \(refusal)/a: the server forbids it; and 1 more
        k := (none: |= m:).
              ^~~~~~~~~~~
        #{'a': '\(refusal)/a: the server forbids it', 'b': '\(refusal)/b: the server forbids it'}
        \(refusal)/a: the server forbids it; and 1 more
        script.st:15:7: warning: 'copy: |= none:' failed: \(refusal): the server forbids it
        l := (copy: |= none:) policy: (Policy poll: 1 hour).
              ^~~~~~~~~~~~~~
        #{'': '\(refusal): the server forbids it'} #(#('mine'))

        """)
  }

  @Test(.timeLimit(.minutes(10)))
  func aServerThatGoesAway() throws {
    let output = try run(
      """
      s:a := 'one'. s:b/c := 'two'.
      k := (m: |= s:) policy: (Policy poll: 1 hour).
      self show: #(m:a, m:b/c).
      stdout flush.
      stdout println: 'ready'; flush.
      // Until it is gone.
      [ [ s:a. true ] on: StoreError do: [ :error | false ] ] whileTrue: [ 10 milliseconds wait ].
      k synchronize.
      self show: #(m:a, m:b/c, k failures).
      m:a := 'own'.
      k synchronize.
      self show: #(m:a, k state).
      Exit status: 0.
      """,
      meanwhile: { program, server in
        try program.expect("'one' 'two'\nready\n")
        server.send(signal: SIGKILL)
      })
    let failure =
      "http://127.0.0.1:PORT/store/: 127.0.0.1:PORT refused the connection"
    #expect(
      output == """
        script.st:8:7: warning: 'm: |= s:' failed: \(failure)
        k := (m: |= s:) policy: (Policy poll: 1 hour).
              ^~~~~~~~
        'one' 'two' #{'': '\(failure)'}
        script.st:8:7: warning: 'm: |= s:' failed: \(failure); and 1 more
        k := (m: |= s:) policy: (Policy poll: 1 hour).
              ^~~~~~~~
        'own' #error

        """)
  }
}
