// swift-tools-version: 6.2
import PackageDescription

// The package manager calls a package after its folder.
let root =
  Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? "tenon"

let package = Package(
  name: "LinearBenchmark",
  dependencies: [.package(path: "../../..")],
  targets: [
    .executableTarget(
      name: "LinearBenchmark", dependencies: [.product(name: "Tenon", package: root)],
      path: "Sources")
  ]
)
