import Foundation
import Testing

@testable import NotilogClient

/// What the client takes for an open of the app, once told to record them.
@Suite("Opens of the app")
struct AppOpensTests {
    /// What the system posts, and the opens that it means.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The notifications, with the seconds before each.
        let posted: [(after: TimeInterval, name: String)]
        let opens: [String]
    }

    static let cases = [
        Case(
            testDescription: "an app without scenes is launched, left, and opened again",
            posted: [
                (1, "UIApplicationDidBecomeActive"), (60, "UIApplicationDidEnterBackground"),
                (60, "UIApplicationWillEnterForeground"), (0, "UIApplicationDidBecomeActive"),
            ],
            opens: ["launch cold", "foreground"]
        ),
        Case(
            testDescription: "an app with scenes is launched, left, and opened again",
            posted: [
                (1, "UISceneWillEnterForeground"), (0, "UIApplicationWillEnterForeground"),
                (0, "UIApplicationDidBecomeActive"), (60, "UIApplicationDidEnterBackground"),
                (60, "UISceneWillEnterForeground"), (0, "UIApplicationDidBecomeActive"),
            ],
            opens: ["scene cold", "scene"]
        ),
        Case(
            testDescription: "a second scene comes to the foreground beside the first",
            posted: [
                (1, "UISceneWillEnterForeground"), (0, "UIApplicationDidBecomeActive"),
                (60, "UISceneWillEnterForeground"),
            ],
            opens: ["scene cold"]
        ),
        Case(
            testDescription: "a call interrupts the app",
            posted: [(1, "UIApplicationDidBecomeActive"), (60, "UIApplicationDidBecomeActive")],
            opens: ["launch cold"]
        ),
        Case(
            testDescription: "a push starts the app in the background, and the person opens it later",
            posted: [(600, "UIApplicationWillEnterForeground"), (0, "UIApplicationDidBecomeActive")],
            opens: ["foreground"]
        ),
        Case(
            testDescription: "an app of the watch",
            posted: [
                (1, "WKApplicationWillEnterForeground"), (0, "WKApplicationDidBecomeActive"),
                (60, "WKApplicationDidEnterBackground"), (1, "WKApplicationWillEnterForeground"),
            ],
            opens: ["foreground cold", "foreground"]
        ),
        Case(
            testDescription: "an app of the Mac",
            posted: [
                (1, "NSApplicationDidBecomeActive"), (60, "NSApplicationDidResignActive"),
                (1, "NSApplicationDidBecomeActive"),
            ],
            opens: ["launch cold", "foreground"]
        ),
        Case(
            testDescription: "an extension, whose host comes and goes",
            posted: [(1, "NSExtensionHostDidBecomeActive"), (1, "NSExtensionHostDidEnterBackground")],
            opens: []
        ),
    ]

    private func opens(_ posted: [(after: TimeInterval, name: String)], isOn: Bool) async throws -> [String] {
        try await withFolder { folder in
            let clock = TestClock()
            var options = Notilog.Options()
            options.folder = folder
            options.limits.durability = .processEnd
            options.sendsAutomatically = false
            options.recordsAppOpens = isOn
            options.clock = clock
            options.context = { .sample }
            options.notifications = NotificationCenter()
            let notilog = Notilog(url: folder, writeKey: "key", deviceID: "d", options: options)
            for (seconds, name) in posted {
                clock.advance(seconds)
                options.notifications.post(name: Notification.Name(name + "Notification"), object: nil)
            }
            return try notilog.storage.oldest(100, bytes: .max).map { event in
                let fields = try #require(try JSONSerialization.jsonObject(with: event.json) as? [String: Any])
                #expect(fields["kind"] as? String == "app_open")
                let isCold = try #require(fields["cold"] as? Bool)
                return "\(fields["source"] ?? "")\(isCold ? " cold" : "")"
            }
        }
    }

    @Test("An app comes to the foreground once each time, whatever the system posts", arguments: cases)
    func opens(of example: Case) async throws {
        #expect(try await opens(example.posted, isOn: true) == example.opens)
    }

    @Test("Nothing is recorded unless the app asked for it")
    func off() async throws {
        #expect(try await opens(Self.cases[0].posted, isOn: false) == [])
    }
}
