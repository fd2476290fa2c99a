internal import TenonRuntime
public import TenonStores

extension Interpreter {
  /// Mounts the stores of what lies outside the program and its files: `http`, `https`, `sqlite`,
  /// `process`, `zlib`, `clock`, `stdin` and `stdout`.
  ///
  /// Nothing of them is loaded before they are used. They act with the rights of the process; an
  /// interpreter that runs programs of others has no business with them.
  ///
  /// - Parameters:
  ///   - environment: The variables that programs get; nil for those of this process.
  ///   - isGranted: Which of them are mounted.
  public func mountRemoteStores(
    environment: EnvironmentStore? = nil, where isGranted: (String) -> Bool = { _ in true }
  ) {
    let interrupter = interrupter
    for scheme in ["http", "https"] where isGranted(scheme) {
      let store = HTTPStore(scheme: scheme)
      store.isInterrupted = { interrupter.isRequested }
      mount(store, as: scheme)
    }
    if isGranted("sqlite") {
      let databases = SQLiteFilesStore()
      databases.isInterrupted = { interrupter.isRequested }
      databases.mayRetry = { [weak machine] in machine?.mayRetry ?? false }
      mount(databases, as: "sqlite")
    }
    if isGranted("process") {
      let processes = ProcessStore(environment: environment)
      processes.isInterrupted = { interrupter.isRequested }
      mount(processes, as: "process")
    }
    if isGranted("zlib") {
      let compression = CompressionStore()
      compression.isInterrupted = { interrupter.isRequested }
      mount(compression, as: "zlib")
    }
    let ofLanguage = ["clock": "ClockStore", "stdin": "InputStore", "stdout": "OutputStore"]
    for (scheme, name) in ofLanguage.sorted(by: { $0.key < $1.key }) where isGranted(scheme) {
      machine.mountStore(ofClass: name, as: scheme)
    }
  }

  /// Mounts the store `terminal`: the terminal of this process, for a host whose console is the
  /// standard streams of the process.
  public func mountTerminal() { mount(TerminalStore(), as: "terminal") }
}
