// swift-tools-version: 6.2

import PackageDescription

// The limits that Notilog's rates are held against, built with the same compiler and the same HTTP library.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1")
    ],
    targets: [
        .executableTarget(
            name: "bare-http",
            dependencies: [.product(name: "Hummingbird", package: "hummingbird")]
        )
    ],
    swiftLanguageModes: [.v6]
)
