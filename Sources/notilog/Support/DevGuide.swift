import Foundation
import PrivatePostgres

/// What `notilog dev` prints once it answers: how to sign in, how to reach the database, and which addresses accept
/// connections.
struct DevGuide {
    let address: ListeningAddress
    /// The key of scope read, for the page.
    let key: String
    /// The database, as a libpq URL.
    let database: String
    /// Where links lead that commands print; nil where the settings of the shell say so already.
    let page: String?

    var lines: [String] {
        let links = page.map { " NOTILOG_DELIVERY_PAGE_URL=\($0.shellWord)" } ?? ""
        var lines = ["the page:      \(signIn(address.local))"]
        lines += address.others.map { "on the network: \(signIn($0))" }
        lines += [
            "SQL:           \(Self.psql) \(database.shellWord)",
            "this command:  export PATH=\(Self.folder.shellWord):\"$PATH\" NOTILOG_DATABASE_URL=\(database.shellWord)\(links)",
        ]
        if !address.isLocal, !address.isEncrypted {
            lines.append(
                "warning: every device of the network can reach this service, and keys and events are not encrypted: "
                    + "use it only on a network that you trust"
            )
        }
        return lines
    }

    /// A link that signs in. The browser does not send the part after `#`: it reaches no server and no log.
    private func signIn(_ host: String) -> String {
        "\(address.url(of: host))/#key=\(key)"
    }

    /// The folder of this command.
    private static let folder: String = {
        let path =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    }()

    /// `psql` if the shell finds it by name, else its path.
    private static var psql: String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        if folders.contains(where: { FileManager.default.isExecutableFile(atPath: $0 + "/psql") }) { return "psql" }
        return (try? ServerPrograms.find()).map { $0.folder + "/psql" } ?? "psql"
    }
}
