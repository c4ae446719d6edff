internal import NIOSSL

extension DeliverySettings {
    /// Whether webhooks can be delivered.
    public var signsWebhooks: Bool { secret != nil }

    /// The server of mail, as it is shown; nil for none.
    public var mailServer: String? { mail.host.map { "\($0):\(mail.port)" } }

    /// How long ``mailProblem()`` may take, in seconds: a person waits for it.
    private static let lookSeconds = 5

    /// Whether the server of mail lets this service in: it is asked as for a delivery, and given no mail.
    ///
    /// - Returns: what is wrong, which has nothing of what it answered but codes; nil if nothing is, or no server is set.
    /// - Throws: ``DeliverySettingsError`` if the settings cannot be used.
    public func mailProblem() async throws(DeliverySettingsError) -> String? {
        let seconds = min(attemptSeconds, Self.lookSeconds)
        guard let server = try mailServer(try trusted(), seconds: seconds) else { return nil }
        do {
            try await server.greet()
            return nil
        } catch {
            return error.description
        }
    }

    /// What makes conversations secure.
    func trusted() throws(DeliverySettingsError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let file = authorities { configuration.trustRoots = .file(file) }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw DeliverySettingsError(
                "delivery.certificate_authorities is not a file of certificates in PEM: check its path"
            )
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
