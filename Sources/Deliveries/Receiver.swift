internal import Foundation

/// To whom something is delivered.
public enum Receiver: Sendable, Equatable {
    /// A URL that takes webhooks as Standard Webhooks describes them
    case webhook(WebhookAddress)
    /// A URL that takes messages as Slack does
    case slack(WebhookAddress)
    /// An email address
    case mail(String)

    /// Reads a receiver: `https://example.com/hook`, `slack:https://hooks.slack.com/…`, `mailto:ops@example.com`.
    public init?(_ text: String) {
        guard (1...1000).contains(text.utf8.count) else { return nil }
        if text.hasPrefix("mailto:") {
            let address = String(text.dropFirst("mailto:".count))
            guard address.wholeMatch(of: /[A-Za-z0-9._%+'-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*/) != nil else {
                return nil
            }
            self = .mail(address)
        } else if text.hasPrefix("slack:") {
            guard let address = WebhookAddress(String(text.dropFirst("slack:".count))) else { return nil }
            self = .slack(address)
        } else {
            guard let address = WebhookAddress(text) else { return nil }
            self = .webhook(address)
        }
    }

    /// The rule of ``init(_:)``, in words.
    public static let accepted =
        "a receiver is https://HOST/PATH, slack:https://HOST/PATH or mailto:NAME@HOST"

    /// The receiver without a URL's path, which may be a secret.
    public var shown: String {
        switch self {
        case .webhook(let address): address.shown
        case .slack(let address): "slack:\(address.shown)"
        case .mail(let address): "mailto:\(address)"
        }
    }

    /// A receiver's text as ``shown``.
    public static func shown(_ text: String) -> String {
        Receiver(text)?.shown ?? "?"
    }
}

/// The URL of a webhook.
public struct WebhookAddress: Sendable, Equatable {
    /// Whether it is https.
    let isSecure: Bool
    /// A name or an address.
    let host: String
    /// The port.
    let port: Int
    /// Path and query.
    let path: String

    init?(_ text: String) {
        // Printable ASCII alone, so that nothing in it ends a line of the request. The host is decoded: `%0d%0a` in it would.
        guard text.utf8.allSatisfy({ (33...126).contains($0) }), let parts = URLComponents(string: text),
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = parts.host,
            host.wholeMatch(of: /[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?\]/) != nil, parts.user == nil,
            parts.password == nil, (1...65_535).contains(parts.port ?? 443)
        else { return nil }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? (isSecure ? 443 : 80)
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        path = (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath) + query
    }

    /// The host as a URL and the header Host have it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    var shown: String {
        "\(isSecure ? "https" : "http")://\(authority)/…"
    }
}
