import NotificationEvents
import Pacing
import PlainHTTP

/// A connection to the service that reconnects after an error. Used by one task at a time.
actor SenderConnection {
    private var connection: HTTPConnection?

    init(connection: HTTPConnection) {
        self.connection = connection
    }

    /// Posts a batch of lines.
    func post(_ batch: EventBatch, key: String, to address: HTTPAddress) async throws -> HTTPAnswer {
        let open: HTTPConnection
        if let connection, connection.isOpen {
            open = connection
        } else {
            open = try await HTTPConnection.connect(address)
            connection = open
        }
        var headers = [("Authorization", "Bearer \(key)"), ("Content-Type", "application/x-ndjson")]
        if batch.kind.clockSkew != 0 {
            // The sender's clock at the request has the same error as when the events were made.
            let now = SystemClock.microseconds()
            headers.append(("Notilog-Sent-At", Timestamp(microseconds: now + batch.kind.clockSkew).description))
        }
        return try await open.send("POST", "/v1/events", headers: headers, body: batch.lines)
    }

    func close() async {
        await connection?.close()
        connection = nil
    }
}

/// The idle connections. No more tasks run than there are connections.
actor SenderConnections {
    private var idle: [SenderConnection]
    private var waiting: [CheckedContinuation<SenderConnection, Never>] = []

    init(_ connections: [SenderConnection]) {
        idle = connections
    }

    func take() async -> SenderConnection {
        if let connection = idle.popLast() { return connection }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack(_ connection: SenderConnection) {
        if waiting.isEmpty {
            idle.append(connection)
        } else {
            waiting.removeFirst().resume(returning: connection)
        }
    }

    func close() async {
        for connection in idle { await connection.close() }
        idle = []
    }
}
