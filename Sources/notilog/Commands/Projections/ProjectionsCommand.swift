import ArgumentParser
import Postgres
import Projections
import Schema

/// `notilog projections`: the progress of the projections, and commands to repair them.
struct ProjectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections",
        abstract: "Show the progress of projections; rebuild, verify, pause, resume and retry them.",
        discussion: """
            Example:
              notilog projections rebuild notification
            """,
        subcommands: [List.self, Rebuild.self, Verify.self, Pause.self, Resume.self, Retry.self],
        defaultSubcommand: List.self
    )

    /// Lends the checkpoints of the projections of each database that the log is in.
    ///
    /// - Parameter writes: whether the command changes something.
    static func withCheckpoints(
        _ options: SettingsOptions,
        writes: Bool = false,
        _ body: (ProjectionCheckpoints, ReleaseFolder) async throws -> Void
    ) async throws {
        try await options.onEachCell(needs: .projector, writes: writes) { try await withCheckpoints($0, body) }
    }

    private static func withCheckpoints<Value>(
        _ settings: Settings,
        _ body: (ProjectionCheckpoints, ReleaseFolder) async throws -> Value
    ) async throws -> Value {
        let folder = try ReleaseFolder.locate()
        let catalogue = try ProjectionCatalogue(folder: folder)
        return try await Database.withPool(settings.database, needs: .projector) { pool in
            try await body(ProjectionCheckpoints(catalogue: catalogue, pool: pool), folder)
        }
    }

    /// The files of the groups of projections, each group once.
    ///
    /// - Throws: `ValidationError` if no projection has one of the names.
    static func files(of projections: [String]) throws -> [ProjectionFiles] {
        let folder = try ReleaseFolder.locate()
        var leaders: Set<String> = []
        return try projections.map { try group(of: $0, in: folder) }
            .filter { leaders.insert($0.leader).inserted }
            .map { try ProjectionFiles($0, in: folder) }
    }

    /// The files of all groups.
    static func files() throws -> [ProjectionFiles] {
        let folder = try ReleaseFolder.locate()
        return try ProjectionCatalogue(folder: folder).groups.map { try ProjectionFiles($0, in: folder) }
    }

    /// - Throws: `ValidationError` if no projection has that name.
    static func check(_ projection: String) throws {
        _ = try group(of: projection, in: try ReleaseFolder.locate())
    }

    private static func group(of projection: String, in folder: ReleaseFolder) throws -> ProjectionGroup {
        let catalogue = try ProjectionCatalogue(folder: folder)
        do {
            return try catalogue.group(named: projection)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The names of a group's projections, as a phrase.
    static func named(_ projections: [String]) -> String {
        projections.count == 1
            ? projections[0]
            : projections.dropLast().joined(separator: ", ") + " and " + projections[projections.count - 1]
    }
}
