import EventLog
import Foundation
import Logging
import NotificationEvents
import Postgres
import Projections
import Reports
import Testing

@Suite("Schema versions and upcasting")
struct SchemaVersionTests {
    @Test("the database knows every kind, and no other")
    func kinds() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            let known: [String] = try await connection.value("SELECT log.kinds()")
            #expect(known == EventKind.all.map(\.name), "sql/log/kinds.sql and EventKind differ")
            await connection.close()
        }
    }

    @Test("every kind is written in the version that the database takes for its current one")
    func versions() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            for kind in EventKind.all {
                let version: Int16 = try await connection.value("SELECT log.schema_version($1)", [.text(kind.name)])
                #expect(
                    version == kind.schemaVersion,
                    "sql/log/schema_version.sql and EventKind differ on \(kind.name)"
                )
            }
        }
    }

    @Test("sample events of every released version are there, and of every kind that is written now")
    func complete() async throws {
        if EventFixture.isRecording { try await record() }
        let there = Set(try EventFixture.all().map { "v\($0.version)/\($0.kind)" })
        for kind in EventKind.all {
            for version in 1...kind.schemaVersion {
                #expect(there.contains("v\(version)/\(kind.name)"), "no sample events of \(kind.name) v\(version)")
            }
        }
    }

    @Test("sample events as they were sent are still taken, and stored as they were")
    func sent() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let connection = try await database.connect(settings: ["timezone": "UTC"])
                for fixture in try EventFixture.all() {
                    let event = try EventFixture.decode(fixture.sent)
                    #expect(event.kind.name == fixture.kind)
                    guard event.schemaVersion == fixture.version else { continue }
                    _ = try await test.log.append([event], app: 1)
                    let difference: String? = try await connection.value(
                        """
                        SELECT string_agg(format('%s: %s, was %s', key, n.value, o.value), '; ')
                        FROM (SELECT to_jsonb(e) - '{position,app_id,data_text}'::text[] AS stored FROM log.upcast_event e WHERE id = $1) e,
                          LATERAL jsonb_each(stored) n FULL JOIN jsonb_each($2) o USING (key)
                        WHERE coalesce(n.value, 'null') <> coalesce(o.value, 'null')
                        """,
                        [
                            .uuid(high: event.id.high, low: event.id.low),
                            .jsonb(Array(fixture.stored.utf8)),
                        ]
                    )
                    #expect(difference == nil, "\(fixture.kind) v\(fixture.version) is stored otherwise")
                }
            }
        }
    }

    @Test("sample events of every version as they were stored are read, projected and reported")
    func stored() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect(settings: ["search_path": "projection"])
            let versions = Dictionary(grouping: try EventFixture.all(), by: \.version)
            // One app each version; a version holds the samples of the kinds that changed in it, so the others come
            // from the versions before.
            for version in versions.keys.sorted() {
                var newest: [String: EventFixture] = [:]
                for fixture in try EventFixture.all() where fixture.version <= version {
                    if newest[fixture.kind].map({ $0.version < fixture.version }) ?? true {
                        newest[fixture.kind] = fixture
                    }
                }
                let name = "v\(version)"
                let app: AppID = try await connection.value(
                    "INSERT INTO notilog.app (name) VALUES ($1) RETURNING app_id",
                    [.text(name)]
                )
                try await Partitions.ensure(for: [EventFixture.receivedAt], on: connection)
                for fixture in newest.values { try await fixture.store(app: app, on: connection) }
                try await SampleProjection(database, connection, app: app, name: name).check()
            }
        }
    }

    @Test("an event of a version before, made up here, is upcast wherever it is read")
    func madeUp() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect(settings: ["search_path": "projection"])
            // Version 0 of a presentation called its options `shown_as`, and had no surface but the foreground.
            try await connection.execute(
                script: """
                    CREATE FUNCTION log.upcast_presentation_0(data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
                      SELECT data - 'shown_as' || jsonb_build_object('options', data->'shown_as', 'surface', 'foreground')
                    $$
                    """
            )
            let app: AppID = try await connection.value(
                "INSERT INTO notilog.app (name) VALUES ('old') RETURNING app_id"
            )
            try await Partitions.ensure(for: [EventFixture.receivedAt], on: connection)
            for fixture in try EventFixture.all() where fixture.version == 1 {
                try await fixture.store(app: app, on: connection)
            }
            try await connection.query(
                """
                UPDATE log.event SET schema_version = 0,
                  data = data - '{options,surface}'::text[] || jsonb_build_object('shown_as', data->'options')
                WHERE kind = 'presentation'
                """
            )
            try await SampleProjection(database, connection, app: app, name: "old").check()
        }
    }

    @Test("an event of a version that nothing upcasts says which, and which file is missing")
    func missing() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await Partitions.ensure(for: [EventFixture.receivedAt], on: connection)
            for fixture in try EventFixture.all() where fixture.kind == "token" {
                try await fixture.store(app: 1, on: connection)
            }
            try await connection.query("UPDATE log.event SET schema_version = 0")
            let error = await #expect(throws: PostgresError.self) {
                try await connection.query("SELECT data FROM log.upcast_event")
            }
            #expect(error?.message.contains("events of kind token cannot be read in schema version 0") == true)
            #expect(error?.hint?.contains("sql/upcasting/token_0.sql") == true)
        }
    }

    private func record() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                _ = try await test.log.append(try EventKind.all.map { try EventFixture.decode($0.sample) }, app: 1)
                try await EventFixture.record(on: try await database.connect())
            }
        }
    }
}
