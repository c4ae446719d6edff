import Hashing

/// A secret by which an app's device, notification and request ids are kept as keyed hashes.
public struct IDHashKey: Sendable {
    private let key: [UInt8]

    /// Makes a key from at least 16 random bytes that are the same for ever: another key would make other ids.
    public init(bytes: [UInt8]) {
        key = bytes
    }

    /// HMAC-SHA-256 of an id as 64 hexadecimal digits in lower case.
    public func hash(_ id: String) -> String {
        var id = id
        return id.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }

    func hash(_ id: UnsafeRawBufferPointer) -> String {
        let out = OutputBuffer(capacity: 64)
        SHA256.authenticationCode(of: id, key: key).withUnsafeBytes { out.append(hex: $0) }
        return String(decoding: out.bytes, as: UTF8.self)
    }
}
