public import TenonRuntime
internal import TenonStoreKit
package import TenonStores

/// Which of the stores outside of the process a program gets from `Interpreter.standard`.
public struct StandardGrants: Sendable {
  /// The names of all such schemes.
  public static let schemes: Set<String> = [
    "clock", "defaults", "env", "file", "http", "https", "process", "sqlite", "stdin", "stdout",
    "terminal", "zlib",
  ]
  /// Those that lead to files beside `file`.
  private static let reachingFiles: Set<String> = ["defaults", "process", "sqlite"]

  /// The schemes that are granted; nil for all, or with a root for those that lead to no files beside
  /// `file`.
  ///
  /// Without `file`, and with a root, nothing is imported.
  public var schemes: Set<String>?
  /// The directory below which the files of `file` are, and where their paths begin; nil for all files.
  public var root: String?

  /// Grants all.
  public init() {}

  /// Whether a scheme is granted.
  public func allows(_ scheme: String) -> Bool {
    if let schemes { return schemes.contains(scheme) }
    return root == nil || !StandardGrants.reachingFiles.contains(scheme)
  }
}

extension Interpreter {
  /// Creates an interpreter for a program that is trusted as much as whoever runs it.
  ///
  /// The command uses it. What reaches outside the process is granted here and nowhere else: the
  /// stores `env`, `file` (relative paths begin at the working directory), `defaults` and those of
  /// `mountRemoteStores`, persistent stores, what `import` reads, the system's clock, its time zones
  /// and its source of chance.
  ///
  /// - Parameters:
  ///   - program: The program's name, under which `defaults:` keeps what it stores. Characters
  ///     that no file name should have are replaced by underscores.
  ///   - options: Its limits.
  ///   - grants: Which of that the program gets.
  ///   - console: What the program prints to and reads from; damaged defaults are told there.
  /// - Returns: The interpreter.
  public static func standard(
    program: String, _ options: Options = Options(), grants: StandardGrants = StandardGrants(),
    console: any Console
  ) -> Interpreter {
    let environment = EnvironmentStore()
    let interpreter = Interpreter(
      options, console: console, clock: SystemClock(),
      timeZones: SystemTimeZones(environment: environment))
    let report = { (error: StoreError) in
      let text = Array("warning: \(error)\n".utf8)
      try? console.write(text.span, to: .error)
    }
    interpreter.entropy = { UInt64.random(in: .min ... .max) }
    if grants.allows("env") { interpreter.mount(environment, as: "env") }
    if grants.allows("file") { interpreter.grantFiles(grants, report) }
    interpreter.mountRemoteStores(environment: environment, where: grants.allows)
    if grants.allows("defaults") {
      interpreter.mountDefaults(of: program, environment, report)
    }
    return interpreter
  }

  /// Mounts the files that are granted; what else reads them is there only when all are.
  private func grantFiles(_ grants: StandardGrants, _ report: @escaping (StoreError) -> Void) {
    if let root = grants.root {
      // Whoever has asked for a directory that is not there has no files.
      return (try? grantFiles(below: root, .writing)) ?? ()
    }
    let files = FileStore()
    grant(files)
    grantPersistence(in: files, report: report)
    let interrupter = interrupter
    let loader = FileSourceLoader()
    loader.isInterrupted = { interrupter.isRequested }
    sourceLoader = loader
  }

  private func mountDefaults(
    of program: String, _ environment: EnvironmentStore, _ report: @escaping (StoreError) -> Void
  ) {
    let defaults = try? DefaultsStore(
      domain: Interpreter.domain(of: program),
      directory: DefaultsStore.directory(in: environment), report: report)
    guard let defaults else { return }
    let interrupter = interrupter
    defaults.isInterrupted = { interrupter.isRequested }
    mount(defaults, as: "defaults")
  }

  /// Mounts the files anew, for a process that has gone to another working directory: relative paths
  /// are those of the directory in which a store of files was made.
  package func followWorkingDirectory() { grant(FileStore()) }

  /// Grants the files of a store: as `file`, and the directories among them as stores of their own.
  package func grant(_ files: FileStore) {
    let interrupter = interrupter
    files.isInterrupted = { interrupter.isRequested }
    files.mayRetry = { [weak machine] in machine?.mayRetry ?? false }
    mount(files, as: "file")
    grantStores("rooted") { (reference, _) throws(StoreError) in
      guard reference.scheme == "file" else {
        throw StoreError(.unsupported, reference, "only a directory of files can be a root")
      }
      do throws(StoreError) {
        let store = try FileStore(root: files.path(of: reference))
        store.isInterrupted = { interrupter.isRequested }
        return store
      } catch {
        // The program wrote a reference, not the path that was made of it.
        throw StoreError(
          error.kind, reference, error.reason, systemCode: error.systemCode)
      }
    }
  }

  /// The name of a program as part of a file's name.
  private static func domain(of program: String) -> String {
    var domain = ""
    for scalar in program.unicodeScalars {
      let isPlain = scalar.value > 0x20 && scalar.value != 0x7F && scalar != "/"
      domain.unicodeScalars.append(isPlain ? scalar : "_")
      // The store allows 200 bytes.
      if domain.utf8.count > 196 { break }
    }
    if domain.isEmpty || domain.hasPrefix(".") { domain = "_" + domain }
    return domain
  }
}
