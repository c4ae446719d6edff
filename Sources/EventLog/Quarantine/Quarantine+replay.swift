public import NotificationEvents
internal import Postgres

/// What became of an item that was replayed.
public struct ReplayOutcome: Sendable {
    /// Its number in quarantine.
    public var id: Int64
    /// Why it was rejected again; nil if it was stored.
    public var error: EventError?

    /// - Parameters: as the properties of the same names.
    public init(id: Int64, error: EventError?) {
        self.id = id
        self.error = error
    }
}

extension Quarantine {
    /// Records the outcomes of replayed items of one app. Stored items are marked. The others get their new error, whose
    /// pointer refers to the item.
    ///
    /// - Throws: `PostgresError`.
    public func replayed(_ outcomes: [ReplayOutcome], app: AppID) async throws {
        guard !outcomes.isEmpty else { return }
        try await pool.query(
            "SELECT log.quarantine_replayed($1, $2, $3, $4, $5)",
            [
                .app(app), .int8s(outcomes.map(\.id)), .texts(outcomes.map(\.error?.code.rawValue)),
                .texts(outcomes.map(\.error?.pointer)), .texts(outcomes.map(\.error?.message)),
            ]
        )
    }
}
