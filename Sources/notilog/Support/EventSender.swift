import Foundation
import NotificationEvents
import Pacing
import PlainHTTP
import Simulator

/// The keys for simulated traffic.
struct SenderKeys: Sendable {
    /// Of scope write, for events of apps.
    var app: String
    /// Of scope provider, for events of push senders.
    var provider: String
}

/// The result of sending.
struct SendResult: Sendable, CustomStringConvertible {
    var accepted = 0
    var duplicate = 0
    var rejected = 0
    /// Events of requests that were refused or not answered, after several attempts.
    var unanswered = 0

    var total: Int { accepted + duplicate + rejected + unanswered }

    var description: String {
        "\(accepted) accepted, \(duplicate) duplicates, \(rejected) rejected"
            + (unanswered > 0 ? ", \(unanswered) not answered" : "")
    }

    mutating func add(_ other: SendResult) {
        accepted += other.accepted
        duplicate += other.duplicate
        rejected += other.rejected
        unanswered += other.unanswered
    }
}

/// The events of one request: of one source, and of senders with the same clock skew.
struct EventBatch: Sendable {
    struct Kind: Hashable, Sendable {
        var source: SimulatedSource
        var clockSkew: Int64
    }

    var kind: Kind
    var lines: [UInt8] = []
    var count = 0
}

/// Sends simulated events over HTTP, several requests at a time, and retries refused ones.
struct EventSender: Sendable {
    let address: HTTPAddress
    let keys: SenderKeys
    let connections: Int
    let batch: Int

    init(url: String, keys: SenderKeys, connections: Int, batch: Int) throws {
        address = try HTTPAddress(url: url)
        self.keys = keys
        self.connections = connections
        self.batch = batch
    }

    /// Sends every event, with a progress bar.
    ///
    /// - Throws: `HTTPFailure` if the address does not answer; ``CommandFailure`` if a key is refused.
    func send(_ simulation: Simulation) async throws -> SendResult {
        Console.note(
            "counting the events of \(simulation.parameters.devices) devices over \(simulation.parameters.days) days"
        )
        let total = simulation.counts().values.reduce(0, +)
        var progress = Progress("sending", total: total)
        var result = SendResult()
        try await withThrowingTaskGroup(of: SendResult.self) { group in
            var idle: [SenderConnection] = []
            for _ in 0..<connections {
                idle.append(SenderConnection(connection: try await HTTPConnection.connect(address)))
            }
            let senders = SenderConnections(idle)
            var underWay = 0
            for batch in EventBatches(simulation, size: batch) {
                if underWay == connections, let done = try await group.next() {
                    underWay -= 1
                    result.add(done)
                    progress.show(result.total)
                }
                underWay += 1
                group.addTask {
                    let connection = await senders.take()
                    let answer = try await self.send(batch, over: connection)
                    await senders.giveBack(connection)
                    return answer
                }
            }
            for try await done in group {
                result.add(done)
                progress.show(result.total)
            }
            await senders.close()
        }
        progress.finish(result.total)
        return result
    }

    private func send(_ batch: EventBatch, over connection: SenderConnection) async throws -> SendResult {
        var backoff = Backoff(first: .milliseconds(200), longest: .seconds(5))
        for _ in 0..<10 {
            var asked = Duration.zero
            if let answer = try? await connection.post(batch, key: key(of: batch), to: address) {
                switch answer.status {
                case 200, 422: return Self.counts(answer)
                case 401, 403: throw CommandFailure("the service refused the key: \(Self.detail(answer))")
                case 429, 503:
                    let seconds = answer.headers["retry-after"].flatMap(Int.init) ?? 1
                    asked = .seconds(min(seconds, 5))
                default: throw CommandFailure("the service answered \(answer.status): \(Self.detail(answer))")
                }
            }
            try await ContinuousClock().sleep(for: max(asked, backoff.next()))
        }
        return SendResult(unanswered: batch.count)
    }

    private func key(of batch: EventBatch) -> String {
        switch batch.kind.source {
        case .app: keys.app
        case .provider: keys.provider
        }
    }

    private struct Counts: Decodable {
        var accepted: Int
        var duplicate: Int
        var rejected: Int
    }

    private struct ProblemDetail: Decodable {
        var detail: String
    }

    private static func counts(_ answer: HTTPAnswer) -> SendResult {
        guard let counts = try? JSONDecoder().decode(Counts.self, from: Data(answer.body)) else { return SendResult() }
        return SendResult(accepted: counts.accepted, duplicate: counts.duplicate, rejected: counts.rejected)
    }

    private static func detail(_ answer: HTTPAnswer) -> String {
        (try? JSONDecoder().decode(ProblemDetail.self, from: Data(answer.body)).detail) ?? "no reason given"
    }
}
