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

    @Test("A service extension's content is handed on once, however often it is finished")
    func extensionFinishesTwice() async throws {
        try await Recorded.runSending(isSilent: true) { recorded, _ in
            let (first, late) = (Sample.content(), Sample.content())
            let handed = Guarded<[ObjectIdentifier]>([])
            let note: (UNNotificationContent) -> Void = { content in
                handed.withLock { $0.append(ObjectIdentifier(content)) }
            }
            let waiting = recorded.notilog.beginExtension(request)
            waiting.finish(first, sendingWithin: 3600, contentHandler: note)
            waiting.finish(late, sendingWithin: 3600, contentHandler: note)
            #expect(handed.withLock { $0 }.isEmpty)
            waiting.expire()
            waiting.finish(late, contentHandler: note)
            #expect(handed.withLock { $0 } == [ObjectIdentifier(first)])

            // Nothing waits when the time is over: what the extension has by then is handed on, and nothing after it.
            let unfinished = recorded.notilog.beginExtension(request)
            unfinished.expire()
            unfinished.finish(first, contentHandler: note)
            unfinished.finish(late, contentHandler: note)
            #expect(handed.withLock { $0 } == [ObjectIdentifier(first), ObjectIdentifier(first)])
            #expect(recorded.events().count == 2)
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

    @Test("The system is answered on the main thread, wherever it is answered from")
    func mainThread() async throws {
        let key = Handed(DispatchSpecificKey<Bool>())
        DispatchQueue.main.setSpecific(key: key.value, value: true)
        let places = Guarded<[Bool]>([])
        let note: @Sendable () -> Void = {
            let isMain = DispatchQueue.getSpecific(key: key.value) ?? false
            places.withLock { $0.append(isMain) }
        }
        try await Recorded.runSending { recorded, _ in
            let (notification, center) = (Sample.notification(), UNUserNotificationCenter())
            let delegate = recorded.notilog.install(on: center)
            let response = UNNotificationResponse(notification: notification, actionIdentifier: "like")
            delegate.userNotificationCenter(center, willPresent: notification) { _ in note() }
            delegate.userNotificationCenter(center, didReceive: response) { note() }
            let own = OwnDelegate()
            let forwarding = Notilog.CenterDelegate(recorded.notilog, forwardingTo: own)
            forwarding.userNotificationCenter(center, willPresent: notification) { _ in note() }
            forwarding.userNotificationCenter(center, didReceive: response) { note() }
            #expect(own.calls == ["present", "like"])
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                recorded.notilog.record(response, sendingWithin: 3600) {
                    note()
                    continuation.resume()
                }
            }
        }
        await mainThreadIsDone()
        #expect(places.withLock { $0 } == [true, true, true, true, true])
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

    @Test("What is cancelled as the time ends has a moment in which the process is not suspended")
    func lastMoment() async {
        let isHandedOver = Guarded(false)
        let observer = Guarded<Lifecycle?>(nil)
        let wasInTime = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let ended = Lifecycle(.default, ["ended: a last moment, no time"]) {
                continuation.resume(returning: isHandedOver.withLock { $0 })
            }
            observer.withLock { $0 = ended }
            // A moment that lasts however slow the machine is.
            Notilog.SystemBackgroundTime(lastMoment: .seconds(600)).run("a last moment, no time") {
                while !Task.isCancelled { await Task.yield() }
                // What follows a cancellation, as the handover does.
                await Task { _ = try? await Task<Never, Never>.sleep(nanoseconds: 20_000_000) }.value
                isHandedOver.withLock { $0 = true }
            }
        }
        #expect(wasInTime)
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

    @Test("A second install leaves the app's own delegate in its place, and nothing is recorded twice")
    func installedTwice() throws {
        try Recorded.run { recorded, center in
            let own = OwnDelegate()
            center.delegate = own
            let first = recorded.notilog.install(on: center)
            let second = recorded.notilog.install(on: center, presentation: [.list])
            #expect(center.delegate === second && first !== second)
            let response = UNNotificationResponse(notification: Sample.notification(), actionIdentifier: "like")
            second.userNotificationCenter(center, didReceive: response) {}
            #expect(own.calls == ["like"] && recorded.events().count == 1)
            first.userNotificationCenter(center, didReceive: response) {}
            #expect(own.calls == ["like", "like"] && recorded.events().count == 1)
        }
    }

    /// Another library's delegate, which hands on to the one before it, and holds it weakly as the center does.
    final class Between: NSObject, UNUserNotificationCenterDelegate {
        weak var next: (any UNUserNotificationCenterDelegate)?

        init(_ next: (any UNUserNotificationCenterDelegate)?) {
            self.next = next
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
        ) {
            next?.userNotificationCenter(
                center,
                willPresent: notification,
                withCompletionHandler: completionHandler
            )
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping @Sendable () -> Void
        ) {
            next?.userNotificationCenter(center, didReceive: response, withCompletionHandler: completionHandler)
        }

        func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
            next?.userNotificationCenter(center, openSettingsFor: notification)
        }
    }

    @Test("An install after another library's delegate still reaches the app's, and nothing is recorded twice")
    func installedAround() throws {
        try Recorded.run { recorded, center in
            let own = OwnDelegate()
            center.delegate = own
            recorded.notilog.install(on: center)
            let between = Between(center.delegate)
            center.delegate = between
            recorded.notilog.install(on: center)
            let response = UNNotificationResponse(notification: Sample.notification(), actionIdentifier: "like")
            center.delegate?.userNotificationCenter(center, didReceive: response) {}
            #expect(own.calls == ["like"] && recorded.events().count == 1)
            #expect(between.next != nil)
        }
    }

    @Test("An app with the callbacks of iOS 9 alone keeps getting theirs")
    func legacy() async throws {
        let answers = Answers()
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
            #expect(recorded.events().count == 6)
        }
        await mainThreadIsDone()
        #expect(answers.options == [[.list]] && answers.responses == 4)
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
