internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization
internal import UnixSignals

/// The certificate for new connections. It is read at the start and again at each SIGHUP. Open connections keep theirs.
final class ServerCertificate: Sendable {
    private let files: CertificateFiles
    private let current: Mutex<LoadedCertificate>

    /// - Throws: ``ServiceError`` if a file cannot be used.
    init(_ files: CertificateFiles) throws(ServiceError) {
        self.files = files
        current = Mutex(try files.read())
    }

    /// When the current one expires.
    var expiry: Date { current.withLock { $0.expiry } }

    /// Reads the files again. If they cannot be used, the old certificate stays.
    ///
    /// - Throws: ``ServiceError``.
    func reload() throws(ServiceError) {
        let new = try files.read()
        current.withLock { $0 = new }
    }

    /// The server's TLS configuration: each handshake uses the current certificate.
    var tlsConfiguration: TLSConfiguration {
        var configuration = current.withLock { $0.configuration }
        configuration.sslContextCallback = { _, promise in
            let now = self.current.withLock { $0 }
            var override = NIOSSLContextConfigurationOverride.noChanges
            override.certificateChain = now.chain.map { .certificate($0) }
            override.privateKey = .privateKey(now.key)
            promise.succeed(override)
        }
        return configuration
    }
}

/// Waits for SIGHUP, which else would end the process, and reloads what can be reloaded.
struct Reloading: Service {
    /// Nil without TLS.
    let certificate: ServerCertificate?
    let logger: Logger

    func run() async {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown {
            for await _ in signals { reload() }
        }
    }

    private func reload() {
        guard let certificate else { return logger.notice("SIGHUP ignored: no certificate is configured") }
        do {
            try certificate.reload()
            logger.notice("certificate reloaded", metadata: ["expires": "\(certificate.expiry.ISO8601Format())"])
        } catch {
            logger.error(
                "the certificate was not reloaded and the old one stays in use: fix what the error says, then send SIGHUP again",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
