internal import TenonRuntime
public import TenonStoreKit
internal import TenonStores

// What a host grants piece by piece. An interpreter begins with nothing.

/// What scripts may do with what they are granted.
public enum ScriptAccess: Sendable {
  /// Read and list.
  case reading
  /// All that the store can do.
  case writing
}

extension Interpreter {
  /// Grants the files below a directory, and no others: paths begin there, and neither `..` nor a link
  /// leads out.
  ///
  /// - Parameters:
  ///   - directory: The directory, which must be there.
  ///   - access: What scripts may do.
  ///   - scheme: What scripts call it.
  /// - Throws: `StoreError` when the directory cannot be opened.
  public func grantFiles(
    below directory: String, _ access: ScriptAccess = .reading, as scheme: String = "file"
  ) throws(StoreError) {
    let files = try FileStore(root: directory)
    let interrupter = interrupter
    files.isInterrupted = { interrupter.isRequested }
    switch access {
    case .reading: mount(ReadingStore(files), as: scheme)
    case .writing: mount(files, as: scheme)
    }
  }

  /// Grants servers by their names, `api.example.com` or with a port `localhost:8080`, under `http` and
  /// `https`; a server that sends on to another one is not followed.
  ///
  /// - Parameters:
  ///   - hosts: The names.
  ///   - access: With `reading` only `GET` and `HEAD` are sent.
  public func grantServers(_ hosts: Set<String>, _ access: ScriptAccess = .reading) {
    let interrupter = interrupter
    for scheme in ["http", "https"] {
      let store = HTTPStore(scheme: scheme)
      store.hosts = hosts
      store.isReadOnly = access == .reading
      store.isInterrupted = { interrupter.isRequested }
      mount(store, as: scheme)
    }
  }

  /// Grants variables of the process's environment as they are now, under `env`; what scripts change is
  /// seen by nobody else.
  public func grantEnvironment(_ names: Set<String>) {
    let environment = EnvironmentStore()
    var variables: [String: String] = [:]
    for name in names {
      guard let reference = try? Reference(scheme: "env", components: [name]),
        case .resource(let resource)? = try? environment.get(reference, if: nil)
      else { continue }
      variables[name] = String(decoding: resource.bytes, as: UTF8.self)
    }
    mount(EnvironmentStore(variables), as: "env")
  }

  /// Mounts a store of which scripts may only read.
  ///
  /// Its commands, which the store defines besides the verbs, are not there.
  public func mountForReading(_ store: any Store, as scheme: String) {
    mount(ReadingStore(store), as: scheme)
  }
}

/// Another store, for reading only.
final class ReadingStore: ForwardingStore {
  override var capabilities: StoreCapabilities {
    let source = source.capabilities
    return StoreCapabilities(
      Set(source.verbs).intersection([.get, .list]), durability: source.durability,
      isExternal: source.isExternal)
  }

  private func refusal(_ verb: String, _ reference: Reference) -> StoreError {
    StoreError(.permission, reference, "only reading is granted, not '\(verb)'")
  }

  override func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) { throw refusal("put", reference) }

  override func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool { throw refusal("delete", reference) }

  override func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    throw refusal("post", reference)
  }

  override func merge(
    _ reference: Reference, _ patch: Resource, if condition: Precondition?
  ) throws(StoreError) { throw refusal("merge", reference) }

  override func makeDirectory(_ reference: Reference) throws(StoreError) {
    throw refusal("makeDirectory", reference)
  }

  override func move(
    _ reference: Reference, to destination: Reference, if condition: Precondition?
  ) throws(StoreError) { throw refusal("move", reference) }

  override func deleteTree(_ reference: Reference) throws(StoreError) -> Bool {
    throw refusal("deleteTree", reference)
  }

  override func flush() throws(StoreError) {}
}
