public import NotificationEvents
public import Postgres
public import ServiceLifecycle

/// The log as those who write to it see it, in whichever databases it is: each event goes to the cell of its device.
public final class CellLog: Service {
    private let cells: Cells
    /// One for each cell, in their order.
    private let logs: [EventLog]

    /// - Parameters:
    ///   - cells: the databases.
    ///   - logs: the log of each, in the same order.
    public init(_ cells: Cells, logs: [EventLog]) {
        precondition(cells.all.count == logs.count)
        self.cells = cells
        self.logs = logs
    }

    /// A log in one database.
    public convenience init(alone database: ConnectionConfiguration, _ log: EventLog) {
        self.init(Cells(alone: database), logs: [log])
    }

    /// Whether it is in several databases.
    public var isClustered: Bool { !cells.isAlone }

    /// Stores events, each once.
    ///
    /// - Parameters:
    ///   - events: the events to store; an invalid one does not affect the others.
    ///   - app: whose events they are.
    /// - Returns: what became of each, in their order, after it is on disk. The positions are those that clients are given.
    /// - Throws: ``AppendError`` where nothing can be acknowledged: some cells may have stored their part, which is found when the same
    ///   events are sent again.
    public nonisolated(nonsending) func append(_ events: [NormalisedEvent], app: AppID) async throws -> [AppendResult] {
        guard !cells.isAlone else { return try await logs[0].append(events, app: app) }
        var parts: [Int: [Int]] = [:]
        for (index, event) in events.enumerated() {
            parts[cells.index(ofLane: EventLane.of(event)), default: []].append(index)
        }
        return try await withThrowingTaskGroup(of: (cell: Int, results: [AppendResult]).self) { group in
            for (cell, indices) in parts {
                group.addTask { [logs] in (cell, try await logs[cell].append(indices.map { events[$0] }, app: app)) }
            }
            var results: [AppendResult?] = Array(repeating: nil, count: events.count)
            for try await part in group {
                for (index, result) in zip(parts[part.cell] ?? [], part.results) {
                    results[index] = result.given(by: cells.all[part.cell].number)
                }
            }
            return results.compactMap { $0 }
        }
    }

    /// Events that wait for a writer.
    public var queueDepth: Int { logs.reduce(0) { $0 + $1.queueDepth } }

    /// Why PostgreSQL refused the newest events, in every cell; nil once one stored some, or if none came for a minute.
    public var refusal: PostgresError.Refusal? {
        let refusals = logs.compactMap(\.refusal)
        return refusals.count == logs.count ? refusals.first : nil
    }

    /// Writes until the service is told to stop, as each log does.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for log in logs { group.addTask { await log.run() } }
        }
    }
}

extension AppendResult {
    /// The same, with the position that clients are given.
    fileprivate func given(by cell: Int16) -> AppendResult {
        switch self {
        case .stored(let position): .stored(position: position.given(by: cell))
        case .duplicate(let position): .duplicate(position: position.given(by: cell))
        case .conflict(let position): .conflict(position: position.given(by: cell))
        case .erased, .tooOld, .rejected: self
        }
    }
}
