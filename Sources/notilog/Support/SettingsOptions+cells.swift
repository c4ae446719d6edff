import EventLog
import Postgres
import Schema

extension SettingsOptions {
    /// Does a command's work on every database that the log is in, one after the other: on a cluster's coordinator on each cell, else on
    /// the one that is named, which may be a cell. Notes the number of a cell before its output, and writes the JSON of all as one
    /// document. What fails on one is done on the others.
    ///
    /// - Parameters:
    ///   - more: values that the command sets.
    ///   - role: what the command's login must be a member of.
    ///   - writes: whether the command changes something.
    ///   - coordinatorIsLast: whether the other cells come before the coordinator.
    ///   - body: the work, with settings that name the database.
    /// - Throws: the first error of `body`; ``CommandFailure`` if the database does not answer.
    func onEachCell(
        _ more: [String: String?] = [:],
        needs role: Role,
        writes: Bool = false,
        coordinatorIsLast: Bool = false,
        _ body: (Settings) async throws -> Void
    ) async throws {
        let settings = try await settings(more)
        let cells = try await Self.cells(settings, needs: role, writes: writes)
        guard !cells.isAlone else { return try await body(settings) }
        let documents = CellDocuments()
        var failure: (any Error)?
        for cell in coordinatorIsLast ? cells.all.reversed() : cells.all {
            Console.note("cell \(cell.number):")
            documents.begin(cell.number)
            do {
                let settings = settings.naming(cell.database.connectionString)
                if writes {
                    try await Database.withPool(settings.database, limit: 1, needs: role, writes: true) { _ in }
                }
                try await CellDocuments.$current.withValue(documents) { try await body(settings) }
            } catch {
                if failure != nil { Console.note("Error: \(error)") }
                failure = failure ?? error
            }
        }
        documents.print()
        if let failure { throw failure }
    }

    /// The cells that a database knows; the database alone where it has no schema that knows of cells yet, or is a cell itself.
    private static func cells(_ settings: Settings, needs role: Role, writes: Bool) async throws -> Cells {
        try await Database.withPool(settings.database, limit: 1, needs: role, writes: writes) { pool in
            do {
                return try await pool.withConnection { try await Cells.known(to: settings.database, on: $0) }
            } catch let error as PostgresError
                where [SQLState.undefinedTable, SQLState.invalidSchemaName].contains(error.sqlState ?? "")
            {
                return Cells(alone: settings.database)
            }
        }
    }
}
