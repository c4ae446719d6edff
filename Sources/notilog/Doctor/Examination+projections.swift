import Postgres
import Projections
import Schema
import Service

extension Examination {
    func checkpoints(_ pool: Pool) throws -> ProjectionCheckpoints {
        ProjectionCheckpoints(catalogue: try ProjectionCatalogue(folder: try ReleaseFolder.locate()), pool: pool)
    }

    func projections(_ pool: Pool) async throws -> [Finding] {
        let checkpoints = try checkpoints(pool)
        let all = try await checkpoints.status()
        let limit = settings.service.lagLimit
        let differences = try await checkpoints.differences(from: try ReleaseFolder.locate())
        return all.map { status in
            let shown = "\(status.lagEvents) events, \(Int(status.lagSeconds)) s behind"
            if let failure = status.failure {
                return .fail(
                    status.name,
                    "\(shown): \(failure)",
                    "see the service's log; the projection retries by itself"
                )
            }
            if status.isPaused {
                return .warn(
                    status.name,
                    "paused, \(shown)",
                    "run `notilog projections resume \(status.name)` when you are done"
                )
            }
            if differences[status.leader] == .tables {
                return .warn(
                    status.name,
                    "uses the tables of another release, \(shown)",
                    "run `notilog projections rebuild \(status.leader)`"
                )
            }
            return status.lagSeconds > limit
                ? .warn(
                    status.name,
                    shown,
                    "start `notilog serve` with projections.enabled if none is running; else its log says why, and `locks` above who is in the way"
                )
                : .ok(status.name, shown)
        }
    }

    /// Events that projections have set aside.
    func setAside(_ groups: [Diagnosis.SetAside]) -> [Finding] {
        groups.map { group in
            .warn(
                group.name,
                "\(group.events) event\(group.events == 1 ? "" : "s") set aside, the first at position \(group.firstPosition): \(group.error)",
                "fix the cause, then `notilog projections retry \(group.name)`"
            )
        }
    }
}
