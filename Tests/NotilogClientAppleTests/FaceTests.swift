import AppleUserNotifications
import Foundation
import Testing

@testable import NotilogClientOnApple

/// The faces over the same recorder: for Objective-C, and for async callers.
@Suite("Faces on Apple's platforms")
struct FaceTests {
    private func request(_ identifier: String) -> UNNotificationRequest {
        UNNotificationRequest(identifier: identifier, content: Sample.content(), trigger: nil)
    }

    @Test("The face for Objective-C records what the recorder does")
    func objectiveC() throws {
        try Recorded.run { recorded, center in
            let face = Notilog.ObjectiveC(recorded.notilog)
            let calls = Guarded<[String]>([])
            face.install(on: center, forwardingTo: nil, presentation: [.list])
            #expect(center.delegate is Notilog.CenterDelegate)
            face.requestAuthorization(options: [.alert], center: center) { granted, _ in
                calls.withLock { $0.append("granted \(granted)") }
            }
            face.add(request("a"), to: center) { error in calls.withLock { $0.append("added \(error == nil)") } }
            let response = UNNotificationResponse(notification: Sample.notification(), actionIdentifier: "like")
            face.record(response: response)
            face.record(presentationOf: Sample.notification(), options: [.banner])
            face.record(sceneConnection: nil)
            face.setCategories([Sample.category], on: center)
            center.delivered = [Sample.notification()]
            face.recordState(of: center)
            face.removeDelivered(nil, from: center)
            face.record(deviceToken: Data([1]))
            face.record(tokenFailure: NSError(domain: "d", code: 1))
            face.record(remoteNotification: ["aps": ["alert": "x"], "notilog": ["id": "p"]], applicationState: 1)
            let work = face.beginExtension(request("b"))
            work.attachment(isLoaded: true)
            work.failed("decryption")
            work.expire()
            #expect(calls.withLock { $0 } == ["granted true", "added true"])
            #expect(
                recorded.events().map { $0["kind"] as? String } == [
                    "authorization_request", "settings", "request", "action_response", "delivery", "presentation",
                    "category_registration", "settings", "delivery", "removal", "token", "token", "delivery",
                    "delivery",
                ]
            )
            #expect(face.deviceID == "d" && face.diagnosis.isEmpty)
            // The app chose this one itself.
            #expect(!face.resetDeviceID() && face.deviceID == "d")
            face.setConsent(false)
            #expect(recorded.events().isEmpty)
        }
    }

    @Test("The face for Objective-C has the callbacks of iOS 9, the extensions' and what came of it")
    func objectiveCOutcomes() throws {
        try Recorded.run { recorded, center in
            let face = NLGNotilog(recorded.notilog)
            let push: [AnyHashable: Any] = ["aps": ["alert": "x"], "notilog": ["id": "p"]]
            face.record(launchNotification: push, applicationState: 1)
            face.record(launchNotification: push, applicationState: 2)
            face.record(actionIdentifier: "like", remoteNotification: push, text: "é", applicationState: 2)
            let local = NLGLocalNotification()
            local.userInfo = ["notilog": ["id": "l"]]
            local.category = "news"
            face.record(localNotification: local, applicationState: 1)
            face.record(launchLocalNotification: local)
            face.record(actionIdentifier: "like", localNotification: local, text: nil, applicationState: 2)
            face.record(expanded: Sample.notification())
            let response = UNNotificationResponse(notification: Sample.notification(), actionIdentifier: "like")
            face.record(contentExtensionResponse: response)
            face.recordAppOpen(.scene, isCold: true, notificationID: "p")
            face.recordConversion("purchase", value: 499, currency: "EUR", orderID: "o")
            face.recordPermissionPrompt(placement: "home", variant: "b", answer: .later)
            let events = recorded.events()
            #expect(
                events.map { "\($0["kind"] ?? "") \($0["delegate"] ?? $0["source"] ?? $0["surface"] ?? "")" } == [
                    "action_response did_finish_launching", "delivery background_wake", "action_response handle_action",
                    "action_response ", "action_response did_finish_launching", "action_response handle_action",
                    "presentation expanded", "action_response content_extension", "app_open scene", "conversion ",
                    "permission_prompt ",
                ]
            )
            #expect(events[2]["text_length"] as? Int == 1 && events[3]["category_id"] as? String == "news")
            #expect(events[9]["value"] as? Int == 499 && events[9]["currency"] as? String == "EUR")
            #expect(events[10]["answer"] as? String == "later")
        }
    }

    @Test("An app in Objective-C with the callbacks of iOS 9 alone keeps getting them")
    func objectiveCLegacy() throws {
        try Recorded.run { recorded, center in
            let face = NLGNotilog(recorded.notilog)
            let calls = Guarded<[String]>([])
            face.install(on: center, presentation: []) { callback in
                let words = [callback.requestIdentifier, callback.actionIdentifier ?? "tap", callback.text ?? ""]
                #expect(callback.isRemote && !callback.isForeground && !callback.userInfo.isEmpty)
                calls.withLock { $0.append(words.joined(separator: " ")) }
            }
            let response = UNTextInputNotificationResponse(
                notification: Sample.notification(),
                actionIdentifier: "comment",
                userText: "yes"
            )
            center.delegate?.userNotificationCenter(center, didReceive: response) {}
            #expect(calls.withLock { $0 } == ["r comment yes"])
            #expect(recorded.events().map { $0["kind"] as? String } == ["action_response"])
        }
    }

    @Test("What an app in Objective-C chooses is what the recorder gets")
    func objectiveCOptions() throws {
        let chosen = NLGOptions()
        #expect(chosen.options.sendsAutomatically && !chosen.options.recordsAppOpens)
        #expect(chosen.options.backgroundUploads == nil && chosen.options.appGroup == nil)
        (chosen.appGroup, chosen.folder) = ("group.example", FileManager.default.temporaryDirectory)
        (chosen.requiresConsent, chosen.sendsReplyText) = (true, true)
        (chosen.sendsAutomatically, chosen.recordsAppOpens, chosen.backgroundUploads) = (false, true, true)
        let options = chosen.options
        #expect(options.appGroup == "group.example" && options.folder == chosen.folder)
        #expect(options.requiresConsent && options.sendsReplyText)
        #expect(!options.sendsAutomatically && options.recordsAppOpens)
        #expect(options.backgroundUploads is Notilog.BackgroundSession)
        let face = NLGNotilog(url: FileManager.default.temporaryDirectory, writeKey: "key", options: chosen)
        #expect(!face.isRecording && !face.recorder.options.sendsAutomatically)
        // Somebody else's session is the app's to answer.
        #expect(!face.handleBackgroundEvents(for: "other") {})
    }

    @Test("A service extension that keeps its queue for itself says so with its first push")
    func extensionAlone() throws {
        let log = Guarded<[String]>([])
        var options = Notilog.Options()
        options.bundle = URL(fileURLWithPath: "/App.app/PlugIns/Service.appex")
        options.sendsAutomatically = false
        options.log = { message in log.withLock { $0.append(message) } }
        let notilog = Notilog(url: FileManager.default.temporaryDirectory, writeKey: "key", options: options)
        _ = notilog.beginExtension(request("a"))
        _ = notilog.beginExtension(request("b"))
        #expect(log.withLock { $0 } == [Notilog.Finding.appGroupUnset.description])
    }

    @Test("The face for Objective-C flushes, and hands a content on")
    func objectiveCWaits() async throws {
        try await Recorded.runSending { recorded, requests in
            let face = Notilog.ObjectiveC(recorded.notilog)
            let work = face.beginExtension(request("b"))
            let sample = Sample.content()
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                work.finish(sample) { _ in continuation.resume() }
            }
            let isSent = await withCheckedContinuation { continuation in
                face.flush { continuation.resume(returning: $0) }
            }
            #expect(isSent && requests.withLock { $0 } >= 1)
            let isSentInTime = await withCheckedContinuation { continuation in
                face.flush(within: 2) { continuation.resume(returning: $0) }
            }
            #expect(isSentInTime)
            #expect(recorded.events().isEmpty)
        }
    }

    @Test("What waits may be awaited")
    func awaited() async throws {
        try await Recorded.runSending { recorded, _ in
            let (notilog, center) = (recorded.notilog, UNUserNotificationCenter())
            #expect(try await notilog.requestAuthorization(options: [.alert], center: center))
            try await notilog.add(request("a"), to: center)
            await notilog.recordSettings(of: center)
            center.delivered = [Sample.notification()]
            await notilog.sweepDelivered(of: center)
            await notilog.removeDelivered(["r"], from: center)
            center.failure = NSError(domain: "UNErrorDomain", code: 1)
            await #expect(throws: NSError.self) { try await notilog.add(request("b"), to: center) }
            #expect(
                recorded.events().map { $0["kind"] as? String } == [
                    "authorization_request", "settings", "request", "settings", "delivery", "removal", "request",
                ]
            )
            #expect(center.delivered.isEmpty)
        }
    }
}
