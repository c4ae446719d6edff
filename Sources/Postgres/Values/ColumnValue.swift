/// One value as the server sent it, before it is decoded.
public struct ColumnValue: Sendable {
    let type: DataType
    let isBinary: Bool
    /// Nil for NULL. Points into the result, which `owner` keeps.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer?
    let owner: ResultHandle

    /// The bytes of a value that must not be NULL.
    func nonNull<T>(_ target: T.Type) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes else { throw PostgresError(.decoding, "NULL cannot be read as \(target)") }
        return bytes
    }

    func mismatch<T>(_ target: T.Type) -> PostgresError {
        PostgresError(.decoding, "type \(type.rawValue) cannot be read as \(target)")
    }

    /// The bytes as text, where they are text on the wire.
    var text: String? {
        guard let bytes, !isBinary || type.isText else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at an offset, in network order.
    @inline(__always)
    func integer<I: FixedWidthInteger>(at offset: Int = 0, as type: I.Type = I.self) throws(PostgresError) -> I {
        guard offset >= 0, offset + MemoryLayout<I>.size <= count else {
            throw PostgresError(.decoding, "the value is cut short")
        }
        return I(bigEndian: loadUnaligned(fromByteOffset: offset, as: I.self))
    }
}
