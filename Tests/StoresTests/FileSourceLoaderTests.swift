import TenonLexer
import TenonStoreKit
import TenonStores
import Testing

/// Reading the files that scripts import.
@Suite struct FileSourceLoaderTests {
  let directory: TemporaryDirectory
  let loader = FileSourceLoader()

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("main.st", "1")
    try directory.write("lib.st", "'lib'")
    try directory.write("sub/lib.st", "'below'")
    try directory.makeDirectory("both")
    try directory.write("both.st", "'file'")
    try directory.makeDirectory("only")
    try directory.link("link.st", to: "lib.st")
  }

  private func load(_ path: String, from importer: String = "main.st") -> String {
    do throws(SourceLoaderError) {
      let loaded = try loader.load(path, importedBy: directory.path + "/" + importer)
      return loaded.source.name.replacing(directory.path + "/", with: "") + " "
        + String(decoding: Array(loaded.source.bytes), as: UTF8.self)
    } catch {
      return error.message
    }
  }

  @Test func pathsAreRelativeToTheImportingFile() {
    #expect(load("lib.st") == "lib.st 'lib'")
    #expect(load("sub/lib.st") == "sub/lib.st 'below'")
    #expect(load("lib.st", from: "sub/x.st") == "sub/lib.st 'below'")
    #expect(load("../lib.st", from: "sub/x.st") == "sub/../lib.st 'lib'")
    #expect(load(directory.path + "/lib.st", from: "sub/x.st") == "lib.st 'lib'")
  }

  @Test func theEndingMayBeLeftOut() {
    #expect(load("lib") == "lib.st 'lib'")
    // A directory of the name is no script.
    #expect(load("both") == "both.st 'file'")
  }

  @Test func aFileIsTheSameWhateverWayLeadsThere() throws {
    let path = directory.path
    let first = try loader.load("lib", importedBy: path + "/main.st")
    let second = try loader.load("link", importedBy: path + "/main.st")
    #expect(first.identity == second.identity)
    #expect(loader.identity(ofFile: path + "/sub/../lib.st") == first.identity)
    #expect(loader.identity(ofFile: path + "/main.st") != first.identity)
    #expect(loader.identity(ofFile: path + "/missing.st") == nil)
    #expect(loader.identity(ofFile: "<eval>") == nil)
  }

  @Test(arguments: [
    ("", "'' is no path of a file"), ("a\0b", "'a\0b' is no path of a file"),
    ("missing", "cannot import 'missing': no such file or directory"),
    ("missing.st", "cannot import 'missing.st': no such file or directory"),
    ("only", "cannot import 'only': no such file or directory"),
    ("lib.st/x", "cannot import 'lib.st/x': not a directory"),
  ])
  func whatCannotBeRead(_ path: String, _ message: String) {
    #expect(load(path) == message)
  }

  /// A text that came from no file imports from the working directory.
  @Test func aTextFromNowhereReadsFromTheWorkingDirectory() {
    do throws(SourceLoaderError) {
      _ = try loader.load("no-such-file-here", importedBy: "<eval/x>")
      Issue.record("it was read")
    } catch {
      #expect(error.message == "cannot import 'no-such-file-here': no such file or directory")
    }
  }
}
