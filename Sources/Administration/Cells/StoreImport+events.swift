internal import EventLog
internal import Postgres
internal import Synchronization

/// How far an import is.
final class ImportMeter: Sendable {
    private struct State {
        var report = StoreImport.Report()
        var done: Int64 = 0
        var total: Int64 = 0
    }

    private let state = Mutex(State())
    private let progress: @Sendable (Int64, Int64) -> Void

    init(_ progress: @escaping @Sendable (Int64, Int64) -> Void) { self.progress = progress }

    var report: StoreImport.Report { state.withLock { $0.report } }

    func expect(_ positions: Int64) { state.withLock { $0.total += positions } }

    func add(_ row: Row, positions: Int64) throws {
        let (stored, duplicates) = (try row.get(0, as: Int64.self), try row.get(1, as: Int64.self))
        let (conflicts, refused) = (try row.get(2, as: Int64.self), try row.get(3, as: Int64.self))
        let (done, total) = state.withLock { state in
            state.report.stored += stored
            state.report.duplicates += duplicates
            state.report.conflicts += conflicts
            state.report.refused += refused
            state.done += positions
            return (state.done, state.total)
        }
        progress(done, total)
    }
}

extension StoreImport {
    /// Imports the events of every cell of the other store that are settled now: those of each lane by the database that has it here.
    func importEvents(_ from: Cells, _ to: Cells, _ meter: ImportMeter) async throws {
        for cell in from.all {
            let log = try await Connection.with(cell.database) { source in
                try await Settler.settleNow(on: source)
                return try await LogPositions.read(on: source)
            }
            let name = try await name(of: cell)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for other in to.all where !other.lanes.isEmpty {
                    group.addTask {
                        try await Connection.with(cell.database) { source in
                            try await Connection.with(other.database) { target in
                                try await importEvents(
                                    of: (name, log),
                                    lanes: other.lanes.sorted(),
                                    from: source,
                                    to: target,
                                    meter
                                )
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private func importEvents(
        of origin: (name: String, log: LogPositions),
        lanes: [Int16],
        from source: Connection,
        to target: Connection,
        _ meter: ImportMeter
    ) async throws {
        let known = try await target.query(
            "SELECT incarnation::text, position FROM notilog.imported WHERE source = $1",
            [.text(origin.name)]
        ).first
        var after: Int64 = 0
        if let known {
            // Of a log that has lost its newest events since, only those before are here.
            after = try await source.query(
                "SELECT least($1, coalesce(log.common_position($2::text::uuid), 0))",
                [.int8(try known.get(1)), .text(try known.get(0, as: String.self))]
            ).only().get(0)
        }
        let end = origin.log.settled.rawValue
        guard end > after else { return }
        meter.expect(end - after)
        var next = try await events(after: after, upTo: end, lanes, on: source)
        while after < end {
            let round = next
            // The next events are read while these are stored.
            async let following = events(after: round.reached, upTo: end, lanes, on: source)
            let row = try await target.query(
                "SELECT stored, duplicates, conflicts, refused FROM log.import($1, $2::text::uuid, $3, $4)",
                [
                    .text(origin.name), .text(origin.log.incarnation), .int8(round.reached), .texts(round.columns),
                ]
            ).only()
            try meter.add(row, positions: round.reached - after)
            after = round.reached
            next = try await following
        }
    }

    private func events(
        after: Int64,
        upTo end: Int64,
        _ lanes: [Int16],
        on source: Connection
    ) async throws -> (reached: Int64, columns: [String]) {
        guard end > after else { return (end, []) }
        let row = try await source.query(
            "SELECT reached, columns FROM log.events_to_import($1, $2, $3)",
            [.int8(after), .int8(min(end, after + positionsOfARound)), .int2s(lanes)]
        ).only()
        return (try row.get(0), try row.get(1, as: [String]?.self) ?? [])
    }
}
