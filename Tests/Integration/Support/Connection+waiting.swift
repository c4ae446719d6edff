import Postgres

extension Connection {
    /// The processes that wait for the lock of a table of this database. The databases of other tests are copies of the same
    /// template: a table has the same number in each.
    func waiting(for table: String) async throws -> [Int32] {
        try await query(
            """
            SELECT pid FROM pg_locks
            WHERE NOT granted AND relation = $1::regclass
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """,
            [.text(table)]
        ).map { try $0.get(0) }
    }
}
