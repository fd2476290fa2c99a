internal import TenonStoreKit

/// The schemes and stores of a machine, what watches them, and what they have to tell.
final class StoreRegistry {
  /// The cells of schemes, by their names.
  var schemeCells: [String: ObjectRef] = [:]
  /// The one reference that stands for each place of a store that has been named.
  var canonicalReferences: [StoredName: Value] = [:]
  /// Whether a store in memory has ever got an object of the program: paths may lead on from such a one.
  var keepsObjects = false
  /// The stores in Swift code, by the numbers that their objects have.
  var native: [NativeStoreEntry] = []
  /// What stores have told and nobody has taken up yet; they may tell from any thread.
  let changes = StoredChanges()
  let watches = StoreWatches()
  /// What connections wait for in stores that take time.
  let coming = ComingPlaces()
  /// What is open to the outside, piece by piece.
  let streams = OpenStreams()
  /// The stores that keep what this turn writes to them together.
  var batches = OpenBatches()
  /// The changes that policies of connections hold back.
  var policyQueues = PolicyQueues()
  /// How many names of groups are being followed, each inside the one before.
  var aliasDepth = 0

  lazy var getSelector = state.withMachine { $0.selector("get:") }
  lazy var putSelector = state.withMachine { $0.selector("put:at:") }
  lazy var answersLaterSelector = state.withMachine { $0.selector("answersLater") }
  private let state: StateRef

  init(state: StateRef) { self.state = state }
}
