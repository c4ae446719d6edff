import Postgres
import Projections
import Service

extension Examination {
    func projections(_ pool: Pool) async throws -> [Finding] {
        let catalogue = try ProjectionCatalogue(folder: try SQLFolder.locate())
        let all = try await ProjectionCheckpoints(catalogue: catalogue, pool: pool).status()
        let limit = settings.service.readyLagSeconds
        return all.map { status in
            let shown = "\(status.lagEvents) events, \(Int(status.lagSeconds)) s behind"
            if let failure = status.failure {
                return .fail(
                    status.name,
                    "\(shown): \(failure)",
                    "look at the service's log; the projection tries again by itself"
                )
            }
            if status.isPaused { return .warn(status.name, "paused, \(shown)", "let it go on when you are done") }
            return status.lagSeconds > limit
                ? .warn(status.name, shown, "is `notilog serve` running? one that projects is needed")
                : .ok(status.name, shown)
        }
    }
}
