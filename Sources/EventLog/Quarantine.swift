public import NotificationEvents
public import Postgres

/// An item that was rejected, redacted as an accepted one would be.
public struct QuarantinedItem: Sendable {
    /// Whose it is.
    public var app: Int32
    /// The public part of the key that sent it.
    public var keyID: String
    /// When it was received.
    public var receivedAt: Timestamp
    /// The sender's clock as it sent.
    public var sentAt: Timestamp?
    /// The error's code.
    public var code: String
    /// Where in the item, as a JSON pointer (RFC 6901).
    public var pointer: String
    /// What is wrong, without the item's words.
    public var message: String
    /// Bytes of the item as sent.
    public var length: Int32
    /// SHA-256 of the item as sent, its first 16 bytes.
    public var digest: ContentDigest
    /// The redacted item as JSON; nil where it did not parse.
    public var item: [UInt8]?

    /// - Parameters: as the properties of the same names.
    public init(
        app: Int32,
        keyID: String,
        receivedAt: Timestamp,
        sentAt: Timestamp?,
        code: String,
        pointer: String,
        message: String,
        length: Int32,
        digest: ContentDigest,
        item: [UInt8]?
    ) {
        self.app = app
        self.keyID = keyID
        self.receivedAt = receivedAt
        self.sentAt = sentAt
        self.code = code
        self.pointer = pointer
        self.message = message
        self.length = length
        self.digest = digest
        self.item = item
    }
}

/// Where rejected items are kept until somebody looks at them.
public struct Quarantine: Sendable {
    private let pool: Pool

    /// - Parameter pool: lends connections.
    public init(pool: Pool) {
        self.pool = pool
    }

    /// Keeps items, in one transaction.
    ///
    /// An item that PostgreSQL cannot hold as JSON is kept without its content rather than take its neighbours with it.
    ///
    /// - Throws: `PostgresError`.
    public func add(_ items: [QuarantinedItem]) async throws {
        guard !items.isEmpty else { return }
        do {
            try await insert(items)
        } catch let error as PostgresError where error.isDataError {
            guard items.count > 1 else {
                var bare = items[0]
                bare.item = nil
                return try await insert([bare])
            }
            let middle = items.count / 2
            try await add(Array(items[..<middle]))
            try await add(Array(items[middle...]))
        }
    }

    private func insert(_ items: [QuarantinedItem]) async throws {
        let digests = Parameter.array(of: .uuid, count: items.count, elementBytes: 16) { writer in
            for item in items { writer.append(uuidHigh: item.digest.high, low: item.digest.low) }
        }
        try await pool.query(
            """
            INSERT INTO log.quarantine (app_id, key_id, received_at, sent_at, code, pointer, message, length, digest, item)
            SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .int4s(items.map(\.app)), .texts(items.map(\.keyID)),
                .timestamptzs(items.map(\.receivedAt.microseconds)), .timestamptzs(items.map(\.sentAt?.microseconds)),
                .texts(items.map(\.code)), .texts(items.map(\.pointer)), .texts(items.map(\.message)),
                .int4s(items.map(\.length)), digests, .jsonbs(items.map(\.item)),
            ]
        )
    }
}
