public import TenonStoreKit

/// Opens a store of some kind for a script: of what a reference names, with what the script says
/// about it.
public typealias StoreOpener = (
  _ reference: Reference, _ options: [String: String]
) throws(StoreError) -> any Store

extension Machine {
  /// Opens a store of a kind that the program was granted.
  func openStore(
    _ kind: String, at reference: Value, _ options: Value
  ) throws(Failure) -> Value {
    guard let open = host.storeOpeners[kind] else {
      throw .store(
        StoreError(
          .permission, referenceText(reference),
          "this program was granted no stores of the kind '\(kind)'"),
        during: "open")
    }
    let place = try self.reference(reference)
    let texts = try self.array(options)
    var named: [String: String] = [:]
    for index in stride(from: 0, to: texts.elementCount - 1, by: 2) {
      named[try swiftString(texts[element: index])] = try swiftString(texts[element: index + 1])
    }
    do throws(StoreError) {
      let store = try open(place, named)
      return makeNativeStore(
        store, className: store is any DurableStore ? "PersistentStore" : "NativeStore")
    } catch {
      throw .store(error, during: "open")
    }
  }

  /// The store written in Swift that an object stands for, which would be asked itself again otherwise.
  ///
  /// - Throws: that it stands for none.
  func openedStore(_ store: Value) throws(Failure) -> any Store {
    if let native = nativeStore(store) { return native }
    throw Failure(.error, "\(describe(store)) has not been opened")
  }
}
