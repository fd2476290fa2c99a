public import TenonStoreKit
internal import TenonText

extension FileStore: CommandedStore {
  /// Whether it is `kinds`, `details`, `state`, `path` or `digest`.
  public func isReading(_ command: String) -> Bool {
    ["kinds", "details", "state", "path", "digest"].contains(command)
  }

  /// Carries out a command.
  ///
  /// - `read`, `replace` and `append` open a file.
  /// - `kinds` answers what each entry of a directory is, links not followed; `details` what is known of a
  ///   place, a link itself; `path` where it is for other programs.
  /// - `state` answers a text that tells what is at a place, links followed, from what was there before
  ///   without reading it, and begins with the nanoseconds since 1970 when that came about; nil for what is
  ///   no file.
  /// - `digest`, with the name of a function, answers that of a file's bytes, which are read piece by piece.
  /// - `permissions` and `modified`, in nanoseconds since 1970, with a number, `owner` with the numbers of
  ///   a user and a group, and `link` with a path, change a place.
  /// - `temporary`, with `file` or `directory`, makes one that is empty, and answers its path.
  /// - `durability`, with `full` or `fast`, says whether a write has reached the disk when it answers.
  public func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer {
    let part = try? JSONPart.read(argument.bytes[...])
    switch (command, part) {
    case ("read", _): return .source(try source(at: reference))
    case ("replace", _): return .sink(try replacingSink(at: reference))
    case ("append", _): return .sink(try appendingSink(at: reference))
    case ("kinds", _): return .resource(try kinds(at: reference))
    case ("details", _): return .resource(try details(of: reference))
    case ("state", _):
      if let state = try state(at: reference) { return .resource(state) }
    case ("path", _):
      let path = JSONText.quoted(try path(of: reference))
      return .resource(Resource(Array(path.utf8), contentType: "application/json"))
    case ("digest", _):
      guard case .text(let name) = part, let function = Digest.Function(rawValue: name) else {
        throw StoreError(.encode, reference, "a digest has a name, such as sha256")
      }
      let digest = try with(reference) { (place) throws(FileFailure) in
        try self.digest(place, function)
      }
      if let digest { return .resource(Resource(digest, isJSON: false)) }
    case ("temporary", .text(let kind)):
      return .resource(try makeTemporary(isDirectory: kind == "directory", reference))
    case ("durability", .text("full")): isDurable = true
    case ("durability", .text("fast")): isDurable = false
    case ("durability", _):
      throw StoreError(.encode, reference, "the durability of files is full or fast")
    default:
      guard let change = FileChange(command, part) else {
        throw StoreError(.unsupported, reference, "it does not know '\(command)'")
      }
      try with(reference) { (place) throws(FileFailure) in
        guard !isConfined else {
          throw FileFailure(.unsupported, "a confined store does not change that")
        }
        try fileSystem.change(place.path, change)
      }
    }
    return .done
  }

  private func kinds(at reference: Reference) throws(StoreError) -> Resource {
    let entries = try with(reference) { (place) throws(FileFailure) in
      let directory = try OpenFile(place.path, .directory, fileSystem)
      var members: [String] = []
      for entry in try fileSystem.entries(of: directory.descriptor)
      where FileStore.isListed(entry.name) {
        var kind = entry.kind
        if kind == nil { kind = try status(of: entry.name, in: directory.descriptor)?.kind }
        if let kind { members.append("\(JSONText.quoted(entry.name)): \"\(kind)\"") }
      }
      return members
    }
    return Resource(
      Array("{\(entries.sorted().joined(separator: ", "))}".utf8), contentType: "application/json")
  }

  private func details(of reference: Reference) throws(StoreError) -> Resource {
    let text = try with(reference) { (place) throws(FileFailure) -> String in
      let status: FileStatus
      do throws(FileFailure) {
        status = try fileSystem.status(of: place.path, in: nil, followsLinks: false)
      } catch {
        guard error.isMissing else { throw error }
        return "null"
      }
      var members = [
        "\"kind\": \"\(status.kind)\"", "\"permissions\": \(status.permissions)",
        "\"user\": \(status.user)", "\"group\": \(status.group)",
        "\"modified\": \(status.modified)", "\"links\": \(status.links)",
      ]
      if status.kind == .file { members.append("\"size\": \(status.size)") }
      if status.kind == .link {
        let target = try fileSystem.target(ofLink: place.path, in: nil)
        members.append("\"target\": \(JSONText.quoted(target))")
      }
      return "{\(members.joined(separator: ", "))}"
    }
    return Resource(Array(text.utf8), contentType: "application/json")
  }

  private func state(at reference: Reference) throws(StoreError) -> Resource? {
    let text = try with(reference) { (place) throws(FileFailure) -> String? in
      do throws(FileFailure) {
        let status = try fileSystem.status(of: place.path, in: nil, followsLinks: true)
        guard status.kind == .file, !place.isDirectory else { return nil }
        return
          "\(status.changed) \(status.size) \(status.identity.device) \(status.identity.number)"
      } catch {
        guard error.isMissing else { throw error }
        return nil
      }
    }
    return text.map { Resource(Array(JSONText.quoted($0).utf8), contentType: "application/json") }
  }

  /// Makes a file or directory that nobody else can use, where the environment says, or in `/tmp`.
  private func makeTemporary(
    isDirectory: Bool, _ reference: Reference
  ) throws(StoreError) -> Resource {
    guard !isConfined else {
      throw StoreError(.unsupported, reference, "a confined store makes no temporary files")
    }
    let given = processEnvironment().first { $0.starts(with: "TMPDIR=/".utf8) }
    let folder = given.map { String(decoding: $0.dropFirst(7), as: UTF8.self) } ?? "/tmp"
    let path = folder + "/tenon-" + String(UInt64.random(in: .min ... .max), radix: 36)
    do throws(FileFailure) {
      if isDirectory {
        try fileSystem.makeDirectory(path, in: nil, permissions: 0o700)
      } else {
        fileSystem.close(try fileSystem.open(path, in: nil, .creating(permissions: 0o600)))
      }
    } catch {
      throw StoreError(error, reference)
    }
    return Resource(Array(JSONText.quoted(path).utf8), contentType: "application/json")
  }
}

extension FileChange {
  /// The change that a command asks for; nil for another command or what is none.
  fileprivate init?(_ command: String, _ argument: JSONPart?) {
    switch (command, argument) {
    case ("permissions", .number(let text)):
      guard let bits = UInt32(text), bits <= 0o7777 else { return nil }
      self = .permissions(bits)
    case ("modified", .number(let text)):
      guard let time = Int(text) else { return nil }
      self = .modified(time)
    case ("owner", .array(let parts)) where parts.count == 2:
      guard case .number(let user) = try? JSONPart.read(parts[0]), let user = UInt32(user),
        case .number(let group) = try? JSONPart.read(parts[1]), let group = UInt32(group)
      else { return nil }
      self = .owner(user: user, group: group)
    case ("link", .text(let target)) where !target.isEmpty && !target.utf8.contains(0):
      self = .link(to: target)
    default: return nil
    }
  }
}
