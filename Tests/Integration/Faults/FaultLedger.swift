import Foundation
import Synchronization

/// What clients were told, event by event.
final class FaultLedger: Sendable {
    struct State {
        /// Where each acknowledged event is said to stand.
        var positions: [UUID: Int64] = [:]
        /// What no service may answer, in words.
        var violations: [String] = []
        /// The start of the latest request of each service that was acknowledged.
        var lastSuccess: [Int: ContinuousClock.Instant] = [:]
        /// Ids said to be stored by this very request; once each.
        var stored: Set<UUID> = []
        var requests = 0
        var repeats = 0
        var broken = 0
        var refused: [Int: Int] = [:]

        /// Takes in what others were told of other events.
        mutating func add(_ other: State) {
            positions.merge(other.positions) { one, _ in one }
            violations += other.violations
            stored.formUnion(other.stored)
            requests += other.requests
            repeats += other.repeats
            broken += other.broken
            refused.merge(other.refused, uniquingKeysWith: +)
        }
    }

    private let box = Mutex(State())

    var state: State { box.withLock { $0 } }
    var count: Int { box.withLock { $0.positions.count } }

    func lastSuccess(of service: Int) -> ContinuousClock.Instant? {
        box.withLock { $0.lastSuccess[service] }
    }

    /// Some of the ids acknowledged so far.
    func sample(_ count: Int, using random: inout LawRandom) -> [UUID] {
        let known = box.withLock { Array($0.positions.keys.prefix(500)) }
        guard !known.isEmpty else { return [] }
        return (0..<count).map { _ in random.one(of: known) }
    }

    func acknowledged(_ ids: [UUID], _ reply: EventsReply, service: Int, sentAt: ContinuousClock.Instant) {
        box.withLock { state in
            state.requests += 1
            state.lastSuccess[service] = max(sentAt, state.lastSuccess[service] ?? sentAt)
            guard reply.results.count == ids.count else {
                state.violations.append("an answer has \(reply.results.count) results for \(ids.count) events")
                return
            }
            for item in reply.results {
                let id = ids[item.index]
                guard let position = item.position, item.status != "rejected" else {
                    state.violations.append("an event was \(item.status): \(item.error?.message ?? "")")
                    continue
                }
                if let first = state.positions[id], first != position {
                    state.violations.append("an event was said to stand at \(first), then at \(position)")
                }
                if item.status == "duplicate" {
                    state.repeats += 1
                } else if !state.stored.insert(id).inserted {
                    state.violations.append("an event was said to be stored twice")
                }
                state.positions[id] = position
            }
        }
    }

    func refused(_ status: Int) {
        box.withLock { state in
            state.refused[status, default: 0] += 1
            if status != 503 && status != 408 { state.violations.append("a request was answered \(status)") }
        }
    }

    func broke() {
        box.withLock { $0.broken += 1 }
    }
}
