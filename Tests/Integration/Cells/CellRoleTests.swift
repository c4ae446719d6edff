import EventLog
import Postgres
import Testing

/// Who may read one app reads that one of every cell, and nobody asks a cell for more than they may read.
@Suite("Cells: roles")
struct CellRoleTests {
    private static let counts =
        "SELECT coalesce(sum(items), 0)::bigint FROM reporting.activity_counts($1, ARRAY[timestamptz '2026-01-01'], '2026-03-01', '{}', '{}') WHERE what = 'events'"

    @Test("a reader reads the events of one app in all cells, and none of another")
    func reader() async throws {
        try await TestDatabase.withDatabases(3) { databases in
            try await CellStore.withStore(on: databases, apps: 2) { store in
                for app in 1...2 {
                    let events = (0..<30).map { SampleEvents.make(device: "device-\($0)") }
                    try await store.append([(AppID(rawValue: Int32(app)), events)])
                }
                try await store.apply(limit: 100)
            }
            try await TestLogin.with(["notilog_reader"], in: databases[0]) { login in
                let owner = try await databases[0].connect()
                try await owner.query(
                    "INSERT INTO notilog.reader_app (role_name, app_id) VALUES ($1, 1)",
                    [.text(login.name)]
                )
                await owner.close()
                let reader = try await login.database.connect()
                #expect(try await reader.query(Self.counts, [.int4(1)]).only().get(0, as: Int64.self) == 30)
                #expect(try await reader.query(Self.counts, [.int4(2)]).only().get(0, as: Int64.self) == 0)
                try await reader.query("SET notilog.here = 'on'")
                #expect(try await reader.query(Self.counts, [.int4(2)]).only().get(0, as: Int64.self) == 0)
                try await reader.query("RESET notilog.here")
                for statement in [
                    "SELECT * FROM dblink.dblink('notilog_cell_1', 'SELECT 1') AS r (n integer)",
                    "SELECT cell.begin(1::smallint)", "SELECT url FROM notilog.cell", "SELECT url FROM dblink.cell",
                    "SELECT count(*) FROM log.copy", "SELECT log.copy_in('[]', 1::smallint)",
                    "SELECT * FROM cell.activity_counts(2, '{}', now(), '{}', '{}')",
                ] {
                    #expect(try await reader.refusal(statement) == "42501", "\(statement)")
                }
                await reader.close()
            }
        }
    }

    @Test("the owner of the schema connects to no server but the cells, and as nobody else")
    func owner() async throws {
        try await TestDatabase.withDatabases(2) { databases in
            try await CellStore.withStore(on: databases, apps: 1) { _ in }
            try await TestLogin.with(["notilog_owner"], in: databases[0]) { login in
                let owner = try await login.database.connect()
                for statement in [
                    "SELECT dblink.dblink_connect_u('x', 'user=postgres')", "UPDATE dblink.cell SET url = ''",
                    "SELECT url FROM dblink.cell",
                ] {
                    #expect(try await owner.refusal(statement) == "42501", "\(statement)")
                }
                #expect(try await owner.query(Self.counts, [.int4(1)]).only().get(0, as: Int64.self) == 0)
                await owner.close()
            }
        }
    }
}
