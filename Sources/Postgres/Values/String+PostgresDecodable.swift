internal import struct FoundationEssentials.UUID

extension String: PostgresDecodable {
    /// Reads the scalar types known here as PostgreSQL would write them, and any other type from its text format.
    ///
    /// `timestamptz` is written as RFC 3339 in UTC with microseconds, `interval` as an ISO 8601 duration.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> String {
        let bytes = try value.nonNull(String.self)
        if let text = value.text { return text }
        switch value.type {
        case .jsonb: return String(decoding: bytes.dropFirst(), as: UTF8.self)
        case .int2, .int4, .int8, .oid: return String(try Int64.decode(value))
        case .float4: return String(Float(bitPattern: try bytes.integer()))
        case .float8: return String(Double(bitPattern: try bytes.integer()))
        case .bool: return bytes[0] != 0 ? "true" : "false"
        case .uuid: return try UUID.decode(value).uuidString.lowercased()
        case .numeric: return try BinaryText.numeric(bytes)
        case .date: return BinaryText.date(daysSince1970: Int64(try bytes.integer(as: Int32.self)) + 10_957)
        case .timestamptz: return BinaryText.time(microseconds: try Int64.decode(value)) + "Z"
        case .timestamp: return BinaryText.time(microseconds: try Int64.decode(value))
        case .interval: return try BinaryText.interval(bytes)
        case .void: return ""
        default: throw value.mismatch(String.self)
        }
    }
}
