internal import TenonRuntime
public import TenonStores

extension Interpreter {
  /// Mounts the stores of what lies outside the program and its files: `http`, `https`, `sqlite`,
  /// `process`, `zlib`, `clock`, `stdin` and `stdout`.
  ///
  /// Nothing of them is loaded before they are used. They act with the rights of the process; an
  /// interpreter that runs programs of others has no business with them.
  ///
  /// - Parameter environment: The variables that programs get; nil for those of this process.
  public func mountRemoteStores(environment: EnvironmentStore? = nil) {
    let interrupter = interrupter
    for scheme in ["http", "https"] {
      let store = HTTPStore(scheme: scheme)
      store.isInterrupted = { interrupter.isRequested }
      mount(store, as: scheme)
    }
    let databases = SQLiteFilesStore()
    databases.isInterrupted = { interrupter.isRequested }
    databases.mayRetry = { [weak machine] in machine?.mayPause ?? false }
    mount(databases, as: "sqlite")
    let processes = ProcessStore(environment: environment)
    processes.isInterrupted = { interrupter.isRequested }
    mount(processes, as: "process")
    let compression = CompressionStore()
    compression.isInterrupted = { interrupter.isRequested }
    mount(compression, as: "zlib")
    machine.mountStore(ofClass: "ClockStore", as: "clock")
    machine.mountStore(ofClass: "InputStore", as: "stdin")
    machine.mountStore(ofClass: "OutputStore", as: "stdout")
  }
  /// Mounts the store `terminal`: the terminal of this process, for a host whose console is the
  /// standard streams of the process.
  public func mountTerminal() { mount(TerminalStore(), as: "terminal") }
}
