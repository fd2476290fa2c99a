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
    .target(
      name: "TenonRuntime", dependencies: ["TenonLexer", "TenonParser"], path: "Sources/Runtime",
      swiftSettings: settings),
    .testTarget(
      name: "TenonNumbersTests", dependencies: ["TenonRuntime"], path: "Tests/NumbersTests",
      exclude: ["Fixtures", "make_fixtures.py"], swiftSettings: settings),
  ]
)
