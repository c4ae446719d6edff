// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHPACK: Target.Dependency = .product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")

let package = Package(
    name: "notilog",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "notilog", targets: ["notilog"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.7.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // Bytes in: the vocabulary, and what turns bytes into it.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibSimdJSON", pkgConfig: "simdjson", providers: [.apt(["libsimdjson-dev"])]),
        .target(name: "CSimdJSON", dependencies: ["CLibSimdJSON"]),
        .target(name: "NotificationEvents", swiftSettings: strict),
        .target(
            name: "Ingest",
            dependencies: ["NotificationEvents", "CSimdJSON", "CZlib", crypto],
            swiftSettings: strict
        ),

        // The database: libpq, the log, what is computed from it.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "Postgres", dependencies: ["CLibPQ", logging], swiftSettings: strict),
        .target(
            name: "EventLog",
            dependencies: ["NotificationEvents", "Postgres", lifecycle, logging, metrics],
            swiftSettings: strict
        ),
        .target(
            name: "Projections",
            dependencies: ["EventLog", "Postgres", lifecycle, logging, metrics],
            swiftSettings: strict
        ),
        .target(name: "Reports", dependencies: ["EventLog", "Postgres"], swiftSettings: strict),
        .target(name: "Gzip", dependencies: ["CZlib"], swiftSettings: strict),
        .target(
            name: "Exports",
            dependencies: ["Gzip", "NotificationEvents", "Postgres", crypto],
            swiftSettings: strict
        ),

        // The product.
        .target(
            name: "Service",
            dependencies: [
                "EventLog", "Exports", "Gzip", "Ingest", "NotificationEvents", "Postgres", "Projections", "Reports",
                coreMetrics, crypto, httpTypes, hummingbird, hummingbirdCore, hummingbirdTLS, lifecycle, logging,
                metrics, nioCore, nioHTTP1, nioSSL, unixSignals,
            ],
            swiftSettings: strict
        ),
        .target(name: "PlainHTTP", dependencies: [nioCore, nioHTTP1, nioPosix], swiftSettings: strict),
        .target(name: "Simulator", dependencies: ["NotificationEvents"], swiftSettings: strict),
        .target(name: "CSpawn"),
        .target(name: "PrivatePostgres", dependencies: ["CSpawn", "Postgres", logging], swiftSettings: strict),
        .executableTarget(
            name: "notilog",
            dependencies: [
                "EventLog", "Exports", "NotificationEvents", "PlainHTTP", "Postgres", "PrivatePostgres", "Projections",
                "Reports", "Service", "Simulator", argumentParser, configuration, logging, metrics, systemPackage,
                unixSignals,
            ],
            swiftSettings: strict
        ),

        .testTarget(name: "NotificationEventsTests", dependencies: ["NotificationEvents"], swiftSettings: strict),
        .testTarget(
            name: "IngestTests",
            dependencies: ["Ingest", "NotificationEvents"],
            exclude: ["Fixtures"],
            swiftSettings: strict
        ),
        .testTarget(name: "PostgresTests", dependencies: ["Postgres"], swiftSettings: strict),
        .testTarget(name: "EventLogTests", dependencies: ["EventLog"], swiftSettings: strict),
        .testTarget(name: "ReportsTests", dependencies: ["Reports"], swiftSettings: strict),
        .testTarget(name: "ExportsTests", dependencies: ["Exports", "Postgres"], swiftSettings: strict),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Ingest", "NotificationEvents", "Reports", "Service", httpTypes, hummingbird, metrics, nioCore,
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "SimulatorTests", dependencies: ["Simulator"], swiftSettings: strict),
        .testTarget(
            name: "Integration",
            dependencies: [
                "EventLog", "Exports", "Ingest", "NotificationEvents", "PlainHTTP", "Postgres", "PrivatePostgres",
                "Projections", "Reports", "Service", "Simulator", lifecycle, logging, nioCore, nioHPACK, nioHTTP2,
                nioPosix, nioSSL, yams,
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
