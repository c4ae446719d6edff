// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// A library that only the service, its command and its tests need: left out where the trait `Service` is off.
func service(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Service"]))
}

let argumentParser = service("ArgumentParser", "swift-argument-parser")
let configuration = service("Configuration", "swift-configuration")
let coreMetrics = service("CoreMetrics", "swift-metrics")
let httpTypes = service("HTTPTypes", "swift-http-types")
let hummingbird = service("Hummingbird", "hummingbird")
let hummingbirdCore = service("HummingbirdCore", "hummingbird")
let hummingbirdTLS = service("HummingbirdTLS", "hummingbird")
let lifecycle = service("ServiceLifecycle", "swift-service-lifecycle")
let logging = service("Logging", "swift-log")
let metrics = service("Metrics", "swift-metrics")
let nioCore = service("NIOCore", "swift-nio")
let nioEmbedded = service("NIOEmbedded", "swift-nio")
let nioHPACK = service("NIOHPACK", "swift-nio-http2")
let nioHTTP1 = service("NIOHTTP1", "swift-nio")
let nioHTTPTypes = service("NIOHTTPTypes", "swift-nio-extras")
let nioHTTPTypesHTTP1 = service("NIOHTTPTypesHTTP1", "swift-nio-extras")
let nioHTTP2 = service("NIOHTTP2", "swift-nio-http2")
let nioPosix = service("NIOPosix", "swift-nio")
let nioSSL = service("NIOSSL", "swift-nio-ssl")
let systemPackage = service("SystemPackage", "swift-system")
let yams = service("Yams", "Yams")
let unixSignals = service("UnixSignals", "swift-service-lifecycle")

/// Whether this is a copy that SwiftPM or Xcode made for a package that depends on Notilog: such a package builds
/// NotilogClient, and must not have to resolve what the service needs. (While versions are resolved, the manifest is read
/// from the repository itself, at `/`.) See docs/client.md.
let isCheckout =
    Context.packageDirectory == "/" || Context.packageDirectory.contains("/registry/downloads/")
    || Context.packageDirectory.contains("/SourcePackages/checkouts/")
    || Context.packageDirectory.contains("/.build") && Context.packageDirectory.contains("/checkouts/")

