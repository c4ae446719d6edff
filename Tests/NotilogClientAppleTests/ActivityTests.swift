import AppleActivityKit
import AppleUserNotifications
import Foundation
import Testing

@testable import NotilogClientOnApple

/// Live Activities as ActivityKit tells of them, and what is sent by the system.
@Suite("Live Activities and background uploads on Apple's platforms")
struct ActivityTests {
    private struct Parcel: ActivityAttributes {
        struct ContentState: Codable, Hashable {
            var stops: Int
        }
    }

    private struct Score: ActivityAttributes {
        struct ContentState: Codable, Hashable {
            var goals: Int
        }
    }

    private struct Match: ActivityAttributes {
        struct ContentState: Codable, Hashable {
            var minute: Int
        }
    }

    private static func told(_ recorded: Recorded) -> [String] {
        recorded.events().map { event in
            ["kind", "state", "type", "activity_id", "attributes_type", "started_by", "updates_by"]
                .compactMap { event[$0] as? String }.joined(separator: " ")
        }
    }

    private static func awaitEvents(_ count: Int, _ recorded: Recorded) async throws {
        let deadline = Date().addingTimeInterval(60)
        while recorded.notilog.status().events < count {
            try #require(Date() < deadline, "\(told(recorded))")
            await Task.yield()
        }
    }

