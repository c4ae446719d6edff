internal import CLibPQ

/// Owns one `PGconn`, so that it is finished exactly once: when closed, when a connect fails, or with its owner.
///
/// Used only from its connection's thread, or where nobody else can hold it any more.
final class Handle: @unchecked Sendable {
    private var pointer: OpaquePointer?
    /// Why the server ended the session, where it said so while nothing was asked: to libpq that is a notice.
    private(set) var farewell: PostgresError?

    init(_ pointer: OpaquePointer?) {
        self.pointer = pointer
    }

    deinit {
        finish()
    }

    var isOpen: Bool { pointer != nil }

    /// The live `PGconn`.
    ///
    /// - Throws: ``PostgresError`` with code `closed` after ``finish()``.
    func get() throws(PostgresError) -> OpaquePointer {
        guard let pointer else { throw PostgresError(.closed, "the connection is closed") }
        return pointer
    }

    /// Takes over what a connect gave.
    func adopt(_ new: OpaquePointer?) {
        finish()
        pointer = new
        guard let new else { return }
        let receive: PQnoticeReceiver = { handle, notice in
            guard let handle, let notice else { return }
            let error = PostgresError(result: notice)
            // A crash and an immediate shutdown are said as warnings. A result may outlive its handle, and has notices of
            // libpq's own, but none of these.
            let isLast =
                ["FATAL", "PANIC"].contains(error.severity)
                || [SQLState.adminShutdown, SQLState.crashShutdown].contains(error.sqlState)
            guard isLast else { return }
            Unmanaged<Handle>.fromOpaque(handle).takeUnretainedValue().farewell = error
        }
        PQsetNoticeReceiver(new, receive, Unmanaged.passUnretained(self).toOpaque())
    }

    func finish() {
        if let pointer { PQfinish(pointer) }
        pointer = nil
    }
}
