/// How long code lives.
///
/// Nodes refer to each other, and frames to nodes, without reference counting; so code must outlive
/// every activation of it. The code of a method stays as long as the method. Code that has been run
/// once, or whose method was replaced, is retired: it goes when a collection finds no closure that
/// was made by it.
extension Machine {
  /// Lets go of code that nothing runs, unless a closure may still need it.
  func retire(_ code: Code) {
    if !code.blocks.isEmpty, !code.isKept { codeTable.retired.append(code) }
  }

  /// Lets go of a method's code when nothing runs any more: it may be what runs now.
  func retireLater(_ method: Method) {
    for case let code? in [method.code, method.trackedCode] { codeTable.replaced.append(code) }
    method.code = nil
    method.trackedCode = nil
  }

  /// Retires the code of replaced methods, at a moment when no activation exists.
  func retireReplacedMethods() {
    guard !codeTable.replaced.isEmpty else { return }
    let codes = codeTable.replaced
    codeTable.replaced = []
    codeTable.methods.removeAll { code in codes.contains { $0 === code } }
    codes.forEach { retire($0) }
  }

  /// Marks what the code refers to, whoever needs the code.
  func markLiterals() {
    for list in [
      codeTable.methods, codeTable.running, codeTable.retired, codeTable.replaced,
      codeTable.known.code,
    ] {
      for code in list {
        for literal in code.literals { heap.mark(literal) }
        // A statement that is still running evaluates blocks of this form.
        for literal in code.trackedForm?.literals ?? [] { heap.mark(literal) }
        for literal in code.recordedForm?.literals ?? [] { heap.mark(literal) }
      }
    }
  }

  /// Frees the retired code that no closure has needed in the collection that just ended.
  ///
  /// Syntax is freed with it, level by level: where the native stack is nearly used up that waits
  /// for another collection.
  func freeRetiredCode() {
    guard nativeRoom >= nativeStack.releaseRoom else { return }
    let current = unsafe heap.collectionCount
    codeTable.retired.removeAll { unsafe $0.mark != current && $0.trackedForm?.mark != current }
  }
}
