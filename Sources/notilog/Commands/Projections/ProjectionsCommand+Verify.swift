import ArgumentParser
import Pacing
import Postgres
import Projections
import Schema

extension ProjectionsCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare a projection, or all, with a rebuild of it, row by row.",
            usage: "notilog projections verify [<options>] [<name>]",
            discussion: """
                Builds a version beside the one in use, up to the same position, compares every
                table, and drops the new version, also when it is interrupted. Exits with 1 if
                a row differs. Keys are shown as digests, because they contain device ids.

                Example:
                  notilog projections verify notification
                """
        )
        @OptionGroup var options: SettingsOptions
        @Argument(help: "The projection; default: all.")
        var name: String?
        @Flag(name: .customLong("json"), help: "Write the comparison as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            struct Table: Encodable {
                var name: String
                var rows: Int64
                var missing: Int64
                var extra: Int64
                var different: Int64
                var columns: [String]
                var keys: [String]
            }
            var projections: [String]
            var position: Int64
            var equal: Bool
            var tables: [Table]
            var setAside: [Int64]
            var setAsideByRebuild: [Int64]
        }

        func run() async throws {
            let all = try name.map { try ProjectionsCommand.files(of: [$0]) } ?? ProjectionsCommand.files()
            try await options.onEachCell(needs: .projector, writes: true) { try await run(all, $0) }
        }

        private func run(_ all: [ProjectionFiles], _ settings: Settings) async throws {
            var reports: [ProjectionVerification.Report] = []
            for files in all {
                let verification = ProjectionVerification(
                    settings.database,
                    files: files,
                    logger: settings.logger("notilog")
                )
                do {
                    reports.append(
                        try await Interruption.cancelling { try await Self.run(verification, of: files.group) }
                    )
                } catch is CancellationError {
                    throw CommandFailure("the verification was interrupted, and its version is dropped: run it again")
                } catch {
                    throw Database.explained(error, needs: [.projector])
                }
            }
            if asJSON { try JSONOutput.print(reports.map(output)) } else { reports.forEach(show) }
            let broken = reports.filter { !$0.isEqual }
            guard let first = broken.first else {
                let count = reports.reduce(0) { $0 + $1.projections.count }
                if !asJSON {
                    Console.print("equal to a rebuild: \(count) \(count == 1 ? "projection" : "projections")")
                }
                return
            }
            throw CommandFailure(
                "\(ProjectionsCommand.named(broken.flatMap(\.projections))) differ from a rebuild: "
                    + "run `notilog projections rebuild \(first.projections[0])`"
            )
        }

        private static func run(
            _ verification: ProjectionVerification,
            of group: ProjectionGroup
        ) async throws -> ProjectionVerification.Report {
            var bar = BuildProgress("verifying \(group.leader)")
            return try await deferring({ bar.finish() }) { try await verification.run { bar.show($0) } }
        }

        private func show(_ report: ProjectionVerification.Report) {
            TextTable(
                report.tables,
                [
                    "TABLE": { $0.name }, "ROWS": { String($0.rows) }, "MISSING": { String($0.missing) },
                    "EXTRA": { String($0.extra) }, "DIFFERENT": { String($0.different) },
                    "COLUMNS": { $0.columns.joined(separator: " ") }, "KEYS": { $0.keys.joined(separator: " ") },
                ]
            ).print()
            let (serving, rebuilt) = report.setAside
            if !serving.isEmpty || !rebuilt.isEmpty {
                Console.print("set aside: \(serving.count) by the version in use, \(rebuilt.count) by the rebuild")
            }
        }

        private func output(_ report: ProjectionVerification.Report) -> Output {
            Output(
                projections: report.projections,
                position: report.position,
                equal: report.isEqual,
                tables: report.tables.map {
                    Output.Table(
                        name: $0.name,
                        rows: $0.rows,
                        missing: $0.missing,
                        extra: $0.extra,
                        different: $0.different,
                        columns: $0.columns,
                        keys: $0.keys
                    )
                },
                setAside: report.setAside.serving.map(\.position),
                setAsideByRebuild: report.setAside.rebuilt.map(\.position)
            )
        }
    }
}
