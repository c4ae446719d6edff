import EventLog
import Postgres
import Projections
import Schema
import Testing

extension ProjectionFixture {
    /// Applies what is there, gathers statistics, and gives how many rows the batch after it reads, those of the system's catalogue
    /// aside.
    func readByNext(
        _ name: String = "notification",
        _ append: (ProjectionFixture) async throws -> Void
    ) async throws -> Int64 {
        try await Settler.settleNow(on: connection)
        // Batches that a debug build beside other suites folds long before its session counts as idle.
        try await runner(batch: 5_000).catchUp()
        try await connection.query("ANALYZE")
        let applied = try await status(name).position
        try await append(self)
        let last = try await Settler.settleNow(on: connection).rawValue
        let group = try checkpoints.group(of: name)
        return try await connection.withTransaction { connection in
            try await group.apply(after: applied, upTo: last, on: connection)
            try await connection.query(
                "SELECT projection.move('projection', $1, 0::smallint, $2, $3)",
                [.text(group.leader), .int8(applied), .int8(last)]
            )
            return try await connection.value(
                "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables"
            )
        }
    }

    /// Applies the next batch as the runner does, and gives how many rows it read, those of the system's catalogue aside: how
    /// often a plan is made anew depends on when autovacuum came by.
    func readByBatch(_ name: String = "notification", on worker: Connection) async throws -> Int64 {
        let group = try checkpoints.group(of: name)
        let settled = try await Settler.settleNow(on: connection).rawValue
        // What the session counted before and has not passed on yet would count as this batch's.
        try await worker.query("SELECT pg_stat_force_next_flush()")
        return try await worker.withTransaction { worker in
            let from: Int64 = try await worker.value(
                "SELECT position FROM projection.checkpoint WHERE name = $1",
                [.text(group.leader)]
            )
            try await group.apply(after: from, upTo: settled, on: worker)
            let moved = try await worker.query(
                "SELECT projection.move('projection', $1, 0::smallint, $2, $3)",
                [.text(group.leader), .int8(from), .int8(settled)]
            ).only().get(0, as: Bool.self)
            #expect(moved)
            return try await worker.value(
                "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables"
            )
        }
    }
}
