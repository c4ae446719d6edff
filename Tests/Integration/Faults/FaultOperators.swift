import Foundation
import Postgres
import Synchronization

/// Commands that run beside the services, over and over, some of them killed: an export of the log, and rebuilds.
final class FaultOperators: Sendable {
    struct State: Sendable {
        var exports = 0
        var rebuilds = 0
        /// Of them, those that gave a group so many lanes as they were told to.
        var lanes: [Int: Int] = [:]
        var killed = 0
    }

    static let groups = ["notification", "device_token"]
    private let environment: [String: String]
    private let folder: String
    private let app: String
    private let seed: UInt64
    private let box = Mutex(State())
    private let isStopped = Mutex(false)

    /// - Parameters:
    ///   - database: where the commands go, past the lines that are harmed.
    ///   - app: whose events are exported.
    ///   - seed: when they are killed follows from it.
    init(database: TestDatabase, app: TestApp, seed: UInt64) throws {
        environment = ["NOTILOG_DATABASE_URL": database.url]
        folder = try Programs.makeFolder("notilog-fault-export-")
        self.app = app.name
        self.seed = seed
    }

    var state: State { box.withLock { $0 } }

    func stop() {
        isStopped.withLock { $0 = true }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Gives `notification` so many lanes, which the services share.
    ///
    /// - Throws: what the command says, if it fails.
    func begin(lanes: Int) async throws {
        let rebuilding = ["projections", "rebuild", "notification", "--lanes", "\(lanes)"]
        let result = try await NotilogCommand.run(rebuilding, environment: environment)
        guard result.status == 0 else { throw FaultFailure("rebuild in \(lanes) lanes: \(result.errors)") }
    }

    /// Runs commands until ``stop()``, or until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.repeatExports() }
            group.addTask { await self.repeatRebuilds() }
        }
    }

    private var isOver: Bool { Task.isCancelled || isStopped.withLock { $0 } }

    private func repeatExports() async {
        var random = LawRandom(seed: seed &+ 1)
        while !isOver {
            if await runs(exporting, killedAfter: random.chance(60) ? Int.random(in: 30...1500, using: &random) : nil) {
                box.withLock { $0.exports += 1 }
            }
            try? await ContinuousClock().sleep(for: .milliseconds(Int.random(in: 100...1000, using: &random)))
        }
    }

    private func repeatRebuilds() async {
        var random = LawRandom(seed: seed &+ 2)
        while !isOver {
            try? await ContinuousClock().sleep(for: .milliseconds(Int.random(in: 500...3000, using: &random)))
            let group = random.one(of: Self.groups)
            // The services share the lanes of every version, whatever their number.
            let lanes = group == "notification" && random.chance(70) ? random.one(of: [1, 2, 4]) : nil
            let rebuilding = ["projections", "rebuild", group] + (lanes.map { ["--lanes", "\($0)"] } ?? [])
            if await runs(rebuilding, killedAfter: random.chance(40) ? Int.random(in: 50...3000, using: &random) : nil)
            {
                box.withLock {
                    $0.rebuilds += 1
                    if let lanes { $0.lanes[lanes, default: 0] += 1 }
                }
            }
        }
    }

    private var exporting: [String] {
        ["export", "events", "--cursor", "faults", "--app", app, "--output", folder, "--gzip"]
    }

    /// Whether a command came to its end, and well.
    private func runs(_ arguments: [String], killedAfter milliseconds: Int?) async -> Bool {
        guard let milliseconds else {
            return (try? await NotilogCommand.run(arguments, environment: environment).status) == 0
        }
        let moment = Duration.milliseconds(milliseconds)
        let isKilled = try? await NotilogCommand.runKilled(arguments, environment: environment, after: moment)
        if isKilled == true { box.withLock { $0.killed += 1 } }
        return false
    }

    /// Brings the rebuilds and the export that were cut short to their end.
    ///
    /// - Throws: what a command says that fails.
    func finish() async throws {
        for group in Self.groups {
            let result = try await NotilogCommand.run(["projections", "rebuild", group], environment: environment)
            guard result.status == 0 else { throw FaultFailure("rebuild of \(group): \(result.errors)") }
        }
        try await eventually("an export with nothing new", within: .seconds(120)) {
            try await NotilogCommand.run(exporting, environment: environment).errors.contains("nothing new")
        }
    }

    /// What of the log the exported files lack, or hold more than once. What they held of an erased device is deleted by a
    /// tombstone.
    ///
    /// - Throws: a sum, a name or a range that is not as its manifest says.
    ///
    /// - Parameter cell: the number of the connection's cell; nil for a database that is alone.
    func exportViolations(_ connection: Connection, cell: Int?) async throws -> [String] {
        let folder = folder + (cell.map { "/cell-\($0)" } ?? "")
        var (kept, deleted, violations): (Set<Int64>, Set<Int64>, [String]) = ([], [], [])
        for line in try await ExportedFolder(url: URL(fileURLWithPath: folder)).checkedLines() {
            guard let position = Int64(line.dropFirst(#"{"position":"#.count).prefix { $0 != "," }) else {
                violations.append("an exported row has no position")
                continue
            }
            if line.contains(#""tombstone":true"#) {
                if kept.remove(position) == nil { violations.append("\(position) was deleted, which was not exported") }
                deleted.insert(position)
            } else if !kept.insert(position).inserted || deleted.contains(position) {
                violations.append("\(position) was exported twice")
            }
        }
        let logged = try await connection.query("SELECT log.given(e.position) FROM log.event e").map {
            try $0.get(0, as: Int64.self)
        }
        let missing = Set(logged).subtracting(kept).subtracting(deleted).count
        let unknown = kept.union(deleted).subtracting(logged).count
        if missing + unknown > 0 {
            violations.append("\(missing) events were not exported, \(unknown) exported that the log does not hold")
        }
        return violations
    }
}
