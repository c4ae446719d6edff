public import NotificationEvents
public import Pacing
internal import Postgres

/// An item as quarantine holds it.
public struct QuarantineRecord: Sendable {
    /// Its number in quarantine.
    public var id: Int64
    /// The app's name; nil if the app was deleted.
    public var appName: String?
    /// The public part of the key that sent it.
    public var keyID: String
    /// The key's scope; nil if the key was deleted.
    public var keyScope: String?
    /// When it was received.
    public var receivedAt: Timestamp
    /// The sender's clock as it sent.
    public var sentAt: Timestamp?
    /// The error's code.
    public var code: String
    /// Where in the item, as a JSON pointer (RFC 6901).
    public var pointer: String
    /// What is wrong.
    public var message: String
    /// Bytes of the item as sent.
    public var length: Int32
    /// The kind that it names; empty if it names none.
    public var kind: String
    /// When a replay stored it; nil until then.
    public var replayedAt: Timestamp?
    /// The redacted item as JSON; nil if it did not parse.
    public var item: String?
}

/// Selects items of a quarantine; nil means any.
public struct QuarantineFilter: Sendable {
    /// The app's name.
    public var app: String?
    /// The error's code.
    public var code: String?
    /// The kind that the item names.
    public var kind: String?
    /// Received then or later.
    public var since: Timestamp?
    /// Only items with these numbers.
    public var ids: [Int64]?
    /// Whether replayed items are left out.
    public var onlyPending: Bool

    /// - Parameters: as the properties of the same names.
    public init(
        app: String? = nil,
        code: String? = nil,
        kind: String? = nil,
        since: Timestamp? = nil,
        ids: [Int64]? = nil,
        onlyPending: Bool = false
    ) {
        self.app = app
        self.code = code
        self.kind = kind
        self.since = since
        self.ids = ids
        self.onlyPending = onlyPending
    }
}

extension Quarantine {
    /// Items, oldest first.
    ///
    /// - Parameters:
    ///   - filter: which.
    ///   - after: the number of the last item of the page before; 0 for the first page.
    ///   - limit: the most items.
    /// - Throws: `PostgresError`.
    public func items(_ filter: QuarantineFilter, after: Int64 = 0, limit: Int = 1000) async throws
        -> [QuarantineRecord]
    {
        try await pool.query(
            """
            SELECT quarantine_id, app_name, key_id, key_scope, received_at, sent_at, code, pointer, message, length,
              kind, replayed_at, item FROM log.quarantine_items($1, $2, $3, $4, $5::bigint[], $6, $7, $8)
            """,
            [
                .text(filter.app), .text(filter.code), .text(filter.kind), .timestamptz(filter.since?.microseconds),
                filter.ids.map { Parameter.int8s($0) } ?? .null, .bool(filter.onlyPending), .int8(after),
                .int4(Int32(clamping: limit)),
            ]
        ).map { try QuarantineRecord($0) }
    }

    /// The codes of all items.
    ///
    /// - Throws: `PostgresError`.
    public func codes() async throws -> [String] {
        try await pool.query("SELECT DISTINCT code FROM log.quarantine ORDER BY code").map { try $0.get(0) }
    }

    /// Deletes items older than the limit, unless another service is deleting.
    ///
    /// - Parameter now: microseconds since 1970.
    /// - Returns: how many items.
    /// - Throws: `PostgresError`.
    public func prune(now: Int64 = SystemClock.microseconds()) async throws -> Int64 {
        let before = now - Int64(limits.days) * 86_400_000_000
        var total: Int64 = 0
        while true {
            let removed: Int64 = try await pool.query("SELECT log.quarantine_prune($1)", [.timestamptz(before)])
                .only().get(0)
            total += removed
            if removed == 0 { return total }
        }
    }
}

extension QuarantineRecord {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row.get(0),
            appName: try row.get(1),
            keyID: try row.get(2),
            keyScope: try row.get(3),
            receivedAt: try row.get(4),
            sentAt: try row.get(5),
            code: try row.get(6),
            pointer: try row.get(7),
            message: try row.get(8),
            length: try row.get(9),
            kind: try row.get(10),
            replayedAt: try row.get(11),
            item: try row.get(12)
        )
    }
}
