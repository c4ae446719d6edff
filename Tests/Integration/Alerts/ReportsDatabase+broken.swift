import Postgres

extension ReportsDatabase {
    /// Adds the apps `broken` (2), whose reports end the session that they run in, and `unread` (3); `demo` (1) has an event.
    func addBrokenApps() async throws {
        try await append([Self.delivered("d", "n", Self.time(90_000))])
        try await apply()
        try await connection.query("INSERT INTO notilog.app (name) VALUES ('broken'), ('unread')")
        try await connection.query(
            """
            CREATE OR REPLACE FUNCTION reporting.app_id(app text) RETURNS integer LANGUAGE plpgsql STABLE AS $$
            BEGIN
              PERFORM pg_terminate_backend(pg_backend_pid()) WHERE app = 'broken';
              RETURN (SELECT a.app_id FROM notilog.app a WHERE a.name = app);
            END $$
            """
        )
    }
}
