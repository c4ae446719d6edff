import EventLog
import Logging
import Postgres
import Projections
import Schema

/// The checks of `notilog doctor`, in order. A check that fails to run says so, and the others continue.
struct Examination: Sendable {
    let settings: Settings

    static func pool(_ database: ConnectionConfiguration) -> Pool {
        Pool(
            database.with(
                settings: ["statement_timeout": "10s", "lock_timeout": "5s"],
                applicationName: SessionName.doctor.rawValue
            ),
            limit: 1
        )
    }

    static func migrator() throws -> Migrator {
        Migrator(
            folder: try ReleaseFolder.locate(),
            logger: Logger(label: "notilog") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func findings() async -> [Finding] {
        let pool = Self.pool(settings.database)
        var findings: [Finding] = []
        do {
            let version = try await pool.query("SHOW server_version").only().get(0, as: String.self)
            findings.append(.ok("connection", "PostgreSQL answers"))
            findings.append(Self.version(version))
        } catch {
            if let error = error as? PostgresError, error.isRefusedConnection {
                let advice =
                    "check role, password and database in --database-url or NOTILOG_DATABASE_URL, and pg_hba.conf"
                return [.fail("connection", "the server does not let this login in: \(error.message)", advice)]
            }
            if let error = error as? PostgresError, error.isOutOfConnections {
                return [
                    .fail("connection", "the server has no connection left: \(error.message)", Self.connectionAdvice)
                ]
            }
            let advice = "set --database-url or NOTILOG_DATABASE_URL, start the server, and check pg_hba.conf"
            return [
                .fail("connection", "no answer: \((error as? PostgresError)?.message ?? "\(type(of: error))")", advice)
            ]
        }
        let state = await schema(pool, &findings)
        await machine(pool, to: &findings)
        switch state {
        case .current?, .newer?:
            var cells = Cells(alone: settings.database)
            await add("cells", pool, to: &findings) {
                cells = try await pool.withConnection { try await Cells.known(to: settings.database, on: $0) }
                return []
            }
            await server(pool, of: cells, to: &findings)
            await add("log", pool, to: &findings) {
                let facts = try await pool.facts("diagnosis()", as: Diagnosis.self)
                return try await rights(pool, facts) + log(facts) + keys(pool, facts.apps) + setAside(facts.setAside)
                    + deliveries(facts.receivers)
            }
            await add("cells", pool, to: &findings) { try await self.cells(pool, cells) }
            await add("report_standby", pool, to: &findings) { try await reportStandby(pool) }
            await add("erasure", pool, to: &findings) { [try await ledger(pool)] }
            await add("projections", pool, to: &findings) { try await projections(pool) }
            findings += await others(of: cells)
        case .missing?: await add("privileges", pool, to: &findings) { [try await privileges(pool)] }
        default: break  // The other checks need the right schema.
        }
        findings += certificate()
        await pool.shutDown()
        return findings
    }

    /// What needs no schema.
    func machine(_ pool: Pool, to findings: inout [Finding]) async {
        await add("settings", pool, to: &findings) { try await serverSettings(pool) }
        await add("clock", pool, to: &findings) { [try await clock(pool)] }
        await add("disk", pool, to: &findings) { [try await disk(pool)] }
    }

    /// The server of one of the databases that the log is in.
    func server(_ pool: Pool, of cells: Cells, to findings: inout [Finding]) async {
        var found: ServerDiagnosis?
        await add("server", pool, to: &findings) {
            let idle = Parameter.text("\(settings.doctor.idleSeconds) seconds")
            found = try await pool.facts(
                "server_diagnosis($1::text::interval)",
                [idle],
                as: ServerDiagnosis.self
            )
            return []
        }
        guard let facts = found else { return }
        // Lanes are counted in tables, which may be locked: the server itself is judged all the same.
        await add("connections", pool, to: &findings) {
            [connections(facts, try await checkpoints(pool).status(), at: pool.configuration.server, cells)]
        }
        findings += server(facts)
    }

    /// Adds the findings of a check, or why it failed to run.
    func add(
        _ check: String,
        _ pool: Pool,
        to findings: inout [Finding],
        _ body: () async throws -> [Finding]
    ) async {
        let watch = await LockWatch(pool)
        do {
            findings += try await body()
            _ = await watch.end()
        } catch {
            findings.append(await unchecked(check, error, waitedFor: await watch.end(), pool))
        }
    }

    static func version(_ text: String) -> Finding {
        let major = Int(text.prefix { $0.isNumber }) ?? 0
        return major >= 15 ? .ok("version", text) : .fail("version", text, "Notilog needs PostgreSQL 15 or later")
    }

    private func schema(_ pool: Pool, _ findings: inout [Finding]) async -> SchemaState? {
        var found: SchemaState?
        await add("schema", pool, to: &findings) {
            let migrator = try Self.migrator()
            let state = try await pool.withConnection { try await migrator.state(on: $0) }
            found = state
            if case .newer(let version) = state {
                return [
                    .warn(
                        "schema",
                        "a later release migrated it to \(version); this release works on it",
                        "upgrade the instances of this release, one by one"
                    )
                ]
            }
            return [
                state.problem.map { .fail("schema", $0, state.remedy) } ?? .ok("schema", "the schema of this release")
            ]
        }
        return found
    }
}

extension SchemaState {
    /// What to do about a schema that this release does not work on.
    fileprivate var remedy: String {
        switch self {
        case .tooNew: "use the command of that release"
        case .foreign: "install the release that migrated it, or set NOTILOG_DATABASE_URL to Notilog's own database"
        default: "run `notilog migrate`"
        }
    }
}
