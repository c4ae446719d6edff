internal import Folds
internal import Postgres

/// An event of a batch as its row has it, for every fold.
struct FoldEvent {
    /// Selects what ``init(_:_:)`` reads.
    static let select = """
        SELECT position, app_id, kind, device_id, notification_id, occurrence, id, effective_at, occurred_at, received_at, token, data_text
        """

    /// The number of columns of ``select``.
    private static let columns = 12

    let position: Int64
    let app: Int32
    let kind: Event.Kind
    /// The empty string if it names no device.
    let device: Symbol
    /// `notification_id`, else the identifier of its request; none if it is about no notification.
    let notification: Symbol
    let occurrence: Moment?
    let id: UUIDValue
    let at: Moment
    let occurredAt: Moment
    let receivedAt: Moment
    let token: Symbol
    /// Whether it is of the lane that is applied.
    let isOwn: Bool
    private let data: FoldFields

    init(_ row: Row, _ symbols: inout Symbols) {
        var fields = FoldFields(row)
        position = fields.integer() ?? 0
        app = fields.int4()
        kind = fields.withBytes { Event.Kind($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
        device = fields.symbol(in: &symbols.names)
        notification = fields.symbol(in: &symbols.names)
        occurrence = fields.integer()
        id = fields.uuid()
        (at, occurredAt, receivedAt) = (fields.moment(), fields.moment(), fields.moment())
        token = fields.symbol(in: &symbols.names)
        data = fields
        // After the data, where the lane reads events of others.
        isOwn = row.count <= Self.columns || row.withBytes(Self.columns) { $0?.first == 1 }
    }

    /// Gives its `data`, as JSON text.
    func withData<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        var fields = data
        return try fields.withBytes { try body($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
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
    /// -infinity if there is none.
    var occurrence: Moment
}
