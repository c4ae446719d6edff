#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CLibCrypto
#endif

/// SHA-256 (FIPS 180-4) of bytes that arrive in parts, by OpenSSL, which libpq links anyway, or by the system.
public struct SHA256: Sendable {
    #if canImport(CryptoKit)
        private var state = CryptoKit.SHA256()
    #else
        private nonisolated(unsafe) var state = SHA256_CTX()
    #endif

    /// The digest of no bytes.
    public init() {
        #if !canImport(CryptoKit)
            SHA256_Init(&state)
        #endif
    }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
            state.update(bufferPointer: bytes)
        #else
            SHA256_Update(&state, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Adds bytes.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Lends the 32 bytes of the digest.
    public func digest<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        #if canImport(CryptoKit)
            state.finalize().withUnsafeBytes(body)
        #else
            withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
                var state = state
                SHA256_Final(digest.baseAddress, &state)
                return body(UnsafeRawBufferPointer(digest))
            }
        #endif
    }

    /// The 32 bytes of the digest.
    public var bytes: [UInt8] { digest { Array($0) } }

    /// The digest of these bytes.
    public static func digest(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.bytes
    }

    /// HMAC-SHA-256 (RFC 2104), 32 bytes.
    public static func authenticationCode(of message: UnsafeRawBufferPointer, key: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            Array(HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        #else
            // Without a message there is no address, and OpenSSL ignores a call without an address.
            withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { code in
                let empty = UnsafeRawPointer(code.baseAddress!)
                HMAC(
                    EVP_sha256(),
                    key,
                    Int32(key.count),
                    message.baseAddress ?? empty,
                    message.count,
                    code.baseAddress,
                    nil
                )
                return Array(code)
            }
        #endif
    }

    /// HMAC-SHA-256 (RFC 2104), 32 bytes.
    public static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { authenticationCode(of: $0, key: key) }
    }
}
