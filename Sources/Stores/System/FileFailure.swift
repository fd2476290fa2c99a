package import TenonStoreKit

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Why something could not be done with a file: what a system call reported, or a store refuses.
///
/// The verbs of a store make a `StoreError` of it, which names the place. Every error of the system
/// that the stores tell apart is named here.
package struct FileFailure: Error, Sendable {
  /// The number of the system's error, `errno`; 0 when a store refuses.
  package let code: Int32
  /// What kind of failure it is.
  package let kind: StoreError.Kind
  /// What went wrong: lower case, no full stop.
  package let reason: String
  /// Whether there may be an answer soon, for whoever asks again.
  package var isPassing = false

  /// Creates the failure that a system call reported.
  package init(_ code: Int32) {
    self.code = code
    kind = FileFailure.kind(of: code)
    reason = FileFailure.text(of: code)
  }

  /// Creates a refusal.
  ///
  /// - Parameters:
  ///   - kind: What kind of failure it is.
  ///   - reason: What went wrong.
  ///   - code: The number of the system's error behind it; 0 for none.
  package init(_ kind: StoreError.Kind, _ reason: String, code: Int32 = 0) {
    self.code = code
    self.kind = kind
    self.reason = reason
  }

  /// Whether there is nothing at the path, or no directory on the way to it.
  package var isMissing: Bool { self == .notFound || self == .notADirectory }
}

extension FileFailure: Equatable {
  /// Whether both are the same error of the system, or the same kind of refusal.
  package static func == (left: FileFailure, right: FileFailure) -> Bool {
    left.code == right.code && left.kind == right.kind
  }
}

extension FileFailure {
  package static let interrupted = FileFailure(EINTR)
  package static let notFound = FileFailure(ENOENT)
  package static let notADirectory = FileFailure(ENOTDIR)
  package static let isADirectory = FileFailure(EISDIR)
  package static let notEmpty = FileFailure(ENOTEMPTY)
  package static let exists = FileFailure(EEXIST)
  package static let linkLoop = FileFailure(ELOOP)
  package static let nameTooLong = FileFailure(ENAMETOOLONG)
  package static let wouldBlock = FileFailure(EAGAIN)
  package static let invalidArgument = FileFailure(EINVAL)
  package static let inputOutput = FileFailure(EIO)
  package static let invalidText = FileFailure(EILSEQ)
  package static let liesWithin = FileFailure(
    .conflict, "it lies within what is moved", code: EINVAL)
  package static let leadsOut = FileFailure(.escape, "leads out of the store")

  private static func kind(of code: Int32) -> StoreError.Kind {
    switch code {
    case ENOENT: .notFound
    case ENOTDIR: .notADirectory
    case EISDIR: .isADirectory
    case ENOTEMPTY: .notEmpty
    case EEXIST: .exists
    case EACCES, EPERM: .permission
    case EROFS: .readOnly
    case ENAMETOOLONG, EILSEQ: .invalidReference
    case EFBIG, EOVERFLOW: .tooLarge
    case EBUSY, ETXTBSY: .locked
    case EAGAIN, EMFILE, ENFILE, ENOMEM: .unavailable
    case ETIMEDOUT: .timeout
    case EPIPE: .closed
    case ENXIO, ENODEV, EOPNOTSUPP, ENOSYS: .unsupported
    case EBADMSG: .corrupt
    default: .io
    }
  }

  /// What the system calls an error, beginning in lower case.
  private static func text(of code: Int32) -> String {
    let text = systemText(of: code)
    // A word in capitals keeps them.
    guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
    return first.lowercased() + text.dropFirst()
  }
}

extension StoreError {
  /// The failure as an error about the place that the program named.
  init(_ failure: FileFailure, _ reference: Reference) {
    self.init(
      failure.kind, reference, failure.reason,
      systemCode: failure.code == 0 ? nil : failure.code)
    if failure.isPassing { retryAfter = 0 }
  }
}
