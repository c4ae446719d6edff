internal import Postgres

extension Connection {
    /// Keeps comments with the objects that they are about, as far as these are there.
    ///
    /// - Throws: ``PostgresError``.
    func describe(_ comments: [SQLComment]) async throws {
        // The schema, as some tests have it, has no functions.
        guard try await has("notilog.describe") else { return }
        try await query(
            "SELECT notilog.describe($1, $2, $3, $4)",
            [
                .texts(comments.map(\.kind)), .texts(comments.map(\.object)), .texts(comments.map { $0.column ?? "" }),
                .texts(comments.map(\.text)),
            ]
        )
    }

    /// Makes the views that analysts read, and the reports by one dimension each.
    ///
    /// - Throws: ``PostgresError``.
    func makeReadable() async throws {
        guard try await has("notilog.make_all_readable") else { return }
        try await query("SELECT notilog.make_all_readable(), reporting.name_dimensions()")
    }

    /// Makes functions that count ask the other cells of a cluster again, after they were replaced.
    func gatherCounts() async throws {
        guard try await has("notilog.gather_counts") else { return }
        try await query("SELECT notilog.gather_counts()")
    }

    private func has(_ function: String) async throws -> Bool {
        try await query("SELECT to_regproc($1) IS NOT NULL", [.text(function)]).only().get(0)
    }
}
