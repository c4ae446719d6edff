import Administration
import ArgumentParser
import Logging
import Postgres
import PrivatePostgres
import Schema
import Service

/// `notilog dev`: a private PostgreSQL, an app, keys and the service, in one folder.
struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve on a private PostgreSQL, with an app and keys.",
        usage: "notilog dev [<options>]",
        discussion: """
            Starts a PostgreSQL server in the data folder (creates it at the first run),
            migrates its schema, creates the app `demo` with a key of each scope in
            keys.json, and serves until Ctrl-C. When it answers, it prints `ready
            http://127.0.0.1:PORT`, how to sign in and how to reach the database. If its
            PostgreSQL ends, so does it, with an error. With
            --host 0.0.0.0 other devices of the network can connect, such as a phone with
            the app. Settings count as for `notilog serve`, but for the database's.

            Example:
              notilog dev --port 8080
              curl -H "Authorization: Bearer $(jq -r .read .notilog/keys.json)" \\
                http://127.0.0.1:8080/v1/reports
            """
    )

    @OptionGroup var options: SettingsOptions

    @Option(help: "The folder for data and keys.")
    var data = ".notilog"

    @Option(help: "The address to listen on; 0.0.0.0 accepts the network. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 chooses a free one. (default: 8080)")
    var port: UInt16?

    @Flag(help: "Fill an empty log with a month of 5,000 simulated devices, and show a report.")
    var demo = false

    @Option(name: .customLong("demo-devices"), help: .hidden)
    var demoDevices = 5000

    @Option(name: .customLong("demo-days"), help: .hidden)
    var demoDays = 30

    func validate() throws {
        guard options.databaseURL == nil else {
            throw ValidationError(
                "notilog dev runs a PostgreSQL of its own: leave out --database-url, or use `notilog serve` on a database of yours"
            )
        }
    }

    func run() async throws {
        var asked: [String: String?] = ["http.host": host, "http.port": port.map { String($0) }]
        var settings = try await options.settings(asked)
        let logger = settings.logger("notilog")
        var address = ListeningAddress(settings.service.server)
        if demo, address.isEncrypted {
            throw CommandFailure("--demo sends its events over plain HTTP: leave out tls.certificate and tls.key")
        }
        // Before a database is created. Port 0 becomes the one that it is, as links tell it before the service is bound to it.
        let claimed = try address.claim()
        defer { claimed.release() }
        address.port = claimed.port
        asked["http.port"] = String(claimed.port)
        // Links in what is delivered lead to this port, unless somebody has said where else.
        let isPageGiven = settings.isGiven("delivery.page_url")
        if !isPageGiven { asked["delivery.page_url"] = address.page }
        settings = try await options.settings(asked)
        let workspace = try DevWorkspace(folder: data)
        let serverFolder = try workspace.serverFolder()
        Console.note("starting PostgreSQL in \(serverFolder)")
        let server: PrivatePostgres
        do {
            server = try await PrivatePostgres.start(
                .init(folder: serverFolder, settings: DevWorkspace.serverSettings),
                logger: logger
            )
        } catch let error as PrivatePostgresError {
            throw CommandFailure(error.message)
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { [settings, address] in
                    try await serve(server, workspace, settings, address, printsPage: !isPageGiven, logger)
                }
                group.addTask {
                    try await server.ended()
                    throw CommandFailure(
                        "the PostgreSQL of \(serverFolder) has ended: start `notilog dev` again; why it ended is in \(serverFolder)/data/server.log"
                    )
                }
                try await group.next()
            }
        } catch {
            try? await server.stop()
            throw Database.explained(error, needs: Role.ofService)
        }
        try await server.stop()
    }

    private func serve(
        _ server: PrivatePostgres,
        _ workspace: DevWorkspace,
        _ settings: Settings,
        _ address: ListeningAddress,
        printsPage: Bool,
        _ logger: Logger
    ) async throws {
        let database = settings.database(url: server.url(database: DevWorkspace.database))
        try await workspace.makeDatabase(on: server)
        let keys = try await Database.withPool(database, needs: .owner) { pool in
            let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: logger)
            try await pool.withConnection { _ = try await migrator.migrate(on: $0) }
            return try await workspace.keys(Administration(pool))
        }
        let demo =
            demo
            ? Demo(workspace: workspace, keys: keys, database: database, devices: demoDevices, days: demoDays) : nil
        // When the service stops, the demo's sender must not wait for it.
        let sending = TaskBox()
        try await Server.run(settings, database: database) { _ in
            let url = address.url(of: address.local)
            Console.print("ready \(url)")
            let guide = DevGuide(
                address: address,
                key: keys.read,
                database: server.url(database: DevWorkspace.database),
                page: printsPage ? address.page : nil
            )
            for line in guide.lines { Console.note(line) }
            Console.note("keys are in \(workspace.keysFile); stop with Ctrl-C")
            if let demo { await sending.start { await demo.run(url: url) } }
        }
        await sending.cancel()
    }
}

/// Holds one task at most, which can be cancelled.
actor TaskBox {
    private var task: Task<Void, Never>?

    func start(_ body: @escaping @Sendable () async -> Void) {
        task = Task { await body() }
    }

    func cancel() async {
        task?.cancel()
        await task?.value
    }
}
