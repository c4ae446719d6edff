internal import NIOSSL
internal import Settings

extension DeliverySettings {
    /// The server of mail.
    struct Mail: Sendable {
        let host: String?
        let port: Int
        let security: String
        let user: String?
        let password: String?
        let from: String?

        /// Reads the settings.
        init(_ settings: SettingsReader) {
            host = settings.text("mail.host", "SMTP server for alerts and digests; default: no mail")
            port = settings.integer("mail.port", default: 587, atLeast: 1, atMost: 65_535, "port of the SMTP server")
            security = settings.text(
                "mail.tls",
                default: "starttls",
                "starttls, implicit, or none for a server that is trusted like this machine"
            )
            user = settings.text("mail.user", "user of the SMTP server; default: no authentication")
            password = settings.text("mail.password", isSecret: true, "password of the SMTP server")
            from = settings.text("mail.from", "address that mail is from")
        }
    }

    /// Whether webhooks can be delivered.
    public var signsWebhooks: Bool { secret != nil }

    /// The server of mail, as it is shown; nil for none.
    public var mailServer: String? { mail.host.map { "\($0):\(mail.port)" } }

    /// How long ``mailProblem()`` may take, in seconds: a person waits for it.
    private static let checkSeconds = 5

    /// Whether the server of mail lets this service in: it is asked as for a delivery, and given no mail.
    ///
    /// - Returns: what is wrong, which has nothing of what it answered but codes; nil if nothing is, or no server is set.
    /// - Throws: ``DeliverySettingsError`` if the settings cannot be used.
    public func mailProblem() async throws(DeliverySettingsError) -> String? {
        let seconds = min(attemptSeconds, Self.checkSeconds)
        guard let server = try mailServer(try trusted(), seconds: seconds) else { return nil }
        do {
            try await server.greet()
            return nil
        } catch {
            return error.description
        }
    }

    /// The server of mail; nil for none.
    func mailServer(_ tls: NIOSSLContext, seconds: Int) throws(DeliverySettingsError) -> MailServer? {
        guard let host = mail.host else { return nil }
        guard let security = MailServer.Security(rawValue: mail.security) else {
            throw DeliverySettingsError("mail.tls must be starttls, implicit or none")
        }
        guard let from = mail.from, case .mail? = Receiver("mailto:\(from)") else {
            throw DeliverySettingsError("mail.host needs mail.from, an address such as notilog@example.com")
        }
        guard (mail.user == nil) == (mail.password == nil) else {
            throw DeliverySettingsError("mail.user and mail.password belong together: set both or none")
        }
        return MailServer(
            host: host,
            port: mail.port,
            security: security,
            user: mail.user,
            password: mail.password,
            from: from,
            tls: tls,
            seconds: seconds
        )
    }
}
