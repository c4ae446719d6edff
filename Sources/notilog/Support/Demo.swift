import Administration
import EventLog
import Foundation
import Postgres
import Projections
import Reports
import Schema
import Simulator

/// `notilog dev --demo`, once the service answers: a month of traffic through the HTTP API, then a report.
struct Demo: Sendable {
    let workspace: DevWorkspace
    let keys: DevKeys
    let database: ConnectionConfiguration
    let devices: Int
    let days: Int

    private static let minute: Int64 = 60_000_000

    func run(url: String) async {
        do {
            try await fill(url)
            try await show(url)
        } catch is CancellationError {
            return
        } catch {
            Console.note("the demo stopped: \(error)")
        }
    }

    private func fill(_ url: String) async throws {
        let marker = workspace.folder + "/demo-sent"
        guard !FileManager.default.fileExists(atPath: marker) else {
            return Console.note("the log already holds events")
        }
        // Before the events that are counted by them.
        try await Database.withPool(database, needs: .writer) { pool in
            let administration = Administration(pool)
            try await administration.nameDimensions(
                app: try await administration.app(keys.app).id,
                Simulation.ownDimensions
            )
        }
        let plan = try plan()
        let simulation = Simulation(
            SimulationParameters(devices: plan.devices, days: plan.days, end: plan.end, seed: 1)
        )
        let sender = try EventSender(
            url: url,
            keys: SenderKeys(app: keys.write, provider: keys.provider),
            connections: 4,
            batch: 1000
        )
        let start = ContinuousClock.now
        let result = try await sender.send(simulation)
        let seconds = start.duration(to: .now) / .seconds(1)
        Console.note("\(result.description), in \(Int(seconds)) s")
        guard result.unanswered == 0 else { throw CommandFailure("not every event was stored: start the demo again") }
        guard FileManager.default.createFile(atPath: marker, contents: Data("\(result.accepted)\n".utf8)) else {
            throw CommandFailure("\(marker) cannot be written: check the folder's permissions")
        }
    }

    /// What the traffic is a function of. It is kept before the first event: a demo that was stopped sends the same ones again when
    /// it is started again, and those stored are duplicates.
    private struct Plan: Codable {
        var devices: Int
        var days: Int
        var end: Int64
    }

    private func plan() throws -> Plan {
        let file = URL(fileURLWithPath: workspace.folder + "/demo-plan.json")
        if let begun = try? JSONDecoder().decode(Plan.self, from: Data(contentsOf: file)) {
            Console.note("the demo goes on where it was stopped")
            return begun
        }
        // Up to now, so that today looks like any other day.
        let end = Int64(Date().timeIntervalSince1970) / 60 * Self.minute
        let plan = Plan(devices: devices, days: days, end: end)
        do {
            try JSONEncoder().encode(plan).write(to: file, options: .atomic)
        } catch {
            throw CommandFailure("\(file.path) cannot be written: check the folder's permissions")
        }
        return plan
    }

    /// Waits until every event is in the reports, then shows engagement by category.
    private func show(_ url: String) async throws {
        let folder = try ReleaseFolder.locate()
        let text = try await Database.withPool(database, needs: .writer) { pool in
            try await catchUp(
                ProjectionCheckpoints(catalogue: try ProjectionCatalogue(folder: folder), pool: pool),
                pool
            )
            let catalogue = try ReportCatalogue(folder: folder)
            let parameters = try ReportParameters([("by", "category")], for: try catalogue.report("engagement"))
            return try await ReportRunner(catalogue: catalogue, pool: pool).run(parameters, app: keys.app)
                .text(.table, width: ReportCommand.width, allColumns: false)
        }
        Console.print("\nEngagement by category, the last 30 days\n")
        Console.print(text)
        let command = "curl -H \"Authorization: Bearer $KEY\""
        Console.print(
            """
            The page is at \(url)/#key=\(keys.read)
            Keys of each scope are in \(workspace.keysFile). Try:
              KEY=$(sed -n 's/.*"read" : "\\(.*\\)".*/\\1/p' \(workspace.keysFile))
              \(command) '\(url)/v1/reports'
              \(command) '\(url)/v1/reports/engagement?by=campaign&format=table'
            Data is kept in \(workspace.folder) and used by the next start. Ctrl-C stops.
            """
        )
    }

    private func catchUp(_ checkpoints: ProjectionCheckpoints, _ pool: Pool) async throws {
        let drawn = try await LogPositions.read(pool).drawn.rawValue
        guard try await !checkpoints.waitUntil(position: drawn, timeout: .zero) else { return }
        let done = Int(clamping: try await checkpoints.position())
        var progress = Progress("projecting", total: Int(clamping: drawn), done: done)
        while try await !checkpoints.waitUntil(position: drawn, timeout: .milliseconds(500)) {
            progress.show(Int(clamping: try await checkpoints.position()))
        }
        progress.finish(Int(clamping: drawn))
        // Autovacuum has not yet analysed a log that was filled in seconds.
        try await pool.query("ANALYZE")
    }
}
