import ArgumentParser

/// `notilog export`: the rows that are new since the last run, as files.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export the rows that are new since a cursor's last run, as a file with a manifest.",
        discussion: """
            Datasets: events, notifications, device_settings, device_tokens, engagement.
            docs/exports.md describes them and how a warehouse loads them.

            Examples:
              notilog export events --cursor warehouse --output /var/lib/notilog/events \\
                --gzip
              notilog export cursors list
            """,
        subcommands: [Run.self, Cursors.self],
        defaultSubcommand: Run.self
    )
}
