internal import Hashing

/// The SHA-256 of a key, compared in constant time.
public struct KeyHash: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes a key's text.
    public init(of text: some StringProtocol) {
        var hash = SHA256()
        if text.utf8.withContiguousStorageIfAvailable({ hash.update(UnsafeRawBufferPointer($0)) }) == nil {
            hash.update(Array(text.utf8))
        }
        words = hash.digest { Self.load($0) }
    }

    /// Takes a stored hash; `nil` where it is not 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        words = bytes.withUnsafeBytes { Self.load($0) }
    }

    /// A hash that no key has, to compare with where the key is not known, so that both cases take as long.
    public static let ofNoKey = KeyHash(of: "")

    /// The 32 bytes.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: words) { Array($0) }
    }

    /// Whether both are the same, in a time that does not depend on where they differ.
    public func matches(_ other: KeyHash) -> Bool {
        let difference =
            (words.0 ^ other.words.0) | (words.1 ^ other.words.1) | (words.2 ^ other.words.2)
            | (words.3 ^ other.words.3)
        return difference == 0
    }

    private static func load(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
        (
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }
}
