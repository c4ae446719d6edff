import ArgumentParser
import Foundation
import Logging
import Metrics
import Postgres
import Schema
import Service

/// `notilog serve`: the service on an existing database.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve HTTP on an existing database.",
        usage: "notilog serve [<options>]",
        discussion: """
            Options override NOTILOG_* variables, which override the file of --config. The
            service refuses to start on a schema of another release, and says which command
            fixes it. Prints `ready http://HOST:PORT` when it answers. With tls.certificate
            and tls.key it serves HTTPS; on SIGHUP it reads the two files again.

            Example:
              notilog serve --database-url postgresql://notilog@db/notilog --port 8080
            """
    )

    @OptionGroup var options: SettingsOptions

    @Option(help: "The address to listen on.")
    var host: String?

    @Option(help: "The port to listen on; 0 chooses a free one.")
    var port: String?

    @Option(name: .customLong("set"), help: "Any other setting, as KEY=VALUE; may be repeated.")
    var assignments: [String] = []

    @Flag(name: .customLong("print-config"), help: "Show every setting with its source, secrets hidden, and exit.")
    var printsConfiguration = false

    @Flag(name: .customLong("json"), help: "With --print-config: write the settings as JSON.")
    var asJSON = false

    func validate() throws {
        guard printsConfiguration || !asJSON else { throw ValidationError("--json goes with --print-config") }
    }

    func run() async throws {
        var more: [String: String?] = ["http.host": host, "http.port": port]
        for assignment in assignments {
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw ValidationError("--set takes KEY=VALUE, such as http.port=8080") }
            more[String(parts[0])] = String(parts[1])
        }
        let settings = try await options.settings(more)
        if printsConfiguration {
            return try settings.table.print(asJSON: asJSON)
        }
        let server = settings.service.server
        let scheme = server.tls == nil ? "http" : "https"
        try await Server.run(settings, database: settings.database) { port in
            let host = server.host.contains(":") ? "[\(server.host)]" : server.host
            Console.print("ready \(scheme)://\(host):\(port)")
        }
    }
}

/// Runs the service in this process.
enum Server {
    static func run(
        _ settings: Settings,
        database: ConnectionConfiguration,
        ready: @escaping @Sendable (Int) async -> Void
    ) async throws {
        FreedMemory.returnsToSystem()
        let logger = settings.logger("notilog")
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        let service = NotilogService(
            settings.service,
            database: database,
            folder: try ReleaseFolder.locate(),
            metrics: metrics,
            logger: logger
        )
        do {
            try await service.run { port in
                logger.notice("ready", metadata: ["port": "\(port)"])
                await ready(port)
                ProgramCode.release()
            }
        } catch let error as PostgresError where error.refusal == .permission {
            let roles = Role.ofService.map(\.rawValue).joined(separator: " and of ")
            throw CommandFailure(
                "\(error.message): run `notilog migrate` again if it was interrupted, and use a login that is a member of \(roles)"
            )
        } catch let error as PostgresError where error.refusal != nil {
            throw Database.explained(error, needs: Role.ofService)
        } catch let error as PostgresError where error.isConnectionFailure {
            throw CommandFailure("the database does not answer (\(error)): check it with `notilog doctor`")
        }
        logger.notice("stopped")
    }
}
