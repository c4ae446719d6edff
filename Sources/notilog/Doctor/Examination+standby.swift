import EventLog
import Logging
import Postgres
import Schema
import Service

extension Examination {
    /// The standby that the service reads reports from, if it has one. Without it reports are read from the primary, so nothing
    /// here keeps the service from its work.
    func reportStandby(_ primary: Pool) async throws -> [Finding] {
        guard let options = settings.service.standby else { return [] }
        let configuration = settings.database(url: options.database)
            .with(settings: ["statement_timeout": "10s"], applicationName: SessionName.doctor.rawValue)
        let pool = Pool(configuration, limit: 1)
        let standby = Standby(
            reading: pool,
            monitoring: Pool(configuration, limit: 1),
            primary: primary,
            lagLimit: options.lagLimit,
            logger: Logger(label: "notilog") { _ in SwiftLogNoOpLogHandler() }
        )
        let status = await standby.probe()
        var findings = [Self.finding(status)]
        if status.lag != nil,
            try await pool.query("SELECT current_setting('hot_standby_feedback') = 'off'").only().get(0)
        {
            findings.append(
                .warn(
                    "report_standby",
                    "hot_standby_feedback is off on the standby",
                    "set it to on, or reports are cancelled when the primary vacuums rows that they read"
                )
            )
        }
        await standby.shutDown()
        return findings
    }

    private static func finding(_ status: StandbyStatus) -> Finding {
        let check = "report_standby"
        let lag = status.lag.map { "\($0.bytes) bytes, \($0.positions) positions, \(Int($0.seconds)) s behind" }
        let found = [status.problem, lag].compactMap(\.self).joined(separator: "; ")
        return switch status.state {
        case .following: .ok(check, found)
        case .behind:
            .warn(check, found, "see pg_stat_replication on the primary, and long statements on the standby")
        case .unknown, .away:
            .warn(check, found, "start the standby, or check reports.database_url and its pg_hba.conf")
        case .promoted:
            .fail(check, found, "make it a standby again, or point database.url at it if it took over")
        case .foreign:
            .fail(check, found, "point reports.database_url at a streaming standby of database.url")
        }
    }
}
