import Tenon
import TenonLexer

/// What a script was seen to do.
struct Observation: Sendable, Equatable {
  /// The text of a statement's value.
  struct Value: Sendable, Equatable {
    /// The line on which the statement ends.
    let line: Int
    /// The number of the statement.
    let statement: Int
    let text: String
  }

  /// An error or a warning.
  struct Complaint: Sendable, Equatable {
    let kind: Annotation.Kind
    let line: Int
    let text: String
  }

  /// Those values that somebody asked for.
  var values: [Value] = []
  /// The lines written, whatever the channel.
  var output: [String] = []
  var complaints: [Complaint] = []
  /// Whether the script had to be stopped.
  var wasInterrupted = false
  /// How many safepoints it passed, if they were counted.
  var safepoints = 0

  /// The value of the statement that ends on a line.
  func value(onLine line: Int, in text: AnnotatedText) -> String? {
    values.last { text.anchor(of: $0.line) == line }?.text
  }
}

// MARK: - Comparison

extension AnnotatedText {
  /// What an observation has that was not expected, and the other way round.
  func failures(of observation: Observation) -> [String] {
    var failures: [String] = []
    if observation.wasInterrupted { failures.append("the script did not end") }
    failures += valueFailures(observation)
    failures += outputFailures(observation)
    failures += complaintFailures(observation)
    return failures
  }

  private func valueFailures(_ observation: Observation) -> [String] {
    annotations.filter { $0.kind == .value }.compactMap { expected in
      guard let value = observation.value(onLine: expected.anchor, in: self) else {
        return "line \(expected.line): no statement that ran ends here: => \(expected.text)"
      }
      return value == expected.text
        ? nil : "line \(expected.line): expected => \(expected.text)\n  found => \(value)"
    }
  }

  private func outputFailures(_ observation: Observation) -> [String] {
    let expected = annotations.filter { $0.kind == .output }
    for (annotation, line) in zip(expected, observation.output) where annotation.text != line {
      return ["line \(annotation.line): expected the output \(annotation.text)\n  found \(line)"]
    }
    if expected.count > observation.output.count {
      let missing = expected[observation.output.count]
      return ["line \(missing.line): the output ended before \(missing.text)"]
    }
    if observation.output.count > expected.count {
      return ["nobody expected the output \(observation.output[expected.count])"]
    }
    return []
  }

  private func complaintFailures(_ observation: Observation) -> [String] {
    var failures: [String] = []
    var left = observation.complaints
    for expected in annotations {
      switch expected.kind {
      case .value, .output, .input: continue
      case .error, .syntaxError, .warning: break
      }
      let index = left.firstIndex {
        $0.kind == expected.kind && $0.text == expected.text
          && anchor(of: $0.line) == expected.anchor
      }
      if let index {
        left.remove(at: index)
      } else {
        failures.append("line \(expected.line): no \(expected.kind.rawValue) \(expected.text)")
      }
    }
    for complaint in left {
      failures.append(
        "line \(complaint.line): nobody expected \(complaint.kind.rawValue) \(complaint.text)")
    }
    return failures
  }
}
