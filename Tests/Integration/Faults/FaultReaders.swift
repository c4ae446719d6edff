import Foundation
import PlainHTTP
import Synchronization

/// Who writes an event, and then asks one of the services for a report that has it.
final class FaultReaders: Sendable {
    let history = FaultHistory()
    /// What was acknowledged to them.
    let ledger = FaultLedger()
    private let services: [HTTPAddress]
    private let app: TestApp
    private let seed: UInt64
    private let isStopped = Mutex(false)

    /// - Parameters:
    ///   - ports: of each service, or of the proxy before it.
    ///   - app: whose keys they use.
    ///   - seed: the order of their requests follows from it.
    init(ports: [UInt16], app: TestApp, seed: UInt64) {
        services = ports.map { HTTPAddress(host: "127.0.0.1", port: Int($0)) }
        self.app = app
        self.seed = seed
    }

    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// Writes and reads until ``stop()``, or until the task is cancelled.
    func run(_ count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { await self.work(number, of: count) } }
        }
    }

    private func work(_ number: Int, of count: Int) async {
        var random = LawRandom(seed: seed &+ UInt64(number) &* 104_729)
        let lines = services.map { FaultClientLine($0) }
        let own = Self.category(number)
        while !Task.isCancelled, !isStopped.withLock({ $0 }) {
            await write(own, lines, &random)
            for category in [own, Self.category(Int.random(in: 0..<count, using: &random))] {
                await read(category, of: lines[Int.random(in: lines.indices, using: &random)])
            }
            try? await ContinuousClock().sleep(for: .milliseconds(Int.random(in: 5...40, using: &random)))
        }
        for line in lines { await line.close() }
    }

    private static func category(_ number: Int) -> String { "history-\(number)" }

    /// Sends one event until it is acknowledged.
    private func write(_ category: String, _ lines: [FaultClientLine], _ random: inout LawRandom) async {
        let id = UUID()
        let event =
            #"{"kind":"action_response","id":"\#(id.uuidString.lowercased())","device_id":"reader-\#(category)","#
            + #""notification_id":"\#(category)-\#(id)","category_id":"\#(category)","action_id":"default","#
            + #""occurred_at":"\#(Sample.time(60))"}"#
        history.begins(category)
        while !Task.isCancelled {
            let service = Int.random(in: lines.indices, using: &random)
            let sentAt = ContinuousClock.now
            do {
                let answer = try await lines[service].post(Array("[\(event)]".utf8), key: app.write)
                if answer.status == 200 {
                    let reply = try answer.events
                    ledger.acknowledged([id], reply, service: service, sentAt: sentAt)
                    if let position = reply.results.first?.position {
                        history.acknowledged(category, at: position)
                        return
                    }
                } else {
                    ledger.refused(answer.status)
                }
            } catch {
                ledger.broke()
            }
            try? await ContinuousClock().sleep(for: .milliseconds(40))
        }
    }

    private struct Report: Decodable {
        struct Row: Decodable {
            var category: String?
            var responded: Int
        }
        struct AsOf: Decodable {
            var position: Int64?
            /// Of several cells, each its own, which ends with the cell's number.
            var positions: [Int64]?
        }
        var asOf: AsOf
        var rows: [Row]
    }

    private func read(_ category: String, of line: FaultClientLine) async {
        let before = history.moment(category)
        guard let minPosition = before.positions.last else { return }
        do {
            let path = "/v1/reports/engagement?by=category&category=\(category)&min_position=\(minPosition)"
            let answer = try await line.get(path, key: app.read)
            guard answer.status == 200 else { return history.notAnswered(answer.status) }
            let report = try answer.decoded(Report.self)
            let ofCell = report.asOf.positions?.first { $0 % 1024 == minPosition % 1024 }
            guard let position = ofCell ?? report.asOf.position else { return history.notAnswered(0) }
            history.answered(
                .init(
                    category: category,
                    minPosition: minPosition,
                    position: position,
                    count: report.rows.first { $0.category == category }?.responded ?? 0,
                    acknowledgedBefore: before.positions.count,
                    begunBefore: history.moment(category).begun
                )
            )
        } catch {
            history.notAnswered(0)
        }
    }
}
