import NotificationEvents

/// How a device token is brought into the one form that is digested.
enum TokenForm {
    /// APNs: hexadecimal digits, in lower case.
    case hexadecimal
    /// FCM: as it is.
    case text
    /// Hexadecimal where it is so, else as it is: where nothing says which service it is of.
    case unknown
}

extension Normaliser {
    /// What comes before the digest of a token in a redacted item.
    static let tokenPrefix = Array("sha256:".utf8)
    /// What comes before the keyed hash of an id in a redacted item.
    static let idPrefix = Array("hmac-sha256:".utf8)

    func tokenForm(_ kind: CompiledKind, _ base: Int) -> TokenForm {
        guard let provider = kind.provider else { return .unknown }
        let value = Int(slots[base + provider])
        return value != 0 && tape.isString(value, Array("fcm".utf8)) ? .text : .hexadecimal
    }

    /// The SHA-256 of a device token, which itself goes no further.
    func token(_ value: Int, _ form: TokenForm) throws(FieldFailure) -> [UInt8] {
        let token = try text(value)
        if setting.policy.isReplay, let digest = Self.redactedToken(token) {
            return digest
        }
        guard !token.isEmpty, token.count <= 4096 else {
            throw FieldFailure(.invalidValue, "must have 1 to 4096 bytes")
        }
        guard let digest = Self.tokenDigest(token, form) else {
            throw FieldFailure(
                .invalidValue,
                "must be hexadecimal digits, two a byte, as of provider apns; or provider fcm"
            )
        }
        return digest
    }

    static func tokenDigest(_ token: UnsafeRawBufferPointer, _ form: TokenForm) -> [UInt8]? {
        let isHexadecimal =
            token.count % 2 == 0
            && token.allSatisfy { byte in
                (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66)
            }
        switch form {
        case .hexadecimal where !isHexadecimal: return nil
        case .hexadecimal,
            .unknown where isHexadecimal:
            // Digits stay what they are: bit 5 is set in them already.
            return token.map { $0 | 0x20 }.withUnsafeBytes { Digests.sha256($0) }
        default: return Digests.sha256(token)
        }
    }

    private static func redactedToken(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count == tokenPrefix.count + 64, text.starts(with: tokenPrefix) else { return nil }
        var digest: [UInt8] = []
        for index in stride(from: tokenPrefix.count, to: text.count, by: 2) {
            guard let byte = UInt8(String(decoding: text[index..<(index + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            digest.append(byte)
        }
        return digest
    }

    /// A device, notification or request id, or its keyed hash where the app keeps no ids.
    func identifier(_ value: Int, maxBytes: Int) throws(FieldFailure) -> String {
        let text = try text(value)
        if setting.policy.isReplay, text.count == Self.idPrefix.count + 64, text.starts(with: Self.idPrefix) {
            return String(decoding: text.dropFirst(Self.idPrefix.count), as: UTF8.self)
        }
        guard !text.isEmpty, text.count <= maxBytes else {
            throw FieldFailure(.invalidValue, "has \(text.count) bytes and must have 1 to \(maxBytes)")
        }
        if let key = setting.policy.idHashKey {
            return key.hash(text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Measures reply text, in Unicode scalars (PostgreSQL's characters), in the place of what the sender counted.
    func measure(_ field: CompiledField, _ value: Int, _ length: CompiledField) throws(FieldFailure) {
        guard tape.tag(value) == JSONTape.Tag.string else { throw FieldFailure.type("a string").within(field.name) }
        override(length, with: Array(String(Self.scalars(tape.string(value))).utf8))
    }

    /// How many Unicode scalars there are in valid UTF-8: every byte but those that continue one.
    static func scalars(_ text: UnsafeRawBufferPointer) -> Int {
        text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}
