internal import NotificationEvents
internal import Postgres
internal import Schema

extension Retention {
    /// The schema with the rows of dropped events.
    static let baselineSchema = "baseline"

    /// Creates a group's tables in the baseline, if they do not exist. Only a release whose tables they are may fill them, as only its folds
    /// know every column; and only the release that migrated the database may begin, or begin again where a migration changed them.
    func prepareBaseline(_ group: ProjectionGroup, on connection: Connection) async throws {
        let files = try ProjectionFiles(group, in: folder)
        try await connection.withTransaction { connection in
            let isNewest: Bool = try await connection.query(
                "SELECT log.retention_is_newest($1)",
                [.int4(newestMigration)]
            ).only().get(0)
            switch (try await fits(group, on: connection), try await isOwn(group, on: connection)) {
            case (true?, true?): return
            case (false?, _):
                throw RetentionError.baseline(
                    group.leader,
                    "has other tables than the version in use: a migration has to change it first"
                )
            case (true?, _): throw RetentionError.ofAnotherRelease(group.leader)
            case (nil, _): break
            }
            guard isNewest, files.tablesDefinition == definitions[group.leader] else {
                throw RetentionError.ofAnotherRelease(group.leader)
            }
            try await connection.execute(
                script: "SET LOCAL search_path = \(Self.baselineSchema), projection, log, pg_catalog; " + files.tables
            )
            try await files.register(schema: Self.baselineSchema, on: connection)
            try await connection.query("SELECT notilog.grant_projection($1)", [.text(Self.baselineSchema)])
            guard try await fits(group, on: connection) == true else {
                throw RetentionError.baseline(
                    group.leader,
                    "cannot begin, because a version of an earlier release is in use: run `notilog projections rebuild` first"
                )
            }
        }
    }

    /// Whether the baseline has the tables of the version in use; nil without a baseline.
    private func fits(_ group: ProjectionGroup, on connection: Connection) async throws -> Bool? {
        try await connection.query("SELECT projection.baseline_fits($1)", [.text(group.leader)]).only().get(0)
    }

    /// Whether the baseline has the tables of this release; nil without a baseline. No migration changes that before the transaction ends.
    private func isOwn(_ group: ProjectionGroup, on connection: Connection) async throws -> Bool? {
        try await connection.query(
            "SELECT projection.baseline_is_of($1, $2)",
            [.text(group.leader), .text(definitions[group.leader])]
        ).only().get(0)
    }

    /// Applies a partition's next batch to a group's baseline, with the functions that make every other row. The progress of
    /// the baseline is recorded in the same transaction.
    ///
    /// - Returns: false when it holds the whole partition.
    func applyToBaseline(_ group: ProjectionGroup, _ step: RetentionStep, on connection: Connection) async throws
        -> Bool
    {
        try await connection.withTransaction { connection in
            let next = try await connection.query(
                "SELECT after, upto FROM projection.baseline_next($1, $2, $3)",
                [.text(group.leader), .text(step.partition), .int8(options.batchLimit)]
            ).only()
            guard try await isOwn(group, on: connection) == true else {
                throw RetentionError.ofAnotherRelease(group.leader)
            }
            guard let after = try next.get(0, as: Int64?.self) else { return false }
            let upTo: Int64 = try next.get(1)
            if upTo > after {
                try await group.apply(
                    to: Self.baselineSchema,
                    after: after,
                    upTo: upTo,
                    receivedBefore: step.to.microseconds,
                    on: connection
                )
            }
            try await connection.query(
                "SELECT projection.baseline_move($1, $2, $3, $4)",
                [.text(group.leader), .text(step.partition), .int8(after), .int8(upTo)]
            )
            return true
        }
    }
}
