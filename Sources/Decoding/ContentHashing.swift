import Hashing
import NotificationEvents

/// Hashes of canonical forms, tokens and ids.
enum ContentHashing {
    /// The first 16 bytes of SHA-256.
    static func content(_ bytes: UnsafeRawBufferPointer) -> ContentDigest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.digest { digest in
            ContentDigest(
                high: UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// SHA-256, 32 bytes.
    static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.bytes
    }

    /// A UUID of version 5 (RFC 9562, section 5.5): SHA-1 of a namespace and a name, here in parts.
    static func version5(namespace: EventID, _ name: UnsafeRawBufferPointer...) -> EventID {
        var hash = SHA1()
        namespace.bytes.withUnsafeBytes { hash.update($0) }
        for part in name {
            hash.update(part)
        }
        return hash.digest { digest in
            EventID(
                version5: (
                    high: UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            )
        }
    }
}

extension EventID {
    /// The namespace of ids made from what an event says. Fixed for ever: another would store retries twice.
    static let contentNamespace = EventID(high: 0x6F3B_1C52_9D0E_4A77, low: 0x8C41_E2D5_07A9_B36E)
    /// The namespace of ids made from a CloudEvent's source and id. Fixed for ever.
    static let cloudEventNamespace = EventID(high: 0xB18E_40D7_2A65_4F09, low: 0x93FC_5D1E_C8B7_6042)
    /// The namespace of ids made from a sender's own ids of pushes and calls. Fixed for ever.
    static let senderNamespace = EventID(high: 0x2D74_9AE3_10BC_4F58, low: 0xA6E1_7B39_C45D_8012)
}
