internal import Postgres
internal import Schema

/// A lane of a version under construction, on a connection of its own.
struct ProjectionBuildLane: Sendable {
    private(set) var connection: Connection
    private(set) var stepper: ProjectionStepper

    init(connection: Connection, stepper: ProjectionStepper) {
        self.connection = connection
        self.stepper = stepper
    }

    /// The lane after its next batch, under its number, and whether it has applied every event that existed when that began.
    func advanced(_ index: Int) async throws -> (Int, ProjectionBuildLane, isDone: Bool) {
        var next = self
        let isDone = try await next.advance()
        return (index, next, isDone)
    }

    private mutating func advance() async throws -> Bool {
        while true {
            try Task.checkCancellation()
            do {
                switch try await stepper.step(on: connection) {
                // Under steady ingest there always is a newer event.
                case .applied(_, _, let isBehind): return !isBehind
                case .setAside: return false
                case .narrowed: continue
                case .busy: try await ContinuousClock().sleep(for: .milliseconds(20))
                case .idle, .paused: return true
                case .replaced:
                    throw ProjectionBuildError(
                        "the version of \(stepper.batch.group.leader) under construction was discarded: run the command again"
                    )
                }
            } catch let error as PostgresError where error.isContention {
                continue
            } catch let error as PostgresError where error.isFoldedTooLong {
                guard stepper.shrink(after: error) else { throw error }
                await connection.close()
                connection = try await Connection.connect(connection.configuration)
            }
        }
    }
}

extension [ProjectionBuildLane] {
    func close() async {
        for lane in self { await lane.connection.close() }
    }
}
