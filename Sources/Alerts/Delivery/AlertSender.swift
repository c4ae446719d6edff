internal import Foundation
public import Logging
internal import NIOSSL
public import Pacing
internal import Postgres

/// Delivers what was raised: each delivery at least once, under one id, until the receiver took it or three days are over.
///
/// A delivery is claimed in a transaction, tried outside of any, and noted in another. A process that ends in between leaves it
/// claimed for a while; then it is tried again.
public struct AlertSender: Sendable {
    private let store: AlertStore
    private let webhook: Webhook
    private let mail: MailServer?
    private let seconds: Int

    /// - Throws: ``AlertSettingsError`` if the settings cannot be used.
    public init(_ store: AlertStore, _ settings: AlertSettings) throws(AlertSettingsError) {
        self.store = store
        seconds = settings.attemptSeconds
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let file = settings.authorities { configuration.trustRoots = .file(file) }
        let tls: NIOSSLContext
        do {
            tls = try NIOSSLContext(configuration: configuration)
        } catch {
            throw AlertSettingsError("alerts.certificate_authorities is no file of certificates in PEM: check its path")
        }
        var key: [UInt8]?
        if let secret = settings.secret {
            key = Webhook.key(secret)
            guard key != nil else {
                throw AlertSettingsError("alerts.webhook_secret is not whsec_ followed by 24 to 64 bytes in base64")
            }
        }
        webhook = Webhook(key: key, allowsPrivate: settings.allowsPrivate, tls: tls, seconds: seconds)
        guard let host = settings.mail.host else {
            mail = nil
            return
        }
        guard let security = MailServer.Security(rawValue: settings.mail.security) else {
            throw AlertSettingsError("mail.tls is starttls, implicit or none")
        }
        guard let from = settings.mail.from, case .mail? = AlertReceiver("mailto:\(from)") else {
            throw AlertSettingsError("mail.host needs mail.from, an address such as notilog@example.com")
        }
        guard (settings.mail.user == nil) == (settings.mail.password == nil) else {
            throw AlertSettingsError("mail.user and mail.password belong together: set both or none")
        }
        mail = MailServer(
            host: host,
            port: settings.mail.port,
            security: security,
            user: settings.mail.user,
            password: settings.mail.password,
            from: from,
            tls: tls,
            seconds: seconds
        )
    }

    /// Deliveries under way at a time.
    private static let atATime: Int32 = 16

    /// Rounds of a turn.
    private static let rounds = 100

    /// Delivers what is due, every two seconds.
    ///
    /// - Parameter logger: receives the number of deliveries, and errors.
    public func delivering(logger: Logger) -> Recurring {
        Recurring("alerts delivered", every: .pause(.seconds(2)), logger: logger) { try await deliverDue() }
    }

    /// Tries what is due, some at a time; what a receiver does not take is due again later.
    ///
    /// - Returns: how many deliveries their receivers took.
    /// - Throws: `PostgresError` if deliveries cannot be read or noted.
    public func deliverDue() async throws -> Int {
        var count = 0
        for _ in 0..<Self.rounds {
            // An attempt and its note are over by then.
            let rows = try await store.pool.query(
                "SELECT delivery_id::text, receiver, message, attempts FROM notilog.claim_alert_deliveries($1, $2)",
                [.int4(Self.atATime), .int4(Int32(clamping: 2 * seconds + 5))]
            )
            guard !rows.isEmpty, !Task.isCancelled else { break }
            let claimed = try rows.map { row in
                (
                    try row.get(0, as: String.self), try row.get(1, as: String.self), try row.get(2, as: String.self),
                    try row.get(3, as: Int32.self)
                )
            }
            count += try await withThrowingTaskGroup(of: Int.self) { group in
                for (id, receiver, message, attempts) in claimed {
                    group.addTask { try await attempt(id, receiver, message, attempts) }
                }
                return try await group.reduce(0, +)
            }
        }
        return count
    }

    private func attempt(_ id: String, _ receiver: String, _ json: String, _ attempts: Int32) async throws -> Int {
        var problem: String?
        do {
            try await deliver(id, receiver, json)
        } catch let failure as DeliveryFailure {
            problem = failure.description
        } catch {
            problem = "the message cannot be read: a later release may have written it"
        }
        // 5 s after the first attempt, twice as long after each, up to an hour; drawn, so that receivers are not met in step.
        let pause = min(5 * pow(2, Double(min(attempts, 20) - 1)), 3600) * Double.random(in: 0.5...1)
        try await store.pool.query(
            "SELECT notilog.end_alert_delivery($1::text::uuid, $2, $3)",
            [.text(id), .text(problem), .int4(Int32(pause.rounded(.up)))]
        )
        return problem == nil ? 1 : 0
    }

    private func deliver(_ id: String, _ text: String, _ json: String) async throws {
        let message = try JSONDecoder().decode(AlertMessage.self, from: Data(json.utf8))
        guard let receiver = AlertReceiver(text) else { throw DeliveryFailure(AlertReceiver.accepted) }
        guard case .mail(let address) = receiver else {
            return try await webhook.deliver(message, json: json, id: id, to: receiver)
        }
        guard let mail else { throw DeliveryFailure("no mail server is set: mail.host") }
        try await mail.send(id: id, to: address, subject: message.subject, text: message.lines)
    }
}
