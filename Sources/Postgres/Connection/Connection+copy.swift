internal import CLibPQ

extension Connection {
    /// Loads rows with a binary COPY.
    ///
    /// - Parameters:
    ///   - sql: `COPY table (columns) FROM STDIN (FORMAT binary)`.
    ///   - columns: how many columns each row has.
    ///   - write: called until it gives false; appends some rows each time, after which they are sent.
    /// - Returns: the number of rows.
    /// - Throws: ``PostgresError``; `CancellationError`; what `write` throws, in which case nothing was loaded.
    public func copyIn(_ sql: String, columns: Int, _ write: (inout CopyRows) throws -> Bool) async throws -> Int {
        try Task.checkCancellation()
        do {
            return try await withTaskCancellationHandler {
                try load(sql, columns: columns, write)
            } onCancel: {
                interrupter.interrupt()
            }
        } catch let error as PostgresError where error.isConnectionFailure && Task.isCancelled {
            throw CancellationError()
        }
    }

    private func load(_ sql: String, columns: Int, _ write: (inout CopyRows) throws -> Bool) throws -> Int {
        let pointer = try startCopy(sql, PGRES_COPY_IN)
        defer { isCopying = false }
        var rows = CopyRows(columns: columns)
        do {
            while try write(&rows) {
                if rows.buffer.count >= 1 << 16 { try send(rows.take(), pointer) }
            }
        } catch {
            if let pointer = try? handle.get() {
                _ = answer(to: PQputCopyEnd(pointer, "given up by the client"), pointer)
            }
            throw error
        }
        rows.finish()
        try send(rows.take(), pointer)
        return try check(answer(to: PQputCopyEnd(pointer, nil), pointer), pointer).affected
    }

    private func send(_ buffer: WireBuffer, _ pointer: OpaquePointer) throws(PostgresError) {
        let bytes = buffer.start.assumingMemoryBound(to: CChar.self)
        guard PQputCopyData(pointer, bytes, Int32(buffer.count)) == 1 else { throw failure(nil, pointer) }
    }

    /// Streams what a `COPY … TO STDOUT` gives, in chunks of whole rows of about 64 KiB.
    ///
    /// The next chunk is read from the server when `consume` has returned, so a slow consumer slows the server down and
    /// memory stays bounded. Where it throws, the connection is closed, as the rest cannot be unread.
    ///
    /// - Throws: ``PostgresError``; what `consume` throws.
    public func copyOut(
        _ sql: String,
        caller: isolated (any Actor)? = #isolation,
        _ consume: ([UInt8]) async throws -> Void
    ) async throws {
        try await cancellable { connection throws(PostgresError) in try connection.beginCopyOut(sql) }
        do {
            while let chunk = try await cancellable({ c throws(PostgresError) in try c.nextChunk() }) {
                try await consume(chunk)
            }
        } catch {
            await close()
            await endCopy()
            throw error
        }
        await endCopy()
    }

    private func beginCopyOut(_ sql: String) throws(PostgresError) {
        _ = try startCopy(sql, PGRES_COPY_OUT)
    }

    private func endCopy() {
        isCopying = false
    }

    private func nextChunk() throws(PostgresError) -> [UInt8]? {
        guard isCopying else { return nil }
        let pointer = try handle.get()
        var chunk: [UInt8] = []
        while chunk.count < 1 << 16 {
            var row: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(pointer, &row, 0)
            defer { PQfreemem(row) }
            if let row, length > 0 {
                chunk.append(contentsOf: UnsafeRawBufferPointer(start: row, count: Int(length)))
                continue
            }
            guard length == -1 else { throw failure(nil, pointer) }
            // The end comes once; the call after this one finds no COPY under way.
            isCopying = false
            try check(answer(pointer), pointer)
            return chunk.isEmpty ? nil : chunk
        }
        return chunk
    }

    private func startCopy(_ sql: String, _ status: ExecStatusType) throws(PostgresError) -> OpaquePointer {
        let pointer = try ready()
        guard let result = answer(to: PQsendQuery(pointer, sql), pointer) else { throw failure(nil, pointer) }
        guard result.status == status else {
            let error =
                result.status == PGRES_FATAL_ERROR
                ? failure(result, pointer) : PostgresError(.unexpected, "the statement is no COPY of this direction")
            if error.code == .unexpected { close() }
            throw error
        }
        isCopying = true
        return pointer
    }
}
