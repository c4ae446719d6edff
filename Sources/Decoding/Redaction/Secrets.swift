import NotificationEvents

/// How a device token is brought into the one form that is digested.
enum TokenForm {
    /// APNs: hexadecimal digits, in lower case.
    case hexadecimal
    /// FCM: unchanged.
    case text
    /// Hexadecimal if it is valid, else unchanged: used if the service is unknown.
    case unknown
}

/// What an app keeps of device tokens and ids: of tokens a digest, of ids a keyed hash where the app wants it.
///
/// In a redacted item a prefix marks such a digest or hash, so that the item can be sent again.
struct Secrets {
    /// What comes before the digest of a token in a redacted item.
    static let tokenPrefix = "sha256:"
    /// What comes before the keyed hash of an id in a redacted item.
    static let idPrefix = "hmac-sha256:"
    /// What stands for text that is not kept; it is no token.
    static let removed = "removed"
    private static let maxTokenBytes = 4096

    /// The app's key, where it keeps ids as keyed hashes only.
    let idHashKey: IDHashKey?
    /// Whether marked digests and hashes are taken as such.
    let isReplay: Bool

    init(_ policy: DecodingPolicy) {
        idHashKey = policy.idHashKey
        isReplay = policy.isReplay
    }

    /// The SHA-256 of a device token, which itself goes no further.
    func tokenDigest(_ token: UnsafeRawBufferPointer, _ form: TokenForm) throws(FieldFailure) -> [UInt8] {
        if isReplay, let digest = Self.redactedToken(token) {
            return digest
        }
        guard !token.isEmpty, token.count <= Self.maxTokenBytes else {
            throw FieldFailure(.invalidValue, "must have 1 to \(Self.maxTokenBytes) bytes")
        }
        guard let digest = Self.digest(token, form) else {
            throw FieldFailure(
                .invalidValue,
                "must be an APNs token in hexadecimal, unless `provider` is `fcm`"
            )
        }
        return digest
    }

    /// A device, notification or request id, or its keyed hash where the app keeps no ids.
    func identifier(_ text: UnsafeRawBufferPointer, maxBytes: Int) throws(FieldFailure) -> String {
        if isReplay, text.count == Self.idPrefix.utf8.count + 64, text.starts(with: Self.idPrefix.utf8) {
            return String(decoding: text.dropFirst(Self.idPrefix.utf8.count), as: UTF8.self)
        }
        guard !text.isEmpty, text.count <= maxBytes else {
            throw FieldFailure(.invalidValue, "has \(text.count) bytes and must have 1 to \(maxBytes)")
        }
        if let idHashKey {
            return idHashKey.hash(text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text of an id in a redacted item; empty where it is refused and would be accepted as a hash.
    func redacted(identifier text: UnsafeRawBufferPointer, maxBytes: Int) -> String {
        guard let idHashKey, !(isReplay && text.starts(with: Self.idPrefix.utf8)) else {
            return String(decoding: text, as: UTF8.self)
        }
        guard !text.isEmpty, text.count <= maxBytes else { return "" }
        return Self.idPrefix + idHashKey.hash(text)
    }

    /// The text of a token in a redacted item; of one that is refused, text that is refused for the same reason.
    func redacted(token: UnsafeRawBufferPointer, _ form: TokenForm) -> String {
        if isReplay, Self.redactedToken(token) != nil {
            return String(decoding: token, as: UTF8.self)
        }
        guard !token.isEmpty, token.count <= Self.maxTokenBytes else { return "" }
        return Self.digest(token, form).map(Self.text(ofToken:)) ?? Self.removed
    }

    /// The text of a token's digest in a redacted item.
    static func text(ofToken digest: [UInt8]) -> String {
        tokenPrefix + String(hexadecimal: digest)
    }

    private static func digest(_ token: UnsafeRawBufferPointer, _ form: TokenForm) -> [UInt8]? {
        let isHexadecimal =
            token.count % 2 == 0
            && token.allSatisfy(\.isHexadecimalDigit)
        switch form {
        case .hexadecimal where !isHexadecimal: return nil
        case .hexadecimal,
            .unknown where isHexadecimal:
            // Digits stay what they are: bit 5 is set in them already.
            return token.map { $0 | 0x20 }.withUnsafeBytes { ContentHashing.sha256($0) }
        default: return ContentHashing.sha256(token)
        }
    }

    private static func redactedToken(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        let prefix = tokenPrefix.utf8.count
        guard text.count == prefix + 64, text.starts(with: tokenPrefix.utf8) else { return nil }
        var digest: [UInt8] = []
        for index in stride(from: prefix, to: text.count, by: 2) {
            guard let byte = UInt8(String(decoding: text[index..<(index + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            digest.append(byte)
        }
        return digest
    }
}
