internal import Logging
internal import Postgres
internal import Schema

/// The search for the notification at fault, after a batch with a slice failed or exceeded its time limit: slices without events,
/// ever smaller, and with ever less time.
struct SliceSearch: Sendable {
    /// One of this many next notifications is at fault.
    private(set) var suspected: Int32
    /// The end of the events that failed together with the slice.
    let eventsUpTo: Int64
    /// A slice without events failed.
    private(set) var hasFailed = false
    /// The next notification failed alone, while a batch without it succeeded.
    private(set) var isTriedAgain = false

    init(suspected: Int32, eventsUpTo: Int64) {
        self.suspected = suspected
        self.eventsUpTo = eventsUpTo
    }

    /// The number of notifications in the next slice.
    var rows: Int32 { hasFailed ? max(1, suspected / 2) : suspected }

    /// The share of the time limit that the next slice has.
    var time: Double { Double(rows) / Double(ProjectionGroup.usualSliceRows) }

    mutating func failed() {
        suspected = rows
        hasFailed = true
    }

    mutating func triesAgain() { isTriedAgain = true }

    mutating func passed() {
        suspected -= rows
        isTriedAgain = false
    }
}

extension ProjectionStepper {
    /// After a batch with a slice that failed or exceeded its time limit: searches for the notification at fault, if there is one.
    ///
    /// - Throws: `PostgresError` if the projection is at fault, or the server is slow for all events.
    mutating func searchSlice(
        from: Int64,
        to: Int64,
        _ error: PostgresError,
        isTimeOut: Bool,
        on connection: Connection
    ) async throws -> Step {
        guard var search = sliceSearch else {
            // Either may be at fault: first the slice alone.
            sliceSearch = SliceSearch(suspected: sliceRows ?? ProjectionGroup.usualSliceRows, eventsUpTo: to)
            return .narrowed
        }
        guard search.rows == 1 else {
            search.failed()
            sliceSearch = search
            return .narrowed
        }
        sliceSearch = nil
        guard search.isTriedAgain else {
            // The cause may be over by now: the notification is tried once more after a batch without it.
            if isTimeOut {
                guard try await batch.othersAreApplied(after: to, within: time, on: connection) else { throw error }
            } else {
                try await tryNoEvent(after: from, on: connection)
            }
            search.triesAgain()
            sliceSearch = search
            return .narrowed
        }
        try await skip(at: from, error, on: connection)
        return .narrowed
    }

    /// Goes past the next notification of a slice, which fails alone, and records it.
    ///
    /// - Throws: `PostgresError` if the projection is at fault, not the notification.
    func skip(at position: Int64, _ error: PostgresError, on connection: Connection) async throws {
        let batch = batch
        let isSkipped = try await connection.withTransaction { connection in
            try await batch.awaitLock(on: connection)
            try await connection.query("SELECT lock.shared('background')")
            try await batch.applyNoEvent(after: position, on: connection)
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
                    "held: \(Self.mostAlike.events) notifications could not be updated after a change; reports that read \(batch.group.leader) go stale until a fixed release updates them; the last failed with: \(error)"
            )
        }
        countSetAside()
        logger.error(
            "left a notification as it was before a change: reports count its old values; run `notilog projections retry \(batch.group.leader)` after the fix",
            metadata: [
                "projection": "\(batch.group.leader)", "version": "\(batch.schema)", "error": "\(error)",
            ]
        )
    }
}
