import ArgumentParser

/// `notilog export`: what is new since the last run, as files.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export what is new since a cursor's last run, as a file with a manifest.",
        discussion: """
            Datasets: events, notifications, device_settings, device_tokens, engagement;
            docs/exports.md says what is in them and how a warehouse takes them in.

            Examples:
              notilog export events --cursor warehouse --output /var/lib/notilog/events \\
                --gzip
              notilog export cursors list
            """,
        subcommands: [Run.self, Cursors.self],
        defaultSubcommand: Run.self
    )
}
