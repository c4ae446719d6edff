import EventLog
import Foundation
import Logging
import Postgres
import Projections
import Schema
import Testing

/// What the log and the projections make of a ledger.
struct FaultVerdict: Sendable {
    /// Acknowledged events that are not in the log at the acknowledged position.
    var lost: Int64
    /// Events that are in the log more than once, or positions that are.
    var twice: Int64
    /// Events in the log, but for those that record an erasure.
    var stored: Int64
    /// Why a projection could not apply an event, for each of them: none, as nothing is wrong with any.
    var setAside: [String]
    /// Projections whose rows are not those of a rebuild from nothing.
    var differing: [String]

    /// Looks, once nothing is appended any more.
    ///
    /// - Parameter databases: those that the log is in, by the numbers of their cells.
    static func find(_ ledger: FaultLedger.State, in databases: [TestDatabase]) async throws -> FaultVerdict {
        guard databases.count > 1 else { return try await find(ledger.positions, in: databases[0]) }
        var whole = FaultVerdict(lost: 0, twice: 0, stored: 0, setAside: [], differing: [])
        var ids: Set<String> = []
        for (cell, database) in databases.enumerated() {
            let own = ledger.positions.filter { $0.value % 1024 == Int64(cell) }.mapValues { $0 / 1024 }
            let part = try await find(own, in: database)
            whole.lost += part.lost
            whole.twice += part.twice
            whole.stored += part.stored
            whole.setAside += part.setAside.map { "cell \(cell): \($0)" }
            whole.differing += part.differing.map { "\($0) of cell \(cell)" }
            let connection = try await database.connect()
            for id in try await connection.texts("SELECT id::text FROM log.event") where !ids.insert(id).inserted {
                whole.twice += 1
            }
            await connection.close()
        }
        return whole
    }

    private static func find(_ positions: [UUID: Int64], in database: TestDatabase) async throws -> FaultVerdict {
        let connection = try await database.connect()
        let ledger = positions.sorted { $0.value < $1.value }
        let lost: Int64 = try await connection.query(
            """
            SELECT count(*) FROM unnest($1::uuid[], $2::bigint[]) AS a (id, position)
            WHERE NOT EXISTS (SELECT FROM log.event e WHERE e.position = a.position AND e.id = a.id)
            """,
            [.texts(ledger.map(\.key.uuidString)), .int8s(ledger.map(\.value))]
        ).only().get(0)
        let twice: Int64 = try await connection.value(
            """
            SELECT count(*) - count(DISTINCT id) + count(*) - count(DISTINCT position)
              + abs(count(*) - (SELECT count(*) FROM log.identity)) FROM log.event
            """
        )
        let stored: Int64 = try await connection.value("SELECT count(*) FROM log.event WHERE kind <> 'erasure'")
        let setAside = try await connection.query(
            "SELECT leader || ' ' || position || ': ' || sqlstate || ' ' || error FROM projection.set_aside ORDER BY position"
        ).map { try $0.get(0, as: String.self) }
        await connection.close()
        let differing = try await differing(in: database)
        return FaultVerdict(lost: lost, twice: twice, stored: stored, setAside: setAside, differing: differing)
    }

    /// Expects that what was acknowledged is in the log once, and in every projection.
    func expectAll(of ledger: FaultLedger.State, _ summary: String, at location: SourceLocation = #_sourceLocation) {
        #expect(lost == 0, "\(summary)", sourceLocation: location)
        #expect(twice == 0, "\(summary)", sourceLocation: location)
        #expect(stored == Int64(ledger.positions.count), "\(summary)", sourceLocation: location)
        #expect(setAside.isEmpty, "\(summary)", sourceLocation: location)
        #expect(differing.isEmpty, "\(summary)", sourceLocation: location)
    }

    /// Applies what is left, and compares every table with one recreated.
    static func differing(in database: TestDatabase) async throws -> [String] {
        let connection = try await database.connect()
        let runner = ProjectionRunner(
            database.configuration,
            catalogue: try ProjectionCatalogue(folder: try ReleaseFolder.locate()),
            signal: LogSignal(),
            logger: Logger(label: "test.faults")
        )
        try await runner.catchUp()
        let live = try await sums(connection)
        let tables: String = try await connection.value(
            """
            SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables
            WHERE schemaname = 'projection' AND tablename NOT IN ('checkpoint', 'version', 'version_lane', 'set_aside')
            """
        )
        try await connection.query("TRUNCATE \(tables)", cached: false)
        try await connection.query("UPDATE projection.checkpoint SET position = 0")
        try await runner.catchUp()
        let rebuilt = try await sums(connection)
        await connection.close()
        return live.keys.sorted().filter { live[$0] != rebuilt[$0] }
    }

    private static func sums(_ connection: Connection) async throws -> [String: String] {
        var sums: [String: String] = [:]
        for table in LawTable.allCases.map(\.rawValue) {
            let isTable: Bool = try await connection.value(
                "SELECT relkind IN ('r', 'p') FROM pg_class WHERE oid = 'projection.\(table)'::regclass"
            )
            guard isTable else { continue }
            sums[table] = try await connection.value(
                "SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') FROM projection.\(table) t"
            )
        }
        return sums
    }
}
