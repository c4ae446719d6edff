import Administration
import ArgumentParser
import EventLog

/// The options of commands on one app of a database, or of the store of `notilog dev`.
struct AppOptions: ParsableArguments {
    @OptionGroup var store: StoreOptions

    @Option(help: "The app; required if there are several.")
    var app: String?

    /// Lends what administers apps, and the app.
    ///
    /// - Throws: as ``ChosenApp/find(_:_:)`` and ``StoreOptions/withPool(_:)``.
    func withApp<Value>(_ body: (Administration, AppID) async throws -> Value) async throws -> Value {
        try await store.withPool { pool in
            try await body(Administration(pool), try await ChosenApp.find(app, pool).id)
        }
    }
}
