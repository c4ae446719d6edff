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

    /// The lane after its next batch, under its number, and what was left beyond that as it began.
    func advanced(_ index: Int) async throws -> (Int, ProjectionBuildLane, ProjectionBatch.Remaining) {
        var next = self
        let left = try await next.advance()
        return (index, next, left)
    }

    /// Applies a slice and no event.
    mutating func slice() async throws {
        do {
            if case .busy = try await stepper.slice(on: connection) {
                try await ContinuousClock().sleep(for: .milliseconds(20))
            }
        } catch let error as PostgresError where error.isContention {
            return
        }
    }

    private mutating func advance() async throws -> ProjectionBatch.Remaining {
        while true {
            try Task.checkCancellation()
            do {
                switch try await stepper.step(on: connection) {
                // Under steady ingest there always is a newer event.
                case .applied(_, _, let left): return left
                case .setAside: return .events
                case .narrowed: continue
                case .busy: try await ContinuousClock().sleep(for: .milliseconds(20))
                case .idle, .paused: return .nothing
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
        for lane in self {
            await lane.stepper.batch.ahead?.close()
            await lane.connection.close()
        }
    }
}
