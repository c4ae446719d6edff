import Foundation
import NotilogClient
import PlainHTTP
import Synchronization
import Testing

/// Recorders in this process, and a service to which they send.
struct Journey {
    let service: ServiceFixture
    let folder: URL
    let reports = Shared<[Notilog.Report]>([])

    static func run(_ body: (Journey) async throws -> Void) async throws {
        try await ServiceFixture.run { service in
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(Journey(service: service, folder: folder))
        }
    }

    func recorder(_ device: String) -> Notilog {
        var options = Notilog.Options()
        options.folder = folder.appendingPathComponent(device)
        options.sendsAutomatically = false
        let reports = reports
        options.onReport = { report in reports.withLock { $0.append(report) } }
        let url = URL(string: service.service.url) ?? folder
        return Notilog(url: url, writeKey: service.app.write, deviceID: device, options: options)
    }

    /// The rows of the engagement report once everything recorded is in it.
    func engagement(_ notilog: Notilog) async throws -> [[String: Any]] {
        try await report("engagement", notilog)
    }

    func report(_ name: String, _ notilog: Notilog) async throws -> [[String: Any]] {
        #expect(await notilog.flush() == .sent)
        #expect(reports.withLock { $0 }.isEmpty)
        let position = try await service.number("SELECT max(position) FROM log.event")
        let answer = try await service.client.get(
            "/v1/reports/\(name)?min_position=\(position)",
            key: service.app.read
        )
        #expect(answer.status == 200)
        let report = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return report?["rows"] as? [[String: Any]] ?? []
    }

    static func fixture(_ name: String) throws -> Any {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appendingPathComponent("DecodingTests/Fixtures/\(name).json")
        return try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    }

    /// Calls what an app calls in a delegate's method.
    ///
    /// - Returns: the responses recorded.
    static func call(_ callback: String, _ payload: [String: Any], _ notilog: Notilog, isKilled: Bool) -> Int {
        switch callback {
        case "did_receive_remote_notification":
            notilog.record(remoteNotification: payload, appState: .inactive)
            return 1
        case "did_finish_launching":
            notilog.record(launchNotification: payload)
            return 1
        case "did_receive_response":
            let request = Notilog.Request(
                identifier: "assigned by the system",
                content: Notilog.Content(payload: payload),
                trigger: Notilog.Trigger(.push)
            )
            notilog.record(
                Notilog.Response(
                    Notilog.Delivered(request, date: Date()),
                    actionIdentifier: "com.apple.UNNotificationDefaultActionIdentifier"
                )
            )
            return 1
        case "did_register_for_remote_notifications":
            notilog.record(deviceToken: Data([1, 2, 3]), topic: "com.example.app")
            return 0
        default:
            Issue.record("an unknown callback: \(callback)")
            return 0
        }
    }
}
