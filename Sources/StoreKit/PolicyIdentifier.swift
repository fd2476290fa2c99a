/// What connections call that which has changed: a reference to a place in a store, a name for any
/// other place, or everything.
package enum PolicyIdentifier: PathIdentifier {
  case everything
  case name(String)
  case reference(Reference)

  package var steps: [PathStep] {
    switch self {
    case .everything: []
    // No scheme begins so.
    case .name(let name): [PathStep("\u{4}" + name)]
    case .reference(let reference): reference.steps
    }
  }

  package var leastSteps: Int {
    if case .reference = self { 1 } else { 0 }
  }

  package var coversBelow: Bool {
    switch self {
    case .everything: true
    case .name: false
    case .reference(let reference): reference.isDirectory
    }
  }

  package func widened(to count: Int) -> PolicyIdentifier {
    guard case .reference(let reference) = self, count > 1 else { return .everything }
    return .reference(reference.widened(to: count).asDirectory)
  }
}

extension Reference {
  /// The reference to everything below the place.
  package var asDirectory: Reference {
    let directory = try? Reference(
      scheme: scheme, authority: authority, components: components, isAbsolute: isAbsolute,
      isDirectory: true)
    return directory ?? self
  }
}
