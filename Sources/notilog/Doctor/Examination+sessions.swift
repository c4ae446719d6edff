import EventLog
import Foundation
import Postgres
import Projections
import Service

extension Examination {
    /// With fewer connections left, the next session may be refused.
    private static let spareConnections: Int64 = 5
    static let connectionAdvice = "end sessions that nobody needs (see pg_stat_activity), or raise max_connections"

    /// The server's sessions, slots and standbys.
    func server(_ facts: ServerDiagnosis) -> [Finding] {
        var findings = [transactions(facts), locks(facts), slots(facts.slots)]
        if facts.inRecovery {
            findings.append(
                .fail("primary", "the server is a standby, which accepts no events", "point the service at the primary")
            )
        }
        if facts.standbyMissing {
            findings.append(
                .fail(
                    "standby",
                    "synchronous_standby_names is set and no synchronous standby is connected: commits wait for it",
                    "reconnect the standby, or remove it from synchronous_standby_names"
                )
            )
        }
        if facts.encoding != "UTF8" {
            findings.append(
                .fail("encoding", "the database is in \(facts.encoding)", "create it with ENCODING 'UTF8'")
            )
        }
        if facts.transactionAge > 1_000_000_000 {
            findings.append(
                .fail(
                    "freezing",
                    "the oldest transaction is \(facts.transactionAge / 1_000_000) million transaction ids old, of 2,000 million at most",
                    "find what keeps autovacuum from freezing (idle_transactions, slots), then VACUUM FREEZE"
                )
            )
        }
        if !facts.neverVacuumed.isEmpty {
            findings.append(
                .warn(
                    "autovacuum",
                    "autovacuum is off for \(facts.neverVacuumed.joined(separator: ", "))",
                    "ALTER TABLE … RESET (autovacuum_enabled)"
                )
            )
        }
        return findings
    }

    /// The server's connections.
    ///
    /// - Parameters:
    ///   - projections: the state of every projection, for the number of lanes: each has a session.
    ///   - server: the server, as `host:port`.
    ///   - cells: the databases that the log is in, of which several may be there.
    func connections(
        _ facts: ServerDiagnosis,
        _ projections: [ProjectionStatus],
        at server: String?,
        _ cells: Cells
    ) -> Finding {
        let lanes = Dictionary(projections.map { ($0.leader, max($0.lanes.count, 1)) }, uniquingKeysWith: max)
        let needed = settings.service.sessions(
            lanes: lanes.values.reduce(0, +),
            cells: cells.all.count,
            here: cells.all.count { $0.database.server == server },
            hasCoordinator: cells.coordinator.database.server == server
        )
        let shown = "\(facts.connections) of \(facts.connectionLimit) in use, an instance needs \(needed)"
        guard facts.connectionLimit >= needed + 3 else {
            return .fail("connections", shown, "raise max_connections, or the database's or login's CONNECTION LIMIT")
        }
        guard facts.connectionLimit - facts.connections >= Self.spareConnections else {
            return .warn("connections", "\(shown): hardly any is left", Self.connectionAdvice)
        }
        // While instances are replaced one by one, two run at once.
        return facts.connectionLimit >= 2 * needed + 3
            ? .ok("connections", shown)
            : .warn("connections", shown, "raise max_connections: replacing an instance needs connections for two")
    }

    private func transactions(_ facts: ServerDiagnosis) -> Finding {
        if facts.preparedTransactions > 0 {
            return .fail(
                "idle_transactions",
                "\(facts.preparedTransactions) prepared transactions are left",
                "find them in pg_prepared_xacts, then COMMIT PREPARED or ROLLBACK PREPARED"
            )
        }
        guard let longest = facts.idleTransactions.first else {
            return .ok(
                "idle_transactions",
                facts.seesSessions ? "none" : "none of this login; GRANT pg_monitor to see all"
            )
        }
        let state = longest.isIdle ? "idle in a transaction" : "in one transaction"
        return .warn(
            "idle_transactions",
            "session \(longest.pid) (\(longest.login ?? "?"), \(longest.application ?? "")) has been \(state) for "
                + "\(Int(longest.seconds)) s" + (facts.idleTransactions.count > 1 ? ", and others" : ""),
            "end it with SELECT pg_terminate_backend(\(longest.pid)); set idle_in_transaction_session_timeout for its login"
        )
    }

    private func locks(_ facts: ServerDiagnosis) -> Finding {
        guard let first = facts.blocking.first else {
            return .ok(
                "locks",
                facts.seesSessions ? "nobody waits" : "nobody is seen to wait; GRANT pg_monitor to see all"
            )
        }
        return .warn(
            "locks",
            "session \(first.pid) (\(first.login ?? "?"), \(first.application ?? "")) holds a lock for which \(first.waiting) "
                + "session\(first.waiting == 1 ? "" : "s") wait\(first.waiting == 1 ? "s" : ""), for \(Int(first.seconds)) s"
                + (facts.blocking.count > 1 ? ", and others do so too" : ""),
            "let it end, or end it with SELECT pg_terminate_backend(\(first.pid)): until then what waits stands still"
        )
    }

    private func slots(_ slots: [ServerDiagnosis.Slot]) -> Finding {
        let behind = slots.filter {
            !$0.active || ($0.bytes ?? 0) > 1 << 30 || ["unreserved", "lost"].contains($0.status)
        }
        guard let first = behind.first else {
            return .ok("slots", slots.isEmpty ? "none" : "\(slots.count), none behind")
        }
        let held = (first.bytes ?? 0) >> 20
        return .warn(
            "slots",
            "replication slot \(first.name) \(first.active ? "is behind" : "is not in use") and holds back \(held) MB of WAL",
            "reconnect its consumer, or SELECT pg_drop_replication_slot('\(first.name)') before the disk is full"
        )
    }

    /// The TLS certificate, if the service has one.
    func certificate() -> [Finding] {
        guard let files = settings.service.server.tls else { return [] }
        do {
            let days = (Double(try files.expiry()) - Date().timeIntervalSince1970) / 86_400
            let shown = "\(files.certificate) is valid for \(Int(days)) days"
            if days < 0 {
                return [
                    .fail(
                        "tls",
                        "\(files.certificate) expired \(Int(-days)) days ago",
                        "renew it, then send the service SIGHUP"
                    )
                ]
            }
            return [days < 14 ? .warn("tls", shown, "renew it, then send the service SIGHUP") : .ok("tls", shown)]
        } catch {
            return [.fail("tls", "\(error)", "`notilog serve` does not start until it is fixed")]
        }
    }
}
