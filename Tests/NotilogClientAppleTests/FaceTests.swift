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
                    "authorization_request", "request", "action_response", "delivery", "presentation",
                    "category_registration", "settings", "delivery", "removal", "token", "token", "action_response",
                    "delivery",
                ]
            )
            #expect(face.deviceID == "d" && face.diagnosis.isEmpty)
            face.setConsent(false)
            #expect(recorded.events().isEmpty)
        }
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
                    "authorization_request", "request", "settings", "delivery", "removal", "request",
                ]
            )
            #expect(center.delivered.isEmpty)
        }
    }
}
