import AppleCoreLocation
import AppleUserNotifications
import Foundation
import Testing

@testable import NotilogClientOnApple

/// The code for Apple's platforms, against interfaces written from Apple's documentation.
@Suite("On Apple's platforms")
struct AppleTests {
    @Test("a request of each trigger is stamped, added and recorded")
    func requests() throws {
        try Recorded.run { recorded, center in
            let region = CLRegion()
            region.notifyOnExit = false
            let triggers: [(UNNotificationTrigger?, String)] = [
                (UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true), "time_interval"),
                (UNCalendarNotificationTrigger(dateMatching: DateComponents(hour: 8), repeats: false), "calendar"),
                (UNLocationNotificationTrigger(region: region, repeats: true), "location"),
                (UNPushNotificationTrigger(repeats: false), "push"), (nil, "none"),
            ]
            for (trigger, name) in triggers {
                let request = UNNotificationRequest(identifier: name, content: Sample.content(), trigger: trigger)
                recorded.notilog.add(request, to: center, campaignID: "spring")
            }
            let requests = recorded.events().filter { $0["kind"] as? String == "request" }
            #expect(requests.map { ($0["trigger"] as? [String: Any])?["type"] as? String } == triggers.map(\.1))
            #expect((requests[2]["trigger"] as? [String: Any])?["region_event"] as? String == "enter")
            #expect(requests[1]["scheduled_for"] != nil && requests[0]["scheduled_for"] == nil)
            let ids = center.pending.map { ($0.content.userInfo["notilog"] as? [String: String])?["id"] }
            #expect(Set(ids).count == 5 && !ids.contains(nil))
            #expect(requests.map { $0["notification_id"] as? String } == ids)
            #expect(
                requests.allSatisfy { $0["campaign_id"] as? String == "spring" && $0["sound"] as? String == "default" }
            )
            #expect(center.pending.allSatisfy { $0.content.title == "Title" })
            center.failure = NSError(domain: "UNErrorDomain", code: 1)
            recorded.notilog.add(
                UNNotificationRequest(identifier: "no", content: Sample.content(), trigger: nil),
                to: center
            )
            #expect(recorded.events().last?["error"] as? String == "notifications_not_allowed")
        }
    }

    @Test("the delegate records, hands on, and answers itself where the app has none")
    func delegate() async throws {
        let answers = Answers()
        try Recorded.run { recorded, center in
            let own = OwnDelegate()
            center.delegate = own
            let wrapper = recorded.notilog.install(on: center, presentation: [.list])
            #expect(center.delegate === wrapper)
            let notification = Sample.notification()
            center.delegate?.userNotificationCenter(center, willPresent: notification) { answers.options.append($0) }
            for action in ["like", UNNotificationDefaultActionIdentifier, UNNotificationDismissActionIdentifier] {
                let response = UNNotificationResponse(notification: notification, actionIdentifier: action)
                center.delegate?.userNotificationCenter(center, didReceive: response) { answers.responses += 1 }
            }
            let typed = UNTextInputNotificationResponse(
                notification: notification,
                actionIdentifier: "comment",
                userText: "hello"
            )
            center.delegate?.userNotificationCenter(center, didReceive: typed) { answers.responses += 1 }
            center.delegate?.userNotificationCenter(center, openSettingsFor: notification)
            #expect(
                own.calls == [
                    "present", "like", UNNotificationDefaultActionIdentifier, UNNotificationDismissActionIdentifier,
                    "comment", "settings",
                ]
            )
            let events = recorded.events()
            #expect(
                events.map { $0["kind"] as? String } == [
                    "delivery", "presentation", "action_response", "action_response", "dismissal", "action_response",
                    "open_settings",
                ]
            )
            #expect(events[1]["options"] as? [String] == ["sound", "banner"])
            #expect(events[5]["text_length"] as? Int == 5 && events[5]["text"] == nil)
            #expect(events.prefix(6).allSatisfy { $0["notification_id"] as? String == "n" })
            #expect(events.prefix(6).allSatisfy { $0["delivered_at"] as? String == "2026-01-01T00:00:00.000000Z" })

            let alone = Notilog.CenterDelegate(recorded.notilog, forwardingTo: nil, presentation: [.list])
            alone.userNotificationCenter(center, willPresent: notification) { answers.options.append($0) }
            alone.userNotificationCenter(
                center,
                didReceive: UNNotificationResponse(notification: notification, actionIdentifier: "like")
            ) { answers.responses += 1 }
        }
        await mainThreadIsDone()
        #expect(answers.options == [[.banner, .sound], [.list]] && answers.responses == 5)
    }

    @Test(
        "a service extension's work is timed, and told as what it was",
        arguments: ["modified", "unmodified", "filtered", "expired"]
    )
    func serviceExtension(outcome: String) throws {
        try Recorded.run { recorded, _ in
            let request = UNNotificationRequest(
                identifier: "r",
                content: Sample.content(),
                trigger: UNPushNotificationTrigger(repeats: false)
            )
            let recording = recorded.notilog.beginExtension(request)
            recorded.time.withLock { $0 += 1.25 }
            recording.attachment(isLoaded: true)
            recording.attachment(isLoaded: false)
            let content = try #require(request.content.mutableCopy() as? UNMutableNotificationContent)
            switch outcome {
            case "modified": content.body = "decrypted"
            case "filtered":
                content.title = ""
                content.sound = nil
            default: break
            }
            if outcome == "expired" { recording.expire() } else { recording.finish(content) }
            #expect(recording.finish(content) == nil)
            #expect(recording.expire() == nil)
            let events = recorded.events()
            #expect(events.count == 1)
            let told = try #require(events.first?["extension"] as? [String: Any])
            #expect(told["outcome"] as? String == outcome && told["duration_ms"] as? Int == 1250)
            #expect(told["attachments_loaded"] as? Int == 1 && told["attachments_failed"] as? Int == 1)
        }
    }

    @Test(
        "a service extension that changes how a push sounds, how it interrupts or where it leads has modified it",
        arguments: ["sound", "level", "relevance", "target", "nothing"]
    )
    func changedWithoutWords(what: String) throws {
        try Recorded.run { recorded, _ in
            let request = UNNotificationRequest(
                identifier: "r",
                content: Sample.content(),
                trigger: UNPushNotificationTrigger(repeats: false)
            )
            let recording = recorded.notilog.beginExtension(request)
            let content = try #require(request.content.mutableCopy() as? UNMutableNotificationContent)
            switch what {
            case "sound": content.sound = .defaultCritical
            case "level": content.interruptionLevel = .timeSensitive
            case "relevance": content.relevanceScore = 0.5
            case "target": content.targetContentIdentifier = "scene"
            default: break
            }
            recording.finish(content)
            let told = try #require(recorded.events().first?["extension"] as? [String: Any])
            #expect(told["outcome"] as? String == (what == "nothing" ? "unmodified" : "modified"))
        }
    }

    @Test("sweeps, removals, categories, settings, permission and scene launches are one line each")
    func others() throws {
        try Recorded.run { recorded, center in
            let notilog = recorded.notilog
            center.delivered = [Sample.notification()]
            notilog.sweepDelivered(of: center)
            notilog.removeDelivered(["r"], from: center)
            notilog.sweepDelivered(of: center)
            center.delivered = [Sample.notification()]
            notilog.sweepDelivered(of: center)
            center.delivered = []
            notilog.sweepDelivered(of: center)
            notilog.removeDelivered(nil, from: center)
            notilog.removePending(["p"], from: center)
            notilog.removePending(nil, from: center)
            notilog.setCategories([Sample.category], on: center)
            center.settings.authorizationStatus = .provisional
            center.settings.carPlaySetting = .enabled
            notilog.recordSettings(of: center)
            notilog.requestAuthorization(options: [.alert, .badge], center: center)
            notilog.record(sceneConnection: nil)
            notilog.record(
                sceneConnection: UNNotificationResponse(notification: Sample.notification(), actionIdentifier: "like")
            )
            notilog.record(expanded: Sample.notification())
            let events = recorded.events()
            let told = events.map { event in
                [event["kind"], event["reason"], event["state"], event["delegate"], event["surface"]]
                    .compactMap { $0 as? String }.joined(separator: " ")
            }
            #expect(
                told == [
                    "delivery", "removal removed_by_app delivered", "delivery", "removal gone delivered",
                    "removal removed_by_app pending", "category_registration", "settings", "authorization_request",
                    "settings", "action_response scene_will_connect", "presentation expanded",
                ]
            )
            #expect(events[3]["notification_id"] as? String == "n")
            #expect(events[6]["authorization_status"] as? String == "provisional")
            #expect(events[6]["car_play"] as? String == "enabled")
            let category = (events[5]["categories"] as? [[String: Any]])?.first
            #expect(category?["options"] as? [String] == ["custom_dismiss_action"])
            #expect(
                (category?["actions"] as? [[String: Any]])?.map { $0["type"] as? String } == ["text_input", "button"]
            )
            #expect(center.categories.count == 1)
        }
    }
}
