import ArgumentParser
import Foundation
import Logging
import Pacing
import Postgres
import PrivatePostgres
import Schema

/// The options of commands that use a database, or the store of `notilog dev`, whether it is running or not.
struct StoreOptions: ParsableArguments {
    @OptionGroup var options: SettingsOptions

    @Option(help: "The data folder of `notilog dev`, instead of a database.")
    var data: String?

    func validate() throws {
        guard data == nil || options.databaseURL == nil else {
            throw ValidationError("--data and --database-url exclude each other: use one")
        }
    }

    /// Lends a pool of few connections.
    ///
    /// - Parameters:
    ///   - role: what is named if a right is missing.
    ///   - writes: whether the command changes something.
    /// - Throws: ``CommandFailure`` if the folder holds no store; as ``Database/withPool(_:limit:needs:writes:_:)``.
    func withPool<Value>(
        needs role: Role,
        writes: Bool = false,
        _ body: (Pool) async throws -> Value
    ) async throws -> Value {
        let settings = try await options.settings()
        guard let data else { return try await Database.withPool(settings.database, needs: role, writes: writes, body) }
        guard FileManager.default.fileExists(atPath: data + "/postgres") else {
            throw CommandFailure("\(data) holds no store of `notilog dev`: give its data folder with --data")
        }
        let folder = try DevWorkspace(folder: data).serverFolder()
        func use(_ url: String) async throws -> Value {
            try await Database.withPool(settings.database(url: url), needs: role, writes: writes, body)
        }
        if let url = PrivatePostgres.runningURL(folder: folder, database: DevWorkspace.database) {
            return try await use(url)
        }
        let server: PrivatePostgres
        do {
            server = try await PrivatePostgres.start(
                .init(folder: folder, settings: DevWorkspace.serverSettings),
                logger: settings.logger("notilog")
            )
        } catch let error as PrivatePostgresError {
            throw CommandFailure(error.message)
        }
        return try await deferring({ try await server.stop() }) {
            try await use(server.url(database: DevWorkspace.database))
        }
    }
}
