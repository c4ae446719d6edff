import Logging
import Postgres
import Projections

/// The checks of `notilog doctor`, in their order. One that cannot be made says so, and the others go on.
struct Examination: Sendable {
    let settings: Settings

    func findings() async -> [Finding] {
        let pool = Pool(
            settings.database.with(settings: ["statement_timeout": "10s"], applicationName: "notilog doctor"),
            limit: 1
        )
        var findings: [Finding] = []
        do {
            let version = try await pool.query("SHOW server_version").only().get(0, as: String.self)
            findings.append(.ok("connection", "PostgreSQL answers"))
            findings.append(Self.version(version))
        } catch {
            let advice = "set --database-url or NOTILOG_DATABASE_URL, start the server, and check pg_hba.conf"
            return [
                .fail("connection", "no answer: \((error as? PostgresError)?.message ?? "\(type(of: error))")", advice)
            ]
        }
        let hasSchema = await add("schema", to: &findings) { [try await schema(pool)] }
        await add("privileges", to: &findings) { [try await privileges(pool, hasSchema: hasSchema)] }
        await add("settings", to: &findings) { try await serverSettings(pool) }
        await add("clock", to: &findings) { [try await clock(pool)] }
        await add("disk", to: &findings) { [try await disk(pool)] }
        if hasSchema {
            await add("partitions", to: &findings) { [try await partitions(pool)] }
            await add("projections", to: &findings) { try await projections(pool) }
        }
        await pool.shutDown()
        return findings
    }

    /// Adds what a check finds; false where it failed.
    @discardableResult
    private func add(_ check: String, to findings: inout [Finding], _ body: () async throws -> [Finding]) async -> Bool
    {
        do {
            let found = try await body()
            findings += found
            return found.allSatisfy { $0.verdict != .fail }
        } catch {
            let reason = (error as? PostgresError).map { "\($0)" } ?? "\(error)"
            findings.append(.fail(check, "could not be checked: \(reason)", "use a role that may look at it"))
            return false
        }
    }

    static func version(_ text: String) -> Finding {
        let major = Int(text.prefix { $0.isNumber }) ?? 0
        return major >= 15 ? .ok("version", text) : .fail("version", text, "Notilog needs PostgreSQL 15 or later")
    }

    private func schema(_ pool: Pool) async throws -> Finding {
        let migrator = Migrator(
            folder: try SQLFolder.locate(),
            logger: Logger(label: "notilog") { _ in SwiftLogNoOpLogHandler() }
        )
        let state = try await pool.withConnection { try await migrator.state(on: $0) }
        guard let problem = state.problem else { return .ok("schema", "that of this release") }
        return .fail("schema", problem, "run `notilog migrate`")
    }
}
