import Administration
import Postgres

/// The app of a command.
enum ChosenApp {
    /// The app of that name; without a name, the only app.
    ///
    /// - Throws: ``CommandFailure`` if there is not exactly one; `AdministrationError` if no app has that name.
    static func find(_ name: String?, _ pool: Pool) async throws -> App {
        if let name { return try await Administration(pool).app(name) }
        let apps = try await Administration(pool).apps()
        guard let only = apps.first else {
            throw CommandFailure("there is no app: create one with `notilog apps create NAME`")
        }
        guard apps.count == 1 else {
            throw CommandFailure(
                "there are several apps, choose one: --app \(apps.map(\.name).joined(separator: " or --app "))"
            )
        }
        return only
    }
}
