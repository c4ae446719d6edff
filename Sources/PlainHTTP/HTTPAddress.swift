/// Where a service answers: scheme, host and port of an `http` URL.
public struct HTTPAddress: Sendable, Equatable {
    /// A name or an address.
    public var host: String
    /// The port.
    public var port: Int

    /// Makes an address from its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses a URL such as `http://127.0.0.1:8080`.
    ///
    /// - Throws: ``HTTPFailure`` if it has another scheme, a path, or no host.
    public init(url: String) throws(HTTPFailure) {
        let scheme = "http://"
        guard url.lowercased().hasPrefix(scheme) else {
            throw HTTPFailure("the URL must begin with http:// (for a service with TLS, use a proxy)")
        }
        var rest = url.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard !rest.contains("/"), (1...2).contains(parts.count), !parts[0].isEmpty else {
            throw HTTPFailure("the URL must be of the form http://host:port")
        }
        guard parts.count == 2 else {
            self.init(host: String(parts[0]), port: 80)
            return
        }
        guard let port = Int(parts[1]), (1...65_535).contains(port) else {
            throw HTTPFailure("the URL must be of the form http://host:port")
        }
        self.init(host: String(parts[0]), port: port)
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
