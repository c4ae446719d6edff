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
            atMost: 3600,
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
        mail = Mail(settings)
    }
}
