import Tenon
import TenonLexer
import Testing

@testable import TenonRuntime

/// The kernel as a whole: what is compiled only when it is first sent is compiled here.
@Suite struct KernelTests {
  private func withMachine(_ body: @escaping @Sendable (Machine) -> [String]) -> [String] {
    onThread(stackSize: 16 << 20) {
      var options = MachineOptions()
      options.stackSlots = 1 << 16
      let machine = Machine(options: options)
      machine.makeAllKernelClasses()
      return body(machine)
    }
  }

  @Test func everyMethodCompiles() {
    let problems = withMachine { machine in
      for case let info? in machine.classes.infos {
        for method in info.allMethods { _ = machine.body(of: method) }
      }
      return []
    }
    #expect(problems == [])
  }

  @Test func everyClassHasAComment() {
    let problems = withMachine { machine in
      machine.classes.infos.compactMap { $0 }.filter { !$0.isMeta && $0.comment.isEmpty }.map(
        \.name)
    }
    #expect(problems == [])
  }

  @Test func primitivesBelongToClassesAndAreNotDefinedTwice() {
    let problems = withMachine { _ in
      var problems: [String] = []
      for row in KernelText.classes {
        for (side, name) in [("-", row.name), ("+", row.name + " class")] {
          let primitives = Primitive.table(for: name).map(\.selector)
          let written = row.methods.split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0[0] == side }.map { String($0[1]) }
          for (selector, count) in counts(primitives + written) where count > 1 {
            problems.append("\(name)>>\(selector) is there \(count) times")
          }
        }
      }
      return problems
    }
    #expect(problems == [])
  }

  /// A method that is looked for alone is the one that is entered with all others.
  @Test func methodsAreFoundOneByOneAsTogether() {
    let problems = withMachine { machine in
      var options = MachineOptions()
      options.stackSlots = 1 << 16
      let other = Machine(options: options)
      other.makeAllKernelClasses()
      let classes = machine.classes.infos.enumerated().compactMap {
        $1?.index == UInt32($0) ? $1 : nil
      }
      let all = classes.map { ($0, $0.allMethods) }
      let names = Set(all.flatMap { $1.map(\.selector.name) }).sorted()
      var problems: [String] = []
      for (number, (info, methods)) in all.enumerated() {
        guard let lazyInfo = other.classes.infos[Int(info.index)] else { return [info.name] }
        let own = Dictionary(uniqueKeysWithValues: methods.map { ($0.selector.name, $0) })
        // Of those that the class does not have, some are asked for.
        for (index, name) in names.enumerated() where own[name] != nil || (index + number) % 8 == 0
        {
          let found = lazyInfo.ownMethod(other.selector(name))
          if found.map(describe) != own[name].map(describe) {
            problems.append("\(info.name)>>\(name)")
          }
        }
        if lazyInfo.allMethods.count != methods.count { problems.append(info.name) }
      }
      return problems
    }
    #expect(problems == [])
  }

  @Test func everyErrorClassIsAnException() {
    let problems = withMachine { machine in
      ErrorClass.allCases.map(\.rawValue).filter { name in
        machine.classesByName[name]?.inherits(from: machine.kernel.exception) != true
      }
    }
    #expect(problems == [])
  }
}

/// Where a method comes from, for comparisons.
private func describe(_ method: TenonRuntime.Method) -> String {
  switch method.origin {
  case .primitive: "primitive: \(method.comment)"
  case .definition: "definition"
  case .kernel(let place): "kernel \(place.file) \(place.range)"
  case .getter(let slot): "getter \(slot)"
  case .setter: "setter"
  case .node: "node"
  }
}

/// How often each word stands in a list.
private func counts(_ words: [String]) -> [(String, Int)] {
  Dictionary(grouping: words) { $0 }.map { ($0.key, $0.value.count) }.sorted { $0 < $1 }
}
