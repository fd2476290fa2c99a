internal import CTenonPlatform
internal import TenonLexer

/// Single methods of the kernel's classes: a program sends few of the messages that the kernel
/// knows, and entering them all would take most of the time that an interpreter needs to start.
final class KernelMethodFinder {
  private let row: KernelClass
  /// The primitives of a class by its name.
  private let rows: Primitive.Rows
  private lazy var primitives = [false: rows(row.name)]

  init(_ row: KernelClass, _ rows: @escaping Primitive.Rows) {
    self.row = row
    self.rows = rows
  }

  /// The method that a class of the kernel, or its class, has for a selector.
  ///
  /// What the text defines comes first, as when all methods are entered.
  ///
  /// - Complexity: O(*text of the table of methods*), a search for a few bytes.
  func method(for selector: Selector, in info: ClassInfo) -> Method? {
    if let place = place(of: selector.name, isMeta: info.isMeta) {
      return Method(selector: selector, holder: info, origin: .kernel(place))
    }
    let nodes = KernelNodes.table(for: info.name)
    if let row = nodes.first(where: { $0.selector == selector.name }) {
      return Method(
        selector: selector, holder: info, origin: .node(row.make), comment: row.summary)
    }
    if let primitive = primitive(named: selector.name, isMeta: info.isMeta) {
      return Method(
        selector: selector, holder: info, origin: .primitive(primitive.body),
        comment: primitive.summary)
    }
    if row.hasSetters, !info.isMeta, selector.argumentCount == 1, selector.name.hasSuffix(":"),
      let slot = info.slot(of: String(selector.name.dropLast()))
    {
      return Method(
        selector: selector, holder: info,
        origin: .setter(slot: slot, type: nil, isConstant: false))
    }
    guard !info.isMeta, selector.argumentCount == 0, let slot = info.slot(of: selector.name),
      row.variableNames.contains(selector.name)
    else { return nil }
    return Method(selector: selector, holder: info, origin: .getter(slot: slot))
  }

  /// The selectors of the methods of a class of the kernel, or its class, that begin with a text; some twice.
  ///
  /// - Complexity: O(*text of the table of methods*).
  func selectors(from beginning: String, isMeta: Bool) -> [String] {
    var methods = row.methods
    var found = methods.withUTF8 {
      unsafe KernelMethodFinder.words(after: isMeta ? "+ " : "- ", from: beginning, in: $0)
    }
    let name = isMeta ? row.name + " class" : row.name
    // A pattern begins as its selector does up to the first colon.
    let word = beginning.utf8.prefix { $0 != UInt8(ascii: ":") }
    for primitive in rows(name) where primitive.pattern.utf8.starts(with: word) {
      found.append(primitive.selector)
    }
    found += KernelNodes.table(for: name).map(\.selector)
    if !isMeta {
      for variable in row.variableNames {
        found += row.hasSetters ? [variable, variable + ":"] : [variable]
      }
    }
    return found.filter { $0.utf8.starts(with: beginning.utf8) }
  }

  private func primitive(named name: String, isMeta: Bool) -> Primitive? {
    let table = primitives[isMeta] ?? rows(row.name + " class")
    primitives[isMeta] = table
    // Most patterns differ in their first bytes; only the others are taken apart.
    let word = name.utf8.prefix { $0 != UInt8(ascii: ":") }
    return table.first { $0.pattern.utf8.starts(with: word) && $0.selector == name }
  }

  /// Where the text defines a method.
  private func place(of name: String, isMeta: Bool) -> KernelMethod? {
    let wanted = (isMeta ? "+ " : "- ") + name + " "
    var methods = row.methods
    guard let end = methods.withUTF8({ unsafe KernelMethodFinder.end(of: wanted, in: $0) }) else {
      return nil
    }
    let places = methods.utf8.dropFirst(end).prefix { $0 != UInt8(ascii: "\n") }
      .split(separator: UInt8(ascii: " ")).compactMap { Int32(Substring($0)) }
    guard places.count == 3 else { return nil }
    return KernelMethod(file: Int(places[0]), range: SourceRange(places[1], places[2]))
  }

  /// The offset behind a text that begins a line of another one.
  private static func end(of wanted: String, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let first = text.baseAddress else { return nil }
    let base = unsafe UnsafeRawPointer(first)
    var wanted = wanted
    return wanted.withUTF8 { part -> Int? in
      var start = 0
      while start < text.count {
        let found = unsafe tenon_memmem(
          base + start, text.count - start, part.baseAddress, part.count)
        guard let found = unsafe found else { return nil }
        let offset = unsafe UnsafeRawPointer(found) - base
        let isLineStart = unsafe offset == 0 || text[offset - 1] == UInt8(ascii: "\n")
        if isLineStart { return offset + part.count }
        start = offset + 1
      }
      return nil
    }
  }

  /// The second words of the lines that begin with a side and a text.
  private static func words(
    after side: String, from beginning: String, in text: UnsafeBufferPointer<UInt8>
  ) -> [String] {
    let wanted = Array((side + beginning).utf8)
    var found: [String] = []
    let lines = unsafe text.split(separator: UInt8(ascii: "\n"))
    for index in unsafe lines.indices {
      let line = unsafe lines[index]
      guard unsafe line.starts(with: wanted) else { continue }
      let word = unsafe line.dropFirst(side.utf8.count).prefix { $0 != UInt8(ascii: " ") }
      unsafe found.append(String(decoding: word, as: UTF8.self))
    }
    return found
  }
}
