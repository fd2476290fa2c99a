package import TenonStoreKit

extension FileStore: CopyingStore {
  /// The bytes of a regular file; pipes, sockets and devices are refused, and not even opened: that
  /// alone may take what was meant for somebody else.
  package func copy(of reference: Reference) throws(StoreError) -> GetOutcome {
    try with(reference) { (place) throws(FileFailure) in
      do throws(FileFailure) {
        let kind = try fileSystem.status(of: place.path, in: nil, followsLinks: true).kind
        guard kind == .file || kind == .directory else {
          throw FileFailure(.unsupported, "neither a file nor a directory")
        }
      } catch {
        guard error.isMissing else { throw error }
        return .missing
      }
      return try read(place, nil)
    }
  }

  /// Left out are names that no reference can hold, and links to nothing.
  package func listingToCopy(of reference: Reference) throws(StoreError) -> CopyingListing {
    try with(reference) { (place) throws(FileFailure) in
      let directory = try OpenFile(place.path, .directory, fileSystem)
      var unnamed = try fileSystem.countOfEntriesWithoutText(in: directory.descriptor)
      var omissions: [StoreOmission] = []
      let entries = try entries(of: directory) { (entry) throws(FileFailure) in
        if TemporaryFile.isName(entry.name) { return }
        if !FileStore.isListed(entry.name) {
          unnamed += 1
        } else if try status(of: entry.name, in: directory.descriptor) != nil {
          omissions.append(StoreOmission(entry.name, "a symbolic link that leads to nothing"))
        }
      }
      if unnamed > 0 {
        let names = unnamed == 1 ? "1 name" : "\(unnamed) names"
        omissions.append(StoreOmission(nil, "\(names) that no reference can hold"))
      }
      return CopyingListing(entries, omitting: omissions)
    }
  }
}
