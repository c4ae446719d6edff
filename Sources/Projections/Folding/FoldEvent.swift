internal import Folds
internal import Postgres

/// A lane of a version: it has the events of some of the devices.
struct FoldLane {
    let number: Int16
    /// The number of lanes of the version.
    let count: Int16
}

/// A range of the log: the positions after one up to another.
struct FoldRange {
    let after: Int64
    let upTo: Int64
    /// The lane whose events are applied; nil where the version's tables know no lanes.
    let lane: FoldLane?

    var isEmpty: Bool { after >= upTo }

    /// Reads events of the range, each a ``FoldEvent``, in parts: PostgreSQL makes the rows of the next ones while a fold takes these.
    ///
    /// - Parameter function: takes a range and returns the events in it.
    func read(
        from function: String,
        on connection: isolated Connection,
        _ take: (Row) throws -> Void
    ) async throws {
        let parts = parts.map { [Parameter.int8($0.after), .int8($0.upTo)] }
        try await connection.query(FoldEvent.select + " FROM \(function)($1, $2)", each: parts) { try $0.forEach(take) }
    }

    /// Reads the events of the range's lane, and those that every lane reads: registrations of categories, and erasures.
    func readLane(on connection: isolated Connection, _ take: (Row) throws -> Void) async throws {
        guard let lane, lane.count > 1 else {
            return try await read(from: "projection.batch", on: connection, take)
        }
        let parts = parts.map { part in
            [
                Parameter.int8(part.after), .int8(part.upTo), .int4(Int32(lane.count)), .int4(Int32(lane.number)),
            ]
        }
        let sql =
            FoldEvent.select + ", is_own FROM projection.batch($1, $2) e "
            + "CROSS JOIN LATERAL (SELECT log.lane(e.device_id) % $3 = $4 AS is_own) l "
            + "WHERE is_own OR kind IN ('category_registration', 'erasure')"
        try await connection.query(sql, each: parts) { try $0.forEach(take) }
    }

    /// Reads what a function says of the whole range.
    ///
    /// - Parameter function: takes the range and returns events.
    func rows(from function: String, on connection: isolated Connection) async throws -> Rows {
        try await connection.query(FoldEvent.select + " FROM \(function)($1, $2)", [.int8(after), .int8(upTo)])
    }

    /// The range in parts.
    private var parts: [(after: Int64, upTo: Int64)] {
        stride(from: after, to: upTo, by: Self.positionsOfAPart).map {
            ($0, min(upTo, $0 + Int64(Self.positionsOfAPart)))
        }
    }

    /// So few that their rows wait in the socket's buffer, some 200 kB, and PostgreSQL need not.
    private static let positionsOfAPart = 250
}

/// An event of a batch as its row has it, for every fold.
struct FoldEvent {
    fileprivate static let select = """
        SELECT position, app_id, kind, device_id, notification_id, occurrence, id, effective_at, occurred_at, received_at, token, data
        """

    /// The number of columns of ``select``.
    private static let columns = 12

    let position: Int64
    let app: Int32
    let kind: Event.Kind
    /// The empty string where it names no device.
    let device: Symbol
    /// `notification_id`, else the identifier of its request; none where it is about no notification.
    let notification: Symbol
    let occurrence: Moment?
    let id: EventID
    let at: Moment
    let occurredAt: Moment
    let receivedAt: Moment
    let token: Symbol
    /// Whether it is of the lane that is applied.
    let isOwn: Bool
    private let data: FoldFields

    init(_ row: Row, _ vocabulary: inout Vocabulary) {
        var fields = FoldFields(row)
        position = fields.integer() ?? 0
        app = fields.int4()
        kind = fields.withBytes { Event.Kind($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
        device = fields.symbol(in: &vocabulary.names)
        notification = fields.symbol(in: &vocabulary.names)
        occurrence = fields.integer()
        id = fields.uuid()
        (at, occurredAt, receivedAt) = (fields.moment(), fields.moment(), fields.moment())
        token = fields.symbol(in: &vocabulary.names)
        data = fields
        // After `data`, where the lane reads events of others.
        isOwn = row.count <= Self.columns || row.withBytes(Self.columns) { $0?.first == 1 }
    }

    /// Gives its `data`, as jsonb writes it.
    func withData<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        var fields = data
        return try fields.withJSON { try body($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// The notification that it is about; nil where it names none, or no device.
    var notificationID: NotificationID? {
        guard notification != .none, device != .empty else { return nil }
        return NotificationID(app: app, device: device, id: notification, occurrence: occurrence ?? .noOccurrence)
    }
}

/// The key of a notification in every table.
struct NotificationID: Hashable {
    var app: Int32
    var device: Symbol
    var id: Symbol
    /// -infinity where there is none.
    var occurrence: Moment
}
