internal import Foundation
internal import NIOSSL

/// The two PEM files that the service proves itself with.
public struct CertificateFiles: Sendable, Equatable {
    /// The certificate, followed by the intermediate certificates.
    public var certificate: String
    /// The certificate's private key, not encrypted.
    public var key: String

    /// - Parameters: paths, as the properties of the same names.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads and tries the files, and gives the time at which the certificate expires, in seconds since 1970.
    ///
    /// - Throws: ``ServiceError`` with the invalid file.
    public func expiry() throws(ServiceError) -> Int64 {
        Int64(try read().expiry.timeIntervalSince1970)
    }

    /// Reads both, and makes sure that they belong together.
    func read() throws(ServiceError) -> LoadedCertificate {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(try bytes(certificate, setting: "tls.certificate"))
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(
                "tls.certificate: \(certificate) holds no certificate in PEM: name the file that does"
            )
        }
        guard let own = chain.first else {
            throw ServiceError(
                "tls.certificate: \(certificate) holds no certificate in PEM: name the file that does"
            )
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: try bytes(self.key, setting: "tls.key"), format: .pem)
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(
                "tls.key: \(self.key) holds no private key in PEM, or an encrypted one: name one that is not"
            )
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServiceError(
                "tls.key: \(self.key) is not the key of the certificate in \(certificate): name the two that belong together"
            )
        }
        let expiry = Date(timeIntervalSince1970: TimeInterval(own.notValidAfter))
        return LoadedCertificate(configuration: configuration, chain: chain, key: key, expiry: expiry)
    }

    private func bytes(_ path: String, setting: String) throws(ServiceError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ServiceError("\(setting): \(path) cannot be read: check the path and its permissions")
        }
        return Array(data)
    }
}

/// A certificate that was read, with its key.
struct LoadedCertificate: Sendable {
    var configuration: TLSConfiguration
    var chain: [NIOSSLCertificate]
    var key: NIOSSLPrivateKey
    /// When it expires.
    var expiry: Date
}
