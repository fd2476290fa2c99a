// Which names are those of filters: a diagram knows no definitions, and need not.

extension Diagram {
  /// Takes for filters what names say in the middle of flows and nowhere else but in flows.
  ///
  /// - Complexity: O(n).
  mutating func markFilters() {
    var filters: Set<Int> = []
    var places: Set<Int> = []
    for statement in statements {
      if statement.connector == "->" {
        filters.formUnion(statement.operands.dropFirst().dropLast())
      } else {
        places.formUnion(statement.operands)
      }
    }
    for read in reads {
      places.insert(read.from)
      places.insert(read.to)
    }
    for filter in filters.subtracting(places)
    where nodes[filter].text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
      nodes[filter].kind = .formula
    }
  }
}