let package = Package(
    name: "notilog",
    platforms: [.macOS(.v15), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .executable(name: "notilog", targets: ["notilog"]),
        .library(name: "NotilogClient", targets: ["NotilogClient"]),
    ],
    traits: [
        .trait(
            name: "Service",
            description: "The service and its command; an app that adds NotilogClient needs none of it."
        ),
        .trait(name: "SwiftLog", description: "What NotilogClient has to say goes to swift-log."),
        .default(enabledTraits: isCheckout ? [] : ["Service", "SwiftLog"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.7.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // Bytes in: the vocabulary, and what turns bytes into it.
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibSimdJSON", pkgConfig: "simdjson", providers: [.apt(["libsimdjson-dev"])]),
        .target(name: "CSimdJSON", dependencies: ["CLibSimdJSON"]),
        // Digests by the library that libpq brings along: swift-crypto would have a third of the build compile BoringSSL.
        .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "Hashing",
            dependencies: [.target(name: "CLibCrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: strict
        ),
        .target(name: "Gzip", dependencies: ["CZlib"], swiftSettings: strict),
        .target(name: "PNG", dependencies: ["Gzip"], swiftSettings: strict),
        .target(name: "NotificationEvents", swiftSettings: strict),
        // Settings, of which each component reads its own.
        .target(name: "Settings", dependencies: [configuration, systemPackage], swiftSettings: strict),
        .target(name: "JSON", dependencies: ["NotificationEvents"], swiftSettings: strict),
        // When work is done again, how fast it goes, and whose turn it is.
        .target(name: "Pacing", dependencies: [lifecycle, logging], swiftSettings: strict),
        .target(
            name: "Decoding",
            dependencies: ["CSimdJSON", "Gzip", "Hashing", "NotificationEvents"],
            swiftSettings: strict
        ),

        // The database: libpq, the log, what is computed from it.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "Postgres", dependencies: ["CLibPQ", "Pacing", logging], swiftSettings: strict),
        .target(name: "Schema", dependencies: ["Pacing", "Postgres", logging], swiftSettings: strict),
        .target(
            name: "EventLog",
            dependencies: [
                "Hashing", "NotificationEvents", "Pacing", "Postgres", "Schema", "Settings", lifecycle, logging,
                metrics,
            ],
            swiftSettings: strict
        ),
        .target(name: "Folds", swiftSettings: strict),
        .target(
            name: "Projections",
            dependencies: [
                "EventLog", "Folds", "NotificationEvents", "Pacing", "Postgres", "Schema", lifecycle, logging, metrics,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Reports",
            dependencies: ["EventLog", "NotificationEvents", "Postgres", "Schema"],
            swiftSettings: strict
        ),
        .target(
            name: "Ingestion",
            dependencies: [
                "Administration", "EventLog", "Decoding", "NotificationEvents", "Pacing", "Postgres", "Settings",
                logging,
                metrics,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Administration",
            dependencies: [
                "EventLog", "Hashing", "Decoding", "JSON", "NotificationEvents", "Pacing", "Postgres", "Schema",
                "Settings",
                logging,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Deliveries",
            dependencies: [
                "EventLog", "Hashing", "JSON", "NotificationEvents", "Pacing", "Postgres", "Settings", logging, metrics,
                nioCore,
                nioPosix, nioSSL,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Alerts",
            dependencies: [
                "Deliveries", "EventLog", "JSON", "NotificationEvents", "Pacing", "Postgres", "Reports", logging,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Digests",
            dependencies: [
                "Deliveries", "EventLog", "NotificationEvents", "PNG", "Pacing", "Postgres", "Reports", logging,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Exports",
            dependencies: ["EventLog", "Gzip", "Hashing", "NotificationEvents", "Pacing", "Postgres", "Schema"],
            swiftSettings: strict
        ),

        // For apps: the vocabulary and Foundation; zlib where the system has no Compression, and swift-log where its trait is on.
        .target(
            name: "NotilogClient",
            dependencies: [
                "NotificationEvents", .target(name: "CZlib", condition: .when(platforms: [.linux, .android])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"])),
            ],
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: strict
        ),

        // The product.
        .target(
            name: "Service",
            dependencies: [
                "Administration", "Alerts", "Deliveries", "Digests", "EventLog", "Exports", "Gzip", "Hashing",
                "Decoding",
                "Ingestion", "JSON", "NotificationEvents", "Pacing", "Postgres", "Projections", "Reports", "Schema",
                "Settings", coreMetrics, httpTypes, hummingbird, hummingbirdCore, hummingbirdTLS, lifecycle, logging,
                metrics, nioCore, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1, nioSSL, unixSignals,
            ],
            swiftSettings: strict
        ),
        .target(name: "PlainHTTP", dependencies: [nioCore, nioHTTP1, nioPosix], swiftSettings: strict),
        .target(name: "Simulator", dependencies: ["NotificationEvents"], swiftSettings: strict),
        .target(name: "CSpawn"),
        .target(name: "PrivatePostgres", dependencies: ["CSpawn", logging], swiftSettings: strict),
        .executableTarget(
            name: "notilog",
            dependencies: [
                "Administration", "Alerts", "Deliveries", "Digests", "EventLog", "Exports", "Hashing", "Decoding",
                "Ingestion",
                "NotificationEvents", "Pacing", "PlainHTTP", "Postgres", "PrivatePostgres", "Projections", "Reports",
                "Schema", "Service", "Settings", "Simulator", "CMalloc", argumentParser, logging, metrics, unixSignals,
            ],
            swiftSettings: strict,
            // Swift's metadata needs 130,000 relocations, which take 3 MiB of the service's memory unless they are packed:
            // gold, the default, cannot. Loading them needs glibc 2.36, which Debian 12 has.
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
                    .when(platforms: [.linux], configuration: .release)
                )
            ]
        ),

        .testTarget(name: "NotificationEventsTests", dependencies: ["NotificationEvents"], swiftSettings: strict),
        .testTarget(
            name: "DecodingTests",
            dependencies: ["Gzip", "Hashing", "Decoding", "NotificationEvents"],
            exclude: ["Fixtures"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NotilogClientTests",
            dependencies: ["Gzip", "NotificationEvents", "NotilogClient"],
            swiftSettings: strict
        ),
        .testTarget(name: "HashingTests", dependencies: ["Hashing", "NotificationEvents"], swiftSettings: strict),
        .testTarget(name: "PacingTests", dependencies: ["Pacing", logging], swiftSettings: strict),
        .testTarget(name: "PostgresTests", dependencies: ["Postgres"], swiftSettings: strict),
        .testTarget(name: "SchemaTests", dependencies: ["Schema"], swiftSettings: strict),
        .testTarget(
            name: "EventLogTests",
            dependencies: ["EventLog", "NotificationEvents", "Postgres"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AdministrationTests",
            dependencies: ["Administration", "EventLog", "Decoding", "NotificationEvents"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "IngestionTests",
            dependencies: ["Administration", "EventLog", "Decoding", "Ingestion", "NotificationEvents", logging],
            swiftSettings: strict
        ),
        .testTarget(name: "SettingsTests", dependencies: ["Settings"], swiftSettings: strict),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "NotificationEvents"], swiftSettings: strict),
        .testTarget(name: "ReportsTests", dependencies: ["EventLog", "Reports", "Schema"], swiftSettings: strict),
        .testTarget(name: "PNGTests", dependencies: ["CZlib", "PNG"], swiftSettings: strict),
        .testTarget(
            name: "DeliveriesTests",
            dependencies: ["Deliveries", "Settings", nioCore, nioPosix, nioSSL],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AlertsTests",
            dependencies: ["Alerts", "Deliveries", "EventLog", "NotificationEvents", "Reports", "Schema"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DigestsTests",
            dependencies: ["Deliveries", "Digests", "EventLog", "NotificationEvents", "PNG", "Reports", "Schema"],
            swiftSettings: strict
        ),
        .testTarget(name: "FoldsTests", dependencies: ["Folds"], swiftSettings: strict),
        .testTarget(name: "ExportsTests", dependencies: ["EventLog", "Exports"], swiftSettings: strict),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Administration", "EventLog", "Exports", "Decoding", "Ingestion", "NotificationEvents", "PlainHTTP",
                "Postgres", "Reports", "Schema", "Service", httpTypes, hummingbird, hummingbirdCore, lifecycle, logging,
                metrics, nioCore, nioEmbedded, nioHTTP1, nioHTTPTypes, nioPosix,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "client-process",
            dependencies: ["NotilogClient"],
            path: "Tests/ClientProcess",
            swiftSettings: strict
        ),
        .testTarget(name: "SimulatorTests", dependencies: ["Simulator"], swiftSettings: strict),
        .testTarget(
            name: "Integration",
            dependencies: [
                "Administration", "Alerts", "Digests", "EventLog", "Exports", "Decoding", "Folds", "Ingestion",
                "NotificationEvents", "NotilogClient", "Pacing", "PlainHTTP", "Postgres", "PrivatePostgres",
                "Projections", "Reports", "Schema", "Service", "Simulator", "client-process", coreMetrics, logging,
                nioCore, nioHPACK, nioHTTP2, nioPosix, nioSSL, yams,
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

#if os(Linux)
    package.targets += [
        // The code for Apple's platforms, compiled and run against interfaces written from Apple's documentation. The
        // aliases hold for this target alone: in every other one on Linux there is no UserNotifications to import.
        .target(
            name: "AppleCoreLocation",
            path: "Tests/AppleInterfaces/CoreLocation",
            swiftSettings: strict
        ),
        .target(
            name: "AppleUserNotifications",
            dependencies: ["AppleCoreLocation"],
            path: "Tests/AppleInterfaces/UserNotifications",
            swiftSettings: strict
        ),
        .target(
            name: "AppleUniformTypeIdentifiers",
            path: "Tests/AppleInterfaces/UniformTypeIdentifiers",
            swiftSettings: strict
        ),
        .target(name: "AppleNetwork", path: "Tests/AppleInterfaces/Network", swiftSettings: strict),
        .target(name: "AppleActivityKit", path: "Tests/AppleInterfaces/ActivityKit", swiftSettings: strict),
        .target(
            name: "AppleUIKit",
            dependencies: ["AppleUserNotifications"],
            path: "Tests/AppleInterfaces/UIKit",
            swiftSettings: strict
        ),
        .target(
            name: "AppleSwiftUI",
            dependencies: ["AppleUIKit"],
            path: "Tests/AppleInterfaces/SwiftUI",
            swiftSettings: strict
        ),
        .target(
            name: "NotilogClientOnApple",
            dependencies: [
                "AppleActivityKit", "AppleCoreLocation", "AppleNetwork", "AppleUniformTypeIdentifiers",
                "AppleUserNotifications", "CZlib", "NotificationEvents",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"])),
            ],
            path: "Tests/AppleInterfaces/NotilogClient",
            exclude: ["PrivacyInfo.xcprivacy"],
            swiftSettings: strict + [
                .unsafeFlags([
                    "-module-alias", "UserNotifications=AppleUserNotifications", "-module-alias",
                    "CoreLocation=AppleCoreLocation", "-module-alias", "Network=AppleNetwork", "-module-alias",
                    "UniformTypeIdentifiers=AppleUniformTypeIdentifiers", "-module-alias",
                    "ActivityKit=AppleActivityKit",
                ])
            ]
        ),
        .testTarget(
            name: "NotilogClientAppleTests",
            // AppleSwiftUI and AppleUIKit are for no import of theirs: they make the interfaces that the tests' own compiler reads.
            dependencies: [
                "AppleActivityKit", "AppleCoreLocation", "AppleNetwork", "AppleSwiftUI", "AppleUIKit",
                "AppleUserNotifications", "NotilogClientOnApple",
            ],
            swiftSettings: strict
        ),
    ]
    // The scenarios call Apple's delegates, and ask the service.
    package.targets.first { $0.name == "Integration" }?.dependencies += [
        "AppleActivityKit", "AppleUserNotifications", "NotilogClientOnApple",
    ]
#endif

// Steps of ingest whose instructions `make bench-micro` counts: in no other build.
if Context.environment["NOTILOG_MICROBENCHMARKS"] != nil {
    package.targets.append(
        .executableTarget(
            name: "microbenchmarks",
            dependencies: ["EventLog", "Folds", "Decoding", "NotificationEvents"],
            path: "Benchmarks/Microbenchmarks",
            swiftSettings: strict
        )
    )
}
