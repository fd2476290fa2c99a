/// A reference that is not counted, of a view or handle that the object outlives: see `CellView`.
///
/// Reading an `unowned(unsafe)` property retains the object for the expression, which was a third of the
/// reference counting in a write of a region. This lends it instead.
@propertyWrapper
@safe
struct Uncounted<Target: AnyObject> {
  private let reference: Unmanaged<Target>

  @inline(__always)
  init(wrappedValue: Target) { unsafe reference = Unmanaged.passUnretained(wrappedValue) }

  var wrappedValue: Target {
    @inline(__always) get { unsafe reference._withUnsafeGuaranteedRef { $0 } }
  }
}
