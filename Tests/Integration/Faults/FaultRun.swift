import Foundation
import Postgres

/// One run: clients at work, faults one after the other, and in the end the verdict.
struct FaultRun: Sendable {
    let seed: UInt64
    /// How long faults are made at least: a machine that hangs makes few in that time, and goes on until there are enough.
    let duration: Duration
    let leastFaults: Int
    let kinds: [FaultKind]
    let diskMegabytes: Int
    /// Whether autovacuum runs.
    var vacuums = true
    let clients: Int
    /// How many databases share the devices.
    var cells = 1
    /// How many lanes of `notification` the services share at the start; rebuilds change it.
    var lanes = 1
    /// Told of each fault as it is over.
    var progress: @Sendable (Fault, Duration) -> Void = { _, _ in }

    /// A fault, and how long it took from its end to the first events acknowledged by every service.
    struct Step: Sendable {
        var fault: Fault
        var recovery: Duration
    }

    struct Outcome: Sendable {
        var faults: [Step] = []
        /// How many lanes `notification` had at the start.
        var lanes = 1
        var ledger = FaultLedger.State()
        var history = FaultHistory.State()
        var leavers = FaultLeavers.State()
        var operators = FaultOperators.State()
        /// What must not be found once it is over, in words.
        var violations: [String] = []
        var verdict = FaultVerdict(lost: 0, twice: 0, stored: 0, setAside: [], differing: [])
        var skipped: [FaultKind] = []
        /// The most memory that a service took at the end, in MiB.
        var residentMegabytes = 0
        /// From the last acknowledgement to the last projection that has it.
        var drained = Duration.zero
    }

    /// - Throws: what failed, with the seed and the faults so far.
    func run() async throws -> Outcome {
        let rig = try await FaultRig.start(diskMegabytes: diskMegabytes, vacuums: vacuums, cells: cells)
        var outcome = Outcome(lanes: lanes)
        do {
            try await run(on: rig, &outcome)
        } catch {
            let logs = rig.services.compactMap { $0?.log.suffix(1500) }.joined(separator: "\n---\n")
            await rig.tearDown()
            let faults = outcome.faults.map(\.fault.description).joined(separator: ", ")
            throw FaultFailure("seed \(seed), after \(faults): \(error)\n\(logs)")
        }
        await rig.tearDown()
        return outcome
    }

