public import Postgres

/// Incremental runs of a named cursor: each delivers what is new since the last, as a file with a manifest.
///
/// The range and the file's name are recorded first. File and then manifest get their names only when they are whole and
/// on disk; then the cursor moves. Whoever comes after a run that died does the same again under the same names.
public struct ExportRun: Sendable {
    let request: ExportRequest
    let pool: Pool
    let reader: ExportReader
    /// Told of each step; what it throws ends the run there, as a death would.
    package var onStep: @Sendable (ExportStep) throws -> Void = { _ in }

    /// - Parameters:
    ///   - request: what to export.
    ///   - pool: lends at least two connections: one holds the cursor's lock as long as a run lasts.
    public init(_ request: ExportRequest, pool: Pool) {
        self.request = request
        self.pool = pool
        reader = ExportReader(pool: pool)
    }

    /// Makes one run.
    ///
    /// - Throws: ``ExportError``; `PostgresError`; `CancellationError`. The next run takes up where this one was.
    public func run() async throws -> ExportOutcome {
        try ExportCursor.check(name: request.cursor)
        let dataset = try await reader.dataset(request.dataset)
        let folder = try ExportFolder(request.folder)
        return try await pool.withConnection { connection in
            // Of the session, so that it ends with this process at the latest.
            let lock = try await connection.query(
                "SELECT pg_try_advisory_lock(export.cursor_lock($1))",
                [.text(request.cursor)]
            )
            guard try lock.only().get(0) else { throw ExportCursor.busy(request.cursor) }
            do {
                let outcome = try await run(dataset, folder, connection)
                try await unlock(connection)
                return outcome
            } catch {
                try? await unlock(connection)
                throw error
            }
        }
    }

    private func unlock(_ connection: Connection) async throws {
        try await connection.query("SELECT pg_advisory_unlock(export.cursor_lock($1))", [.text(request.cursor)])
    }

    private func run(
        _ dataset: ExportDataset,
        _ folder: ExportFolder,
        _ connection: Connection
    ) async throws -> ExportOutcome {
        // Before there is a cursor for nothing.
        if let owner = folder.mark?.cursor, owner != request.cursor {
            throw folder.taken(by: owner, not: request.cursor)
        }
        var cursor = try await open(dataset, connection)
        try folder.claim(ExportFolder.Mark(cursor: request.cursor, cursorID: cursor.cursorID))
        folder.removeLeavings(of: request.cursor)
        if !cursor.isResumed {
            let bound = try await reader.bound(dataset, app: request.appID)
            guard bound.number > cursor.range.after else { return .nothing(since: cursor.range.after) }
            cursor.range.upTo = bound.number
            cursor.file = ExportPlan.file(request, cursor.range)
            try await record(cursor, connection)
        }
        try onStep(.recorded)
        let manifest: ExportManifest
        if let finished = self.finished(cursor, folder) {
            manifest = finished
        } else {
            manifest = try await write(cursor, dataset, folder)
        }
        try await commit(cursor, connection)
        try onStep(.committed)
        return .wrote(manifest, isResumed: cursor.isResumed)
    }

    /// What an earlier run had put in place whole: once a manifest is there, neither it nor its file changes again.
    private func finished(_ plan: ExportPlan, _ folder: ExportFolder) -> ExportManifest? {
        guard let manifest = ExportManifest.read(folder.path(of: plan.manifest)), manifest.cursorID == plan.cursorID,
            manifest.file == plan.file, manifest.after == plan.range.after, manifest.upTo == plan.range.upTo,
            FileDigest.ofFile(folder.path(of: plan.file)) == manifest.sha256
        else { return nil }
        return manifest
    }

    private func write(_ plan: ExportPlan, _ dataset: ExportDataset, _ folder: ExportFolder) async throws
        -> ExportManifest
    {
        let temporary = folder.temporaryName(plan.file, cursor: request.cursor)
        let file = try ExportFile(
            path: folder.path(of: temporary),
            name: folder.path(of: plan.file),
            gzip: plan.gzip
        )
        do {
            let counts = try await copy(
                try reader.stream(dataset, app: request.appID, plan.range, as: plan.format),
                to: file
            )
            let (sha256, bytes) = try await file.finish()
            let manifest = ExportManifest(
                cursor: request.cursor,
                cursorID: plan.cursorID,
                app: request.app,
                dataset: dataset.name,
                incarnation: plan.incarnation,
                after: plan.range.after,
                upTo: plan.range.upTo,
                file: plan.file,
                format: plan.format.rawValue,
                compression: plan.gzip ? "gzip" : nil,
                rows: counts.rows,
                tombstones: counts.tombstones,
                bytes: bytes,
                sha256: sha256,
                columns: dataset.columns
            )
            try onStep(.written)
            try folder.rename(temporary, to: plan.file)
            try onStep(.placed)
            try folder.place(
                manifest.encoded(),
                as: plan.manifest,
                over: folder.temporaryName(plan.manifest, cursor: request.cursor)
            )
            try folder.synchronise()
            try onStep(.described)
            return manifest
        } catch {
            await file.discard()
            throw error
        }
    }

    /// Writes one part while the next is being read.
    private func copy(_ stream: ExportStream, to file: ExportFile) async throws -> (rows: Int64, tombstones: Int64) {
        var writing: Task<Void, any Error>?
        do {
            while let bytes = try await stream.next() {
                try await writing?.value
                writing = Task { try await file.write(bytes) }
            }
            try await writing?.value
        } catch {
            _ = await writing?.result
            throw error
        }
        return (stream.rows, stream.tombstones)
    }
}
