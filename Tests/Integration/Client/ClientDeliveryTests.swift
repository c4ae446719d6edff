import Foundation
import Testing

/// NotilogClient as a process of its own, against the service as a process, through a proxy that harms what it can.
@Suite(.serialized)
struct ClientDeliveryTests {
    /// How many events; `NOTILOG_CLIENT_EVENTS` for more.
    static let count = ProcessInfo.processInfo.environment["NOTILOG_CLIENT_EVENTS"].flatMap { Int($0) } ?? 3000

    @Test("An app and its extension, killed again and again, lose nothing and double nothing through a hostile network")
    func nothingIsLostOrDoubled() async throws {
        try await ServiceFixture.run { service in
            let port = try #require(URL(string: service.service.url)?.port)
            let seed = UInt64.random(in: 0...9_999)
            let proxy = try HostileProxy(to: UInt16(port), seed: seed)
            defer { proxy.close() }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let clients = ["app", "extension"].map { role in
                ClientProcess(
                    ClientProcess.Setup(
                        url: "http://127.0.0.1:\(proxy.port)",
                        key: service.app.write,
                        folder: folder,
                        role: role,
                        start: Int(Date().timeIntervalSince1970) - 3600,
                        events: Self.count / 2
                    )
                )
            }
            let began = ContinuousClock.now
            try await within(.seconds(60 + Self.count / 50), "the clients' end, seed \(seed)") {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, client) in clients.enumerated() {
                        group.addTask { try await client.run(kills: 4 + Self.count / 5000, seed: seed + UInt64(index)) }
                    }
                    try await group.waitForAll()
                }
            }
            let stored = try await service.number("SELECT count(*) FROM log.event")
            let distinct = try await service.number(
                "SELECT count(DISTINCT (kind, data->'attributes'->>'n')) FROM log.upcast_event"
            )
            let devices = try await service.number("SELECT count(DISTINCT device_id) FROM log.event")
            let quarantined = try await service.number("SELECT count(*) FROM log.quarantine")
            let deeds = proxy.deeds
            print(
                "client: \(stored) events in \(ContinuousClock.now - began), \(clients.map(\.kills)) kills, "
                    + "queue at most \(clients.map(\.largestQueue).max() ?? 0) bytes, "
                    + deeds.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
                    .joined(separator: ", ")
            )
            let errors = clients.map(\.errors).joined()
            #expect(clients.map(\.receipts).reduce(0, +) >= Self.count / 2 * 2, "seed \(seed) \(errors)")
            #expect(distinct == Int64(Self.count / 2 * 2), "lost, seed \(seed): \(errors)")
            #expect(stored == distinct, "doubled, seed \(seed)")
            #expect(devices == 1)
            #expect(quarantined == 0, "seed \(seed)")
            #expect(errors.isEmpty)
            #expect(clients.allSatisfy { $0.kills > 0 && $0.largestQueue <= 8 << 20 })
            if Self.count >= 3000 { #expect(deeds.count >= 6) }
        }
    }
}
