// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "thermostat",
  dependencies: [.package(name: "tenon", path: "../../..")],
  targets: [
    .executableTarget(
      name: "thermostat", dependencies: [.product(name: "Tenon", package: "tenon")],
      path: "Sources")
  ])
