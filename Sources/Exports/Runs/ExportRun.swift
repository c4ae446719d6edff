internal import Pacing
public import Postgres
internal import Schema

/// Incremental runs of a named cursor: each exports the rows that are new since the last run, as a file with a manifest.
///
/// The range and the file's name are recorded first. File and then manifest get their names only when they are complete and
/// on disk; then the cursor moves. The run after one that died does the same again under the same names.
public struct ExportRun: Sendable {
    /// What it exports, and to which folder.
    public let request: ExportRequest
    let pool: Pool
    let reader: ExportReader
    /// Called after each step. A thrown error ends the run there, as a crash would.
    package var onStep: @Sendable (ExportStep) throws -> Void = { _ in }
    /// Called with the run's range, and the number up to which it was read.
    public var onProgress: @Sendable (ExportRange, Int64) -> Void = { _, _ in }
    /// Called with what whoever started the run should know, and nothing keeps it from.
    public var onNote: @Sendable (String) -> Void = { _ in }

    /// - Parameters:
    ///   - request: what to export.
    ///   - pool: lends connections; a session of its own holds the cursor's lock during a run.
    ///   - cell: the number of the cell that it exports; nil for a database that is alone.
    public init(_ request: ExportRequest, pool: Pool, cell: Int16? = nil) {
        self.request = request
        self.pool = pool
        reader = ExportReader(pool: pool, cell: cell)
    }

    /// Performs one run.
    ///
    /// - Throws: ``ExportError``; `PostgresError`; `CancellationError`. The next run resumes this one.
    public func run() async throws -> ExportOutcome {
        try ExportCursor.check(name: request.cursor)
        let dataset = try await reader.dataset(request.dataset)
        let folder = ExportFolder(request.folder)
        try await folder.prepare()
        let name = ExportCursor.lockName(request.cursor)
        guard let lock = try await HeldLock.take(name, pool.configuration, timeout: .zero) else {
            throw ExportCursor.busy(request.cursor)
        }
        return try await deferring({ await lock.release() }) { try await run(dataset, folder, lock) }
    }

    private func run(
        _ dataset: ExportDataset,
        _ folder: ExportFolder,
        _ lock: HeldLock
    ) async throws -> ExportOutcome {
        var plan = try await pool.withConnection { try await claim(folder, dataset, $0) }
        await folder.removeLeavings(of: request.cursor)
        if !plan.isResumed {
            let bound = try await reader.bound(dataset, app: request.appID, minPositions: request.minPositions)
            guard bound.number > plan.range.after else { return .nothing(since: plan.range.after) }
            plan.range.upTo = bound.number
            plan.file = ExportPlan.file(request, plan.range)
            guard await !folder.has(plan.manifest) else {
                throw ExportError(
                    .folder,
                    "\(folder.path(of: plan.manifest)) already exists, from a log that was lost: choose another folder with --output"
                )
            }
            try await record(plan)
        }
        try onStep(.recorded)
        let manifest: ExportManifest
        // Complete files of an earlier run: once a manifest exists, neither it nor its file changes again.
        if let whole = await folder.manifest(plan.manifest), whole.cursorID == plan.cursorID, whole.file == plan.file {
            manifest = whole
        } else {
            manifest = try await write(plan, dataset, folder, lock)
        }
        try await commit(plan)
        try onStep(.committed)
        return .wrote(manifest, isResumed: plan.isResumed)
    }

    private func write(
        _ plan: ExportPlan,
        _ dataset: ExportDataset,
        _ folder: ExportFolder,
        _ lock: HeldLock
    ) async throws -> ExportManifest {
        let file = try await folder.makeFile(plan.file, cursor: request.cursor, gzip: plan.gzip)
        do {
            let stream = try reader.stream(dataset, app: request.appID, plan.range, as: plan.format)
            // This takes long, and the run that takes over from a frozen process does it again: the file has no name yet. What follows is
            // done by one run alone.
            let (sha256, bytes) = try await lock.losable {
                try await stream.readAll { bytes in
                    // What is read without the lock would be thrown away.
                    try await lock.check()
                    try await file.write(bytes)
                    onProgress(plan.range, stream.reached)
                }
                return try await file.finish()
            }
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
                rows: stream.rows,
                tombstones: stream.tombstones,
                bytes: bytes,
                sha256: sha256,
                columns: dataset.columns
            )
            try onStep(.written)
            // Otherwise another run may have renamed its files.
            try await lock.check()
            try await folder.rename(file.path, to: plan.file)
            try onStep(.renamed)
            try await folder.setMark(mark(plan, delivered: plan.range.upTo))
            try await folder.save(manifest.encoded(), as: plan.manifest, cursor: request.cursor)
            try onStep(.described)
            return manifest
        } catch {
            await file.discard()
            throw error
        }
    }
}