    @Test("An activity that a push starts is followed to its end, with the tokens")
    func startedByPush() async throws {
        try await Recorded.runSending { recorded, _ in
            let world = ActivityWorld.of(Activity<Parcel>.self)
            // The app was woken for it: it is there already, and the stream repeats it.
            let activity = Activity<Parcel>(id: "a", content: Parcel.ContentState(stops: 3))
            world.present = [activity]
            let task = recorded.notilog.observeActivities(of: Parcel.self, topic: "t")
            world.updates.yield(activity)
            try await Self.awaitEvents(1, recorded)
            world.startToken.yield(Data([1]))
            try await Self.awaitEvents(2, recorded)
            activity.tokens.yield(Data([2]))
            try await Self.awaitEvents(3, recorded)
            activity.contents.yield(activity.content)
            activity.contents.yield(ActivityContent(state: Parcel.ContentState(stops: 2), staleDate: nil))
            try await Self.awaitEvents(4, recorded)
            activity.states.yield(.active)
            activity.states.yield(.stale)
            try await Self.awaitEvents(5, recorded)
            activity.states.yield(.dismissed)
            try await Self.awaitEvents(6, recorded)
            #expect(
                Self.told(recorded) == [
                    "live_activity started a Parcel push", "token registered push_to_start Parcel",
                    "token registered live_activity a", "live_activity updated a Parcel",
                    "live_activity stale a Parcel",
                    "live_activity dismissed a Parcel",
                ]
            )
            task.cancel()
            await task.value
        }
    }

    @Test("An activity that the app starts is its own, though the stream has it before the app")
    func startedByApp() async throws {
        try await Recorded.runSending { recorded, _ in
            let task = recorded.notilog.observeActivities(of: Score.self, topic: "t")
            let activity = try recorded.notilog.startActivity(updatesBy: .token) {
                try Activity.request(
                    attributes: Score(),
                    content: ActivityContent(state: Score.ContentState(goals: 0), staleDate: nil),
                    pushType: .token
                )
            }
            activity.tokens.yield(Data([2]))
            try await Self.awaitEvents(2, recorded)
            #expect(
                Self.told(recorded) == [
                    "live_activity started by-app Score app token", "token registered live_activity by-app",
                ]
            )
            task.cancel()
            await task.value
        }
    }

    @Test("After the device id is reset, an activity of the app that goes on does not count as started by a push")
    func deviceReset() async throws {
        try await Recorded.runSending { recorded, _ in
            let task = recorded.notilog.observeActivities(of: Match.self, topic: "t")
            let activity = try recorded.notilog.startActivity {
                try Activity.request(
                    attributes: Match(),
                    content: ActivityContent(state: Match.ContentState(minute: 0), staleDate: nil)
                )
            }
            activity.tokens.yield(Data([2]))
            try await Self.awaitEvents(2, recorded)
            try recorded.notilog.storage.resetDeviceID()
            activity.states.yield(.stale)
            try await Self.awaitEvents(4, recorded)
            #expect(
                Self.told(recorded).suffix(2) == [
                    "live_activity started by-app Match", "live_activity stale by-app Match",
                ]
            )
            task.cancel()
            await task.value
        }
    }

    @Test("Settings say whether Live Activities are allowed")
    func settings() throws {
        try Recorded.run { recorded, center in
            recorded.notilog.recordSettings(of: center)
            #expect(recorded.events().first?["live_activities"] as? String == "enabled")
        }
    }

    @Test("Settings opened from a notification name its category; from the system's, the way alone")
    func openSettings() throws {
        try Recorded.run { recorded, center in
            let delegate = recorded.notilog.install(on: center)
            let content = Sample.content()
            content.categoryIdentifier = "news"
            let request = UNNotificationRequest(identifier: "r", content: content, trigger: nil)
            delegate.userNotificationCenter(center, openSettingsFor: UNNotification(date: Date(), request: request))
            delegate.userNotificationCenter(center, openSettingsFor: nil)
            let ways = recorded.events().map { $0["attributes"] as? [String: String] }
            #expect(
                ways == [["opened_from": "notification", "category_id": "news"], ["opened_from": "settings"]]
            )
        }
    }

    @Test("The system's call for a session of ours is answered when all of it is told, and no other's")
    func backgroundEvents() async throws {
        try await Recorded.runSending { recorded, _ in
            #expect(!recorded.notilog.handleBackgroundEvents(for: "notilog.app") {})
            let session = Notilog.BackgroundSession()
            var options = recorded.notilog.options
            options.backgroundUploads = session
            let url = await recorded.notilog.uploader.settings.url
            let notilog = Notilog(url: url, writeKey: "key", options: options)
            #expect(!notilog.handleBackgroundEvents(for: "com.example.downloads") {})
            #expect(await session.underWay().isEmpty)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                #expect(notilog.handleBackgroundEvents(for: "notilog.com.example.extension") { continuation.resume() })
                session.finish("notilog.com.example.extension")
            }
        }
    }

    @Test("The system is told although all results were delivered before it asked")
    func backgroundEventsBefore() async throws {
        let session = Notilog.BackgroundSession()
        session.observe { _, _ in }
        let own = try #require(session.identifiers.first)
        let told = Guarded(0)
        session.finish(own)
        #expect(session.handle(own) { told.withLock { $0 += 1 } })
        try await Self.awaitNumber(1, told)
        // That end was told: the next handler waits for its own.
        #expect(session.handle(own) { told.withLock { $0 += 1 } })
        await mainThreadIsDone()
        #expect(told.withLock { $0 } == 1)
        session.finish(own)
        try await Self.awaitNumber(2, told)
    }

    private static func awaitNumber(_ number: Int, _ counted: Guarded<Int>) async throws {
        let deadline = Date().addingTimeInterval(20)
        while counted.withLock({ $0 }) < number {
            try #require(Date() < deadline, "\(counted.withLock { $0 }) instead of \(number)")
            await Task.yield()
        }
    }

    @Test("The system is told when the next upload has begun, and a session of an extension's is let go of")
    func backgroundEventsEnd() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("[]".utf8).write(to: file)
        let session = Notilog.BackgroundSession()
        let order = Guarded<[String]>([])
        let (ended, end) = AsyncStream<Void>.makeStream()
        session.observe { _, _ in
            end.yield()
            _ = try? await Task<Never, Never>.sleep(nanoseconds: 20_000_000)
            order.withLock { $0.append("began") }
        }
        let own = session.identifiers
        // Nobody listens there.
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let request = Notilog.OutgoingRequest(url: url, headers: [:], body: Data())
        session.begin(request, file: file, name: "upload", notBefore: nil)
        for await _ in ended { break }
        let identifier = "notilog.com.example.extension"
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOurs = session.handle(identifier) {
                order.withLock { $0.append("told") }
                continuation.resume()
            }
            #expect(isOurs && session.identifiers.count == own.count + 1)
            session.finish(identifier)
        }
        #expect(order.withLock { $0 } == ["began", "told"])
        #expect(session.identifiers == own && own.count == 1)
    }
}
