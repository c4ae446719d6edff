import Foundation
import PlainHTTP
import Postgres
import Synchronization

/// Sends events as fast as they are answered, and keeps a ledger of what was acknowledged.
///
/// What had no answer is sent again under the same id, as a sender must.
final class ServiceLoad: Sendable {
    struct Ledger {
        var acknowledged: [UUID] = []
        var refused: [Int: Int] = [:]
        var broken = 0
        var isStopped = false
    }

    private let ledger = Mutex(Ledger())
    private let address: HTTPAddress
    private let key: String

    init(url: String, key: String) throws {
        address = try HTTPAddress(url: url)
        self.key = key
    }

    var state: Ledger { ledger.withLock { $0 } }

    /// Tells the senders to end once what they sent is answered, or found to have no answer.
    func stop() {
        ledger.withLock { $0.isStopped = true }
    }

    /// Sends over several connections until ``stop()``.
    ///
    /// - Parameters:
    ///   - connections: how many.
    ///   - batch: events in one request.
    ///   - retries: whether what had no answer is sent again; else the sender ends.
    func run(connections: Int, batch: Int = 1, retries: Bool = true) async {
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<connections {
                group.addTask { await self.send(sender, batch: batch, retries: retries) }
            }
        }
    }

    private func send(_ sender: Int, batch: Int, retries: Bool) async {
        var connection: HTTPConnection?
        var ids: [UUID] = []
        while true {
            let isStopped = ledger.withLock { $0.isStopped }
            // A test that failed cancels this, and must not wait for answers that never come.
            if Task.isCancelled || isStopped && (ids.isEmpty || !retries) { break }
            if ids.isEmpty { ids = (0..<batch).map { _ in UUID() } }
            do {
                let open: HTTPConnection
                if let connection, connection.isOpen {
                    open = connection
                } else {
                    open = try await HTTPConnection.connect(address)
                    connection = open
                }
                let answer = try await open.send(
                    "POST",
                    "/v1/events",
                    headers: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")],
                    body: Array(body(sender, ids).utf8)
                )
                if answer.status == 200 {
                    let stored = ids
                    ledger.withLock { $0.acknowledged += stored }
                    ids = []
                } else {
                    ledger.withLock { $0.refused[answer.status, default: 0] += 1 }
                    if !retries { break }
                    try? await ContinuousClock().sleep(for: .milliseconds(50))
                }
            } catch {
                ledger.withLock { $0.broken += 1 }
                if !retries { break }
                try? await ContinuousClock().sleep(for: .milliseconds(50))
            }
        }
        await connection?.close()
    }

    /// The same ids always give the same body, or a repeat would be a conflict.
    private func body(_ sender: Int, _ ids: [UUID]) -> String {
        let events = ids.map { id in
            Sample.action(
                device: "device \(sender)",
                notification: "n \(id)",
                id: id.uuidString.lowercased(),
                at: Self.start
            )
        }
        return "[\(events.joined(separator: ","))]"
    }

    private static let start = Sample.time(60)

    /// What the log makes of the ledger.
    struct Verdict {
        /// Acknowledged events that are not in the log.
        var lost: Int64
        /// Events that are in the log more than once.
        var twice: Int64
        /// Events in the log.
        var stored: Int64
    }

    func verdict(_ connection: Connection) async throws -> Verdict {
        let acknowledged = state.acknowledged
        let lost: Int64 = try await connection.query(
            "SELECT count(*) FROM unnest($1::uuid[]) AS a (id) WHERE NOT EXISTS (SELECT FROM log.event e WHERE e.id = a.id)",
            [.texts(acknowledged.map(\.uuidString))]
        ).only().get(0)
        let twice: Int64 = try await connection.query(
            "SELECT count(*) FROM (SELECT FROM log.event GROUP BY id HAVING count(*) > 1) r"
        ).only().get(0)
        let stored: Int64 = try await connection.query("SELECT count(*) FROM log.event").only().get(0)
        return Verdict(lost: lost, twice: twice, stored: stored)
    }
}
