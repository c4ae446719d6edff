import Foundation
import PlainHTTP
import Synchronization

/// Devices that send some events, are erased, and send again: the erasure must come to its end, and what comes after it
/// be refused.
final class FaultLeavers: Sendable {
    static let prefix = "leaver-"

    struct State: Sendable {
        var erased = 0
        /// What no service may answer, in words.
        var violations: [String] = []
    }

    /// What was acknowledged to them.
    let ledger = FaultLedger()
    private let services: [HTTPAddress]
    private let app: TestApp
    private let seed: UInt64
    private let box = Mutex(State())
    private let isStopped = Mutex(false)

    init(ports: [UInt16], app: TestApp, seed: UInt64) {
        services = ports.map { HTTPAddress(host: "127.0.0.1", port: Int($0)) }
        self.app = app
        self.seed = seed
    }

    var state: State { box.withLock { $0 } }

    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// Lets one device after the other come and leave, until ``stop()``, or until the task is cancelled.
    func run() async {
        var random = LawRandom(seed: seed &+ 15_485_863)
        let lines = services.map { FaultClientLine($0) }
        while !Task.isCancelled, !isStopped.withLock({ $0 }) {
            let device = Self.prefix + UUID().uuidString.lowercased()
            await post((0..<3).map { _ in Self.event(of: device) }, lines, &random)
            await erase(device, lines, &random)
            let late = Self.event(of: device)
            if let reply = await reply([late], lines, &random), reply.results.first?.error?.code != "erased" {
                violation("an event of an erased device was \(reply.results.first?.status ?? "not answered")")
            }
        }
        for line in lines { await line.close() }
    }

    private static func event(of device: String) -> (id: UUID, text: String) {
        let id = UUID()
        return (
            id,
            #"{"kind":"action_response","id":"\#(id.uuidString.lowercased())","device_id":"\#(device)","#
                + #""notification_id":"\#(prefix)n-\#(id)","category_id":"category-0","action_id":"default","#
                + #""occurred_at":"\#(Sample.time(60))"}"#
        )
    }

    private func post(_ events: [(id: UUID, text: String)], _ lines: [FaultClientLine], _ random: inout LawRandom) async
    {
        guard let reply = await reply(events, lines, &random) else { return }
        ledger.acknowledged(events.map(\.id), reply, service: 0, sentAt: .now)
    }

    /// Sends until there is an answer.
    private func reply(
        _ events: [(id: UUID, text: String)],
        _ lines: [FaultClientLine],
        _ random: inout LawRandom
    ) async -> EventsReply? {
        let body = Array("[\(events.map(\.text).joined(separator: ","))]".utf8)
        return await untilAnswered(lines, &random) { line in
            let answer = try await line.post(body, key: self.app.write)
            // 422 where none of them could be taken.
            return [200, 422].contains(answer.status) ? try answer.events : nil
        }
    }

    private func erase(_ device: String, _ lines: [FaultClientLine], _ random: inout LawRandom) async {
        let isErased: Bool? = await untilAnswered(lines, &random) { line in
            let answer = try await line.erase(device, key: self.app.admin)
            // 202 where it is not done in time, which machines that do more than this test may make it: it is asked for until it is.
            if ![200, 202, 429, 503, 408].contains(answer.status) {
                self.violation("an erasure was answered \(answer.status)")
            }
            return answer.status == 200 ? true : nil
        }
        if isErased == true { box.withLock { $0.erased += 1 } }
    }

    private func untilAnswered<Value: Sendable>(
        _ lines: [FaultClientLine],
        _ random: inout LawRandom,
        _ ask: (FaultClientLine) async throws -> Value?
    ) async -> Value? {
        while !Task.isCancelled {
            if let value = try? await ask(lines[Int.random(in: lines.indices, using: &random)]) { return value }
            try? await ContinuousClock().sleep(for: .milliseconds(50))
        }
        return nil
    }

    private func violation(_ text: String) {
        box.withLock { $0.violations.append(text) }
    }
}
