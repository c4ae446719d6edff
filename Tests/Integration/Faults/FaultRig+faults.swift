import Foundation
import Postgres
import PrivatePostgres

extension FaultRig {
    /// Whether this run may make it.
    func canMake(_ kind: FaultKind) -> Bool {
        kind != .fillDisk || disk != nil
    }

    /// Does it, keeps it up for as long as it lasts, and takes its cause away.
    func carryOut(_ fault: Fault, under load: FaultClients) async throws {
        let service = fault.target % services.count
        let line = clientLines[service]
        switch fault.kind {
        case .killService:
            try await killService(service)
            try await startService(service)
        case .killPostmaster:
            try server.kill()
            try await restart()
        case .killBackend:
            try await killBackend(fault)
        case .killBoth:
            try server.kill()
            try await killService(service)
            try await restart()
            try await startService(service)
        case .stopService:
            _ = try await stopService(service)
            try await startService(service)
        case .stopPostgres:
            let server = server
            try await within(.seconds(60), "stop of PostgreSQL") { try await server.stop(.fast) }
            await last(fault)
            try await restart()
        case .terminateBackends:
            try await terminateBackends()
        case .freezeService:
            services[service]?.signal(SIGSTOP)
            await last(fault)
            services[service]?.signal(SIGCONT)
        case .freezeUntilTakenOver: try await freezeUntilTakenOver(service, under: load)
        case .freezeBackend:
            if let process = try await backend(fault) {
                kill(process, SIGSTOP)
                await last(fault)
                kill(process, SIGCONT)
            }
        case .resetDatabase: databaseLine.reset()
        case .truncateDatabase: databaseLine.truncate(after: fault.bytes)
        case .dropDatabase: await drop(databaseLine, fault)
        case .delayDatabase: await delay(databaseLine, fault)
        case .resetClients: line.reset()
        case .truncateClients: line.truncate(after: fault.bytes)
        case .dropClients: await drop(line, fault)
        case .delayClients: await delay(line, fault)
        case .fillDisk: try await fillDisk(fault)
        }
    }

    /// Lets time pass, as the fault's own measure.
    private func last(_ fault: Fault) async {
        try? await ContinuousClock().sleep(for: .milliseconds(fault.milliseconds))
    }

    /// Freezes a service with whatever it holds, until the others have stored events, settled them and applied them to
    /// every projection. Thawed, it finds that others hold what it held.
    private func freezeUntilTakenOver(_ service: Int, under load: FaultClients) async throws {
        services[service]?.signal(SIGSTOP)
        defer { services[service]?.signal(SIGCONT) }
        let (database, start) = (database, ContinuousClock.now)
        for other in services.indices where other != service {
            try await eventually("an acknowledgement of service \(other) beside one frozen", within: .seconds(60)) {
                load.ledger.lastSuccess(of: other).map { $0 >= start } ?? false
            }
        }
        try await within(.seconds(200), "projections taken over from a frozen service") {
            let connection = try await database.connect()
            let drawn: Int64 = try await connection.value("SELECT last_value FROM log.position")
            do {
                try await eventually("projections taken over from a frozen service", within: .seconds(120)) {
                    try await connection.query(
                        // A group that has not begun has no checkpoint.
                        """
                        SELECT count(*) = cardinality($2) AND coalesce(min(position) >= $1, false)
                        FROM projection.checkpoint WHERE name = ANY ($2)
                        """,
                        [.int8(drawn), .texts(FaultOperators.groups)]
                    ).only().get(0)
                }
            } catch let error as DeadlinePassed {
                throw FaultFailure("\(error), drawn \(drawn); \(try await Self.sessions(connection))")
            }
            await connection.close()
        }
    }

    /// How far the log and its projections are, and what every session does and waits for.
    private static func sessions(_ connection: Connection) async throws -> String {
        try await connection.value(
            """
            SELECT concat_ws('; ',
              (SELECT format('epoch %s, drained %s, settled %s', epoch, drained_epoch, settled_position) FROM log.state),
              (SELECT string_agg(format('%s at %s', name, position), ', ') FROM projection.checkpoint),
              (SELECT string_agg(format('%s %s: %s for %s s, waits for %s, blocked by %s: %s', pid, application_name, state,
                extract(epoch FROM clock_timestamp() - state_change)::integer, wait_event, pg_blocking_pids(pid), left(query, 60)), '; ')
                FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND datname = current_database()))
            """
        )
    }

    /// The same of every database.
    func sessions() async throws -> String {
        var all = ""
        for database in databases {
            let connection = try await database.connect()
            all += "\n" + (try await Self.sessions(connection))
            await connection.close()
        }
        return all
    }

    private func drop(_ line: FaultProxy, _ fault: Fault) async {
        line.drop(true)
        await last(fault)
        line.drop(false)
        // A firewall that forgot a connection does not remember it later.
        if fault.bytes % 2 == 0 { line.reset() }
    }

    private func delay(_ line: FaultProxy, _ fault: Fault) async {
        line.delay(milliseconds: 1 + fault.bytes / 8)
        await last(fault)
        line.delay(milliseconds: 0)
    }

    private func restart() async throws {
        let server = server
        try await within(.seconds(90), "restart of PostgreSQL") { try await server.restart() }
    }

    /// One of the sessions of a service, whatever that does.
    private func backend(_ fault: Fault) async throws -> Int32? {
        let all = try await backends("notilog %")
        return all.isEmpty ? nil : all[fault.target % all.count]
    }

    private func killBackend(_ fault: Fault) async throws {
        guard let process = try await backend(fault) else { return }
        let watching = try await database.connect()
        kill(process, SIGKILL)
        // Once the postmaster has noticed, it ends every session and recovers. A session that had ended by itself in the same
        // moment is noticed, too, and ends nothing.
        try await eventually("the end of a killed session's process", within: .seconds(60)) { kill(process, 0) != 0 }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(10)
        while (try? await watching.query("SELECT 1")) != nil, clock.now < deadline {
            try await clock.sleep(for: .milliseconds(5))
        }
        await watching.close()
        try await answered("PostgreSQL after a session was killed")
    }

    private func terminateBackends() async throws {
        let database = database
        try await within(.seconds(10), "pg_terminate_backend") {
            let connection = try await database.connect()
            try await connection.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'notilog %'"
            )
            await connection.close()
        }
    }

    private func fillDisk(_ fault: Fault) async throws {
        disk?.fill()
        await last(fault)
        disk?.clear()
        // Where there was no room for the write-ahead log, PostgreSQL has ended; it comes back once it is started.
        let database = database
        do {
            try await within(.seconds(5), "PostgreSQL after its disk was full") {
                try await database.connect().close()
            }
        } catch {
            let server = server
            _ = try? await within(.seconds(30), "stop of PostgreSQL") { try await server.stop(.immediate) }
            try await restart()
        }
        try await answered("PostgreSQL after its disk was full")
    }

    private func answered(_ what: String) async throws {
        let database = database
        try await eventually(what, within: .seconds(60)) {
            (try? await within(.seconds(5), what) { try await database.connect().close() }) != nil
        }
    }
}
