// swift-tools-version: 6.2
import PackageDescription

// This manifest declares exactly the table in ARCHITECTURE.md; ConventionTests compares the two.

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["SettleTestSupport"], swiftSettings: settings)
}

/// A program of `Examples`, started by its test and by `swift run Example-<name>`.
func example(_ name: String, _ dependencies: [Target.Dependency] = ["SettleCore"]) -> Target {
  .executableTarget(
    name: "Example-" + name, dependencies: dependencies, path: "Examples/" + name,
    swiftSettings: settings)
}

let examples = [
  example("WeightedStages"), example("FailedDownload"), example("Cancellation"),
  example("EmptyBatch"), example("SteadyRetry"), example("PhotoPipeline"),
  example("FirstImport", ["Settle", "SettleVerifier"]),
]

let package = Package(
  name: "settle",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Settle", targets: ["Settle"]),
    .library(name: "SettleCore", targets: ["SettleCore"]),
    .library(name: "SettleTestKit", targets: ["SettleTestKit"]),
    .library(name: "SettleTestKitTesting", targets: ["SettleTestKitTesting"]),
    .library(name: "SettleTestKitXCTest", targets: ["SettleTestKitXCTest"]),
    // Empty on platforms other than Linux.
    .library(name: "SettleInterpose", targets: ["SettleInterpose"]),
    .executable(name: "settle", targets: ["SettleCommand"]),
    .executable(name: "settle-verify", targets: ["SettleVerifier"]),
    .executable(name: "settle-bench", targets: ["SettleBench"]),
  ],
  targets: [
    .target(name: "CSettleSystem"),
    .target(name: "CSettleInterpose"),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
    .systemLibrary(
      name: "CQPDF", pkgConfig: "libqpdf", providers: [.apt(["libqpdf-dev"]), .brew(["qpdf"])]),

    library("SettleCore", []),
    library("SettleFiles", ["SettleCore", "CSettleSystem", "CCrypto"]),
    library("SettleProcess", ["SettleCore", "CSettleSystem"]),
    library("SettleLedger", ["SettleCore", "CSQLite"]),
    library("SettleVerify", ["SettleCore", "SettleFiles", "SettleProcess", "CSettleSystem"]),
    library(
      "Settle",
      ["SettleCore", "SettleFiles", "SettleProcess", "SettleLedger", "SettleVerify"]),
    library("SettleTerminal", ["SettleCore"]),
    library(
      "SettleTestKit",
      ["SettleCore", "SettleFiles", "SettleLedger", "Settle", "CSettleSystem"]),
    library("SettleTestKitTesting", ["SettleTestKit"]),
    library("SettleTestKitXCTest", ["SettleTestKit"]),
    library(
      "SettleInterpose",
      ["SettleTestKit", "SettleFiles", "SettleCore", "CSettleInterpose", "CSettleSystem"]),
    tool(
      "SettleCommand",
      [
        "SettleCore", "SettleFiles", "SettleProcess", "SettleLedger", "SettleVerify", "Settle",
        "SettleTerminal", "SettleTestKit", "CSettleSystem",
      ]),
    tool("SettleVerifier", ["SettleCore", "SettleVerify", "CQPDF", "CSettleSystem"]),
    tool(
      "SettleBench",
      [
        "SettleCore", "SettleFiles", "SettleProcess", "SettleLedger", "SettleVerify", "Settle",
        "SettleTerminal", "CSettleSystem",
      ]),

    .target(
      name: "SettleTestSupport",
      dependencies: ["SettleCore", "SettleFiles", "SettleProcess", "CSettleSystem"],
      path: "Tests/Support", swiftSettings: settings),
    .target(
      name: "ForeignCode", dependencies: ["SettleCore"], path: "Examples/ForeignCode",
      swiftSettings: settings),
    tests("SettleCoreTests", ["SettleCore", "SettleTestKit"]),
    tests("SettleFilesTests", ["SettleFiles", "SettleTestKit"]),
    tests("SettleProcessTests", ["SettleProcess"]),
    tests("SettleLedgerTests", ["SettleLedger"]),
    tests("SettleVerifyTests", ["SettleVerify", "SettleVerifier"]),
    tests(
      "SettleTests",
      [
        "Settle", "SettleLedger", "SettleVerify", "SettleVerifier", "SettleTestKit",
        "SettleInterpose",
      ]),
    tests(
      "SettleTestKitTests",
      [
        "SettleTestKit", "SettleTestKitTesting", "SettleInterpose", "Settle", "SettleLedger",
        "SettleVerify", "SettleVerifier", "SettleProcess", "ForeignCode",
      ]),
    tests(
      "TestKitGuideTests",
      ["SettleCore", "SettleTestKit", "SettleTestKitTesting", "SettleTestKitXCTest"]),
    tests("SettleTerminalTests", ["SettleTerminal"]),
    tests("CommandTests", ["SettleCommand", "SettleVerifier", "SettleTerminal"]),
    tests("CrashTests", ["SettleCommand", "SettleVerifier", "Settle"]),
    tests("ExampleTests", examples.map { .target(name: $0.name) } + ["SettleProcess"]),
    tests("ConventionTests", []),
  ] + examples,
  swiftLanguageModes: [.v6]
)
