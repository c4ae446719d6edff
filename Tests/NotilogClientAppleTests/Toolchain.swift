import Foundation

/// The compiler that built these tests, with Apple's modules and NotilogClient as they were built.
enum Toolchain {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// What stands in for a module of Apple's, and NotilogClient as it is on Apple's platforms.
    private static let aliases = [
        "ActivityKit": "AppleActivityKit", "CoreLocation": "AppleCoreLocation", "NotilogClient": "NotilogClientOnApple",
        "SwiftUI": "AppleSwiftUI", "UIKit": "AppleUIKit", "UserNotifications": "AppleUserNotifications",
    ]

    private static var modules: [String] {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let products =
            ([own] + CommandLine.arguments).map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
            + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        let folder = products.map { $0.appendingPathComponent("Modules").path }.first {
            FileManager.default.fileExists(atPath: $0 + "/NotilogClientOnApple.swiftmodule")
        }
        let zlib = root.appendingPathComponent("Sources/CZlib/module.modulemap").path
        return ["-I", folder ?? "Modules", "-Xcc", "-fmodule-map-file=\(zlib)"]
    }

    /// What the compiler has against an app made of these files; empty where that is nothing.
    static func complaints(about files: [String]) throws -> String {
        try inFolder { folder in
            let paths = try files.enumerated().map { number, text in
                let file = folder.appendingPathComponent("File\(number).swift")
                try text.write(to: file, atomically: true, encoding: .utf8)
                return file.path
            }
            let arguments =
                [
                    "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-module-name",
                    "App",
                ]
                + aliases.flatMap { ["-module-alias", "\($0)=\($1)"] } + modules + paths
            let (status, output) = try run("swiftc", arguments)
            return status == 0 ? "" : output
        }
    }

    /// What the compiler has against a package's manifest.
    static func complaints(aboutManifest text: String) throws -> String {
        try inFolder { folder in
            let file = folder.appendingPathComponent("Package.swift")
            try text.write(to: file, atomically: true, encoding: .utf8)
            let (status, output) = try run("swift", ["package", "--package-path", folder.path, "dump-package"])
            return status == 0 ? "" : output
        }
    }

    /// The public names of NotilogClient that are nested in nothing.
    static func publicNames() throws -> Set<String> {
        struct Graph: Decodable {
            struct Symbol: Decodable { var pathComponents: [String] }
            var symbols: [Symbol]
        }
        return try inFolder { folder in
            let (_, target) = try run("swiftc", ["-print-target-info"])
            struct Info: Decodable {
                struct Target: Decodable { var triple: String }
                var target: Target
            }
            let triple = try JSONDecoder().decode(Info.self, from: Data(target.utf8)).target.triple
            let module = "NotilogClientOnApple"
            let (status, output) = try run(
                "swift-symbolgraph-extract",
                [
                    "-module-name", module, "-minimum-access-level", "public", "-target", triple, "-output-dir",
                    folder.path,
                ] + modules
            )
            guard status == 0 else { throw Failure(output: output) }
            let file = folder.appendingPathComponent("\(module).symbols.json")
            let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
            return Set(graph.symbols.filter { $0.pathComponents.count == 1 }.flatMap(\.pathComponents))
        }
    }

    struct Failure: Error {
        let output: String
    }

    private static func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    private static func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
