/// A file that is open as long as this value lives: no way out of a function leaves a descriptor
/// behind.
struct OpenFile: ~Copyable {
  let descriptor: Descriptor
  private let fileSystem: any FileSystem

  /// Opens a file.
  init(
    _ path: String, in directory: Descriptor? = nil, _ mode: OpenMode,
    _ fileSystem: any FileSystem
  ) throws(FileFailure) {
    descriptor = try fileSystem.open(path, in: directory, mode)
    self.fileSystem = fileSystem
  }

  deinit { fileSystem.close(descriptor) }
}
