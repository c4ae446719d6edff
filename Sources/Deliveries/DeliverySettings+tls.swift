internal import NIOSSL

extension DeliverySettings {
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
}
