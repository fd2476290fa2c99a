// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "settings",
  dependencies: [.package(name: "tenon", path: "../../..")],
  targets: [
    .executableTarget(
      name: "settings", dependencies: [.product(name: "Tenon", package: "tenon")],
      path: "Sources")
  ])
