/// Where a service answers: scheme, host and port of an `http` URL.
public struct HTTPAddress: Sendable, Equatable {
    /// A name or an address, one of IPv6 without brackets.
    public var host: String
    /// The port.
    public var port: Int

    /// Makes an address from its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Host and port as URLs and requests name them: an address of IPv6 is in brackets.
    public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Parses a URL such as `http://127.0.0.1:8080` or `http://[::1]:8080`.
    ///
    /// - Throws: ``HTTPFailure`` if it has another scheme, a path, or no host.
    public init(url: String) throws(HTTPFailure) {
        let scheme = "http://"
        guard url.lowercased().hasPrefix(scheme) else {
            throw HTTPFailure("the URL must begin with http:// (for a service with TLS, use a proxy)")
        }
        var rest = url.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let match = rest.wholeMatch(of: /(?:\[([0-9A-Fa-f:.]+)\]|([^:\/\[\]]+))(?::([0-9]+))?/),
            let host = match.output.1 ?? match.output.2,
            let port = Int(match.output.3 ?? "80"), (1...65_535).contains(port)
        else {
            throw HTTPFailure("the URL must be of the form http://host:port")
        }
        self.init(host: String(host), port: port)
    }
}

/// Why a request had no answer.
public struct HTTPFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened, in one sentence.
    public let description: String

    /// Makes a failure from its description.
    public init(_ description: String) {
        self.description = description
    }
}
