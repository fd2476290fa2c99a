internal import Tenon

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

// tenon jupyter install: the kernel where Jupyter looks for kernels.

extension Command {
  /// Writes the kernel and its description.
  ///
  /// - Returns: The exit status.
  func installKernel(_ request: JupyterOptions) -> Int32 {
    guard let data = request.prefix.map({ $0 + "/share/jupyter" }) ?? Command.jupyterData else {
      console.tell(
        "tenon: neither JUPYTER_DATA_DIR nor HOME says where the kernel goes; give '--prefix DIR'")
      return ExitStatus.failure
    }
    let path = data + "/kernels/tenon"
    guard Command.makeDirectories(path), let directory = Command.absolute(path) else {
      return cannotWrite(path)
    }
    let kernel = directory + "/tenon_kernel.py"
    let written = write(jupyterKernelText, to: kernel)
    guard written == ExitStatus.success else { return written }
    let described = write(
      Command.description(kernel: kernel), to: directory + "/kernel.json")
    guard described == ExitStatus.success else { return described }
    return print("the kernel 'tenon' is installed in \(directory)\n")
  }

  /// The text of `kernel.json`.
  private static func description(kernel: String) -> String {
    let description = JSONValue.object([
      ("argv", .array(["python3", .text(kernel), "-f", "{connection_file}"])),
      ("display_name", "Tenon"), ("language", "tenon"), ("interrupt_mode", "signal"),
      ("env", .object([("TENON", .text(ownPath))])),
    ])
    return description.written + "\n"
  }

  /// Where Jupyter has the data of a user; nil where nothing says who that is.
  private static var jupyterData: String? {
    if let directory = variable("JUPYTER_DATA_DIR") { return directory }
    #if canImport(Darwin)
      return variable("HOME").map { $0 + "/Library/Jupyter" }
    #else
      if let directory = variable("XDG_DATA_HOME") { return directory + "/jupyter" }
      return variable("HOME").map { $0 + "/.local/share/jupyter" }
    #endif
  }

  /// A variable of the environment that is not empty.
  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The path of the program that runs; the word that it was started by where the system does not say.
  private static var ownPath: String {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _ = unsafe _NSGetExecutablePath(nil, &size)
      var bytes = [CChar](repeating: 0, count: Int(size) + 1)
      if unsafe _NSGetExecutablePath(&bytes, &size) == 0 {
        let path = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        return absolute(path) ?? path
      }
    #else
      if let path = absolute("/proc/self/exe") { return path }
    #endif
    let word = CommandLine.arguments[0]
    // A word without a slash was found by PATH, and will be.
    return word.contains("/") ? absolute(word) ?? word : word
  }

  /// A path from the root, without links; nil when there is nothing, with the reason in `errno`.
  private static func absolute(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Makes a directory and those above it, unless they are there.
  ///
  /// - Returns: Whether it is there; if not, the reason is in `errno`.
  private static func makeDirectories(_ path: String) -> Bool {
    var end = path.startIndex
    while end < path.endIndex {
      end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      if unsafe mkdir(String(path[..<end]), 0o777) != 0, errno != EEXIST {
        // A directory above may be one that cannot be written and has the next one.
        var status = stat()
        guard unsafe stat(String(path[..<end]), &status) == 0 else { return false }
      }
    }
    return true
  }
}
