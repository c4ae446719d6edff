public import Settings

/// The server's address, time limits and certificate.
public struct ServerSettings: Sendable {
    /// The address to listen on.
    public let host: String
    /// The port to listen on; 0 chooses a free one.
    public let port: Int
    /// How long a connection may stay open without a request, in seconds.
    let idleSeconds: Int
    /// The timeout for receiving a body, in seconds; else 408.
    let bodySeconds: Int
    /// The time for requests under way when the service stops, in seconds.
    let stopSeconds: Int
    /// The files for TLS; nil for plain HTTP, as behind a proxy.
    public let tls: CertificateFiles?

    /// Whether only one of the two files for TLS is set.
    private let lacksFile: Bool

    /// Reads the settings.
    public init(_ settings: SettingsReader) {
        host = settings.text("http.host", default: "127.0.0.1", "address to listen on")
        port = settings.integer(
            "http.port",
            default: 8080,
            atLeast: 0,
            atMost: 65_535,
            "port to listen on; 0 chooses a free one"
        )
        idleSeconds = settings.integer(
            "http.idle_seconds",
            default: 75,
            atLeast: 1,
            atMost: 86_400,
            "how long a connection may stay open without a request"
        )
        bodySeconds = settings.integer(
            "http.body_seconds",
            default: 30,
            atLeast: 1,
            atMost: 86_400,
            "timeout for receiving a body, else 408"
        )
        stopSeconds = settings.integer(
            "http.stop_seconds",
            default: 20,
            atLeast: 0,
            atMost: 86_400,
            "time for requests under way when the service stops"
        )
        let certificate = settings.text(
            "tls.certificate",
            "file with the certificate chain, PEM; default: plain HTTP"
        )
        let key = settings.text(
            "tls.key",
            "file with the certificate's private key, PEM; both are read again on SIGHUP"
        )
        tls = certificate.flatMap { file in key.map { CertificateFiles(certificate: file, key: $0) } }
        lacksFile = (certificate == nil) != (key == nil)
    }

    /// - Throws: ``ServiceError`` if only one of the two files for TLS is set.
    func check() throws(ServiceError) {
        if lacksFile { throw ServiceError("TLS needs both tls.certificate and tls.key: set the other one too") }
    }

    /// The server's certificate; nil for plain HTTP.
    ///
    /// - Throws: ``ServiceError`` if a file cannot be used.
    func certificate() throws(ServiceError) -> ServerCertificate? {
        guard let tls else { return nil }
        return try ServerCertificate(tls)
    }
}
