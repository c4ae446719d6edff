public import struct FoundationEssentials.UUID

/// A value of whatever type a column has, for callers that show results rather than know them.
public enum PostgresValue: Sendable, Equatable {
    /// NULL
    case null
    /// `boolean`
    case bool(Bool)
    /// `smallint`, `integer`, `bigint`
    case integer(Int64)
    /// `real`, `double precision`
    case double(Double)
    /// Text; also `numeric`, `date`, `interval` and every type not listed, as PostgreSQL would write it
    case text(String)
    /// `bytea`
    case bytes([UInt8])
    /// `uuid`
    case uuid(UUID)
    /// `timestamptz`, microseconds since 1970-01-01T00:00:00Z
    case timestamp(Int64)
    /// `json`, `jsonb`: the JSON text
    case json(String)
    /// A one-dimensional array
    case array([PostgresValue])
}

extension PostgresValue: PostgresDecodable {
    /// Reads a value of any type.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> PostgresValue {
        guard value.bytes != nil else { return .null }
        switch value.type {
        case .bool: return .bool(try Bool.decode(value))
        case .int2, .int4, .int8, .oid: return .integer(try Int64.decode(value))
        case .float4, .float8: return .double(try Double.decode(value))
        case .uuid: return .uuid(try UUID.decode(value))
        case .json, .jsonb: return .json(try String.decode(value))
        case .timestamptz where value.isBinary: return .timestamp(try Int64.decode(value))
        case .bytea where value.isBinary: return .bytes(try [UInt8].decode(value))
        default:
            if value.isBinary, value.type.element != nil { return .array(try [PostgresValue].decode(value)) }
            return .text(try String.decode(value))
        }
    }
}
