internal import EventLog
internal import Postgres

extension ExportRun {
    /// The cursor, created if it does not exist, with its recorded run, if there is one.
    ///
    /// - Parameter accepting: assigns the cursor to the current log.
    func open(_ dataset: ExportDataset, accepting: Bool = false, _ connection: Connection) async throws -> ExportPlan {
        let row = try await connection.query(
            """
            SELECT cursor_id, app_id, dataset, done, is_known, run_to, run_file, run_format, run_gzip, incarnation
            FROM export.cursor_open($1, $2, $3, $4)
            """,
            [.text(request.cursor), .app(request.appID), .text(dataset.name), .bool(accepting)]
        ).only()
        let (app, name): (AppID, String) = (try row.get(1), try row.get(2))
        guard app == request.appID, name == dataset.name else {
            throw ExportError(
                .otherCursor,
                "cursor \(request.cursor) belongs to dataset \(name)\(app == request.appID ? "" : " of another app"): use another cursor"
            )
        }
        let after: Int64 = try row.get(3)
        let pending = try row.get(5, as: Int64?.self)
        let format = try row.get(7, as: String?.self).map { try ExportFormat(name: $0) }
        return ExportPlan(
            cursorID: try row.get(0),
            incarnation: try row.get(9),
            range: ExportRange(after: after, upTo: pending ?? after),
            file: try row.get(6, as: String?.self) ?? "",
            format: format ?? request.format,
            gzip: try row.get(8, as: Bool?.self) ?? request.gzip,
            isResumed: pending != nil,
            isKnown: try row.get(4)
        )
    }

    /// The cursor, after checking that cursor, folder and log belong together.
    ///
    /// Cursors are stored in the database. They go back in time with it if an older dump is restored, or a replica is
    /// promoted that lacks transactions. The folder records what was exported: if it is ahead of the cursor, its positions
    /// will be assigned again. If it is behind, or is not the cursor's, it lacks rows that are elsewhere: those who make a folder
    /// a day want that, those who mistyped one have to hear of it.
    func claim(_ folder: ExportFolder, _ dataset: ExportDataset, _ connection: Connection) async throws -> ExportPlan {
        let found = try await folder.mark()
        let known = try await knownID(connection)
        // Checked before a cursor is created, for which retention would keep everything.
        if let found {
            guard found.cursor == request.cursor else { throw taken(folder, by: "cursor \(found.cursor)") }
            guard known == found.cursorID else {
                // As cursors reset and drop leave it.
                throw taken(folder, by: "an earlier cursor named \(found.cursor), which was set back or deleted")
            }
        }
        let plan = try await open(dataset, connection)
        let isCertain = found.map { $0.delivered <= plan.range.upTo } ?? (plan.isKnown || plan.range.upTo == 0)
        guard isCertain || request.acceptsIncarnation else { throw logWentBack }
        // Nothing was delivered yet, or what was is in this folder.
        let isWhole = found.map { $0.delivered >= plan.range.after } ?? (plan.range.after == 0)
        if !isWhole { onNote(lacks(folder, plan.range.after, found?.delivered)) }
        let mark = mark(plan, delivered: plan.range.after)
        if found == nil {
            let isFirst = try await folder.setFirstMark(mark)
            if !isFirst, let other = try await folder.mark(), other.cursorID != plan.cursorID {
                // Another run was in the new folder at the same time. What was created for this one is of no use.
                if known == nil {
                    try await connection.query("SELECT export.cursor_drop($1)", [.text(request.cursor)])
                }
                throw taken(folder, by: "cursor \(other.cursor)")
            }
        } else if !isCertain || !isWhole {
            try await folder.setMark(mark)
        }
        return plan.isKnown ? plan : try await open(dataset, accepting: true, connection)
    }

    /// The id of the cursor; nil if there is none of its name.
    private func knownID(_ connection: Connection) async throws -> String? {
        try await connection.query(
            "SELECT cursor_id FROM export.cursor WHERE name = $1",
            [.text(request.cursor)]
        ).first?.get(0, as: String.self)
    }

    func mark(_ plan: ExportPlan, delivered: Int64) -> ExportFolder.Mark {
        ExportFolder.Mark(cursor: request.cursor, cursorID: plan.cursorID, delivered: delivered)
    }

    private func taken(_ folder: ExportFolder, by owner: String) -> ExportError {
        ExportError(
            .otherCursor,
            "the folder \(folder.path) holds files of \(owner): choose a folder for cursor \(request.cursor) alone with --output"
        )
    }

    /// - Parameter delivered: how far the folder's files go; nil for a folder that is not the cursor's.
    private func lacks(_ folder: ExportFolder, _ done: Int64, _ delivered: Int64?) -> String {
        let has =
            delivered.map { "has files of cursor \(request.cursor) up to \($0) only" }
            ?? "is new to cursor \(request.cursor)"
        return """
            the folder \(folder.path) \(has): what was exported before, up to \(done), is in another folder. To export \
            everything to this one, use another cursor
            """
    }

    private var logWentBack: ExportError {
        ExportError(
            .incarnation,
            """
            the log went back in time: since the last run of cursor \(request.cursor) it was restored or a replica was \
            promoted. It may lack exported events and assign their positions again. Start over with another cursor, \
            folder and target, or add --accept-incarnation if no event was lost
            """
        )
    }

    /// Records the run, before its file exists.
    func record(_ plan: ExportPlan) async throws {
        let recorded = try await pool.query(
            "SELECT export.cursor_begin($1, $2, $3, $4, $5, $6)",
            [
                .text(request.cursor), .int8(plan.range.after), .int8(plan.range.upTo), .text(plan.file),
                .text(plan.format.rawValue), .bool(plan.gzip),
            ]
        )
        guard try recorded.only().get(0) else { throw ExportCursor.busy(request.cursor) }
    }

    /// Moves the cursor to the run's end.
    func commit(_ plan: ExportPlan) async throws {
        let moved = try await pool.query(
            "SELECT export.cursor_end($1, $2, $3)",
            [.text(request.cursor), .int8(plan.range.after), .int8(plan.range.upTo)]
        )
        guard try moved.only().get(0) else { throw ExportCursor.busy(request.cursor) }
    }
}
