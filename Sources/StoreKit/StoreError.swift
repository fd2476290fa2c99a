/// Why a store could not do what it was asked.
public struct StoreError: Error, Sendable {
  /// What kind of failure it is.
  public enum Kind: String, Sendable {
    /// Something is required to be there and is not.
    case notFound
    /// The store has no such verb.
    case unsupported
    /// The reference is malformed.
    case invalidReference
    /// The path leads out of the store.
    case escape
    case notADirectory
    case isADirectory
    case notEmpty
    case exists
    /// A condition on the write does not hold.
    case preconditionFailed
    case conflict
    case permission
    case needsAuth
    case tooLarge
    /// What is stored cannot be read as what it should be.
    case decode
    /// The value cannot be stored as what it should be.
    case encode
    case readOnly
    case locked
    case closed
    case timeout
    case unavailable
    /// A store that takes time has been asked and has not answered yet.
    case pending
    /// The system reported an error.
    case io
    case network
    /// What the store keeps is damaged.
    case corrupt
    /// The write was made and can be seen, but the loss of power may undo it.
    case notDurable
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// The place, as the program wrote it.
  public let reference: String
  /// What went wrong: lower case, no full stop.
  public let reason: String
  /// What the store was asked to do; nil when that is no matter.
  public var verb: StoreCapabilities.Verb?
  /// The number of the system's error; nil when it was not the system that refused.
  public var systemCode: Int32?
  /// How long to wait before trying again, in seconds, as far as the store knows.
  public var retryAfter: Double?
  /// Whether something is locked now, or has not come yet, and whoever asks has but to ask again.
  package var isPassing: Bool { (kind == .locked || kind == .timeout) && retryAfter == 0 }
  /// What a program has printed that failed all the same; nil for other errors.
  public var output: [UInt8]?
  /// Whether the store surely has not begun what it was asked, so that it may be tried again without harm.
  public var isUnsent = false

  /// Creates an error.
  public init(
    _ kind: Kind, _ reference: String, _ reason: String, systemCode: Int32? = nil
  ) {
    self.kind = kind
    self.reference = reference
    self.reason = reason
    self.systemCode = systemCode
  }

  /// Creates an error about a place.
  public init(
    _ kind: Kind, _ reference: Reference, _ reason: String, systemCode: Int32? = nil
  ) {
    self.init(kind, reference.description, reason, systemCode: systemCode)
  }

  /// Whether trying again later may help.
  public var isTransient: Bool {
    switch kind {
    case .timeout, .unavailable, .locked, .network: true
    default: false
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// The error as a message: the place and what went wrong.
  public var description: String { "\(reference): \(reason)" }
}
