import Administration
import ArgumentParser
import Foundation
import Schema

/// `notilog import`: counts from other sources, to compare with Notilog's.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import counts from other sources, for reports to compare with their own.",
        discussion: """
            Example:
              notilog import apns-csv counts.csv --app shop
            """,
        subcommands: [APNsCSV.self]
    )

    struct APNsCSV: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apns-csv",
            abstract: "Import an export of Apple's Push Notifications Console.",
            usage: "notilog import apns-csv [<options>] <file> --app <app>",
            discussion: """
                A CSV file with the columns Push Type, Status, Date (UTC) and Count. The
                report `funnel` shows the counts beside its own. You can import a file again:
                known counts stay, and a later export of the same hour or day replaces the
                earlier one. Of a day there are counts by the hour or by the day, as the
                later export has them. If one line is invalid, nothing is imported.

                Example:
                  notilog import apns-csv export.csv --app shop
                """
        )

        /// APNs' environments, as values of the option.
        enum Environment: String, ExpressibleByArgument, CaseIterable {
            case production, sandbox
        }

        /// Far more than a year of hourly counts.
        private static let largest = 64 << 20

        @OptionGroup var options: SettingsOptions
        @Argument(help: "The file.")
        var file: String
        @Option(help: "The app that sent the pushes.")
        var app: String
        @Option(help: "The bundle id, if the app has several.")
        var topic = ""
        @Option(help: "APNs' environment of the counts.")
        var environment = Environment.production
        @Flag(name: .customLong("json"), help: "Write the result as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var added: Int64
            var changed: Int64
            var unchanged: Int64
            var replaced: Int64
        }

        func run() async throws {
            let export = try PushConsoleExport(csv: try read())
            let done = try await Database.withPool(try await options.settings().database, needs: .writer, writes: true)
            { pool in
                try await Administration(pool).importPushConsole(
                    export,
                    app: app,
                    topic: topic,
                    environment: environment.rawValue
                )
            }
            if asJSON {
                return try JSONOutput.print(
                    Output(
                        added: done.added,
                        changed: done.changed,
                        unchanged: done.unchanged,
                        replaced: done.replaced
                    )
                )
            }
            let replaced = done.replaced > 0 ? ", replaced \(done.replaced) of the same days" : ""
            Console.print("new \(done.added), changed \(done.changed), known before \(done.unchanged)\(replaced)")
        }

        private func read() throws -> String {
            guard let handle = FileHandle(forReadingAtPath: file) else {
                throw CommandFailure("\(file) cannot be read: give the path of the export")
            }
            defer { try? handle.close() }
            // A folder opens, and cannot be read.
            guard let data = try? handle.read(upToCount: Self.largest + 1) ?? Data() else {
                throw CommandFailure("\(file) cannot be read: give the path of the export, which is a file")
            }
            guard data.count <= Self.largest else {
                throw CommandFailure("\(file) is larger than \(Self.largest >> 20) MiB: export fewer days at a time")
            }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw CommandFailure("\(file) is not UTF-8: save it as CSV in UTF-8")
            }
            return text
        }
    }
}
