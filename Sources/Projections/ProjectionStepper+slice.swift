internal import Logging
internal import Metrics
internal import Postgres
internal import Schema

/// The search for the notification at fault, after a batch with a slice failed: slices without events, ever smaller.
struct SliceSearch: Sendable {
    /// One of so many notifications to come is at fault.
    private(set) var suspected: Int32
    /// The end of the events that failed together with the slice.
    let eventsUpTo: Int64
    /// A slice without events failed.
    private(set) var hasFailed = false

    init(suspected: Int32, eventsUpTo: Int64) {
        self.suspected = suspected
        self.eventsUpTo = eventsUpTo
    }

    /// The number of notifications in the next slice.
    var rows: Int32 { hasFailed ? max(1, suspected / 2) : suspected }

    mutating func failed() {
        suspected = rows
        hasFailed = true
    }

    mutating func passed() { suspected -= rows }
}

extension ProjectionStepper {
    /// Goes past the next notification of a slice, which fails alone, and records it.
    ///
    /// - Throws: `PostgresError` if the projection is at fault, not the notification.
    func skip(at position: Int64, _ error: PostgresError, on connection: Connection) async throws {
        let batch = batch
        let isSkipped = try await connection.withTransaction { connection in
            try await connection.query(
                "SELECT projection.lock_lane($1, $2, $3)",
                batch.parameters
            )
            try await connection.query("SELECT lock.shared('background')")
            // If that fails too, no notification is at fault.
            try await batch.group.apply(
                to: batch.schema,
                lane: batch.lane,
                after: position,
                upTo: position,
                sliceRows: 0,
                on: connection
            )
            let isSkipped: Bool = try await connection.query(
                "SELECT skip_notification($1, $2, $3)",
                [.text(error.sqlState ?? ""), .text("\(error)"), .int4(Self.mostAlike.events)]
            ).only().get(0)
            try await connection.query(
                "SELECT projection.move($1, $2, $3, $4, $4)",
                batch.parameters + [.int8(position)]
            )
            return isSkipped
        }
        guard isSkipped else {
            throw PostgresError(
                unexpected:
                    "held: \(Self.mostAlike.events) notifications could not be updated after a change, the last with: \(error)"
            )
        }
        Counter(label: "notilog_projection_set_aside_total", dimensions: [("projection", batch.group.leader)])
            .increment()
        logger.error(
            "left a notification as it was before a change",
            metadata: [
                "projection": "\(batch.group.leader)", "version": "\(batch.schema)", "error": "\(error)",
            ]
        )
    }
}
