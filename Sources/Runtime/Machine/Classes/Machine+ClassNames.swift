// Classes by name. There are many in the kernel and a program uses few: a class is made when its
// name is first looked for.

extension KernelText {
  /// The row of a class of the kernel, if there is one of that name.
  ///
  /// - Complexity: O(log(*classes*)): the rows are sorted.
  static func row(_ name: String) -> KernelClass? {
    var low = 0
    var high = classes.count
    while low < high {
      let middle = (low + high) / 2
      if classes[middle].name < name { low = middle + 1 } else { high = middle }
    }
    guard low < classes.count, classes[low].name == name else { return nil }
    return classes[low]
  }
}

/// The classes that there are by name, made or not.
struct ClassNames {
  fileprivate let machine: Machine

  subscript(name: String) -> ClassInfo? {
    if let info = machine.classes.made[name] { return info }
    guard !machine.classes.hasAllOfKernel, let row = KernelText.row(name) else { return nil }
    return machine.makeKernelClass(row)
  }

  /// The selectors of a class's own methods that begin with a text, sorted.
  func selectors(of info: ClassInfo, from beginning: String) -> [String] {
    let entered = info.enteredSelectors.filter { $0.utf8.starts(with: beginning.utf8) }
    let others = info.finder?.selectors(from: beginning, isMeta: info.isMeta) ?? []
    return Set(entered + others).sorted()
  }

  /// The selectors for which a class has a method, itself or for its instances, and that begin with
  /// a text; sorted.
  ///
  /// - Complexity: O(*texts of the tables of methods*); no class is made for it.
  func selectors(from beginning: String) -> [String] {
    let made = machine.classes.infos.lazy.compactMap(\.self).filter {
      let instances = unsafe $0.thisClass ?? $0
      return $0.canonical == nil && instances.inherits(from: machine.kernel.object)
    }
    var found = Set(made.flatMap { selectors(of: $0, from: beginning) })
    for row in KernelText.classes where machine.classes.made[row.name] == nil {
      let finder = KernelMethodFinder(row, machine.primitiveRows)
      found.formUnion(finder.selectors(from: beginning, isMeta: false))
      found.formUnion(finder.selectors(from: beginning, isMeta: true))
    }
    return found.sorted()
  }
}

/// The cells that hold the classes, and what else has a name among them.
struct ClassCells {
  fileprivate let machine: Machine

  subscript(name: String) -> ObjectRef? {
    if let cell = machine.classes.madeCells[name] { return cell }
    guard machine.classes.made[name] == nil, machine.classesByName[name] != nil else { return nil }
    return machine.classes.madeCells[name]
  }
}

extension Machine {
  /// The classes by name.
  var classesByName: ClassNames { ClassNames(machine: self) }

  /// The cells of the names of classes.
  var classCells: ClassCells { ClassCells(machine: self) }

  /// Makes all classes of the kernel: for those who want to see them all.
  func makeAllKernelClasses() {
    guard !classes.hasAllOfKernel else { return }
    for row in KernelText.classes { _ = makeKernelClass(row) }
    classes.hasAllOfKernel = true
  }

  /// The classes that inherit from a class directly: those of the kernel as their texts have them,
  /// then those of the program as they were defined.
  func subclasses(of info: ClassInfo) -> [ClassInfo] {
    makeAllKernelClasses()
    let all = info.directSubclasses
    func order(_ info: ClassInfo) -> Int {
      KernelText.row((unsafe info.thisClass ?? info).name)?.order ?? 0
    }
    return all.filter(\.isKernel).sorted { order($0) < order($1) } + all.filter { !$0.isKernel }
  }
}
