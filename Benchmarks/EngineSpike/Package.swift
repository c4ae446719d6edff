// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

// The spike of the engine: folds without I/O, and a process that runs one arm over a log and says what it cost.
let package = Package(
    name: "engine-spike",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "Folds", swiftSettings: strict),
        .executableTarget(name: "engine-spike", dependencies: ["CLibPQ", "Folds"], swiftSettings: strict),
        .testTarget(name: "FoldsTests", dependencies: ["Folds"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
