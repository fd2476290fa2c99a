internal import TenonText

/// How the text of a path in a program stands for a part of a reference.
///
/// Addresses of the web are written as they are found, encoded; what an expression gives is never
/// decoded, and in other schemes `%` is a sign like any other.
package enum PathCoding {
  case none, component, query

  package static func component(of scheme: String) -> PathCoding {
    isWeb(scheme) ? .component : .none
  }
  package static func query(of scheme: String) -> PathCoding { isWeb(scheme) ? .query : .none }

  private static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

  package func decoded(_ text: String) -> String {
    self == .none ? text : PercentEncoding.decoded(text, plusIsBlank: self == .query)
  }
}
