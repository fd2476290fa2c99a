internal import TenonLexer
internal import TenonStoreKit

/// Why a primitive, a node or a store cannot do what it was asked: what becomes an exception in
/// the language.
struct Failure: Error {
  /// The class of the exception.
  let errorClass: ErrorClass
  /// What the exception says; what it quotes is cut when it is long, and without control characters.
  private(set) var message: String
  /// Bytes that were asked for in vain, when a collection may make room for them.
  var wantedBytes = 0
  /// What a store said, for the exception to tell.
  var storeError: StoreErrorDetails?
  /// Whether there is an exception already, which the machine keeps until it is signalled again.
  var isException = false
  /// Whether nothing is to be signalled: the program is on its way out already.
  private(set) var isUnwinding = false
  /// Whether another choice of solvers may help.
  private(set) var concernsSolvers = false
  /// Whether it names connections that cannot hold together, so that no other choice of solvers helps.
  var isContradiction = false
  /// Whether a solver has refused what places hold, so that a turn was given up.
  var isRefusal = false
  /// Whether a store cannot answer at present, and will.
  var isNotReady = false
  /// Whether a store has been asked and its answer is to come.
  var isPending = false
  /// Whether it is nil that does not understand a message; nil where that is not what has failed.
  var isOfNil: Bool?

  init(_ errorClass: ErrorClass, _ message: String) {
    self.errorClass = errorClass
    self.message = message.withShortQuotes.withVisibleControls
  }

  /// What leaves a place that a program is on its way out of.
  static func unwinding() -> Failure {
    var failure = Failure.interrupted()
    failure.isUnwinding = true
    return failure
  }

  /// The failure with more to be said of what it has left behind.
  func adding(_ remarks: [String]) -> Failure {
    var failure = self
    failure.message = ([message] + remarks).joined(separator: "; ")
    return failure
  }

  /// The failure of solvers to keep a connection together with others.
  static func ofSolvers(_ message: String) -> Failure {
    var failure = Failure(.constraintError, message)
    failure.concernsSolvers = true
    return failure
  }
}

/// The exception classes that the runtime itself signals; the kernel defines them.
enum ErrorClass: String, CaseIterable {
  case error = "Error"
  case zeroDivide = "ZeroDivide"
  case syntaxError = "SyntaxError"
  case arithmeticError = "ArithmeticError"
  case invalidArgument = "InvalidArgument"
  case wrongArgumentCount = "WrongArgumentCount"
  case subscriptOutOfBounds = "SubscriptOutOfBounds"
  case keyNotFound = "KeyNotFound"
  case notFound = "NotFound"
  case immutableObject = "ImmutableObject"
  case nonBooleanReceiver = "NonBooleanReceiver"
  case cannotReturn = "CannotReturn"
  case unassignedVariable = "UnassignedVariable"
  case notAvailable = "NotAvailable"
  case streamError = "StreamError"
  case encodingError = "EncodingError"
  case formatError = "FormatError"
  case storeError = "StoreError"
  case preconditionFailed = "PreconditionFailed"
  case nilStored = "NilStored"
  case constraintError = "ConstraintError"
  case resourceLimit = "ResourceLimit"
  case stackOverflow = "StackOverflow"
  case outOfMemory = "OutOfMemory"
}
