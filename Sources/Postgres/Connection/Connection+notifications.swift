internal import CLibPQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a `NOTIFY` of some session said.
public struct ServerNotification: Sendable, Equatable {
    /// The channel.
    public var channel: String
    /// The text given with it; empty where there was none.
    public var payload: String

    /// - Parameters: as the properties of the same names.
    public init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}

extension Connection {
    /// Subscribes this session to a channel.
    ///
    /// - Throws: ``PostgresError``.
    public func listen(to channel: String) async throws {
        // LISTEN takes no parameters; a quoted identifier is the one thing to be made by hand.
        let quoted =
            "\"" + channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        try await query("LISTEN \(quoted)", cached: false)
    }

    /// Waits for a notification on the channels listened to.
    ///
    /// The connection's thread waits on the socket; cancelling the task breaks the connection off.
    ///
    /// - Parameter timeout: the longest wait.
    /// - Returns: nil when the time passed without one.
    /// - Throws: ``PostgresError``; `CancellationError`.
    public func waitForNotification(timeout: Duration) async throws -> ServerNotification? {
        let deadline = ContinuousClock.now + timeout
        return try await cancellable(isWatched: false) { connection throws(PostgresError) in
            try connection.wait(until: deadline)
        }
    }

    private func wait(until deadline: ContinuousClock.Instant) throws(PostgresError) -> ServerNotification? {
        let pointer = try ready()
        while true {
            guard PQconsumeInput(pointer) == 1 else { throw failure(nil, pointer) }
            if let notification = PQnotifies(pointer) {
                defer { PQfreemem(notification) }
                return ServerNotification(
                    channel: String(cString: notification.pointee.relname),
                    payload: notification.pointee.extra.map { String(cString: $0) } ?? ""
                )
            }
            let left = deadline - .now
            guard left > .zero else { return nil }
            let milliseconds = min(
                left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000,
                60_000
            )
            var entry = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, Int32(milliseconds) + 1)
            guard !interrupter.isInterrupted else { throw failure(nil, pointer) }
        }
    }
}
