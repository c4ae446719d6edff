public import Settings

/// The settings of deliveries: by what alerts and digests are delivered.
public struct DeliverySettings: Sendable {
    /// Where people open the page.
    public let pageURL: String
    /// The timeout of an attempt to deliver, in seconds.
    let attemptSeconds: Int
    /// Signs webhooks; nil for none.
    let secret: String?
    /// Whether webhooks may go to http URLs and to private addresses.
    let allowsPrivate: Bool
    /// A file of certificates to trust instead of the system's; nil for those.
    let authorities: String?
    let mail: Mail

    /// The server of mail.
    struct Mail: Sendable {
        let host: String?
        let port: Int
        let security: String
        let user: String?
        let password: String?
        let from: String?
    }

    /// Reads the settings.
    public init(_ settings: SettingsReader) {
        pageURL = settings.url(
            "delivery.page_url",
            default: "http://127.0.0.1:8080/",
            "where people open the page, for links in what is delivered"
        )
        attemptSeconds = settings.integer(
            "delivery.attempt_seconds",
            default: 10,
            atLeast: 1,
            "timeout of an attempt to deliver"
        )
        secret = settings.text(
            "delivery.webhook_secret",
            isSecret: true,
            "signs webhooks: whsec_ and 24 to 64 bytes in base64"
        )
        allowsPrivate = settings.flag(
            "delivery.private_receivers",
            default: false,
            "whether webhooks may go to http URLs and private addresses"
        )
        authorities = settings.text(
            "delivery.certificate_authorities",
            "file of certificates to trust in deliveries, PEM; default: the system's"
        )
        mail = Mail(
            host: settings.text("mail.host", "SMTP server for alerts and digests; default: no mail"),
            port: settings.integer("mail.port", default: 587, atLeast: 1, atMost: 65_535, "port of the SMTP server"),
            security: settings.text(
                "mail.tls",
                default: "starttls",
                "starttls, implicit, or none for a server that is trusted like this machine"
            ),
            user: settings.text("mail.user", "user of the SMTP server; default: no authentication"),
            password: settings.text("mail.password", isSecret: true, "password of the SMTP server"),
            from: settings.text("mail.from", "address that mail is from")
        )
    }
}

/// Why nothing can be delivered with these settings.
public struct DeliverySettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in one sentence that says what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
