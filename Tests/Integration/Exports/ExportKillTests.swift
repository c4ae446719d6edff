import Foundation
import Postgres
import Testing

/// The command killed at random moments, over and over.
struct ExportKillTests {
    /// How many runs are killed; NOTILOG_EXPORT_KILLS says otherwise.
    private static let kills = ProcessInfo.processInfo.environment["NOTILOG_EXPORT_KILLS"].flatMap(Int.init) ?? 6

    @Test(.timeLimit(.minutes(10)), arguments: [false, true])
    func killedRunsSkipAndRepeatNothing(_ gzip: Bool) async throws {
        try await ExportsDatabase.with { exports in
            let arguments =
                ["export", "events", "--cursor", "killed", "--app", "demo", "--output", exports.folder.path]
                + (gzip ? ["--gzip"] : [])
            let environment = ["NOTILOG_DATABASE_URL": exports.database.url]
            // How long a whole run takes, so that deaths come anywhere in it.
            try await exports.append(many: 10_000)
            let begun = ContinuousClock.now
            #expect(try await NotilogCommand.run(arguments, environment: environment).status == 0)
            let whole = begun.duration(to: .now)
            // A machine that is faster by now gets less time, so that every run but a few is cut short.
            var (cutShort, longest, attempts) = (0, whole, 0)
            while cutShort < Self.kills, attempts < 10 * Self.kills {
                attempts += 1
                try await exports.append(many: .random(in: 1...6_000))
                let moment = longest * Double.random(in: 0.2...1.1)
                // More comes while it runs.
                async let more: Void = exports.append(many: .random(in: 1...2_000))
                if try await NotilogCommand.runKilled(arguments, environment: environment, after: moment) {
                    cutShort += 1
                } else {
                    longest = longest * 0.8
                }
                try await more
            }
            // The server may not have noticed yet that the last one is gone. Then a run takes up what was recorded, and
            // another what came since.
            let deadline = ContinuousClock.now + .seconds(60 + 4 * Self.kills)
            var last = ""
            while !last.contains("nothing new"), ContinuousClock.now < deadline {
                let result = try await NotilogCommand.run(arguments, environment: environment)
                last = result.errors
                #expect(result.status == 0 || last.contains("under way"), "\(last)")
            }
            #expect(last.contains("nothing new"))
            #expect(cutShort == Self.kills)

            let lines = try await ExportedFolder(url: exports.folder).checkedLines()
            let positions = lines.map { String($0.dropFirst(#"{"position":"#.count).prefix { $0 != "," }) }
            let stored = try await exports.text("SELECT e.position::text FROM log.event e ORDER BY e.position")
            // Not in the expectation, which would print them.
            let isWhole = positions.joined(separator: "\n") == stored
            #expect(isWhole, "\(positions.count) rows, \(Set(positions).count) of them different")
            #expect(ExportedFolder(url: exports.folder).names.allSatisfy { !$0.contains("~") })
        }
    }
}
