import Foundation
import Testing

/// The examples of the documentation, as they stand in its pages, and the names that an app sees.
@Suite("The documentation")
struct DocumentationTests {
    /// A page, and the Swift in it.
    struct Page: Sendable, CustomTestStringConvertible {
        let path: String
        let blocks: [String]
        var testDescription: String { path }
    }

    static let pages: [Page] = ["README.md", "docs", "Sources/NotilogClient/NotilogClient.docc"].flatMap { path in
        let place = Toolchain.root.appendingPathComponent(path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        let files = path.hasSuffix(".md") ? [path] : names.filter { $0.hasSuffix(".md") }.map { "\(path)/\($0)" }
        return files.sorted().compactMap { file in
            let blocks = Self.blocks((try? text(file)) ?? "")
            return blocks.isEmpty ? nil : Page(path: file, blocks: blocks)
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Toolchain.root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func blocks(_ text: String) -> [String] {
        text.components(separatedBy: "\n```swift\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] + "\n" }
    }

    @Test("every example compiles, those of a page as one app", arguments: pages)
    func examples(page: Page) throws {
        let manifests = page.blocks.filter { $0.hasPrefix("// swift-tools-version") }
        for manifest in manifests { #expect(try Toolchain.complaints(aboutManifest: manifest) == "") }
        // A block that imports is a file; the others are lines within a function, where the page's files are at hand.
        let files = page.blocks.filter { !manifests.contains($0) && $0.contains("import ") }
        let imports = Set(files.flatMap { $0.components(separatedBy: "\n").filter { $0.hasPrefix("import ") } })
        let lines = page.blocks.filter { !manifests.contains($0) && !files.contains($0) }.enumerated().map {
            "\(imports.sorted().joined(separator: "\n"))\n@MainActor func lines\($0)() async throws {\n\($1)}\n"
        }
        guard !(files + lines).isEmpty else { return }
        #expect(try Toolchain.complaints(about: files + lines) == "")
    }

    @Test("there are examples, and the compiler that looks at them has its own mind")
    func looked() throws {
        let started = try #require(Self.pages.first { $0.path.hasSuffix("GettingStarted.md") })
        #expect(started.blocks.count >= 5 && Self.pages.count >= 3)
        let file = try #require(started.blocks.first { $0.contains("@main") })
        #expect(try Toolchain.complaints(about: [file]) == "")
        let wrong = file.replacingOccurrences(of: "notilog.install(", with: "notilog.install(forwardingTo: self, ")
        #expect(try Toolchain.complaints(about: [wrong]).contains("UNUserNotificationCenterDelegate"))
    }

    @Test("each example of an app's delegate hears of it that the app became active with scenes, and of the token")
    func delegates() throws {
        let started = try #require(Self.pages.first { $0.path.hasSuffix("GettingStarted.md") })
        let delegates = started.blocks.filter { $0.contains("UIApplicationDelegate {") }
        #expect(delegates.count == 2)
        #expect(started.blocks.contains { $0.contains("UIApplication.didBecomeActiveNotification") })
        for delegate in delegates {
            #expect(delegate.contains("        recordStateWhenActive()\n"))
            #expect(delegate.contains("notilog.record(deviceToken: deviceToken)"))
            // UIKit does not call it in an app with scenes.
            #expect(!delegate.contains("func applicationDidBecomeActive"))
        }
    }

    @Test("an example records silent pushes where UIKit tells of them, and sends before the app is suspended")
    func silentPushes() throws {
        let started = try #require(Self.pages.first { $0.path.hasSuffix("GettingStarted.md") })
        let example = try #require(
            started.blocks.first { $0.contains("didReceiveRemoteNotification userInfo: [AnyHashable: Any],") }
        )
        // The variant without it is not called once the notification center has a delegate.
        #expect(example.contains("fetchCompletionHandler completionHandler"))
        let calls = ["notilog.record(remoteNotification:", "await notilog.flush(within:", "completionHandler(.noData)"]
        let places = calls.compactMap { example.range(of: $0)?.lowerBound }
        #expect(places.count == calls.count && places == places.sorted())
    }

    @Test("an app sees one name and those for Objective-C, and its own Consent, Transport and Event are its own")
    func names() throws {
        let names = try Toolchain.publicNames()
        #expect(
            names == [
                "Notilog", "NLGAppOpenSource", "NLGExtensionRecording", "NLGLegacyCallback", "NLGLocalNotification",
                "NLGNotilog", "NLGOptions", "NLGPromptAnswer",
            ]
        )
    }

    @Test("the client's version, the command's, the changelog and the example of a manifest say the same")
    func version() throws {
        let headings = try Self.text("docs/CHANGELOG.md").components(separatedBy: "\n").filter { $0.hasPrefix("## ") }
        let client = try Self.text("Sources/NotilogClient/Notilog.swift")
        let newest = try #require(headings.first).dropFirst(3).prefix { $0 != "," }
        #expect(client.contains("static let version = \"\(newest)\""))
        #expect(try Self.text("Sources/notilog/Notilog.swift").contains("version: \"\(newest)\","))
        let released = headings.first { !$0.hasSuffix(", not released") }?.dropFirst(3).prefix { $0 != "," }
        let requirement = released.map { "from: \"\($0)\"" } ?? "branch: \"main\""
        let page = try Self.text("Sources/NotilogClient/NotilogClient.docc/GettingStarted.md")
        #expect(page.contains(".package(url: \"https://…/notilog.git\", \(requirement))"))
    }
}
