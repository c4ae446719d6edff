internal import Postgres

/// Erasures of devices wherever the log is. The device's own cell has its events; others may have copies of some.
///
/// Every cell refuses the device before any changes a row, and the answer comes after the last has. A cell that does not answer fails the
/// erasure: the others have recorded it by then, and finish it by themselves; asked once more, it goes on.
public struct CellErasure: Sendable {
    private let cells: Cells
    private let erasures: [Erasure]

    /// - Parameter cells: the databases, as a role that may call the log's erasure functions.
    public init(_ cells: Cells) {
        self.cells = cells
        erasures = cells.all.map { Erasure($0.database) }
    }

    /// Erases a device under several ids that the log may have it under.
    ///
    /// - Returns: the events of all, and the position, as clients are given it, of the last event that records an erasure.
    /// - Throws: `PostgresError`.
    public func erase(_ ids: [String], app: AppID) async throws -> Erasure.Report {
        var report = Erasure.Report(position: .start, events: 0)
        for id in ids {
            let one = try await erase(id, app: app)
            report = Erasure.Report(position: one.position, events: report.events + one.events)
        }
        return report
    }

    private func erase(_ device: String, app: AppID) async throws -> Erasure.Report {
        guard !cells.isAlone else { return try await erasures[0].erase(device, app: app) }
        let home = cells.index(ofLane: EventLane.of(device: device))
        let others = erasures.indices.filter { $0 != home }
        let tokens = try await erasures[home].withConnection { connection in
            try await erasures[home].begin(device, app: app, on: connection)
        }
        for index in others {
            _ = try await erasures[index].withConnection { connection in
                try await erasures[index].begin(device, app: app, tokens: tokens, on: connection)
            }
        }
        var report = try await finish(device, app: app, in: home)
        report.position = report.position.given(by: cells.all[home].number)
        for index in others { _ = try await finish(device, app: app, in: index) }
        return report
    }

    private func finish(_ device: String, app: AppID, in index: Int) async throws -> Erasure.Report {
        try await erasures[index].withConnection { connection in
            try await erasures[index].finish(device, app: app, on: connection)
        }
    }

    /// Records that a device is to be erased: each cell does, if nothing else has by its next run of ``Erasure/finishPending(logger:)``.
    ///
    /// - Throws: `PostgresError`.
    public func note(_ device: String, app: AppID) async throws {
        for erasure in erasures { try await erasure.note(device, app: app) }
    }
}
