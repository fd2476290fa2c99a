internal import TenonLexer
public import TenonStoreKit
internal import TenonText

/// Reads the scripts that scripts import from files.
///
/// A path is relative to the directory of the importing file, or to the working directory for a text
/// that came from no file. The ending `.st` may be left out.
public final class FileSourceLoader: SourceLoader {
  /// Whether somebody wants the program to stop: asked while a pipe is read.
  public var isInterrupted: () -> Bool = { false }

  private let fileSystem: any FileSystem = UninterruptedFileSystem(OperatingSystem())

  /// Creates a loader that reads with the rights of the process.
  public init() {}

  /// Reads a file.
  ///
  /// - Throws: `SourceLoaderError` when there is no such file, or it cannot be read or is too large.
  public func load(
    _ path: String, importedBy importer: String
  ) throws(SourceLoaderError) -> LoadedSource {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SourceLoaderError("'\(path)' is no path of a file")
    }
    let full = path.beginsWithBytes(of: "/") ? path : directory(of: importer) + path
    do throws(FileFailure) {
      do throws(FileFailure) {
        return try read(full)
      } catch {
        guard error.isMissing || error == .isADirectory, !full.endsInBytes(of: ".st") else {
          throw error
        }
        return try read(full + ".st")
      }
    } catch {
      throw SourceLoaderError("cannot import '\(path)': \(error.reason)")
    }
  }

  /// The device and number of a file.
  public func identity(ofFile name: String) -> String? {
    guard !name.beginsWithBytes(of: "<"),
      let status = try? fileSystem.status(of: name, in: nil, followsLinks: true)
    else { return nil }
    return text(of: status.identity)
  }

  private func read(_ path: String) throws(FileFailure) -> LoadedSource {
    let file = try OpenFile(path, .reading, fileSystem)
    let status = try fileSystem.status(of: file.descriptor)
    guard status.kind != .directory else { throw .isADirectory }
    let bytes = try fileSystem.content(
      of: file.descriptor, status: status, limit: SourceText.largestSize,
      patience: Patience(limit: 5000, isInterrupted: isInterrupted))
    return LoadedSource(
      identity: text(of: status.identity),
      source: SourceText(name: path, bytes: ContiguousArray(bytes)))
  }

  private func text(of identity: FileIdentity) -> String {
    "\(identity.device):\(identity.number)"
  }

  /// The directory of a file with a slash at its end; empty for the working directory.
  private func directory(of name: String) -> String {
    guard !name.beginsWithBytes(of: "<"),
      let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
    else { return "" }
    return String(name[...slash])
  }
}
