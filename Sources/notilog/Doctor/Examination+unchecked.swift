import Postgres
import Schema

extension Examination {
    /// Why a check failed to run, and what to do.
    ///
    /// - Parameter table: the table that the check waited for; nil where it is not known.
    func unchecked(_ check: String, _ error: any Error, waitedFor table: String?, _ pool: Pool) async -> Finding {
        let failure = error as? PostgresError
        if failure?.sqlState == SQLState.lockNotAvailable, let holder = await lockHolder(of: table, pool) {
            let age = holder.seconds.map { ", in a transaction of \(Int($0)) s" } ?? ""
            return .fail(
                check,
                "could not be checked: session \(holder.pid) (\(holder.login ?? "?"), \(holder.application ?? "")) keeps "
                    + "\(holder.relation) locked\(age)",
                "let it end, or end it with SELECT pg_terminate_backend(\(holder.pid)): until then all that reads "
                    + "\(holder.relation) waits"
            )
        }
        return .fail(check, "could not be checked: \(error)", Self.advice(failure))
    }

    /// The first session that keeps readers of a table waiting; nil if there is none any more, or this login may not ask. Where the
    /// table is not known, it is the only one that keeps readers waiting.
    private func lockHolder(of table: String?, _ pool: Pool) async -> LockHolder? {
        let holders = (try? await pool.facts("lock_diagnosis()", as: [LockHolder].self)) ?? []
        guard let table else { return Set(holders.map(\.relation)).count == 1 ? holders.first : nil }
        return holders.first { $0.relation == table }
    }

    private static func advice(_ failure: PostgresError?) -> String {
        let again = "run `notilog doctor` again"
        guard let failure else { return "mend what it says, and \(again)" }
        if failure.refusal == .permission {
            let roles = Role.ofService.map(\.rawValue).joined(separator: " and ")
            return "use the service's login, or grant this one \(roles)"
        }
        if failure.isConnectionFailure { return "see whether PostgreSQL still runs, and \(again)" }
        if failure.hasWaited { return "see in pg_stat_activity what keeps the server busy, and \(again)" }
        return "\(again); if the error stays, report it"
    }
}

extension PostgresError {
    /// Whether a time limit of the statement has passed (57014), or of its wait for a lock (55P03).
    fileprivate var hasWaited: Bool { sqlState == SQLState.queryCanceled || sqlState == SQLState.lockNotAvailable }
}
