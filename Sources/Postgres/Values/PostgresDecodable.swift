/// A type that a column's value can be read as.
///
/// `Int64` reads a `timestamptz` as microseconds since 1970-01-01T00:00:00Z; `[UInt8]` reads any value's bytes as sent;
/// `String` reads text, JSON, numbers, dates, intervals, UUIDs, and everything of a type not known here; arrays read
/// one-dimensional arrays; an optional reads NULL as nil.
public protocol PostgresDecodable {
    /// Reads one value.
    ///
    /// - Throws: ``PostgresError`` with code `decoding` where the type does not fit or the value is NULL.
    static func decode(_ value: ColumnValue) throws(PostgresError) -> Self

    /// Reads an array of values; `[UInt8]` reads bytes instead.
    static func decodeArray(_ value: ColumnValue) throws(PostgresError) -> [Self]
}

extension PostgresDecodable {
    /// Reads a one-dimensional array.
    public static func decodeArray(_ value: ColumnValue) throws(PostgresError) -> [Self] {
        let bytes = try value.nonNull([Self].self)
        guard value.isBinary, value.type.element != nil else { throw value.mismatch([Self].self) }
        let dimensions: Int32 = try bytes.integer()
        let element = DataType(rawValue: try bytes.integer(at: 8))
        guard dimensions > 0 else { return [] }
        guard dimensions == 1 else { throw PostgresError(.decoding, "the array has \(dimensions) dimensions") }
        let count = Int(try bytes.integer(at: 12, as: Int32.self))
        var result: [Self] = []
        result.reserveCapacity(count)
        var offset = 20
        for _ in 0..<count {
            let length = Int(try bytes.integer(at: offset, as: Int32.self))
            offset += 4
            guard length <= bytes.count - offset else { throw PostgresError(.decoding, "the value is cut short") }
            let item = length < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
            result.append(try decode(ColumnValue(type: element, isBinary: true, bytes: item, owner: value.owner)))
            offset += max(length, 0)
        }
        return result
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// Reads NULL as nil.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> Wrapped? {
        value.bytes == nil ? nil : try Wrapped.decode(value)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    /// Reads a one-dimensional array, or bytes.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> [Element] {
        try Element.decodeArray(value)
    }
}

extension UInt8: PostgresDecodable {
    /// There is no such type in PostgreSQL; it stands for the element of `[UInt8]`.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> UInt8 {
        throw value.mismatch(UInt8.self)
    }

    /// Reads the bytes of a `bytea`, text, JSON or any other value as sent; `jsonb` without its version byte.
    public static func decodeArray(_ value: ColumnValue) throws(PostgresError) -> [UInt8] {
        let bytes = try value.nonNull([UInt8].self)
        if value.isBinary && value.type == .jsonb { return Array(bytes.dropFirst()) }
        guard value.isBinary || value.type != .bytea else { throw value.mismatch([UInt8].self) }
        return Array(bytes)
    }
}
