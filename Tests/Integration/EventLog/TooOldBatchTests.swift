import Administration
import CoreMetrics
import Decoding
import EventLog
import Logging
import NotificationEvents
import Pacing
import Postgres
import Synchronization
import Testing

@testable import Ingestion

struct TooOldBatchTests {
    /// What PostgreSQL is asked does not grow with the events of a body.
    @Test func theClockIsComparedOnceABatch() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await connection.query("INSERT INTO notilog.app (name) VALUES ('demo')")
            try await connection.query("UPDATE log.state SET floor = now() + interval '1 day'")
            let pool = Pool(database.configuration, limit: 1)
            let logger = Logger(label: "test.ingestion")
            let asked = Mutex(0)
            let clock = ReceiptClock(logger: logger) {
                asked.withLock { $0 += 1 }
                return .init(now: SystemClock.microseconds(), floor: 0)
            }
            let tally = Tally(pool: pool, logger: logger)
            try await TestLog.with(database, tally: tally) { test in
                let ingestion = Ingestion(
                    log: CellLog(alone: database.configuration, test.log),
                    quarantine: Quarantine(pool: pool),
                    tally: tally,
                    clock: clock,
                    limits: DecodingLimits(),
                    metrics: NOOPMetricsHandler.instance
                )
                let grant = Grant(
                    keyID: "k",
                    appID: 1,
                    appName: "demo",
                    scope: .write,
                    keepsReplyText: false,
                    ids: .clear
                )
                var receipt = try await ingestion.receive(grant, sentAt: nil)
                let events = (0..<200).map { Sample.action(notification: "n\($0)") }
                let body = Array("[\(events.joined(separator: ","))]".utf8)
                let items = try body.withUnsafeBytes { bytes in
                    try ingestion.decode(
                        bytes,
                        .events(.json, attributes: []),
                        encoding: nil,
                        &receipt
                    )
                }
                let before = asked.withLock { $0 }
                let outcomes = try await ingestion.store(items, receipt)
                #expect(outcomes.count == 200 && outcomes.allSatisfy(\.isTooOld))
                #expect(asked.withLock { $0 } - before == 1)
            }
            await pool.shutDown()
            await connection.close()
        }
    }
}
