// What a host speaks with about stores, clocks and sources, and what an error or a console is: who imports
// Tenon need not know in which module it is.
@_exported public import TenonDiagrams
@_exported public import TenonLexer
@_exported public import TenonRuntime
@_exported public import TenonSolverKit
@_exported public import TenonStoreKit
