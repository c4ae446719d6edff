internal import NotificationEvents
public import Postgres

/// Stores rejected items for an operator: for a number of days, and a number of each app.
public struct Quarantine: Sendable {
    /// How long and how much is kept.
    public struct Limits: Sendable {
        /// Days after receipt.
        public var days: Int
        /// The most items of one app; more are refused.
        public var itemsPerApp: Int
        /// About the most bytes of one app; more are refused.
        public var bytesPerApp: Int

        /// - Parameters: as the properties of the same names.
        public init(days: Int = 90, itemsPerApp: Int = 100_000, bytesPerApp: Int = 64 << 20) {
            self.days = days
            self.itemsPerApp = itemsPerApp
            self.bytesPerApp = bytesPerApp
        }
    }

    /// What became of items.
    public struct Added: Sendable, Equatable {
        /// Items that are kept.
        public var kept = 0
        /// Items that are dropped because their app's quarantine is full.
        public var full = 0
        /// Items that are dropped because their device was erased.
        public var erased = 0
    }

    let pool: Pool
    let limits: Limits

    /// - Parameters:
    ///   - pool: lends connections.
    ///   - limits: how much is kept.
    public init(pool: Pool, limits: Limits = Limits()) {
        self.pool = pool
        self.limits = limits
    }

    /// Keeps items, as far as there is room, each app's in one transaction.
    ///
    /// If PostgreSQL cannot store an item as JSON, that item is kept without its content, and the others are kept whole.
    ///
    /// - Returns: how many are kept, and how many are dropped.
    /// - Throws: `PostgresError`.
    @discardableResult
    public func add(_ items: [QuarantinedItem]) async throws -> Added {
        var added = Added()
        for (app, items) in Dictionary(grouping: items, by: \.app) {
            try await add(items[...], app: app, to: &added)
        }
        return added
    }

    private func add(_ items: ArraySlice<QuarantinedItem>, app: AppID, to added: inout Added) async throws {
        do {
            try await insert(items, app: app, to: &added)
        } catch let error as PostgresError where error.isDataError {
            guard items.count > 1 else {
                let bare = items.map { item in
                    var bare = item
                    bare.item = nil
                    return bare
                }
                return try await insert(bare[...], app: app, to: &added)
            }
            let middle = items.startIndex + items.count / 2
            try await add(items[..<middle], app: app, to: &added)
            try await add(items[middle...], app: app, to: &added)
        }
    }

    private func insert(_ items: ArraySlice<QuarantinedItem>, app: AppID, to added: inout Added) async throws {
        let digests = Parameter.array(of: .uuid, count: items.count, elementBytes: 16) { writer in
            for item in items { writer.append(uuidHigh: item.digest.high, low: item.digest.low) }
        }
        let row = try await pool.query(
            "SELECT kept, refused, erased FROM log.quarantine_add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            [
                .app(app), .texts(items.map(\.keyID)),
                .timestamptzs(items.map(\.receivedAt.microseconds)), .timestamptzs(items.map(\.sentAt?.microseconds)),
                .texts(items.map(\.code)), .texts(items.map(\.pointer)), .texts(items.map(\.message)),
                .int4s(items.map(\.length)), digests, .jsonbs(items.map(\.item)),
                .int8(Int64(limits.itemsPerApp)), .int8(Int64(limits.bytesPerApp)),
                .int4s(items.map { Int32(clamping: $0.item?.count ?? 0) }),
            ]
        ).only()
        added.kept += Int(try row.get(0, as: Int32.self))
        added.full += Int(try row.get(1, as: Int32.self))
        added.erased += Int(try row.get(2, as: Int32.self))
    }
}
