/// One installation of the app, as device and provider know it.
struct Installation {
    let deviceID: Identifier
    /// Stands for the 32 bytes of its token.
    var tokenSeed: UInt64
    /// When the app was removed.
    var removedAt: Int64?
    /// When APNs begins to answer 410: long after, often.
    var noticedAt: Int64 = 0
    /// Whether the provider has a token to send to.
    var isKnownToProvider = false
    /// A development build's token, which the production environment does not know.
    var isSandbox = false
}
