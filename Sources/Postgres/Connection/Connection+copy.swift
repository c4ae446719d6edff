internal import CLibPQ

extension Connection {
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
        let pointer = try ready()
        guard let result = answer(to: PQsendQuery(pointer, sql), pointer) else { throw failure(nil, pointer) }
        guard result.status == PGRES_COPY_OUT else {
            if result.status == PGRES_FATAL_ERROR { throw failure(result, pointer) }
            close()
            throw PostgresError(.unexpected, "the statement is not a COPY TO STDOUT")
        }
        isCopying = true
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
}
