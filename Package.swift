// swift-tools-version: 6.2
import PackageDescription

/// Every target: strict memory safety marks each unsafe expression, the upcoming features keep
/// imports and existentials explicit.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "tenon",
  targets: [
    .target(name: "TenonLexer", path: "Sources/Lexer", swiftSettings: settings),
    .target(
      name: "TenonParser", dependencies: ["TenonLexer"], path: "Sources/Parser",
      swiftSettings: settings),
    .testTarget(
      name: "TenonLexerTests", dependencies: ["TenonLexer"], path: "Tests/LexerTests",
      swiftSettings: settings),
    .testTarget(
      name: "TenonParserTests", dependencies: ["TenonLexer", "TenonParser"],
      path: "Tests/ParserTests", swiftSettings: settings),
  ]
)
