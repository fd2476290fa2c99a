// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "server",
  dependencies: [.package(name: "tenon", path: "../../..")],
  targets: [
    .executableTarget(
      name: "server", dependencies: [.product(name: "Tenon", package: "tenon")],
      path: "Sources")
  ])