    private func run(on rig: FaultRig, _ outcome: inout Outcome) async throws {
        let ports = rig.clientLines.map(\.port)
        let load = FaultClients(ports: ports, key: rig.app.write, seed: seed)
        let readers = FaultReaders(ports: ports, app: rig.app, seed: seed)
        let leavers = FaultLeavers(ports: ports, app: rig.app, seed: seed)
        let operators = try FaultOperators(database: rig.database, app: rig.app, seed: seed)
        defer { operators.remove() }
        try await operators.begin(lanes: lanes)
        let working = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await load.run(clients) }
                group.addTask { await readers.run(4) }
                group.addTask { await leavers.run() }
                group.addTask { await operators.run() }
            }
        }
        defer { working.cancel() }
        try await recover(rig, load, since: .now, "at the start")
        let possible = kinds.filter(rig.canMake)
        var schedule = FaultSchedule(seed: seed, kinds: possible)
        outcome.skipped = FaultKind.allCases.filter { !possible.contains($0) }
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end || outcome.faults.count < leastFaults {
            let fault = schedule.next()
            try await ContinuousClock().sleep(for: .milliseconds(fault.pause))
            outcome.faults.append(Step(fault: fault, recovery: .zero))
            try await rig.carryOut(fault, under: load)
            let recovery = try await recover(rig, load, since: .now, "after \(fault)")
            outcome.faults[outcome.faults.count - 1].recovery = recovery
            progress(fault, recovery)
        }
        rig.heal()
        // A busy machine recovers slower than the next fault comes, so that nobody may have read yet. What comes on is no more than it can
        // take: here it is faults that are survived, not more events than the machine applies.
        load.stop()
        let isOver = try await eventually(within: .seconds(300)) {
            !readers.history.state.reads.isEmpty && leavers.state.erased > 0
        }
        guard isOver else {
            let (reads, erased) = (readers.history.state, leavers.state.erased)
            throw FaultFailure(
                "\(reads.reads.count) answered reads and \(erased) erasures once the faults are over, other answers \(reads.unanswered): "
                    + (try await rig.sessions())
            )
        }
        readers.stop()
        leavers.stop()
        operators.stop()
        // What follows reads the whole log, several times, and a command under way once: a longer run has more to read.
        let written = load.ledger.state.positions.count
        func limit(_ seconds: Int) -> Duration { .seconds(seconds + written / 1000) }
        try await within(limit(120), "the last acknowledgements and commands") { await working.value }
        let stopped = ContinuousClock.now
        outcome.ledger = [load.ledger, readers.ledger, leavers.ledger].map(\.state).reduce(into: .init()) { $0.add($1) }
        (outcome.history, outcome.leavers) = (readers.history.state, leavers.state)
        try await caughtUp(rig)
        outcome.drained = ContinuousClock.now - stopped
        try await within(limit(300), "the end of rebuilds and exports") { try await operators.finish() }
        outcome.operators = operators.state
        for (number, service) in rig.services.enumerated() {
            if let service { outcome.residentMegabytes = max(outcome.residentMegabytes, service.residentMegabytes) }
            _ = try await rig.stopService(number)
        }
        outcome.violations = rig.failures
        let (databases, ledger) = (rig.databases, outcome.ledger)
        outcome.violations += ledger.violations + outcome.history.violations + outcome.leavers.violations
        outcome.violations += try await within(limit(600), "a look for erased devices and through the exports") {
            var violations: [String] = []
            for (cell, database) in databases.enumerated() {
                let connection = try await database.connect()
                violations += try await operators.exportViolations(connection, cell: databases.count > 1 ? cell : nil)
                await connection.close()
                violations += try await StoreSearch.places(of: [FaultLeavers.prefix], in: database).map {
                    "an erased device is still in \($0) of cell \(cell)"
                }
            }
            return violations
        }
        outcome.verdict = try await within(limit(600), "the verdict") {
            try await FaultVerdict.find(ledger, in: databases)
        }
    }

    /// Waits until every service has acknowledged a request that was made after the cause was gone.
    @discardableResult
    private func recover(
        _ rig: FaultRig,
        _ load: FaultClients,
        since start: ContinuousClock.Instant,
        _ what: String
    ) async throws -> Duration {
        for service in rig.services.indices {
            try await eventually("an acknowledgement of service \(service) \(what)", within: .seconds(60)) {
                load.ledger.lastSuccess(of: service).map { $0 >= start } ?? false
            }
        }
        return ContinuousClock.now - start
    }

    /// Waits until the services themselves have applied everything, with nobody's help.
    private func caughtUp(_ rig: FaultRig) async throws {
        for database in rig.databases {
            try await within(.seconds(130), "projections at the end of the log") {
                let connection = try await database.connect()
                try await eventually("projections at the end of the log", within: .seconds(120)) {
                    try await connection.value(
                        """
                        SELECT count(*) > 0 AND min(position) >= (SELECT coalesce(max(position), 0) FROM log.event)
                          AND coalesce((SELECT min(applied) FROM log.copied) >= (SELECT coalesce(max(position), 0) FROM log.event), true)
                        FROM projection.checkpoint WHERE name IN ('notification', 'device_token')
                        """
                    )
                }
                await connection.close()
            }
        }
    }
}

extension ServiceProcess {
    /// Resident memory, in MiB (proc(5), VmRSS).
    var residentMegabytes: Int { megabytes("VmRSS:") }
    /// The most that there was (VmHWM).
    var peakMegabytes: Int { megabytes("VmHWM:") }

    private func megabytes(_ field: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(field) }
        let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        return (number ?? 0) / 1024
    }
}
