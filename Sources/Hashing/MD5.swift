#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CLibCrypto
#endif

/// MD5, to divide names evenly as PostgreSQL's `md5` does; not for anything that must resist forgery.
public enum MD5 {
    /// The first byte of the digest.
    public static func firstByte(of bytes: UnsafeRawBufferPointer) -> UInt8 {
        #if canImport(CryptoKit)
            Insecure.MD5.hash(data: bytes).withUnsafeBytes { $0[0] }
        #else
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { digest in
                var state = MD5_CTX()
                MD5_Init(&state)
                MD5_Update(&state, bytes.baseAddress, bytes.count)
                MD5_Final(digest.baseAddress, &state)
                return digest[0]
            }
        #endif
    }
}
