#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Another program that does at random whatever can be done in a tree of directories.
struct Disturbance {
  private let root: String
  private var random: UInt64
  /// The directories that are there, relative to the root.
  private var directories = [""]
  private var nextDirectory = 0

  init(_ root: String, seed: Int) {
    self.root = root
    random = UInt64(bitPattern: Int64(seed)) &* 2_862_933_555_777_941_757 &+ 3_037_000_493
  }

  private mutating func number(below limit: Int) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((random >> 33) % UInt64(limit))
  }

  private func path(_ directory: String, _ name: String) -> String {
    directory.isEmpty ? name : directory + "/" + name
  }

  private mutating func anyDirectory() -> String { directories[number(below: directories.count)] }

  private mutating func anyFile() -> String {
    path(anyDirectory(), "f\(number(below: 6))")
  }

  private func write(_ name: String, _ text: String) {
    let file = unsafe open(root + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { return }
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe systemWrite(file, $0.baseAddress, $0.count) }
    close(file)
  }

  /// Does so many things.
  mutating func run(_ count: Int) {
    for step in 0..<count {
      // Now and then long enough for whoever watches to look.
      if step % 100 == 99 { usleep(25_000) }
      switch number(below: 20) {
      case 0..<7: write(anyFile(), "\(step)")
      case 7..<11:
        let temporary = path(anyDirectory(), "saving\(step)~")
        write(temporary, "saved \(step)")
        unsafe _ = rename(root + "/" + temporary, root + "/" + anyFile())
      case 11..<15: unsafe _ = unlink(root + "/" + anyFile())
      case 15: unsafe _ = rename(root + "/" + anyFile(), root + "/" + anyFile())
      case 16..<18:
        guard directories.count < 24 else { continue }
        nextDirectory += 1
        let new = path(anyDirectory(), "d\(nextDirectory)")
        if new.utf8.count < 60, unsafe mkdir(root + "/" + new, 0o755) == 0 {
          directories.append(new)
          // Before anybody can have begun to watch it.
          write(path(new, "f0"), "new \(step)")
        }
      case 18: moveDirectory()
      default: removeDirectory()
      }
    }
  }

  private mutating func moveDirectory() {
    let old = anyDirectory()
    let target = anyDirectory()
    guard !old.isEmpty, target != old, !target.hasPrefix(old + "/") else { return }
    nextDirectory += 1
    let new = path(target, "m\(nextDirectory)")
    guard new.utf8.count < 60, unsafe rename(root + "/" + old, root + "/" + new) == 0 else {
      return
    }
    directories = directories.map { each in
      if each == old { return new }
      return each.hasPrefix(old + "/") ? new + String(each.dropFirst(old.count)) : each
    }
  }

  /// Removes a directory with the files in it, if no other is in it.
  private mutating func removeDirectory() {
    let old = anyDirectory()
    guard !old.isEmpty, !directories.contains(where: { $0.hasPrefix(old + "/") }) else { return }
    for number in 0..<6 { unsafe _ = unlink(root + "/" + path(old, "f\(number)")) }
    if unsafe rmdir(root + "/" + old) == 0 { directories.removeAll { $0 == old } }
  }
}

// Under a name of its own: inside the type, `write` is its method.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}
