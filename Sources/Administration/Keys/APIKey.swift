public import NotificationEvents

/// A key as it is handed out: `nlg_<scope letter>_<key id>_<secret>`.
///
/// The id is public and names the key in lists and logs; the database holds the SHA-256 of the whole text, and the text
/// itself is shown once, when the key is made.
public struct APIKey: Sendable {
    /// The public part, 12 letters and digits.
    public let id: String
    /// The key's scope; its first letter is in the text for people, but the database decides.
    public let scope: Scope
    /// The whole key. A credential: show it once, never log it.
    public let text: String

    static let prefix = "nlg_"
    static let idLength = 12
    static let secretLength = 40

    /// Makes a key of 40 random letters and digits: 238 bits.
    public static func generate(scope: Scope) -> APIKey {
        var random = SystemRandomNumberGenerator()
        let id = text(idLength, from: "0123456789abcdefghijklmnopqrstuvwxyz", using: &random)
        let secret = text(
            secretLength,
            from: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            using: &random
        )
        return APIKey(id: id, scope: scope, text: "\(prefix)\(scope.rawValue.prefix(1))_\(id)_\(secret)")
    }

    /// The SHA-256 of the whole key, as it is stored.
    public var hash: [UInt8] {
        KeyHash(of: text).bytes
    }

    /// The id within a key's text; `nil` where the text is no key.
    public static func id(in text: some StringProtocol) -> String? {
        // By bytes at their offsets, as this is done for every request.
        text.utf8.withContiguousStorageIfAvailable { id(in: $0) }
            ?? Array(text.utf8).withUnsafeBufferPointer { id(in: $0) }
    }

    private static func id(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let underscore = UInt8(ascii: "_")
        let idEnd = idStart + idLength
        guard bytes.count == idEnd + 1 + secretLength, bytes.starts(with: prefix.utf8),
            bytes[idStart - 1] == underscore, bytes[idEnd] == underscore,
            bytes.lazy.filter({ $0 == underscore }).count == 3
        else { return nil }
        return String(decoding: bytes[idStart..<idEnd], as: UTF8.self)
    }

    /// Where the id begins: after the prefix, the letter of the scope and an underscore.
    private static let idStart = prefix.utf8.count + 2

    private static func text(
        _ count: Int,
        from letters: String,
        using random: inout some RandomNumberGenerator
    ) -> String {
        let letters = Array(letters)
        return String((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
    }
}
