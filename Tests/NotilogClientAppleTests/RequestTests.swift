import AppleCoreLocation
import AppleUserNotifications
import Foundation
import Testing

@testable import NotilogClientOnApple

/// Requests that are added again and taken back, permission, and the callbacks of before iOS 10.
@Suite("Requests and questions on Apple's platforms")
struct RequestTests {
    private func request(_ identifier: String, _ trigger: UNNotificationTrigger?) -> UNNotificationRequest {
        UNNotificationRequest(identifier: identifier, content: Sample.content(), trigger: trigger)
    }

    private func id(_ request: UNNotificationRequest) -> String? {
        (request.content.userInfo["notilog"] as? [String: String])?["id"]
    }

    @Test("a request that is added again is one notification with an update; a later one is another")
    func again() throws {
        try Recorded.run { recorded, center in
            let notilog = recorded.notilog
            let place = UNLocationNotificationTrigger(region: CLRegion(), repeats: false)
            for trigger in [place, UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: false), nil] {
                notilog.add(request("r", trigger), to: center)
            }
            notilog.add(request("other", nil), to: center)
            let ids = center.pending.map(id)
            #expect(Set(ids.prefix(3)).count == 1 && ids[3] != ids[0] && !ids.contains(nil))
            let shown = UNNotification(date: notilog.options.clock.now, request: center.pending[2])
            notilog.record(UNNotificationResponse(notification: shown, actionIdentifier: "like"))
            notilog.add(request("r", nil), to: center)
            #expect(center.pending.last.flatMap(id) != ids[0])
            let events = recorded.events()
            #expect(
                events.map { $0["kind"] as? String } == Array(repeating: "request", count: 4) + [
                    "action_response", "request",
                ]
            )
            #expect(events.prefix(5).map { $0["notification_id"] as? String } == ids + [ids[0]])
        }
    }

    @Test("an add that fails leaves the notification that it would have updated")
    func failed() throws {
        try Recorded.run { recorded, center in
            let place = UNLocationNotificationTrigger(region: CLRegion(), repeats: false)
            recorded.notilog.add(request("r", place), to: center)
            center.failure = NSError(domain: "UNErrorDomain", code: 1400)
            recorded.notilog.add(request("r", nil), to: center)
            center.failure = nil
            recorded.notilog.removePending(nil, from: center)
            let events = recorded.events()
            #expect(events.map { $0["kind"] as? String } == ["request", "request", "removal"])
            #expect(events[1]["error"] != nil)
            #expect(Set(events.map { $0["notification_id"] as? String }) == [events[0]["notification_id"] as? String])
        }
    }

    @Test("requests that wait for a place, or for a date that never comes, are taken back by their own ids")
    func undated() throws {
        try Recorded.run { recorded, center in
            let notilog = recorded.notilog
            let triggers = [
                UNLocationNotificationTrigger(region: CLRegion(), repeats: false),
                UNCalendarNotificationTrigger(dateMatching: DateComponents(year: 2001), repeats: false),
            ]
            for (number, trigger) in triggers.enumerated() {
                notilog.add(request("some \(number)", trigger), to: center)
                notilog.add(request("all \(number)", trigger), to: center)
            }
            let ids = center.pending.map(id)
            notilog.removePending(["some 0", "some 1"], from: center)
            notilog.removePending(nil, from: center)
            notilog.removePending(nil, from: center)
            let removals = recorded.events().filter { $0["kind"] as? String == "removal" }
            #expect(removals.map { $0["notification_id"] as? String } == [ids[0], ids[2], ids[1], ids[3]])
            #expect(
                removals.allSatisfy {
                    $0["state"] as? String == "pending" && $0["reason"] as? String == "removed_by_app"
                }
            )
        }
    }

    @Test("a notification that is shown in the foreground has arrived; one that is not listed there is gone")
    func arrived() throws {
        try Recorded.run { recorded, center in
            let notilog = recorded.notilog
            for options: UNNotificationPresentationOptions in [[.list], [.banner]] {
                let place = UNLocationNotificationTrigger(region: CLRegion(), repeats: false)
                notilog.add(request("r", place), to: center)
                let notification = UNNotification(
                    date: notilog.options.clock.now,
                    request: try #require(center.pending.last)
                )
                let delegate = Notilog.CenterDelegate(notilog, forwardingTo: nil, presentation: options)
                delegate.userNotificationCenter(center, willPresent: notification) { _ in }
                notilog.removePending(nil, from: center)
                notilog.add(request("r", nil), to: center)
                center.pending.removeLast(center.pending.count - 1)
            }
            let ids = recorded.events().map { $0["notification_id"] as? String }
            #expect(!recorded.events().contains { $0["kind"] as? String == "removal" })
            #expect(ids.count == 8 && Set(ids.prefix(7)).count == 1 && ids[7] != ids[0])
        }
    }

    @Test(
        "a question for permission tells what the status was before it, and what the settings are after it",
        arguments: [UNAuthorizationStatus.notDetermined, .denied]
    )
    func statusBefore(status: UNAuthorizationStatus) throws {
        try Recorded.run { recorded, center in
            center.settings.authorizationStatus = status
            recorded.notilog.requestAuthorization(options: [.alert], center: center)
            let events = recorded.events()
            #expect(events.map { $0["kind"] as? String } == ["authorization_request", "settings"])
            let event = try #require(events.first)
            #expect(event["status_before"] as? String == (status == .denied ? "denied" : "not_determined"))
            #expect(event["granted"] as? Bool == true && event["options"] as? [String] == ["alert"])
            let after = events.last?["authorization_status"] as? String
            #expect(after == (status == .denied ? "denied" : "authorized"))
        }
    }

    @Test("a provisional permission, after which no app becomes active, is in the settings")
    func provisional() throws {
        try Recorded.run { recorded, center in
            recorded.notilog.requestAuthorization(options: [.alert, .provisional], center: center)
            #expect(recorded.events().last?["authorization_status"] as? String == "provisional")
        }
    }

    @Test("a push that nobody saw is a delivery, whichever callback brings it")
    func silentPushes() throws {
        try Recorded.run { recorded, _ in
            let notilog = recorded.notilog
            let silent: [String: Any] = ["aps": ["content-available": 1]]
            let alert: [String: Any] = ["aps": ["alert": "x", "content-available": 1]]
            notilog.record(launchNotification: silent)
            notilog.record(remoteNotification: silent, appState: .background)
            notilog.record(remoteNotification: silent, appState: .inactive)
            notilog.record(remoteNotification: alert, appState: .active)
            notilog.record(launchNotification: alert, appState: .background)
            notilog.record(launchNotification: alert)
            notilog.record(remoteNotification: alert, appState: .inactive)
            let events = recorded.events()
            #expect(
                events.map { $0["kind"] as? String } == Array(repeating: "delivery", count: 5) + [
                    "action_response", "action_response",
                ]
            )
            #expect(events.prefix(5).map { $0["alerting"] as? Bool } == [false, false, false, true, true])
            #expect(events.prefix(5).allSatisfy { $0["source"] as? String == "background_wake" })
        }
    }

    @Test("a push is no tap where the notification center reports taps: the app is also inactive behind a call")
    func pushesAfterInstall() throws {
        try Recorded.run { recorded, center in
            let notilog = recorded.notilog
            let alert: [String: Any] = ["aps": ["alert": "x", "content-available": 1], "notilog": ["id": "n"]]
            notilog.install(on: center)
            notilog.record(remoteNotification: alert, appState: .inactive)
            notilog.record(launchNotification: alert)
            let response = UNNotificationResponse(
                notification: Sample.notification(),
                actionIdentifier: UNNotificationDefaultActionIdentifier
            )
            center.delegate?.userNotificationCenter(center, didReceive: response) {}
            let events = recorded.events()
            #expect(events.map { $0["kind"] as? String } == ["delivery", "delivery", "action_response"])
            #expect(events.map { $0["source"] as? String } == ["background_wake", "background_wake", nil])
            #expect(events.allSatisfy { $0["notification_id"] as? String == "n" })
        }
    }

    @Test("the token of a Live Activity names its activity and its topic")
    func activityToken() throws {
        try Recorded.run { recorded, _ in
            recorded.notilog.record(
                activityToken: Data([1]),
                activityID: "a",
                topic: "com.example.app.push-type.liveactivity"
            )
            recorded.notilog.record(deviceToken: Data([2]), topic: "com.example.app")
            let events = recorded.events()
            #expect(events.map { $0["activity_id"] as? String } == ["a", nil])
            #expect(events.map { $0["type"] as? String } == ["live_activity", nil])
        }
    }
}
