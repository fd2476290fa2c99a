#if canImport(Observation)
  public import Observation
  public import Tenon
  internal import Synchronization
  internal import TenonRuntime

  extension HostObject where Root: Observable & AnyObject & SendableMetatype {
    /// Tells connections of each change of a property of an observable object, whoever makes it.
    ///
    ///     @Observable final class Model: ScriptObject { var celsius = 20.0 }
    ///     let object = try interpreter.object(model)
    ///     try object.follow(\.celsius)
    ///     model.celsius = 100  // formulas that read it run in the next turn of the run loop
    ///
    /// Several changes between two turns are one: what the property holds then counts. `wakeUp` becomes
    /// readable. The object belongs to the thread that uses the interpreter: the platform tells of a change before
    /// it is made, so that one which another thread is still making may be missed; that sends values with
    /// `Interpreter.source`. The interpreter keeps the object as long as it is followed.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - failed: Called on the interpreter's thread when connections do not come to rest with a change, which
    ///     stays all the same.
    /// - Returns: What ends it; it goes on until it is ended or the interpreter goes.
    /// - Throws: `EvaluationError` when scripts do not know the property.
    @discardableResult
    public func follow<Value>(
      _ path: any KeyPath<Root, Value> & Sendable,
      failed: @escaping @Sendable (EvaluationError) -> Void = { _ in }
    ) throws(EvaluationError) -> PropertyObservation {
      try changed(path)
      let observation = PropertyObservation(failed)
      nonisolated(unsafe) let root = try value()
      nonisolated(unsafe) let handle = handle
      unsafe observation.track(root, path, handle, interpreter.machine.inbox)
      return observation
    }
  }

  /// That changes of a property of an observable object are told.
  public final class PropertyObservation: Sendable {
    private let isEnded = Atomic(false)
    private let failed: @Sendable (EvaluationError) -> Void

    fileprivate init(_ failed: @escaping @Sendable (EvaluationError) -> Void) {
      self.failed = failed
    }

    /// Ends it; any thread may call this.
    public func end() { isEnded.store(true, ordering: .relaxed) }

    /// Waits for the next change: the platform tells of one, and before it is made.
    fileprivate func track<Root: Observable & AnyObject & SendableMetatype, Value>(
      _ root: Root, _ path: any KeyPath<Root, Value> & Sendable, _ handle: Handle, _ inbox: Inbox
    ) {
      nonisolated(unsafe) let (root, handle) = (root, handle)
      withObservationTracking {
        _ = unsafe root[keyPath: path]
      } onChange: { [self] in
        inbox.post { machine in
          guard !self.isEnded.load(ordering: .relaxed) else { return }
          unsafe self.track(root, path, handle, inbox)
          do throws(CallError) {
            try unsafe machine.hostPropertyChanged(handle, path, named: "\(path)")
          } catch {
            self.failed(EvaluationError(error, in: machine))
          }
        }
      }
    }
  }
#endif
