public import struct FoundationEssentials.UUID

extension Bool: PostgresDecodable {
    /// Reads `boolean`.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> Bool {
        let bytes = try value.nonNull(Bool.self)
        guard value.type == .bool, bytes.count == 1 else { throw value.mismatch(Bool.self) }
        return value.isBinary ? bytes[0] != 0 : bytes[0] == UInt8(ascii: "t")
    }
}

extension PostgresDecodable where Self: FixedWidthInteger {
    /// Reads `smallint`, `integer`, `bigint` and `oid`, and `timestamptz` or `timestamp` as microseconds since 1970.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, also where the number does not fit.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> Self {
        let bytes = try value.nonNull(Self.self)
        let wide: Int64
        if !value.isBinary {
            guard let text = value.text, let number = Int64(text) else { throw value.mismatch(Self.self) }
            wide = number
        } else {
            switch value.type {
            case .int2: wide = Int64(try bytes.integer(as: Int16.self))
            case .int4: wide = Int64(try bytes.integer(as: Int32.self))
            case .int8: wide = try bytes.integer()
            case .oid: wide = Int64(try bytes.integer(as: UInt32.self))
            case .timestamptz, .timestamp:
                let microseconds: Int64 = try bytes.integer()
                let isInfinite = microseconds == .max || microseconds == .min
                wide = isInfinite ? microseconds : microseconds &+ postgresEpochMicroseconds
            default: throw value.mismatch(Self.self)
            }
        }
        guard let result = Self(exactly: wide) else {
            throw PostgresError(.decoding, "the number does not fit into \(Self.self)")
        }
        return result
    }
}

extension Int16: PostgresDecodable {}
extension Int32: PostgresDecodable {}
extension Int64: PostgresDecodable {}
extension Int: PostgresDecodable {}

extension Double: PostgresDecodable {
    /// Reads `double precision`, `real`, the integer types and `numeric` (to the nearest double).
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> Double {
        let bytes = try value.nonNull(Double.self)
        if value.isBinary {
            switch value.type {
            case .float8: return Double(bitPattern: try bytes.integer())
            case .float4: return Double(Float(bitPattern: try bytes.integer()))
            case .int2, .int4, .int8: return Double(try Int64.decode(value))
            case .numeric: break
            default: throw value.mismatch(Double.self)
            }
        }
        guard let number = Double(try String.decode(value)) else { throw value.mismatch(Double.self) }
        return number
    }
}

extension UUID: PostgresDecodable {
    /// Reads `uuid`.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> UUID {
        let bytes = try value.nonNull(UUID.self)
        guard value.type == .uuid else { throw value.mismatch(UUID.self) }
        if let text = value.text {
            guard let uuid = UUID(uuidString: text) else { throw value.mismatch(UUID.self) }
            return uuid
        }
        guard bytes.count == 16 else { throw value.mismatch(UUID.self) }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

private typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)
