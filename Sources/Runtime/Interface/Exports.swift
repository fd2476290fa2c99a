// What the runtime's interface speaks with about stores, clocks and sources: a host that imports the runtime
// need not know in which module it is.
@_exported public import TenonDiagrams
@_exported public import TenonSolverKit
@_exported public import TenonStoreKit
