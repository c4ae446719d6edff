import Foundation
import PlainHTTP
import Synchronization
import Testing

/// Apps and extensions that end soon after something happened, as processes, against the service as a process.
@Suite(.serialized)
struct ClientEndTests {
    /// How a process ended.
    struct End: Sendable {
        /// Whether it had a receipt for what it recorded.
        var hasReceipt: Bool
        var status: Int32
    }

    /// Runs a process to its end, in which one button is pressed or one push received.
    private static func run(_ number: Int, _ end: String, _ folder: URL, _ url: String, _ key: String) async throws
        -> End
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: NotilogCommand.path).deletingLastPathComponent()
            .appendingPathComponent("client-process")
        process.arguments = ["press", url, key, folder.path, String(number), end]
        process.standardInput = FileHandle.nullDevice
        let output = Process.pipe()
        process.standardOutput = output
        try process.begin()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let said = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: End(hasReceipt: !said.isEmpty, status: process.terminationStatus))
            }
        }
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test("An app that is killed at each step of a send or a handover loses no response and doubles none")
    func killedAtEachStep() async throws {
        let steps = [
            "recording", "recorded", "reading", "read", "sending", "underWay", "answered", "removing", "removed",
            "anywhere", "written", "begun", "taken", "settled",
        ]
        try await ServiceFixture.run { service in
            try await Self.withFolder { folder in
                var (promised, kills) = (Set<String>(), 0)
                let (url, key) = (service.service.url, service.app.write)
                for number in 0..<200 {
                    let end = try await Self.run(number, steps[number % steps.count], folder, url, key)
                    if end.hasReceipt { promised.insert("n-\(number)") }
                    if end.status == SIGKILL { kills += 1 }
                }
                #expect(kills == 200)
                #expect(promised.count >= 60)
                #expect(try await Self.run(0, "open", folder, url, key).status == 0)
                let sql = "SELECT string_agg(notification_id, ' ') FROM log.event WHERE kind = 'action_response'"
                let stored = try await service.text(sql)?.split(separator: " ").map(String.init) ?? []
                print("client ends: \(kills) kills, \(promised.count) receipts, \(stored.count) responses stored")
                #expect(promised.subtracting(stored).isEmpty, "lost")
                #expect(Set(stored).count == stored.count, "doubled")
            }
        }
    }

    @Test("An app that ends three tenths of a second after a press has sent it, or sends it when it is opened again")
    func endsSoon() async throws {
        try await ServiceFixture.run { service in
            try await Self.withFolder { folder in
                let (url, key) = (service.service.url, service.app.write)
                let count = "SELECT count(*) FROM log.event"
                var presses = 0
                var sent: Int64 = 0
                // On a slow machine 0.3 s may pass before anything runs: who has had the time has sent.
                while presses < 5 || (sent == 0 && presses < 60) {
                    let end = try await Self.run(presses, "soon", folder, url, key)
                    #expect(end.hasReceipt && end.status == 0)
                    presses += 1
                    sent = try await service.number(count)
                }
                print("client ends: \(sent) of \(presses) sent within 0.3 s")
                #expect(sent >= 1)
                #expect(try await Self.run(0, "open", folder, url, key).status == 0)
                #expect(try await service.number(count) == Int64(presses))
            }
        }
    }

    @Test(
        "Service extensions send their deliveries themselves: no app is opened, and all of ten pushes count as arrived"
    )
    func extensions() async throws {
        try await Journey.run { journey in
            let (url, key) = (journey.service.service.url, journey.service.app.write)
            for number in 0..<10 {
                let end = try await Self.run(number, "extension", journey.folder, url, key)
                #expect(end.status == SIGKILL)
            }
            let device = try #require(try await journey.service.text("SELECT min(device_id) FROM log.event"))
            let now = ISO8601DateFormatter().string(from: Date())
            let requests = (0..<10).map { number in
                """
                {"kind":"request","origin":"provider","occurred_at":"\(now)","device_id":"\(device)",\
                "notification_id":"n-\(number)","category_id":"news","mutable_content":true}
                """
            }
            let answer = try await journey.service.client.post(
                "[\(requests.joined(separator: ","))]",
                key: journey.service.app.provider
            )
            #expect(answer.status == 200)
            let rows = try await journey.engagement(journey.recorder("other"))
            #expect(rows.count == 1 && rows.first?["delivery_observable"] as? Int == 10)
            #expect(rows.first?["delivery_rate"] as? Double == 1)
        }
    }

    @Test(
        "A service that does not answer holds a notification for two seconds, and its delivery waits for the next chance"
    )
    func silentService() async throws {
        try await ServiceFixture.run { service in
            try await Self.withFolder { folder in
                let (listener, port) = try Sockets.listen()
                defer { Sockets.close(listener, withReset: false) }
                let began = ContinuousClock.now
                let key = service.app.write
                _ = try await Self.run(1, "extension", folder, "http://127.0.0.1:\(port)", key)
                let took = ContinuousClock.now - began
                // A service extension has thirty.
                #expect(took >= .seconds(2) && took < .seconds(30))
                #expect(try await Self.run(0, "open", folder, service.service.url, key).status == 0)
                #expect(try await service.number("SELECT count(*) FROM log.event WHERE kind = 'delivery'") == 1)
            }
        }
    }
}
