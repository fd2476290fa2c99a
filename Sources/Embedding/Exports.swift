// What a host speaks with about stores, clocks and sources: who imports Tenon need not know in which module
// it is.
@_exported public import TenonDiagrams
@_exported public import TenonSolverKit
@_exported public import TenonStoreKit
