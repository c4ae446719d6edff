import ArgumentParser
import EventLog
import NotificationEvents
import Postgres
import Projections
import Schema

extension ProjectionsCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List position, lag, state and failures of every projection.",
            usage: "notilog projections list [<options>]",
            discussion: """
                States: live; paused; rebuilding or verifying, with the progress; failing, with
                the error. Events set aside could not be applied, or not within the time limit;
                the projection continues without them. `--set-aside` lists them, and counts the
                devices and tokens with too many events for a state. POSITION is that of the
                last lane; --json has those of all.

                Example:
                  notilog projections list --json
                """
        )
        @OptionGroup var options: SettingsOptions
        @Flag(name: .customLong("json"), help: "Write the list as JSON.")
        var asJSON = false
        @Flag(name: .customLong("set-aside"), help: "List the events set aside instead.")
        var showsSetAside = false

        private struct Output: Encodable {
            var name: String
            var leader: String
            var position: Int64
            var lanes: [Int64]
            var lagEvents: Int64
            var lagSeconds: Double
            var state: String
            var paused: Bool
            var failure: String?
            var setAside: Int64
            var rebuilt: Double?
            var verified: Double?
            var outdated: String?
            /// Nil of one that was never applied.
            var updatedAt: String?

            /// The state with its error or its progress.
            var fullState: String {
                if let failure { return "failing: \(failure)" }
                if state == "live", let verified { return "verifying \(Int(verified * 100)) %" }
                return state + (rebuilt.map { " \(Int($0 * 100)) %" } ?? "")
            }
        }

        func run() async throws {
            try await ProjectionsCommand.withCheckpoints(options) { try await show($0, $1) }
        }

        private func show(_ checkpoints: ProjectionCheckpoints, _ folder: ReleaseFolder) async throws {
            let (all, differences) = (try await checkpoints.status(), try await checkpoints.differences(from: folder))
            let (setAside, excess) = (try await checkpoints.setAside(), try await checkpoints.excess())
            let (skipped, verifications) = (try await checkpoints.skipped(), try await checkpoints.verifications())
            if showsSetAside {
                try show(setAside)
                for app in excess { Console.note(Self.excess(of: app)) }
                for app in skipped {
                    Console.note(
                        "app \(app.app): \(app.notifications) notifications are as they were before a change: \(app.error)"
                    )
                }
                return
            }
            try TextTable(
                all.map { output($0, differences[$0.leader], verifications[$0.leader]) },
                [
                    "PROJECTION": { $0.name }, "POSITION": { String($0.position) },
                    "LANES": { String(max(1, $0.lanes.count)) },
                    "LAG": { String($0.lagEvents) },
                    "SECONDS": { String(($0.lagSeconds * 10).rounded() / 10) }, "STATE": { $0.fullState },
                    "SET ASIDE": { String($0.setAside) }, "UPDATED": { $0.updatedAt ?? "" },
                ]
            ).print(asJSON: asJSON)
            if asJSON { return }
            for status in all where status.name == status.leader {
                if let advice = Self.advice(status.name, differences[status.leader]) { Console.note(advice) }
            }
            for leader in verifications.keys.sorted() {
                Console.note(
                    "\(leader) has a version to verify it with: if no `notilog projections verify` is under way, one was interrupted, "
                        + "and `notilog retention run` discards it"
                )
            }
        }

        private func output(
            _ status: ProjectionStatus,
            _ difference: ProjectionCheckpoints.Difference?,
            _ verification: ProjectionBuildProgress?
        ) -> Output {
            Output(
                name: status.name,
                leader: status.leader,
                position: status.position,
                lanes: status.lanes,
                lagEvents: status.lagEvents,
                lagSeconds: status.lagSeconds,
                state: status.state,
                paused: status.isPaused,
                failure: status.failure,
                setAside: status.setAside,
                rebuilt: status.rebuild?.fraction,
                verified: verification?.fraction,
                outdated: difference?.rawValue,
                updatedAt: status.updatedAt > 0 ? Timestamp(microseconds: status.updatedAt).description : nil
            )
        }

        private struct SetAside: Encodable {
            var projection: String
            var lane: Int16
            var position: Int64
            var sqlstate: String
            var error: String
            var attempts: Int32
            var setAsideAt: String
        }

        private func show(_ events: [SetAsideEvent]) throws {
            let all = events.map {
                SetAside(
                    projection: $0.leader,
                    lane: $0.lane,
                    position: $0.position,
                    sqlstate: $0.sqlState,
                    error: $0.error,
                    attempts: $0.attempts,
                    setAsideAt: Timestamp(microseconds: $0.setAsideAt).description
                )
            }
            try TextTable(
                all,
                [
                    "PROJECTION": { $0.projection }, "POSITION": { String($0.position) },
                    "TRIES": { String($0.attempts) }, "SET ASIDE": { $0.setAsideAt }, "ERROR": { $0.error },
                ]
            ).print(asJSON: asJSON)
        }

        private static func excess(of app: (app: AppID, devices: Int64, tokens: Int64)) -> String {
            "app \(app.app): \(app.devices) devices and \(app.tokens) tokens with more than 10,000 events have no token states"
        }

        /// What to do if the version in use differs from this release's files.
        static func advice(_ leader: String, _ difference: ProjectionCheckpoints.Difference?) -> String? {
            switch difference {
            case .tables?:
                "\(leader) uses the tables of another release: run `notilog projections rebuild \(leader)`"
            case .rows?:
                "\(leader) changed after its rows were made: `notilog projections verify \(leader)` tells whether they "
                    + "would differ, `rebuild` makes them again"
            case nil: nil
            }
        }
    }
}
