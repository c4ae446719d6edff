import ArgumentParser
import Logging
import Postgres
import Projections
import Schema

/// `notilog migrate`: migrates the database's schema to this release.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Migrate the database's schema to this release.",
        usage: "notilog migrate [<options>]",
        discussion: """
            Forward only, under a lock, each migration in its own transaction. Functions
            and reports are reapplied if they differ. Roles and privileges are set up if
            the login may do so; otherwise the command prints what to run as a superuser.

            Example:
              notilog migrate --dry-run
            """
    )

    @OptionGroup var options: SettingsOptions

    @Flag(name: .customLong("dry-run"), help: "Print the plan, and change nothing.")
    var isDryRun = false

    @Flag(name: .customLong("json"), help: "Write the plan as JSON.")
    var asJSON = false

    private struct Output: Encodable {
        var applied: Bool
        var migrations: [String]
        var functions: Bool
        var rolesProblem: String?
    }

    /// Projections whose tables changed keep their old tables until a rebuild.
    private func adviseRebuilds(_ settings: Settings) async throws {
        let folder = try ReleaseFolder.locate()
        let catalogue = try ProjectionCatalogue(folder: folder)
        let differences = try await Database.withPool(settings.database, limit: 1, needs: .owner) { pool in
            try await ProjectionCheckpoints(catalogue: catalogue, pool: pool).differences(from: folder)
        }
        for (leader, difference) in differences.sorted(by: { $0.key < $1.key }) where difference == .tables {
            if let advice = ProjectionsCommand.List.advice(leader, difference) { Console.note(advice) }
        }
    }

    /// Whether roles lack nothing that a login which is no member of the owner's could set up: others have done it.
    private static func isOthersWork(_ connection: Connection) async throws -> Bool {
        guard try await !SessionRoles.find(on: connection).roles.contains(.owner) else { return false }
        do {
            return try await connection.query("SELECT NOT EXISTS (SELECT FROM notilog.missing_rights())").only().get(0)
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            return false
        }
    }

    func run() async throws {
        // The coordinator asks the others by its own functions, so theirs are there first.
        try await options.onEachCell(needs: .owner, coordinatorIsLast: true) { try await run($0) }
    }

    private func run(_ settings: Settings) async throws {
        let folder = try ReleaseFolder.locate()
        var logger = settings.logger("notilog")
        // The command itself says what is applied.
        logger.logLevel = max(logger.logLevel, .notice)
        let migrator = Migrator(folder: folder, logger: logger)
        let (isDryRun, asJSON) = (isDryRun, asJSON)
        let (plan, mayMigrate) = try await Database.withPool(settings.database, limit: 1, needs: .owner) { pool in
            try await pool.withConnection { connection -> (MigrationPlan, Bool) in
                guard !isDryRun else { return (try await migrator.plan(on: connection), true) }
                var plan = try await migrator.migrate(on: connection) { file in
                    if !asJSON { Console.print("applied \(file)") }
                }
                guard plan.isEmpty, plan.rolesProblem != nil, try await Self.isOthersWork(connection) else {
                    return (plan, true)
                }
                plan.rolesProblem = nil
                return (plan, false)
            }
        }
        if !mayMigrate {
            Console.note("this login could not migrate: for the next release use one that is a member of \(Role.owner)")
        }
        if let problem = plan.rolesProblem {
            Console.note(
                "roles were not set up (\(problem)): as a superuser, psql -1 -f \(folder.path)/roles.sql, "
                    + "then run `notilog migrate` again"
            )
        }
        if asJSON {
            return try JSONOutput.print(
                Output(
                    applied: !isDryRun,
                    migrations: plan.migrations,
                    functions: plan.reappliesFunctions,
                    rolesProblem: plan.rolesProblem
                )
            )
        }
        if isDryRun {
            for migration in plan.migrations { Console.print("would apply \(migration)") }
        }
        if plan.reappliesFunctions {
            Console.print("\(isDryRun ? "would apply" : "applied") functions, projections and reports")
        }
        if plan.isEmpty { Console.print("the schema is up to date") }
        if !isDryRun { try await adviseRebuilds(settings) }
    }
}
