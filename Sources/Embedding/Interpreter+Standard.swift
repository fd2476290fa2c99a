public import TenonRuntime
internal import TenonStoreKit
package import TenonStores

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
  ///   - console: What the program prints to and reads from; damaged defaults are told there.
  /// - Returns: The interpreter.
  public static func standard(
    program: String, _ options: Options = Options(), console: any Console
  ) -> Interpreter {
    let environment = EnvironmentStore()
    let interpreter = Interpreter(
      options, console: console, clock: SystemClock(),
      timeZones: SystemTimeZones(environment: environment))
    let interrupter = interpreter.interrupter
    interpreter.entropy = { UInt64.random(in: .min ... .max) }
    interpreter.mount(environment, as: "env")

    let files = FileStore()
    interpreter.grant(files)
    interpreter.grantPersistence(in: files) { error in
      let text = Array("warning: \(error)\n".utf8)
      try? console.write(text.span, to: .error)
    }

    interpreter.mountRemoteStores(environment: environment)

    let loader = FileSourceLoader()
    loader.isInterrupted = { interrupter.isRequested }
    interpreter.sourceLoader = loader

    let defaults = try? DefaultsStore(
      domain: domain(of: program), directory: DefaultsStore.directory(in: environment),
      report: { error in
        let text = Array("warning: \(error)\n".utf8)
        try? console.write(text.span, to: .error)
      })
    if let defaults {
      defaults.isInterrupted = { interrupter.isRequested }
      interpreter.mount(defaults, as: "defaults")
    }
    return interpreter
  }

  /// Mounts the files anew, for a process that has gone to another working directory: relative paths
  /// are those of the directory in which a store of files was made.
  package func followWorkingDirectory() { grant(FileStore()) }

  /// Grants the files of a store: as `file`, and the directories among them as stores of their own.
  package func grant(_ files: FileStore) {
    let interrupter = interrupter
    files.isInterrupted = { interrupter.isRequested }
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
