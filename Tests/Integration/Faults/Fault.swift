/// What can happen to one of the processes or lines.
enum FaultKind: String, CaseIterable, Sendable {
    /// SIGKILL, then started again.
    case killService, killPostmaster, killBackend, killBoth
    /// As an operator does: SIGTERM and a new start, `pg_ctl stop` and `start`, `pg_terminate_backend`.
    case stopService, stopPostgres, terminateBackends
    /// SIGSTOP, and SIGCONT after a while.
    case freezeService, freezeBackend
    /// SIGSTOP, until the other service has taken over.
    case freezeUntilTakenOver
    /// The lines between service and PostgreSQL.
    case resetDatabase, dropDatabase, delayDatabase, truncateDatabase
    /// The lines between clients and service.
    case resetClients, dropClients, delayClients, truncateClients
    /// The data disk has no room left, until some is made.
    case fillDisk

    /// Whether it takes until a timeout has passed, some ten seconds.
    var lasts: Bool { self == .freezeUntilTakenOver }
}

/// One step of a schedule.
struct Fault: Sendable, Equatable, CustomStringConvertible {
    var kind: FaultKind
    /// Which of the services, or which of the backends, counted round.
    var target: Int
    /// How long it lasts, where it lasts.
    var milliseconds: Int
    /// Bytes that still go through, where something is cut short.
    var bytes: Int
    /// How long all is well before it.
    var pause: Int

    var description: String { "\(kind.rawValue)(\(target), \(milliseconds) ms, \(bytes) B) after \(pause) ms" }
}

/// Faults without end, which follow from a seed and from which kinds there are: each kind once in every round, in an
/// order of its own.
struct FaultSchedule: Sendable {
    private var random: LawRandom
    private let kinds: [FaultKind]
    private var round: [FaultKind] = []

    init(seed: UInt64, kinds: [FaultKind]) {
        random = LawRandom(seed: seed)
        self.kinds = kinds
    }

    mutating func next() -> Fault {
        if round.isEmpty { round = kinds.shuffled(using: &random) }
        return Fault(
            kind: round.removeLast(),
            target: Int.random(in: 0..<64, using: &random),
            milliseconds: Int.random(in: 50...1200, using: &random),
            bytes: Int.random(in: 0...200, using: &random),
            // Now and then long enough for everything to be as if nothing had been.
            pause: random.chance(15) ? 1500 : Int.random(in: 0...150, using: &random)
        )
    }
}
