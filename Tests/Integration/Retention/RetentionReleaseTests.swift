import EventLog
import Foundation
import Logging
import NotificationEvents
import Postgres
import Projections
import Schema
import Testing

/// The baseline is filled by the release whose tables it has: another one's folds would leave columns out, and what they leave out is never
/// computed again.
@Suite("Retention: releases")
struct RetentionReleaseTests {
    private static func request(day: Int, _ notification: String) -> NormalisedEvent {
        SampleEvents.make(
            kind: "request",
            at: Timestamp(microseconds: RetentionStore.start(of: day).microseconds + RetentionStore.day / 2),
            notification: notification,
            data: #"{"origin":"app","alerting":true}"#
        )
    }

    /// What a migration does that changes the baseline.
    private static let deletion =
        "DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification')"
    private static let registered =
        "projection.version WHERE (schema_name, leader) = ('baseline', 'notification')"

    @Test("a migration that changes the baseline between two batches ends an older release's run; the partition stays")
    func migratedBetween() async throws {
        try await RetentionStore.with(days: 6) { store in
            _ = try await store.log.append([Self.request(day: 0, "n-1"), Self.request(day: 0, "n-2")], app: 1)
            try await store.catchUp()
            // Committed with the first batch, as the migration that follows it at once.
            try await store.connection.execute(
                script: """
                    CREATE FUNCTION public.migrate() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      \(Self.deletion);
                      RETURN NULL;
                    END $$;
                    CREATE TRIGGER migrate AFTER UPDATE ON baseline.checkpoint FOR EACH ROW
                    WHEN (NEW.name = 'notification' AND NEW.position > 0) EXECUTE FUNCTION public.migrate();
                    """
            )
            let error = await #expect(throws: RetentionError.self) {
                try await store.retention(batchLimit: 1).run(horizon: RetentionStore.start(of: 1))
            }
            #expect(error?.description.contains("belongs to another release") == true, "\(error?.description ?? "")")
            #expect(try await store.count("baseline.notification") == 1)
            #expect(try await store.count("log.event") == 2)
            #expect(try await store.count("log.partitions()") == 6)
        }
    }

    @Test("an older release does not begin a baseline again that a migration changed, nor one that it may change")
    func migratedBefore() async throws {
        try await ProjectionFolder.with { release in
            let newest = release.sql.list("migrations").compactMap { Int($0.prefix { $0 != "_" }) }.max() ?? 0
            let file = "\(release.sql.path)/migrations/\(String(format: "%04d", newest + 1))_next.sql"
            try Data("-- oldest service: \(newest)\n\(Self.deletion);".utf8).write(to: URL(fileURLWithPath: file))
            for hasBaseline in [true, false] {
                try await RetentionStore.with(days: 6) { store in
                    let events = [Self.request(day: 0, "n-1"), Self.request(day: 1, "n-2")]
                    _ = try await store.log.append(events, app: 1)
                    try await store.catchUp()
                    let older = try store.retention()
                    if hasBaseline { try await older.run(horizon: RetentionStore.start(of: 1)) }
                    let left = try await store.count("log.event")
                    #expect(left == (hasBaseline ? 1 : 2))
                    let connection = try await store.database.connect()
                    let migrator = Migrator(folder: release.sql, logger: Logger(label: "test.migrate"))
                    try await migrator.migrate(on: connection)
                    await connection.close()
                    #expect(try await store.count(Self.registered) == 0)

                    // The process that was there, and one that starts.
                    for older in [older, try store.retention()] {
                        let error = await #expect(throws: RetentionError.self) {
                            try await older.run(horizon: RetentionStore.start(of: 2))
                        }
                        #expect(error?.description.contains("run retention with the release that migrated") == true)
                    }
                    #expect(try await store.count(Self.registered) == 0)
                    #expect(try await store.count("log.event") == left)

                    let newer = try Retention(
                        store.database.configuration,
                        folder: release.sql,
                        logger: Logger(label: "retention")
                    )
                    try await newer.run(horizon: RetentionStore.start(of: 2))
                    #expect(try await store.count("log.event") == 0)
                }
            }
        }
    }
}
