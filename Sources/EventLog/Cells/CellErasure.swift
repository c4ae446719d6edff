public import Logging
public import Pacing
internal import Postgres

/// Erasures of devices wherever the log is. The device's own cell has its events, and knows what is the device's; others may have copies of
/// some, or answers of providers about its tokens.
///
/// Every cell refuses the device before any changes a row, and the answer comes after the last has. If a cell does not answer, the erasure
/// fails: the device is refused in its own cell by then, and a service tries again every minute.
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
    /// - Throws: the first `PostgresError`, after every cell was tried.
    public func erase(_ ids: [String], app: AppID) async throws -> Erasure.Report {
        guard !cells.isAlone else { return try await erasures[0].erase(ids, app: app) }
        var report = Erasure.Report(position: .start, events: 0)
        for id in ids {
            let one = try await erase(id, app: app)
            report = Erasure.Report(position: one.position, events: report.events + one.events)
        }
        return report
    }

    private func erase(_ device: String, app: AppID) async throws -> Erasure.Report {
        let home = home(of: device)
        let others = erasures.indices.filter { $0 != home }
        let earlier = try await erasures[home].withConnection { connection in
            try await erasures[home].recorded(device, app: app, on: connection)
        }
        _ = try await begin(device, app: app, home: home, others)
        // An append that was under way may have stored more of the device, which the other cells are to be told of, too.
        try await erasures[home].withConnection { try await erasures[home].drainAppends(on: $0) }
        let known = try await begin(device, app: app, home: home, others)
        try await inEach(others) { erasure, connection in
            try await erasure.begin(device, app: app, known: known, on: connection)
        }
        try await erasures[home].withConnection { connection in
            _ = try await connection.query("SELECT log.erasure_told($1, $2)", [.app(app), .text(device)])
        }
        var report = try await erasures[home].withConnection { connection in
            let report = try await erasures[home].finish(device, app: app, addsTokens: false, on: connection)
            return try await erasures[home].counting(report, of: device, app: app, since: earlier, on: connection)
        }
        report.position = report.position.given(by: cells.all[home].number)
        try await inEach(others) { erasure, connection in
            _ = try await erasure.finish(device, app: app, addsTokens: false, on: connection)
        }
        return report
    }

    /// Refuses a device in its own cell, with the tokens that no device of another cell holds.
    ///
    /// - Returns: what it has there.
    private func begin(_ device: String, app: AppID, home: Int, _ others: [Int]) async throws -> Erasure.Belongings {
        let tokens: [[UInt8]] = try await ask(home, "SELECT log.erasure_tokens($1, $2)", [.app(app), .text(device)])
        var held: [[UInt8]] = []
        for index in others where !tokens.isEmpty {
            let parameters: [Parameter] = [.app(app), .texts([device]), .byteas(tokens)]
            held += try await ask(index, "SELECT log.held_tokens($1, $2, $3)", parameters)
        }
        return try await erasures[home].withConnection { [held] connection in
            try await erasures[home].begin(device, app: app, held: held, isTold: false, on: connection)
        }
    }

    private func home(of device: String) -> Int { cells.index(ofLane: EventLane.of(device: device)) }

    private func ask<Value: PostgresDecodable & Sendable>(
        _ index: Int,
        _ sql: String,
        _ parameters: [Parameter]
    ) async throws -> Value {
        try await erasures[index].withConnection { connection in
            try await connection.query(sql, parameters).only().get(0)
        }
    }

    /// Does a step in several cells. One that fails keeps the others from nothing.
    private func inEach(
        _ indices: [Int],
        _ step: @Sendable (Erasure, Connection) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        for index in indices {
            do {
                try await erasures[index].withConnection { try await step(erasures[index], $0) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Records in the device's cell that it is to be erased. A service does, if nothing else has by its next run.
    ///
    /// - Throws: `PostgresError`.
    public func note(_ device: String, app: AppID) async throws {
        try await erasures[home(of: device)].note(device, app: app)
    }

    /// Erases what was recorded, or begun without every cell being told, once a minute.
    ///
    /// - Parameter logger: receives how many there were, and errors.
    public func telling(logger: Logger) -> Recurring {
        Recurring("tell cells of erasures", every: .pause(.seconds(60)), logger: logger) {
            var count = 0
            var failure: (any Error)?
            for index in erasures.indices {
                let untold = try await erasures[index].withConnection { connection in
                    try await connection.query("SELECT app_id, device_id FROM log.erasures_untold(100)").map {
                        (app: try $0.get(0, as: AppID.self), device: try $0.get(1, as: String.self))
                    }
                }
                // One that fails keeps no other waiting.
                for (app, device) in untold {
                    do {
                        _ = try await erase([device], app: app)
                        count += 1
                    } catch {
                        failure = failure ?? error
                    }
                }
            }
            if let failure { throw failure }
            return count
        }
    }
}
