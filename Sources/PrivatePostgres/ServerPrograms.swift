internal import Foundation

/// The folder of PostgreSQL's programs on this machine.
public struct ServerPrograms: Sendable {
    /// The folder that holds `initdb`, `postgres` and `pg_ctl`.
    public let folder: String

    /// Searches Debian's folders (the newest version first), `PATH`, and Homebrew's.
    ///
    /// - Throws: ``PrivatePostgresError`` with the package to install.
    public static func find() throws(PrivatePostgresError) -> ServerPrograms {
        let debian = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? [])
            .compactMap(Double.init).sorted(by: >).map { "\(debian)/\($0.formatted)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let candidates = versions + path + ["/opt/homebrew/opt/postgresql/bin", "/usr/local/opt/postgresql/bin"]
        for folder in candidates
        where ["initdb", "postgres", "pg_ctl"].allSatisfy({
            FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
        }) {
            return ServerPrograms(folder: folder)
        }
        throw PrivatePostgresError(
            "PostgreSQL's server programs (initdb, postgres) were not found: install them with `apt-get install postgresql`"
        )
    }

    func path(_ program: String) -> String {
        "\(folder)/\(program)"
    }
}

extension Double {
    /// 15 rather than 15.0, as the folders are named.
    fileprivate var formatted: String {
        self == rounded() ? String(Int(self)) : String(self)
    }
}
