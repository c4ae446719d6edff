import Administration
import ArgumentParser
import EventLog
import Postgres
import Schema

/// The options of commands on one app of a database, or of the store of `notilog dev`.
struct AppOptions: ParsableArguments {
    @OptionGroup var store: StoreOptions

    @Option(help: "The app; required if there are several.")
    var app: String?

    /// Lends connections, and the app.
    ///
    /// - Parameters:
    ///   - role: what is named if a right is missing.
    ///   - writes: whether the command changes something.
    /// - Throws: as ``ChosenApp/find(_:_:)`` and ``StoreOptions/withPool(needs:writes:_:)``.
    func withPool<Value>(
        needs role: Role,
        writes: Bool = false,
        _ body: (Pool, App) async throws -> Value
    ) async throws -> Value {
        try await store.withPool(needs: role, writes: writes) { pool in
            try await body(pool, try await ChosenApp.find(app, pool))
        }
    }

    /// Lends what administers apps, and the app. It needs `Role.writer`.
    ///
    /// - Throws: as ``withPool(needs:writes:_:)``.
    func withApp<Value>(
        writes: Bool = false,
        _ body: (Administration, AppID) async throws -> Value
    ) async throws -> Value {
        try await withPool(needs: .writer, writes: writes) { pool, app in try await body(Administration(pool), app.id) }
    }
}
