public import EventLog
internal import Postgres
public import Schema

extension ProjectionCheckpoints {
    /// The events that the versions in use have set aside.
    ///
    /// - Parameter projection: one projection; nil means all.
    /// - Throws: `SchemaError` for an unknown name; `PostgresError`.
    public func setAside(projection: String? = nil) async throws -> [SetAsideEvent] {
        let leaders = try projection.map { [try group(of: $0).leader] } ?? catalogue.groups.map(\.leader)
        return try await pool.withConnection { connection in
            try await SetAsideEvent.list(schema: ProjectionGroup.servingSchema, leaders: leaders, on: connection)
        }
    }

    /// The apps with devices or tokens that have too many events for their states to be computed.
    ///
    /// - Throws: `PostgresError`.
    public func excess() async throws -> [(app: AppID, devices: Int64, tokens: Int64)] {
        try await pool.query("SELECT app_id, devices, tokens FROM projection.excess()").map {
            (try $0.get(0), try $0.get(1), try $0.get(2))
        }
    }

    /// The apps with notifications that could not be updated after a change, with the error of one.
    ///
    /// - Throws: `PostgresError`.
    public func skipped() async throws -> [(app: AppID, notifications: Int64, error: String)] {
        try await pool.query("SELECT app_id, notifications, error FROM projection.skipped()").map {
            (try $0.get(0), try $0.get(1), try $0.get(2))
        }
    }

    /// Applies the events that a projection's group has set aside again, each in a transaction of its own. They are applied
    /// late, which changes nothing: a projection is a function of the set of events. The notifications that a slice could not
    /// update are updated by the group's next batches.
    ///
    /// - Returns: the number of events applied, those that failed again, and the number of notifications.
    /// - Throws: `PostgresError` if no event is at fault.
    public func retry(
        projection: String
    ) async throws -> (applied: Int, failed: [SetAsideEvent], notifications: Int64) {
        let group = try group(of: projection)
        var failed: Set<[Int64]> = []
        let waiting = try await setAside(projection: projection)
        // As batches of the service, which end where their process is frozen: they hold the same locks.
        let batches = pool.configuration.with(
            settings: ProjectionBatch.sessionSettings,
            applicationName: SessionName.projections.rawValue
        )
        try await Connection.with(batches) { connection in
            for event in waiting {
                do {
                    try await group.retry(event, on: connection)
                } catch let error as PostgresError
                    where error.mayBePoison || (error.sqlState == SQLState.queryCanceled && !Task.isCancelled)
                {
                    failed.insert(event.key)
                    try await connection.query(
                        "SELECT projection.failed_again($1, $2, $3, $4, $5)",
                        [
                            .text(group.leader), .int2(event.lane), .int8(event.position), .text(error.sqlState ?? ""),
                            .text("\(error)"),
                        ]
                    )
                }
            }
        }
        let left = try await setAside(projection: projection).filter { failed.contains($0.key) }
        guard group.leader == "notification" else { return (waiting.count - left.count, left, 0) }
        let notifications: Int64 = try await pool.query("SELECT projection.retry_notifications()").only().get(0)
        return (waiting.count - left.count, left, notifications)
    }

    /// The group of a projection.
    ///
    /// - Throws: `SchemaError`, with the known names.
    public func group(of projection: String) throws(SchemaError) -> ProjectionGroup {
        try catalogue.group(named: projection)
    }
}

extension SetAsideEvent {
    fileprivate var key: [Int64] { [position, Int64(lane)] }
}

extension ProjectionGroup {
    fileprivate func retry(_ event: SetAsideEvent, on connection: Connection) async throws {
        let position = event.position
        try await connection.withTransaction { connection in
            try await connection.query(
                "SELECT projection.lock_lane($1, $2, $3)",
                [.text(Self.servingSchema), .text(leader), .int2(event.lane)]
            )
            let begun = try await connection.query(
                "SELECT projection.begin_retry($1, $2, $3)",
                [.text(leader), .int2(event.lane), .int8(position)]
            )
            guard let checkpoint = try begun.only().get(0, as: Int64?.self) else { return }
            let time = ProjectionTimeLimit(whole: .seconds(60), positions: 1, least: .zero)
            _ = try await time.begin(positions: 1, of: Self.servingSchema, on: connection)
            try await apply(
                lane: event.lane,
                after: position - 1,
                upTo: position,
                appliedBefore: checkpoint,
                on: connection
            )
            try await connection.query("SELECT projection.end_retry($1, $2)", [.text(leader), .int2(event.lane)])
        }
    }
}
