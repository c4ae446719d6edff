internal import Hummingbird
internal import JSON
internal import Pacing

/// `GET /healthz`, whether the process answers, and `GET /readyz`, whether it can do its work.
struct HealthEndpoint: Sendable {
    private let check: ReadinessCheck
    private let readiness: Recent<Readiness>

    /// How long health and metrics wait for the database. It is less than a probe's timeout, so that a probe sees a bad answer
    /// rather than none.
    static let timeout = Duration.milliseconds(2500)

    init(_ check: ReadinessCheck) {
        self.check = check
        readiness = Recent(for: .seconds(1)) { await check.find() }
    }

    var routes: [Route] {
        [
            .open("/healthz", isQuiet: true, isForProbes: true) { _, _ in
                return .object { $0.field("status", "ok") }
            },
            .open("/readyz", isQuiet: true, isForProbes: true) { _, _ in
                let found = try await readiness.value(within: Self.timeout)
                return (found ?? check.unfinished()).response
            },
        ]
    }
}
