// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "game",
  dependencies: [.package(name: "tenon", path: "../../..")],
  targets: [
    .executableTarget(
      name: "game", dependencies: [.product(name: "Tenon", package: "tenon")],
      path: "Sources")
  ])
