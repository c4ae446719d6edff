import AppleUserNotifications
import Foundation

@testable import NotilogClientOnApple

/// A recorder whose events stay in its queue, for the test to look at.
struct Recorded {
    let notilog: Notilog
    let time: Guarded<Date>

    static func run(_ body: (Recorded, UNUserNotificationCenter) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let time = Guarded(Date(timeIntervalSince1970: 1_767_225_660))
        var options = Notilog.Options()
        options.folder = folder
        options.sendsAutomatically = false
        options.limits.durability = .processEnd
        options.clock = Clock(time: time)
        options.transport = Nowhere()
        let notilog = Notilog(url: folder, writeKey: "key", deviceID: "d", options: options)
        try body(Recorded(notilog: notilog, time: time), UNUserNotificationCenter())
    }

    /// A recorder that sends to a service which takes everything, or one that never answers.
    static func runSending(
        isSilent: Bool = false,
        _ body: (Recorded, Guarded<Int>) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let requests = Guarded(0)
        var options = Notilog.Options()
        options.folder = folder
        options.sendsAutomatically = false
        options.limits.durability = .processEnd
        options.transport = Service(requests: requests, isSilent: isSilent)
        let notilog = Notilog(url: folder, writeKey: "key", deviceID: "d", options: options)
        try await body(Recorded(notilog: notilog, time: Guarded(Date())), requests)
    }

    func events() -> [[String: Any]] {
        let queued = (try? notilog.storage.oldest(.max, bytes: .max)) ?? []
        return queued.compactMap { (try? JSONSerialization.jsonObject(with: $0.json)) as? [String: Any] }
    }

    private struct Clock: Notilog.DeviceClock {
        let time: Guarded<Date>
        var now: Date { time.withLock { $0 } }
        func sleep(seconds: TimeInterval) async throws { throw CancellationError() }
    }

    private struct Service: Notilog.Transport {
        let requests: Guarded<Int>
        let isSilent: Bool

        func send(_ request: Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer {
            if isSilent { try await Notilog.SystemClock().sleep(seconds: 3600) }
            requests.withLock { $0 += 1 }
            return Notilog.IncomingAnswer(
                status: 200,
                body: Data(#"{"accepted":1,"duplicate":0,"rejected":0,"position":1,"results":[]}"#.utf8)
            )
        }
    }

    private struct Nowhere: Notilog.Transport {
        func send(_ request: Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer {
            throw CancellationError()
        }
    }
}

enum Sample {
    static func content() -> UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = "Title"
        content.sound = .default
        content.userInfo = ["notilog": ["id": "n"]]
        return content
    }

    static func notification() -> UNNotification {
        UNNotification(
            date: Date(timeIntervalSince1970: 1_767_225_600),
            request: UNNotificationRequest(
                identifier: "r",
                content: content(),
                trigger: UNPushNotificationTrigger(repeats: false)
            )
        )
    }

    static let category = UNNotificationCategory(
        identifier: "news",
        actions: [
            UNTextInputNotificationAction(
                identifier: "comment",
                title: "Comment",
                textInputButtonTitle: "Send",
                textInputPlaceholder: ""
            ), UNNotificationAction(identifier: "like", title: "Like", options: [.foreground]),
        ],
        intentIdentifiers: [],
        options: [.customDismissAction]
    )
}

/// The app's own delegate.
final class OwnDelegate: NSObject, UNUserNotificationCenterDelegate {
    var calls: [String] = []

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        calls.append("present")
        completionHandler([.banner, .sound])
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        calls.append(response.actionIdentifier)
        completionHandler()
    }

    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        calls.append("settings")
    }
}

/// Returns once the main thread has done what it was given before.
func mainThreadIsDone() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        DispatchQueue.main.async { continuation.resume() }
    }
}

/// What was answered to the center: on the main thread, so look after ``mainThreadIsDone()``.
final class Answers: @unchecked Sendable {
    var options: [UNNotificationPresentationOptions] = []
    var responses = 0
}
