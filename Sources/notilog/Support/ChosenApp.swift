import Administration
import Postgres

/// The app that a command is about.
enum ChosenApp {
    /// The app of that name; without a name the only one there is.
    ///
    /// - Throws: ``CommandFailure`` where that leaves it open; `AdministrationError` where there is none of that name.
    static func find(_ name: String?, _ pool: Pool) async throws -> App {
        if let name { return try await Administration(pool).app(name) }
        let apps = try await Administration(pool).apps()
        guard let only = apps.first else {
            throw CommandFailure("there is no app: make one with `notilog apps create NAME`")
        }
        guard apps.count == 1 else {
            throw CommandFailure(
                "there are several apps, so say which: --app \(apps.map(\.name).joined(separator: " or --app "))"
            )
        }
        return only
    }
}
