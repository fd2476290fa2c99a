// swift-tools-version: 6.2
import PackageDescription

/// Every target: strict memory safety marks each unsafe expression, the upcoming features keep
/// imports and existentials explicit.
var settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Not for everybody: a compiler to come may warn about what this one does not.
if Context.environment["TENON_WARNINGS_AS_ERRORS"] == "1" {
  settings.append(.treatAllWarnings(as: .error))
}
// The thread sanitizer does not see the locks of Synchronization: 'scripts/check-full thread'.
if Context.environment["TENON_VISIBLE_LOCKS"] != nil {
  settings.append(.define("TENON_VISIBLE_LOCKS"))
}

let package = Package(
  name: "tenon",
  products: [
    .library(name: "Tenon", targets: ["Tenon"]),
    .library(name: "TenonConcurrency", targets: ["TenonConcurrency"]),
    .executable(name: "tenon", targets: ["TenonREPL"]),
  ],
  targets: [
    .target(name: "TenonLexer", path: "Sources/Lexer", swiftSettings: settings),
    .target(
      name: "TenonParser", dependencies: ["TenonLexer"], path: "Sources/Parser",
      swiftSettings: settings),
    .target(name: "CTenonPlatform", path: "Sources/CPlatform"),
    .target(name: "TenonTables", path: "Sources/Tables", swiftSettings: settings),
    .target(name: "TenonNumerics", path: "Sources/Numerics", swiftSettings: settings),
    .target(name: "TenonText", path: "Sources/Text", swiftSettings: settings),
    .target(
      name: "TenonStoreKit", dependencies: ["TenonLexer", "TenonText", "CTenonPlatform"],
      path: "Sources/StoreKit", swiftSettings: settings),
    .target(
      name: "TenonSolverKit", dependencies: ["TenonTables"], path: "Sources/SolverKit",
      swiftSettings: settings),
    .target(
      name: "TenonAnalysis", dependencies: ["TenonLexer", "TenonParser", "TenonSolverKit"],
      path: "Sources/Analysis", swiftSettings: settings),
    .target(
      name: "TenonDiagrams", dependencies: ["TenonAnalysis", "TenonLexer", "TenonParser"],
      path: "Sources/Diagrams", swiftSettings: settings),
    .target(
      name: "TenonRuntime",
      dependencies: [
        "CTenonPlatform", "TenonAnalysis", "TenonDiagrams", "TenonLexer", "TenonNumerics",
        "TenonParser", "TenonSolverKit", "TenonStoreKit", "TenonTables", "TenonText",
      ],
      path: "Sources/Runtime", swiftSettings: settings,
      plugins: ["EmbedKernel"]),
    .target(
      name: "TenonSolvers", dependencies: ["TenonSolverKit", "TenonTables"],
      path: "Sources/Solvers",
      swiftSettings: settings),
    .target(
      name: "TenonStores",
      dependencies: [
        "TenonLexer", "TenonNumerics", "TenonText", "TenonStoreKit", "CTenonPlatform",
      ],
      path: "Sources/Stores", swiftSettings: settings),
    .target(
      name: "Tenon",
      dependencies: [
        "TenonDiagrams", "TenonLexer", "TenonRuntime", "TenonSolverKit", "TenonSolvers",
        "TenonStoreKit", "TenonStores",
      ],
      path: "Sources/Embedding", swiftSettings: settings),
    // A library of its own: who has no tasks does not link what they need.
    .target(
      name: "TenonConcurrency", dependencies: ["CTenonPlatform", "Tenon", "TenonRuntime"],
      path: "Sources/Concurrency", swiftSettings: settings),
    .systemLibrary(
      name: "CTenonLibEdit", path: "Sources/CLibEdit", providers: [.apt(["libedit-dev"])]),
    .executableTarget(
      name: "TenonREPL",
      dependencies: [
        "Tenon", "TenonLexer", "TenonRuntime", "TenonStoreKit", "TenonText", "CTenonLibEdit",
        "CTenonPlatform",
      ],
      path: "Sources/REPL", swiftSettings: settings),
    .executableTarget(
      name: "TenonConnectorBenchmarks",
      dependencies: [
        "Tenon", "TenonRuntime", "TenonSolverKit", "TenonSolvers", "CTenonPlatform",
      ],
      path: "Benchmarks/connectors/graph", swiftSettings: settings),
    .executableTarget(
      name: "TenonEmbeddingBenchmarks", dependencies: ["Tenon"], path: "Benchmarks/embedding",
      exclude: ["lua.c"], sources: ["host"], swiftSettings: settings),
    .executableTarget(
      name: "EmbedKernelTool", dependencies: ["TenonLexer", "TenonParser"],
      path: "Plugins/EmbedKernelTool", swiftSettings: settings),
    .plugin(
      name: "EmbedKernel", capability: .buildTool(), dependencies: ["EmbedKernelTool"],
      path: "Plugins/EmbedKernel"),
    .testTarget(
      name: "TenonLexerTests", dependencies: ["TenonLexer"], path: "Tests/LexerTests",
      swiftSettings: settings),
    .testTarget(
      name: "TenonTablesTests", dependencies: ["TenonGrammarSupport", "TenonTables"],
      path: "Tests/TablesTests", swiftSettings: settings),
    .target(
      name: "TenonGrammarSupport", dependencies: ["TenonLexer"], path: "Tests/GrammarSupport",
      swiftSettings: settings),
    .testTarget(
      name: "TenonParserTests", dependencies: ["TenonGrammarSupport", "TenonLexer", "TenonParser"],
      path: "Tests/ParserTests", swiftSettings: settings),
    .executableTarget(
      name: "TenonStoresTestHelper", dependencies: ["TenonStoreKit", "TenonStores"],
      path: "Tests/StoresTestHelper", swiftSettings: settings),
    .testTarget(
      name: "TenonStoresTests",
      dependencies: [
        "TenonGrammarSupport", "TenonLexer", "TenonStoreKit", "TenonStores",
        "TenonStoresTestHelper",
        "TenonText",
      ],
      path: "Tests/StoresTests",
      exclude: ["http_server.py", "lists_run.py", "lists_server.py", "localhost.pem"],
      swiftSettings: settings),
    .testTarget(
      name: "TenonNumbersTests",
      dependencies: ["TenonGrammarSupport", "TenonNumerics"],
      path: "Tests/NumbersTests", exclude: ["Fixtures", "make_fixtures.py"], swiftSettings: settings
    ),
    .testTarget(
      name: "TenonTextTests", dependencies: ["TenonGrammarSupport", "TenonText"],
      path: "Tests/TextTests", exclude: ["Fixtures", "make_fixtures.py"], swiftSettings: settings
    ),
    .testTarget(
      name: "TenonConnectionTests",
      dependencies: [
        "Tenon", "TenonDiagrams", "TenonGrammarSupport", "TenonLexer", "TenonNumerics",
        "TenonRuntime",
        "TenonSolverKit", "TenonSolvers", "TenonStoreKit", "TenonTables",
      ],
      path: "Tests/ConnectionTests", exclude: ["Fixtures"], swiftSettings: settings),
    // The example hosts are packages of their own; here their sources are built with what is built anyway,
    // and run by a test.
    .executableTarget(
      name: "TenonExamplePlugins", dependencies: ["Tenon"],
      path: "examples/embedding/plugins/Sources"),
    .executableTarget(
      name: "TenonExampleServer", dependencies: ["Tenon"],
      path: "examples/embedding/server/Sources"),
    .executableTarget(
      name: "TenonExampleGame", dependencies: ["Tenon"], path: "examples/embedding/game/Sources"),
    .executableTarget(
      name: "TenonExampleSettings", dependencies: ["Tenon"],
      path: "examples/embedding/settings/Sources"),
    .executableTarget(
      name: "TenonExampleThermostat", dependencies: ["Tenon"],
      path: "examples/embedding/thermostat/Sources"),
    .testTarget(
      name: "TenonEmbeddingTests",
      dependencies: [
        "Tenon", "TenonConcurrency", "TenonExampleGame", "TenonExamplePlugins",
        "TenonExampleServer", "TenonExampleSettings", "TenonExampleThermostat", "TenonLexer",
        "TenonRuntime", "TenonStoreKit", "TenonStores",
      ],
      path: "Tests/EmbeddingTests", swiftSettings: settings),
    .testTarget(
      name: "TenonCommandTests",
      dependencies: ["Tenon", "TenonLexer", "TenonREPL", "TenonRuntime", "TenonStoreKit"],
      path: "Tests/CommandTests", swiftSettings: settings),
    .testTarget(
      name: "TenonScriptTests",
      dependencies: [
        "Tenon", "TenonGrammarSupport", "TenonLexer", "TenonParser", "TenonRuntime",
        "TenonStoreKit",
        "TenonStores", "TenonText",
      ],
      path: "Tests/ScriptTests",
      exclude: ["KernelTests", "Laws", "Scripts", "check_layers_tests.py"],
      swiftSettings: settings),
  ]
)
