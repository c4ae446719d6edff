import AppleNetwork
import AppleUserNotifications
import Foundation
import Testing

@testable import NotilogClientOnApple

/// What is sent without waiting for the app to be opened again, and what the client says when it cannot hear.
@Suite("Extensions and delegates on Apple's platforms")
struct HearingTests {
    private let request = UNNotificationRequest(
        identifier: "r",
        content: Sample.content(),
        trigger: UNPushNotificationTrigger(repeats: false)
    )

    @Test("A service extension sends its delivery before the content is handed on")
    func extensionSends() async throws {
        try await Recorded.runSending { recorded, requests in
            let recording = recorded.notilog.beginExtension(request)
            let sentBefore = await withCheckedContinuation { continuation in
                recording.finish(request.content, sendingWithin: 3600) { _ in
                    continuation.resume(returning: requests.withLock { $0 })
                }
            }
            #expect(sentBefore == 1)
            #expect(recorded.events().isEmpty)
            await recording.finish(request.content, sendingWithin: 2)
            #expect(requests.withLock { $0 } == 1)
        }
    }

    @Test("A service extension whose time is over hands its content on at once, and keeps the delivery")
    func extensionExpires() async throws {
        try await Recorded.runSending(isSilent: true) { recorded, _ in
            let recording = recorded.notilog.beginExtension(request)
            let handed = Guarded(0)
            recording.failed("decryption")
            recording.finish(request.content, sendingWithin: 3600) { _ in handed.withLock { $0 += 1 } }
            #expect(handed.withLock { $0 } == 0)
            #expect(recording.expire() == nil)
            #expect(handed.withLock { $0 } == 1)
            let events = recorded.events()
            #expect(events.count == 1)
            #expect((events.first?["extension"] as? [String: Any])?["outcome"] as? String == "unmodified")
            #expect((events.first?["attributes"] as? [String: Any])?["extension_failure"] as? String == "decryption")
        }
    }

    @Test("A response may be answered when it is sent")
    func responseSent() async throws {
        try await Recorded.runSending { recorded, requests in
            let response = UNNotificationResponse(notification: Sample.notification(), actionIdentifier: "like")
            await withCheckedContinuation { continuation in
                recorded.notilog.record(response, sendingWithin: 3600) { continuation.resume() }
            }
            #expect(requests.withLock { $0 } == 1)
        }
    }

    @Test("Where the system has no time to give, the work is cancelled")
    func noTime() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Notilog.SystemBackgroundTime().run("no time") {
                while !Task.isCancelled { await Task.yield() }
                continuation.resume()
            }
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Notilog.SystemBackgroundTime().run("time") { continuation.resume() }
        }
    }

    @Test("The path of the network, as the system describes it")
    func network() {
        let heard = Guarded<[Notilog.Network]>([])
        Notilog.PathConnectivity().observe { network in heard.withLock { $0.append(network) } }
        #expect(heard.withLock { $0 } == [.open, .offline, .lowData, .open])
        #expect(NWPathMonitor.paths.count == 4)
    }

    @Test("A delegate that is set after ours is noticed")
    func delegateReplaced() throws {
        try Recorded.run { recorded, center in
            let wrapper = recorded.notilog.install(on: center)
            #expect(recorded.notilog.diagnosis() == [])
            let own = OwnDelegate()
            center.delegate = own
            #expect(recorded.notilog.diagnosis() == [.delegateReplaced(by: "OwnDelegate")])
            #expect(recorded.notilog.diagnosis().first?.description.hasPrefix("OwnDelegate became") == true)
            center.delegate = wrapper
            #expect(recorded.notilog.diagnosis() == [])
            center.delegate = nil
            #expect(recorded.notilog.diagnosis() == [.delegateReplaced(by: "nothing")])
        }
    }

    @Test("An app with the callbacks of iOS 9 alone keeps getting theirs")
    func legacy() throws {
        try Recorded.run { recorded, center in
            let calls = Guarded<[String]>([])
            let delegate = recorded.notilog.install(on: center, presentation: [.list]) { callback in
                let words = [
                    callback.isRemote ? "remote" : "local", callback.actionIdentifier ?? "tap", callback.text ?? "-",
                    callback.isForeground ? "foreground" : "tapped",
                    callback.userInfo["notilog"] == nil ? "unmarked" : "marked",
                ]
                calls.withLock { $0.append(words.joined(separator: " ")) }
            }
            let push = Sample.notification()
            let local = UNNotification(
                date: Date(),
                request: UNNotificationRequest(identifier: "l", content: Sample.content(), trigger: nil)
            )
            let answers = Answers()
            delegate.userNotificationCenter(center, willPresent: push) { answers.options.append($0) }
            for (notification, action) in [
                (push, UNNotificationDefaultActionIdentifier), (local, "like"),
                (local, UNNotificationDismissActionIdentifier),
            ] {
                let response = UNNotificationResponse(notification: notification, actionIdentifier: action)
                delegate.userNotificationCenter(center, didReceive: response) { answers.responses += 1 }
            }
            let typed = UNTextInputNotificationResponse(
                notification: push,
                actionIdentifier: "comment",
                userText: "hello"
            )
            delegate.userNotificationCenter(center, didReceive: typed) { answers.responses += 1 }
            #expect(
                calls.withLock { $0 } == [
                    "remote tap - foreground marked", "remote tap - tapped marked", "local like - tapped marked",
                    "remote comment hello tapped marked",
                ]
            )
            #expect(answers.options == [[.list]] && answers.responses == 4)
            #expect(recorded.events().count == 6)
        }
    }

    @Test("All delivered notifications are taken back by name, without an earlier look at the list")
    func removalWithoutSweep() throws {
        try Recorded.run { recorded, center in
            center.delivered = [Sample.notification()]
            let isDone = Guarded(false)
            recorded.notilog.removeDelivered(nil, from: center) { isDone.withLock { $0 = true } }
            #expect(isDone.withLock { $0 } && center.delivered.isEmpty)
            let events = recorded.events()
            #expect(events.map { $0["kind"] as? String } == ["delivery", "removal"])
            #expect(events.last?["notification_id"] as? String == "n")
            #expect(events.last?["reason"] as? String == "removed_by_app")
        }
    }

    @Test(
        "Attachments are of the medium that their type conforms to",
        arguments: [
            ("org.webmproject.webp", "image"), ("com.apple.m4a-audio", "audio"), ("com.apple.m4v-video", "video"),
            ("public.video", "video"), ("com.adobe.pdf", nil), ("unknown", nil),
        ]
    )
    func media(type: String, medium: String?) throws {
        try Recorded.run { recorded, center in
            let content = Sample.content()
            content.attachments = [UNNotificationAttachment(identifier: "a", type: type)]
            recorded.notilog.add(
                UNNotificationRequest(identifier: "a", content: content, trigger: nil),
                to: center
            )
            #expect(recorded.events().first?["attachments"] as? [String] == medium.map { [$0] })
        }
    }
}
