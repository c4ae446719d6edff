internal import Postgres

extension ExportRun {
    /// The cursor as it stands, made where there is none; with the run that it has recorded, if there is one.
    func open(_ dataset: ExportDataset, _ connection: Connection) async throws -> ExportPlan {
        let row = try await connection.query(
            """
            SELECT cursor_id, app_id, dataset, done, is_known, run_to, run_file, run_format, run_gzip, incarnation
            FROM export.cursor_open($1, $2, $3, $4)
            """,
            [.text(request.cursor), .int4(request.appID), .text(dataset.name), .bool(request.acceptsIncarnation)]
        ).only()
        let (app, name): (Int32, String) = (try row.get(1), try row.get(2))
        guard app == request.appID, name == dataset.name else {
            throw ExportError(
                .otherCursor,
                "cursor \(request.cursor) is for dataset \(name)\(app == request.appID ? "" : " of another app"): use another name for this one"
            )
        }
        guard try row.get(4, as: Bool.self) else { throw gone }
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
            isResumed: pending != nil
        )
    }

    private var gone: ExportError {
        ExportError(
            .incarnation,
            """
            the log is not the one that cursor \(request.cursor) was given for: it was restored or promoted since, and may lack \
            events that were delivered and give their positions to others; begin anew with another cursor, or go on \
            with --accept-incarnation if nothing was lost
            """
        )
    }

    /// Records the run before there is a file.
    func record(_ plan: ExportPlan, _ connection: Connection) async throws {
        let recorded = try await connection.query(
            "SELECT export.cursor_begin($1, $2, $3, $4, $5, $6)",
            [
                .text(request.cursor), .int8(plan.range.after), .int8(plan.range.upTo), .text(plan.file),
                .text(plan.format.rawValue), .bool(plan.gzip),
            ]
        )
        guard try recorded.only().get(0) else { throw ExportCursor.busy(request.cursor) }
    }

    /// Moves the cursor to the run's end.
    func commit(_ plan: ExportPlan, _ connection: Connection) async throws {
        let moved = try await connection.query(
            "SELECT export.cursor_end($1, $2, $3)",
            [.text(request.cursor), .int8(plan.range.after), .int8(plan.range.upTo)]
        )
        guard try moved.only().get(0) else { throw ExportCursor.busy(request.cursor) }
    }
}
