#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CLibCrypto
#endif

/// SHA-1, for UUIDs of version 5 (RFC 9562); not for anything that must resist forgery.
public struct SHA1: Sendable {
    #if canImport(CryptoKit)
        private var state = Insecure.SHA1()
    #else
        private nonisolated(unsafe) var state = SHA_CTX()
    #endif

    /// The digest of no bytes.
    public init() {
        #if !canImport(CryptoKit)
            SHA1_Init(&state)
        #endif
    }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
            state.update(bufferPointer: bytes)
        #else
            SHA1_Update(&state, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Lends the 20 bytes of the digest.
    public func digest<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        #if canImport(CryptoKit)
            state.finalize().withUnsafeBytes(body)
        #else
            withUnsafeTemporaryAllocation(byteCount: 20, alignment: 8) { digest in
                var state = state
                SHA1_Final(digest.baseAddress, &state)
                return body(UnsafeRawBufferPointer(digest))
            }
        #endif
    }
}
