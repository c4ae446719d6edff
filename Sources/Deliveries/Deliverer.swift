internal import Foundation
public import Logging
internal import Metrics
public import Pacing

/// Delivers what is in the outbox: each delivery at least once, under one id, until the receiver took it or three days are over.
///
/// A delivery is claimed in a transaction, tried outside of any, and noted in another. A process that ends in between leaves it
/// claimed for a while; then it is tried again.
public struct Deliverer: Sendable {
    private let outbox: Outbox
    private let kinds: [String: @Sendable (Data) throws -> any OutgoingMessage]
    private let webhook: Webhook
    private let mail: MailServer?
    private let seconds: Int

    /// - Parameters:
    ///   - outbox: where deliveries are.
    ///   - messages: what is delivered.
    /// - Throws: ``DeliverySettingsError`` if the settings cannot be used.
    public init(
        _ outbox: Outbox,
        of messages: [any OutgoingMessage.Type],
        _ settings: DeliverySettings
    ) throws(DeliverySettingsError) {
        self.outbox = outbox
        var kinds: [String: @Sendable (Data) throws -> any OutgoingMessage] = [:]
        for type in messages { kinds[type.kind] = { try JSONDecoder().decode(type, from: $0) } }
        self.kinds = kinds
        seconds = settings.attemptSeconds
        let tls = try settings.trusted()
        var key: [UInt8]?
        if let secret = settings.secret {
            key = Webhook.key(secret)
            guard key != nil else {
                throw DeliverySettingsError(
                    "delivery.webhook_secret is not whsec_ followed by 24 to 64 bytes in base64"
                )
            }
        }
        webhook = Webhook(key: key, allowsPrivate: settings.allowsPrivate, tls: tls, seconds: seconds)
        mail = try settings.mailServer(tls, seconds: seconds)
    }

    /// Deliveries under way at a time.
    static let atATime: Int32 = 16

    /// A claim lasts until an attempt and its note are over.
    private var leaseSeconds: Int32 {
        let acceptance = mail == nil ? 0 : MailServer.acceptanceSeconds(seconds)
        return Int32(clamping: 2 * seconds + 5 + acceptance)
    }

    /// Delivers what is due, every two seconds.
    ///
    /// - Parameter logger: receives the number of deliveries, the first failure of each and those given up, and errors.
    public func delivering(logger: Logger) -> Recurring {
        Recurring("deliver messages", every: .pause(Self.pause), logger: logger) {
            try await deliverDue(logger: logger)
        }
    }

    private static let pause = Duration.seconds(2)

    /// What a round waits for.
    private enum Event: Sendable {
        case attempted(id: String, Result<Int, any Error>)
        /// It is time to look for others that are due.
        case paused
    }

    /// Tries what is due, some at a time, until nothing is under way; what a receiver does not take is due again later. A slow
    /// receiver keeps two places at most: others become due meanwhile.
    ///
    /// - Parameter logger: receives failures.
    /// - Returns: how many deliveries their receivers took.
    /// - Throws: `PostgresError` if deliveries cannot be read or noted. An attempt that cannot be noted ends no other: what those
    ///   deliver would be delivered again.
    public func deliverDue(logger: Logger) async throws -> Int {
        try await withThrowingTaskGroup(of: Event.self) { group in
            var underWay: Set<String> = []
            var (delivered, isPaused) = (0, false)
            var failure: (any Error)?
            while true {
                // After a failure or a stop, what is under way ends and nothing is added.
                let goesOn = failure == nil && !Task.isCancelled
                let places = Int(Self.atATime) - underWay.count
                if goesOn, places > 0 {
                    do {
                        let claimed = try await outbox.claim(
                            most: Int32(places),
                            leaseSeconds: leaseSeconds,
                            underWay: underWay
                        )
                        for delivery in claimed {
                            underWay.insert(delivery.id)
                            group.addTask {
                                .attempted(id: delivery.id, await ended { try await attempt(delivery, logger) })
                            }
                        }
                    } catch {
                        failure = error
                    }
                }
                guard !underWay.isEmpty else { break }
                if goesOn, !isPaused {
                    isPaused = true
                    group.addTask {
                        try? await ContinuousClock().sleep(for: Self.pause)
                        return .paused
                    }
                }
                switch try await group.next() {
                case .attempted(id: let id, let result):
                    underWay.remove(id)
                    do { delivered += try result.get() } catch { failure = failure ?? error }
                case .paused, nil: isPaused = false
                }
            }
            group.cancelAll()
            if let failure { throw failure }
            return delivered
        }
    }

    private func ended(_ work: () async throws -> Int) async -> Result<Int, any Error> {
        do { return .success(try await work()) } catch { return .failure(error) }
    }

    private func attempt(_ delivery: Outbox.Claimed, _ logger: Logger) async throws -> Int {
        let problem = await problem(delivery)
        // 5 s after the first attempt, twice as long after each, up to an hour; drawn, so that receivers are not met in step.
        // One that a stop of this service ended is another's to try at once.
        let isStopped = Task.isCancelled
        let pause = min(5 * pow(2, Double(min(delivery.attempts, 20) - 1)), 3600) * Double.random(in: 0.5...1)
        let pauseSeconds = isStopped ? 0 : Int32(pause.rounded(.up))
        // A task of its own is not cancelled by a stop: what a receiver took is noted, and not delivered again.
        let note = Task { try await outbox.end(delivery.id, problem, pauseSeconds: pauseSeconds) }
        let isGivenUp = try await note.value
        let outcome = problem == nil ? "delivered" : isGivenUp ? "given_up" : "failed"
        Counter(label: "notilog_delivery_attempts_total", dimensions: [("outcome", outcome)]).increment()
        guard let problem else { return 1 }
        let facts: Logger.Metadata = [
            "receiver": "\(Receiver.shown(delivery.receiver))", "error": "\(problem)",
            "attempts": "\(delivery.attempts)",
        ]
        if isGivenUp {
            logger.error("a delivery was given up: its receiver took it in none of three days", metadata: facts)
        } else if delivery.attempts == 1, !isStopped {
            logger.warning(
                "a delivery failed and will be tried again for three days: check its receiver",
                metadata: facts
            )
        }
        return 0
    }

    /// Tries a delivery.
    ///
    /// - Returns: why it failed; nil if the receiver has the message.
    private func problem(_ delivery: Outbox.Claimed) async -> String? {
        do {
            try await deliver(delivery)
            return nil
        } catch let failure as DeliveryFailure {
            return failure.description
        } catch {
            return "the message cannot be read: a later release may have written it"
        }
    }

    private func deliver(_ delivery: Outbox.Claimed) async throws {
        guard let read = kinds[delivery.kind] else {
            throw DeliveryFailure("the message is a \(delivery.kind), which a later release makes")
        }
        let message = try read(Data(delivery.message.utf8))
        guard let receiver = Receiver(delivery.receiver) else { throw DeliveryFailure(Receiver.accepted) }
        guard case .mail(let address) = receiver else {
            return try await webhook.deliver(
                message,
                json: delivery.message,
                id: delivery.id,
                createdAt: delivery.createdAt,
                to: receiver
            )
        }
        guard let mail else {
            throw DeliveryFailure("no mail server is set: set mail.host and mail.from for the service")
        }
        try await mail.send(message, id: delivery.id, to: address)
    }
}
