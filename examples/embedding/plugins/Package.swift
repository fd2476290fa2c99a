// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "plugins",
  dependencies: [.package(name: "tenon", path: "../../..")],
  targets: [
    .executableTarget(
      name: "plugins", dependencies: [.product(name: "Tenon", package: "tenon")],
      path: "Sources")
  ])
